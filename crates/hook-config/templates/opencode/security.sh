#!/bin/sh
# Before a command: refuses those that destroy a machine.
# A guard: what it cannot read it refuses.

{field}
refuse() {
  echo "BLOCKED: $1"
  exit 1
}
command=$(printf '%s' "$OPENCODE_TOOL_ARGS" | field command) ||
  refuse "this guard cannot read the command, so it refuses"
# One blank between words, wherever lines end.
set -f
# shellcheck disable=SC2086
set -- $command
flat=" $* "
# And none at all, for what is written with and without.
tight=$(printf '%s' "$flat" | tr -d ' ') || refuse "this guard cannot look at the command, so it refuses"

for pattern in "rm -rf /" "rm -fr /" "mkfs" "dd if=" "> /dev/sd" "> /dev/nvme" "> /dev/disk"; do
  case "$flat" in
    *"$pattern"*) refuse "Dangerous command pattern detected: $pattern" ;;
  esac
done
for pattern in ">/dev/sd" ">/dev/nvme" ">/dev/disk" ":(){:|:&};:"; do
  case "$tight" in
    *"$pattern"*) refuse "Dangerous command pattern detected: $pattern" ;;
  esac
done
exit 0
