#!/usr/bin/env node
// A server hook: refuses `sudo` in Bash calls, and has no opinion on anything else.
//
// One JSON object a line comes in, one goes out:
//
//     {"id": 7, "input": {...}}  ->  {"id": 7, "output": {...}}   or   {"id": 7}

"use strict";

/** The answer that a command hook would print, or undefined for no opinion. */
async function judge(event) {
  if (event.hook_event_name !== "PreToolUse" || event.tool_name !== "Bash") return undefined;
  if (!/\bsudo\b/.test(event.tool_input?.command ?? "")) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "sudo is not allowed here",
    },
  };
}

// Requests overlap: each is answered when it is ready, in any order. One write a line, the id
// first. Anything else belongs on stderr, so use console.error and never console.log.
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

// The loop ends when the session does: stdin is closed then.
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, input } = JSON.parse(line);
    judge(input).then(
      (output) => say({ id, output }), // an undefined output is left out
      (error) => say({ id, error: String(error) }),
    );
  });
