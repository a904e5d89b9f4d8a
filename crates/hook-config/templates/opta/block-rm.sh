#!/bin/sh
# Before a command: refuses `rm` that removes folders with all that is in them.
# A guard: what it cannot read it refuses.

{field}
refuse() {
  echo "Blocked: $1" >&2
  exit 1
}
{holds}
command=$(printf '%s' "$OPTA_TOOL_ARGS" | field command) ||
  refuse "this guard cannot read the command, so it refuses"
# One blank between words, wherever lines end.
set -f
# shellcheck disable=SC2086
set -- $command
flat="$*"

if holds '(^|[^[:alnum:]_.-])rm( .*)? (-[[:alnum:]]*[rR]|--recursive)'; then
  refuse "destructive rm"
fi
exit 0
