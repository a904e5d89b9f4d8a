# A guard in three lines. The tool call comes on stdin, as JSON.
grep -q 'rm -rf' || exit 0
echo "rm -rf is not allowed here: move things to trash/ instead" >&2
exit 2 # refuses; what stands on stderr is the reason
