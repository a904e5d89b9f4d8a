//! Streams of hooks' messages, with times that are always the same.

use serde_json::{Value, json};

/// When every stream begins, in milliseconds since 1970.
pub(crate) const BEGINS: u64 = 1_700_000_000_000;

/// A stream that is being written.
#[derive(Default)]
pub(crate) struct Stream {
    lines: Vec<String>,
    /// Milliseconds since it began.
    at: u64,
}

/// A run, as a verdict tells of it: the run, the hook, its status, and how many microseconds it took.
pub(crate) type Ran<'a> = (&'a str, &'a str, &'a str, u64);

impl Stream {
    /// Goes on at a later time.
    pub(crate) fn at(&mut self, millis: u64) -> &mut Self {
        self.at = millis;
        self
    }

    pub(crate) fn line(&mut self, line: &impl ToString) -> &mut Self {
        self.lines.push(line.to_string());
        self
    }

    fn message(&mut self, subtype: &str, name: &str, more: Value) -> &mut Self {
        let mut message = json!({"type": "system", "subtype": subtype, "uuid": self.id(),
            "session_id": "s-1", "hook_name": name,
            "hook_event": name.split(':').next().unwrap_or_default()});
        if let (Some(message), Value::Object(more)) = (message.as_object_mut(), more) {
            message.extend(more);
        }
        self.line(&message)
    }

    /// An id of version 7, made now.
    fn id(&self) -> String {
        let time = format!("{:012x}", BEGINS + self.at);
        let (high, low) = time.split_at(8);
        format!("{high}-{low}-7000-8000-{:012x}", self.lines.len())
    }

    pub(crate) fn started(&mut self, run: &str, name: &str) -> &mut Self {
        self.message("hook_started", name, json!({"hook_id": run}))
    }

    pub(crate) fn progress(&mut self, run: &str, name: &str, stdout: &str) -> &mut Self {
        let more = json!({"hook_id": run, "stdout": stdout, "stderr": "", "output": stdout});
        self.message("hook_progress", name, more)
    }

    pub(crate) fn response(
        &mut self,
        run: &str,
        name: &str,
        code: i32,
        out: (&str, &str),
    ) -> &mut Self {
        let outcome = if matches!(code, 0 | 2) {
            "success"
        } else {
            "error"
        };
        let more = json!({"hook_id": run, "stdout": out.0, "stderr": out.1,
            "output": format!("{}{}", out.0, out.1), "exit_code": code, "outcome": outcome});
        self.message("hook_response", name, more)
    }

    /// What a firing came to: a decision and its reason, or nothing.
    pub(crate) fn verdict(
        &mut self,
        name: &str,
        decision: Option<(&str, &str)>,
        runs: &[Ran<'_>],
    ) -> &mut Self {
        let made_of = runs.iter().map(|(run, hook, status, micros)| {
            json!({"hook_id": run, "hook": hook, "status": status, "duration_us": micros})
        });
        let more = json!({"decision": decision.map(|(word, _)| word),
            "reason": decision.map(|(_, reason)| reason),
            "decided_by": decision.and_then(|_| runs.first()).map(|(_, hook, ..)| hook),
            "cause": decision.map(|_| "exit_code"), "continue": true, "stop_reason": null,
            "hooks": runs.len(), "runs": made_of.collect::<Vec<_>>()});
        self.message("hook_verdict", name, more)
    }

    /// The model calls a tool.
    pub(crate) fn call(&mut self, id: &str, tool: &str, input: &Value) -> &mut Self {
        let part = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.line(
            &json!({"type": "assistant", "message": {"role": "assistant", "content": [part]}}),
        )
    }

    /// One hook, from its start to the verdict.
    pub(crate) fn firing(
        &mut self,
        run: &str,
        name: &str,
        decision: Option<(&str, &str)>,
    ) -> &mut Self {
        let code = if decision.is_some() { 2 } else { 0 };
        let reason = decision.map_or("", |(_, reason)| reason);
        let status = if decision.is_some() {
            "blocked"
        } else {
            "no_opinion"
        };
        self.started(run, name)
            .response(run, name, code, ("", reason))
            .verdict(name, decision, &[(run, "guard", status, 1500)])
    }

    /// The lines, each with its end.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// A session with a bit of everything: a refusal, a failure, a hook in the background, one that has not
/// ended, and hostile output.
pub(crate) fn session() -> Stream {
    let mut stream = Stream::default();
    stream
        .line(&json!({"type": "system", "subtype": "init", "session_id": "s-1"}))
        .at(0)
        .started("r1", "SessionStart:startup")
        .at(12)
        .response("r1", "SessionStart:startup", 0, ("the build is red\n", ""))
        .verdict(
            "SessionStart:startup",
            None,
            &[("r1", "~/.claude/settings.json:9", "answered", 11_800)],
        )
        .call(
            "call-1",
            "Bash",
            &json!({"command": "sudo rm -rf /", "description": "Tidy up"}),
        )
        .at(2_500)
        .started("r2", "PreToolUse:Bash")
        .started("r3", "PreToolUse:Bash")
        .at(2_504)
        .response("r2", "PreToolUse:Bash", 2, ("", "no sudo here\n"))
        .at(2_620)
        .response(
            "r3",
            "PreToolUse:Bash",
            0,
            ("\u{1b}[2J\u{1b}]0;owned\u{7}\tgone\n", ""),
        )
        .verdict(
            "PreToolUse:Bash",
            Some(("deny", "no sudo here")),
            &[
                ("r2", ".hookline/hooks.json:5", "blocked", 3_900),
                ("r3", ".hookline/hooks.json:8", "no_opinion", 119_000),
            ],
        )
        .at(4_000)
        .call(
            "call-2",
            "Write",
            &json!({"file_path": "notes.txt", "content": "hello"}),
        )
        .started("r4", "PostToolUse:Write")
        .at(4_200)
        .response(
            "r4",
            "PostToolUse:Write",
            127,
            ("", "sh: 1: prettier: not found\n"),
        )
        .verdict(
            "PostToolUse:Write",
            None,
            &[("r4", ".claude/settings.json:21", "failed", 200_000)],
        )
        .at(61_000)
        .started("r5", "Stop")
        .verdict(
            "Stop",
            None,
            &[("r5", ".hookline/hooks.json:14", "background", 300)],
        )
        .at(63_000)
        .response(
            "r5",
            "Stop",
            0,
            ("{\"systemMessage\": \"backed up\"}\n", ""),
        )
        .at(64_000)
        .started("r6", "UserPromptSubmit")
        .progress("r6", "UserPromptSubmit", "reading the backlog\n")
        .line(&"this is no JSON");
    stream
}
