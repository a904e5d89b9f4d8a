#!/bin/sh
# When the agent waits for you, or is done: tells you on the desktop, if there is one.

{field}
input=$(cat)
message=$(printf '%s' "$input" | field message) || message="The agent is done"
if command -v notify-send >/dev/null 2>&1; then
  notify-send -- Hookline "$message"
elif command -v osascript >/dev/null 2>&1; then
  osascript -e 'on run text' -e 'display notification (item 1 of text) with title "Hookline"' -e 'end run' "$message"
fi
exit 0
