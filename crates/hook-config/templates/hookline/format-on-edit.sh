#!/bin/sh
# After a file was changed: has the formatter of its language put it in order, if there is one. What
# the formatter cannot read, the model is told.

{field}
file=$(field tool_input file_path) || exit 0
[ -f "$file" ] || exit 0
has() { command -v "$1" >/dev/null 2>&1; }
case "$file" in
  *.rs) has rustfmt && set -- rustfmt --edition 2024 ;;
  *.go) has gofmt && set -- gofmt -w ;;
  *.py)
    if has ruff; then set -- ruff format --quiet; elif has black; then set -- black --quiet; fi ;;
  *.js | *.jsx | *.ts | *.tsx | *.css | *.json | *.md | *.html | *.yaml | *.yml)
    prettier="${CLAUDE_PROJECT_DIR:-.}/node_modules/.bin/prettier"
    [ -x "$prettier" ] && set -- "$prettier" --log-level warn --write ;;
  *.sh) has shfmt && set -- shfmt -w ;;
esac
[ $# -gt 0 ] || exit 0
problem=$("$@" "$file" 2>&1) && exit 0
{
  echo "$1 cannot format $file:"
  printf '%s\n' "$problem" | head -n 20
} >&2
exit 2
