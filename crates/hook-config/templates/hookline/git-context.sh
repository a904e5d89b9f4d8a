#!/bin/sh
# When a session starts: tells the model which branch it is on, what is not committed, and what was
# done last. What it prints is context; outside a repository it prints nothing.

cd "${CLAUDE_PROJECT_DIR:-.}" 2>/dev/null || exit 0
branch=$(git symbolic-ref --short HEAD 2>/dev/null || git rev-parse --short HEAD 2>/dev/null) || exit 0
echo "Git branch: $branch"
status=$(git status --short 2>/dev/null | head -n 20)
if [ -n "$status" ]; then
  echo "Not committed:"
  printf '%s\n' "$status"
fi
commits=$(git log --oneline -n 5 2>/dev/null)
if [ -n "$commits" ]; then
  echo "Last commits:"
  printf '%s\n' "$commits"
fi
exit 0
