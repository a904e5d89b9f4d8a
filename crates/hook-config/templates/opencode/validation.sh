#!/bin/sh
# After a file was written: is it what its name says? Where nothing here can tell, it says nothing.

{field}
file=$(printf '%s' "$OPENCODE_TOOL_RESULT" | field file_path 2>/dev/null) ||
  file=$(printf '%s' "$OPENCODE_TOOL_ARGS" | field file_path) || exit 0
command -v python3 >/dev/null 2>&1 || exit 0
case "$file" in
  *.py) check='import ast, sys; ast.parse(open(sys.argv[1], "rb").read(), sys.argv[1])' ;;
  *.json) check='import json, sys; json.load(open(sys.argv[1], "rb"))' ;;
  *) exit 0 ;;
esac
problem=$(python3 -c "$check" "$file" 2>&1) && exit 0
echo "$file: $(printf '%s\n' "$problem" | tail -n 1)"
exit 1
