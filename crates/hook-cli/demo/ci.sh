# Nobody waits for this one. It answers when CI is done.
echo $$ >>"$CLAUDE_PROJECT_DIR"/.hookline/pids
until [ -e "$CLAUDE_PROJECT_DIR"/ci-is-done ]; do sleep 0.05; done
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "CI is green: 128 checks passed"}}'
