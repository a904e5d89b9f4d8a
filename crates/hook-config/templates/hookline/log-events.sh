#!/bin/sh
# On every event: keeps it as a line of JSON, in a file that only you can read. A log that cannot be
# written stops nothing.

log="${HOOKLINE_LOG:-${CLAUDE_PROJECT_DIR:-.}/.hookline/events.jsonl}"
umask 077
{ mkdir -p "$(dirname "$log")" && cat >>"$log"; } 2>/dev/null
exit 0
