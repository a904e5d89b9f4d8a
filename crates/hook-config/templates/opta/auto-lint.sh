#!/bin/sh
# After a file was changed: has its linter mend what it can. Without one it does nothing.

{field}
file=$(printf '%s' "$OPTA_TOOL_ARGS" | field path) || exit 0
has() { command -v "$1" >/dev/null 2>&1; }
case "$file" in
  *.ts | *.tsx | *.js | *.jsx) has npx && npx --no-install eslint --fix -- "$file" 2>/dev/null ;;
  *.py) has ruff && ruff check --fix -- "$file" 2>/dev/null ;;
esac
exit 0
