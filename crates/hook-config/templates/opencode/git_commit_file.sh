#!/bin/sh
# After a file was written: commits that file, and no other, where there is a repository.

{field}
file=$(printf '%s' "$OPENCODE_TOOL_RESULT" | field file_path 2>/dev/null) ||
  file=$(printf '%s' "$OPENCODE_TOOL_ARGS" | field file_path) || exit 0
git rev-parse --git-dir >/dev/null 2>&1 || exit 0
git add -- "$file" || exit 0
git diff --cached --quiet -- "$file" || git commit -q -m "Auto-save: $(basename "$file")" -- "$file"
exit 0
