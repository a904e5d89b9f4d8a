# Asked when the agent wants to stop.
[ -e "$CLAUDE_PROJECT_DIR"/tests-passed ] && exit 0
echo "run the tests first: sh test.sh" >&2
exit 2 # on Stop: keeps the agent going
