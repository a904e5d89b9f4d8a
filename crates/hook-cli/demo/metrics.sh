# Hangs: the server that it reports to does not answer.
sleep 600 &
echo "$$ $!" >>"$CLAUDE_PROJECT_DIR"/.hookline/pids
wait
