#!/usr/bin/env python3
"""A server hook: refuses `sudo` in Bash calls, and has no opinion on anything else.

One JSON object a line comes in, one goes out:

    {"id": 7, "input": {...}}  ->  {"id": 7, "output": {...}}   or   {"id": 7}
"""

import json
import re
import sys

SUDO = re.compile(r"\bsudo\b")


def judge(event):
    """The answer that a command hook would print, or None for no opinion."""
    if event.get("hook_event_name") != "PreToolUse" or event.get("tool_name") != "Bash":
        return None
    if not SUDO.search(event.get("tool_input", {}).get("command", "")):
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "sudo is not allowed here",
        }
    }


for line in sys.stdin:  # ends when the session does: stdin is closed then
    request = json.loads(line)
    answer = {"id": request["id"]}
    try:
        output = judge(request["input"])
        if output is not None:
            answer["output"] = output
    except Exception as error:  # one bad request must not end the server
        answer["error"] = f"{type(error).__name__}: {error}"
    # The id first, one line, and out at once. Anything else that you print belongs on stderr.
    print(json.dumps(answer), flush=True)
