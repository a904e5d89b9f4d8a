#!/bin/sh
# A server hook: refuses `sudo` in Bash calls, and has no opinion on anything else.
#
# One JSON object a line comes in, one goes out:
#
#     {"id":7,"input":{...}}  ->  {"id":7,"output":{...}}   or   {"id":7}
#
# A shell cannot read JSON. What this one relies on: the id comes first, there are no blanks between
# keys and values, and tool_input comes after tool_name. It refuses whatever has "sudo" anywhere in
# the call, "pseudo" too: where it cannot tell, a guard says no.

deny='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"sudo is not allowed here"}}'

# read ends when the session does: stdin is closed then.
while IFS= read -r line; do
  id=${line#'{"id":'}
  id=${id%%,*}
  case $line in
    *'"hook_event_name":"PreToolUse"'*'"tool_name":"Bash"'*'"tool_input":'*sudo*)
      printf '{"id":%s,"output":%s}\n' "$id" "$deny" ;;
    *)
      printf '{"id":%s}\n' "$id" ;;
  esac
done
