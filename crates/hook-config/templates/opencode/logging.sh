#!/bin/sh
# On every event: one line in a log. A log that cannot be written stops nothing.

log="$HOME/.opencode/events.log"
{
  mkdir -p "$(dirname "$log")" &&
    echo "[$(date +%Y-%m-%dT%H:%M:%S%z)] $OPENCODE_EVENT tool=$OPENCODE_TOOL_NAME" >>"$log"
} 2>/dev/null
exit 0
