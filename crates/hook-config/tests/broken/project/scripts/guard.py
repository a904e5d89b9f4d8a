#!/usr/bin/env python3
import json, os, sys
call = json.load(sys.stdin)
if "sudo" in call["tool_input"].get("command", ""):
    print(json.dumps({"decision": "block", "reason": os.environ["CLAUDE_TOOL_NAME"]}), file=sys.stderr)
