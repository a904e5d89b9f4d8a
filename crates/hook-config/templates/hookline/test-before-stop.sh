#!/bin/sh
# Before the agent stops: runs the tests, and sends it back to work where they fail. Once it has been
# sent back it may stop: nobody is kept for ever. HOOKLINE_TEST_COMMAND says how tests are run here;
# without it the usual way of the project's language is taken.

{field}
[ "$(field stop_hook_active)" = true ] && exit 0
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 0
# Nothing has changed, so nothing is tested.
if git rev-parse --git-dir >/dev/null 2>&1 && [ -z "$(git status --porcelain)" ]; then
  exit 0
fi
tests=${HOOKLINE_TEST_COMMAND:-}
if [ -z "$tests" ]; then
  if [ -f Cargo.toml ]; then tests="cargo test --quiet"
  elif [ -f go.mod ]; then tests="go test ./..."
  elif [ -f package.json ] && grep -q '"test"' package.json; then tests="npm test --silent"
  elif [ -f pyproject.toml ] || [ -f pytest.ini ]; then tests="python3 -m pytest -q"
  elif [ -f Makefile ] && grep -q '^test:' Makefile; then tests="make test"
  else exit 0; fi
fi
output=$(sh -c "$tests" 2>&1) && exit 0
{
  echo "The tests fail ($tests). Mend them before you stop:"
  printf '%s\n' "$output" | tail -n 40
} >&2
exit 2
