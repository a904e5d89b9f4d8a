#!/bin/sh
# Before a prompt is sent, a file is written or a command is run: refuses what holds a key or a token.
# A guard: what it cannot read it refuses.

grep -Eq \
  -e 'AKIA[0-9A-Z]{16}' \
  -e '-----BEGIN ([A-Z]+ )?PRIVATE KEY' \
  -e 'gh[pousr]_[A-Za-z0-9]{36}' \
  -e 'github_pat_[A-Za-z0-9_]{40}' \
  -e 'xox[abprs]-[A-Za-z0-9-]{10}' \
  -e 'sk-[A-Za-z0-9_-]{32}' \
  -e 'AIza[A-Za-z0-9_-]{35}'
case $? in
  1) exit 0 ;;
  0) echo "block-secrets: this holds a key or a token; take it out" >&2 ;;
  *) echo "block-secrets: this cannot be read, so it is refused" >&2 ;;
esac
exit 2
