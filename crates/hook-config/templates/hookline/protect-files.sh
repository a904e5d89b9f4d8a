#!/bin/sh
# Before a file is changed: refuses secrets, what git and package managers write themselves, and the
# hooks that guard the agent. Add your own patterns below.
# A guard: what it cannot read it refuses.

{field}
refuse() {
  echo "protect-files: $1" >&2
  exit 2
}
input=$(cat)
file=$(printf '%s' "$input" | field tool_input file_path) ||
  file=$(printf '%s' "$input" | field tool_input notebook_path) ||
  refuse "the call cannot be read, so it is refused"

case "/$file" in
  */.env.example | */.env.sample | */.env.template) exit 0 ;;
  */.env | */.env.* | *.pem | *.key | */id_rsa* | */id_ed25519* | */.ssh/* | */.aws/* | */.netrc)
    refuse "$file may hold secrets; ask the user to change it" ;;
  */.git/*)
    refuse "$file belongs to git; use git" ;;
  */package-lock.json | */yarn.lock | */pnpm-lock.yaml | */Cargo.lock | */poetry.lock | */uv.lock | */go.sum)
    refuse "$file is written by its package manager; use that" ;;
  */.hookline/* | */.claude/settings*.json | */.claude/hooks/* | */.opta/* | */.opencode/hooks*)
    refuse "$file says what guards this session; ask the user to change it" ;;
esac
exit 0
