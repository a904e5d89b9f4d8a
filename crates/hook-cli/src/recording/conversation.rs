//! From the messages of a conversation to the events that were fired on its way. Pure.
//!
//! A transcript and a stream say what was said and which tools ran, not what hooks were told. What can be
//! told from them is: prompts, calls, results, the ends of turns, compactions.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// Lines that say nothing of what hooks are told.
const SILENT: [&str; 16] = [
    "agent-name",
    "ai-title",
    "attachment",
    "control_request",
    "control_response",
    "custom-title",
    "file-history-snapshot",
    "keep_alive",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "stream_event",
    "summary",
];

/// How a text begins that is no prompt of the user's.
const NOT_A_PROMPT: [&str; 5] = [
    "<system-reminder>",
    "<command-",
    "<local-command-",
    "<bash-",
    "[Request interrupted",
];

/// What the result of a call says that did not run: nobody was told that it failed.
const NEVER_RAN: [&str; 6] = [
    "refused this",
    "hook error",
    "denied this tool",
    "doesn't want to proceed",
    "has been denied",
    "nobody was there",
];

/// A conversation that is read line by line.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    base: Map<String, Value>,
    begun: bool,
    /// Calls without a result.
    calls: HashMap<String, Value>,
    /// What the model said last, if nothing came after it.
    reply: Option<String>,
    /// Whether hooks have kept it going.
    kept_going: bool,
    events: Vec<Value>,
}

impl Conversation {
    /// Takes a line; why it is not understood, if it is not.
    pub(super) fn take(&mut self, line: &Value) -> Result<(), String> {
        let kind = line["type"].as_str().ok_or("it has no `type`")?;
        match kind {
            "user" | "assistant" => self.message(kind, line),
            "system" => {
                self.system(line);
                Ok(())
            }
            "result" => {
                self.note(line);
                self.stop();
                Ok(())
            }
            silent if SILENT.contains(&silent) => Ok(()),
            other => Err(format!("a line of the type `{other}` is not known")),
        }
    }

    /// The events so far.
    pub(super) fn drain(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// The last turn is over.
    pub(super) fn finish(&mut self) {
        self.stop();
    }

    /// Takes note of what every event carries.
    fn note(&mut self, line: &Value) {
        for (keys, name) in [
            (["session_id", "sessionId"], "session_id"),
            (["cwd", "cwd"], "cwd"),
            (["permissionMode", "permission_mode"], "permission_mode"),
        ] {
            let told = keys.iter().find_map(|key| line[*key].as_str());
            if let Some(told) = told.filter(|told| !told.is_empty()) {
                self.base.insert(name.to_owned(), Value::from(told));
            }
        }
        let agent = line["agentId"].as_str().or(line["agent_id"].as_str());
        match agent.or(line["parent_tool_use_id"].as_str()) {
            Some(agent) => {
                self.base.insert("agent_id".to_owned(), Value::from(agent));
            }
            None => {
                self.base.shift_remove("agent_id");
            }
        }
    }

    fn fire(&mut self, event: &str, fields: Value) {
        let mut input = Map::new();
        input.insert("hook_event_name".to_owned(), Value::from(event));
        input.extend(self.base.clone());
        if let Value::Object(fields) = fields {
            input.extend(fields);
        }
        self.events.push(Value::Object(input));
    }

    fn begin(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.fire("SessionStart", json!({"source": "startup"}));
        }
    }

    fn stop(&mut self) {
        if let Some(reply) = self.reply.take() {
            let active = self.kept_going;
            self.fire(
                "Stop",
                json!({"stop_hook_active": active, "last_assistant_message": reply}),
            );
        }
    }

    fn system(&mut self, line: &Value) {
        self.note(line);
        match line["subtype"].as_str() {
            Some("init") => self.begin(),
            Some("compact_boundary") => {
                let about = [&line["compactMetadata"], &line["compact_metadata"]];
                let trigger = about.iter().find_map(|about| about["trigger"].as_str());
                let trigger = trigger.unwrap_or("auto").to_owned();
                let about = json!({"trigger": trigger, "custom_instructions": null});
                self.fire("PreCompact", about);
                self.fire("SessionStart", json!({"source": "compact"}));
            }
            _ => {}
        }
    }

    fn message(&mut self, kind: &str, line: &Value) -> Result<(), String> {
        let content = match &line["message"]["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(blocks) => blocks.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                return Err(format!("a line of the type `{kind}` has no message in it"));
            }
        };
        self.note(line);
        self.begin();
        if kind == "assistant" {
            self.assistant(&content);
        } else {
            self.user(&content, line);
        }
        Ok(())
    }

    fn assistant(&mut self, content: &[Value]) {
        let calls: Vec<&Value> = of_type(content, "tool_use").collect();
        let said = texts(content).join("\n");
        // A subagent that is done tells its parent.
        let of_subagent = self.base.contains_key("agent_id");
        self.reply = (calls.is_empty() && !of_subagent && !said.is_empty()).then_some(said);
        for call in calls {
            let fields = json!({"tool_name": call["name"], "tool_input": call["input"], "tool_use_id": call["id"]});
            let id = call["id"].as_str().unwrap_or_default().to_owned();
            if self.calls.insert(id, fields.clone()).is_none() {
                self.fire("PreToolUse", fields);
            }
        }
    }

    fn user(&mut self, content: &[Value], line: &Value) {
        for result in of_type(content, "tool_result") {
            self.result(result, line);
        }
        let said = texts(content);
        if said.is_empty() {
            return;
        }
        let by_hand = |text: &&&str| !NOT_A_PROMPT.iter().any(|start| text.starts_with(start));
        let meta = ["isMeta", "isCompactSummary", "isSynthetic", "isSidechain"];
        let meta = meta.iter().any(|key| line[*key] == true);
        let prompt: Vec<&str> = said.iter().filter(by_hand).copied().collect();
        let interrupted = said
            .iter()
            .any(|text| text.starts_with("[Request interrupted"));
        if interrupted {
            self.reply = None;
        } else if prompt.is_empty() || meta || self.base.contains_key("agent_id") {
            // Something spoke to the model after it had wanted to stop: a hook kept it going.
            let wanted_to_stop = self.reply.is_some();
            self.stop();
            self.kept_going |= wanted_to_stop;
        } else {
            self.stop();
            self.kept_going = false;
            self.fire("UserPromptSubmit", json!({"prompt": prompt.join("\n")}));
        }
    }

    fn result(&mut self, result: &Value, line: &Value) {
        let id = result["tool_use_id"].as_str().unwrap_or_default();
        let Some(mut fields) = self.calls.remove(id) else {
            return;
        };
        let text = match &result["content"] {
            Value::String(text) => text.clone(),
            Value::Array(blocks) => texts(blocks).join("\n"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
        };
        if result["is_error"] != true {
            let structured = [&line["toolUseResult"], &line["tool_use_result"]];
            let structured = structured.into_iter().find(|value| value.is_object());
            fields["tool_response"] = structured.unwrap_or(&result["content"]).clone();
            self.fire("PostToolUse", fields);
        } else if !NEVER_RAN.iter().any(|words| text.contains(words)) {
            fields["error"] = Value::from(text);
            self.fire("PostToolUseFailure", fields);
        }
    }
}

fn of_type<'a>(content: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    content.iter().filter(move |block| block["type"] == kind)
}

fn texts(content: &[Value]) -> Vec<&str> {
    let texts = of_type(content, "text").filter_map(|block| block["text"].as_str());
    texts.filter(|text| !text.trim().is_empty()).collect()
}
