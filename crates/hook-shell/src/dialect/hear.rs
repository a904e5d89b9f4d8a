//! What a dialect told a command, read back as an event of ours: the way back from `tell`.
//!
//! For programs that stand between an agent and a hook that was written for another one.

use hook_types::EventName;
use serde_json::{Map, Value, json};

use super::Dialect;

/// Arguments that are files go by these tools: Opta's `path` is our `file_path` for them alone.
const FILE_TOOLS: [&str; 3] = ["Edit", "Write", "Read"];

impl Dialect {
    /// The event that a command of this dialect was told of, as one object with `hook_event_name`: from
    /// what is on its stdin, and where that says nothing, from its variables. None where neither names
    /// an event. What the dialect does not tell is empty.
    ///
    /// ```
    /// use hook_shell::Dialect;
    ///
    /// let stdin = r#"{"type": "tool:pre_execute", "tool_name": "bash", "data": {"tool_args": {"command": "ls"}}}"#;
    /// let heard = Dialect::OpenCode.hear(stdin, |_| None).unwrap();
    /// assert_eq!(heard["hook_event_name"], "PreToolUse");
    /// assert_eq!(heard["tool_name"], "Bash");
    /// assert_eq!(heard["tool_input"]["command"], "ls");
    /// ```
    pub fn hear(self, stdin: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Value> {
        let object = serde_json::from_str::<Map<String, Value>>(stdin.trim()).unwrap_or_default();
        if object.contains_key("hook_event_name") {
            return Some(Value::Object(object));
        }
        match self {
            Self::Claude | Self::Hookline => None,
            Self::Opta => opta(&variable),
            Self::OpenCode => opencode(&object).or_else(|| opencode(&told(&variable)?)),
        }
    }

    /// The first of our events that the dialect calls so.
    fn event_called(self, name: &str) -> Option<EventName> {
        let called = |event: &&EventName| self.event_name(**event) == Some(name);
        EventName::ALL.iter().find(called).copied()
    }
}

/// An event from Opta's variables.
fn opta(variable: &impl Fn(&str) -> Option<String>) -> Option<Value> {
    let event = Dialect::Opta.event_called(&variable("OPTA_EVENT")?)?;
    let text = |name: &str| variable(name).unwrap_or_default();
    let mut fields = Map::new();
    fields.insert("session_id".to_owned(), json!(text("OPTA_SESSION_ID")));
    fields.insert("cwd".to_owned(), json!(text("OPTA_CWD")));
    if event.row().is_about_a_tool_call() {
        let tool = text("OPTA_TOOL_NAME");
        let tool = Dialect::Opta.names().ours(&tool).to_owned();
        let arguments = serde_json::from_str(&text("OPTA_TOOL_ARGS")).unwrap_or_default();
        fields.insert("tool_input".to_owned(), our_arguments(&tool, arguments));
        fields.insert("tool_name".to_owned(), json!(tool));
        let result = text("OPTA_TOOL_RESULT");
        let result = serde_json::from_str(&result).unwrap_or(Value::String(result));
        fields.insert("tool_response".to_owned(), result);
    }
    fields.insert("error".to_owned(), json!(text("OPTA_ERROR")));
    Some(complete(event, fields))
}

/// Arguments under our names.
fn our_arguments(tool: &str, mut arguments: Value) -> Value {
    if let Some(object) = arguments.as_object_mut()
        && FILE_TOOLS.contains(&tool)
        && !object.contains_key("file_path")
        && let Some(path) = object.shift_remove("path")
    {
        object.insert("file_path".to_owned(), path);
    }
    arguments
}

/// What OpenCode's variables say, in the form of its object.
fn told(variable: &impl Fn(&str) -> Option<String>) -> Option<Map<String, Value>> {
    let parsed = |name: &str| {
        let text = variable(name)?;
        Some(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    };
    let data = [
        ("tool_args", parsed("OPENCODE_TOOL_ARGS")),
        ("tool_result", parsed("OPENCODE_TOOL_RESULT")),
        ("error", variable("OPENCODE_ERROR").map(Value::String)),
    ];
    let data = data
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let object = json!({
        "type": variable("OPENCODE_EVENT")?,
        "data": data.collect::<Map<_, _>>(),
        "tool_name": variable("OPENCODE_TOOL_NAME"),
        "session_id": variable("OPENCODE_SESSION_ID"),
    });
    object.as_object().cloned()
}

/// An event from OpenCode's object.
fn opencode(object: &Map<String, Value>) -> Option<Value> {
    let event = Dialect::OpenCode.event_called(object.get("type")?.as_str()?)?;
    let data = object.get("data").and_then(Value::as_object);
    let mut fields = Map::new();
    for (key, value) in data.into_iter().flatten() {
        fields.insert(ours(event, key).to_owned(), value.clone());
    }
    if let Some(tool) = object.get("tool_name").and_then(Value::as_str) {
        let tool = Dialect::OpenCode.names().ours(tool);
        fields.insert("tool_name".to_owned(), json!(tool));
    }
    if let Some(session) = object
        .get("session_id")
        .filter(|session| session.is_string())
    {
        fields.insert("session_id".to_owned(), session.clone());
    }
    Some(complete(event, fields))
}

/// What we call a part of OpenCode's data.
fn ours(event: EventName, key: &str) -> &str {
    match (key, event) {
        ("tool_args", _) => "tool_input",
        ("tool_result", _) => "tool_response",
        ("response", _) => "llm_response",
        ("content", EventName::UserPromptSubmit) => "prompt",
        _ => key,
    }
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the other events need no more than their tool call"
)]
/// Fills in what an event must have and its dialect does not tell, and takes out what is not its own.
fn complete(event: EventName, mut fields: Map<String, Value>) -> Value {
    let text = || json!("");
    let needed: Vec<(&str, Value)> = match event {
        EventName::PostToolUse => vec![("tool_response", Value::Null)],
        EventName::PostToolUseFailure => vec![("error", text())],
        EventName::PostCompact => vec![("trigger", json!("auto")), ("compact_summary", text())],
        EventName::Error => vec![("error_type", json!("unknown")), ("error", text())],
        EventName::UserPromptSubmit => vec![("prompt", text())],
        EventName::Stop => vec![("stop_hook_active", json!(false))],
        EventName::SessionStart => vec![("source", json!("startup"))],
        EventName::SessionEnd => vec![("reason", json!("other"))],
        EventName::PreModelRequest => {
            vec![
                ("model", text()),
                ("message_count", json!(0)),
                ("llm_request", json!({})),
            ]
        }
        EventName::PostModelResponse => {
            vec![
                ("model", text()),
                ("llm_request", json!({})),
                ("llm_response", json!({})),
            ]
        }
        EventName::ModelStreamStart | EventName::ModelStreamEnd => vec![("model", text())],
        EventName::SessionMessage => vec![("role", text()), ("content", text())],
        EventName::PermissionGranted => vec![("granted_by", text())],
        EventName::PermissionDenied => vec![("reason", text())],
        EventName::UserInterrupt => vec![("during", text())],
        _ => Vec::new(),
    };
    if event.row().is_about_a_tool_call() {
        fields.entry("tool_name").or_insert_with(text);
        let arguments = fields.entry("tool_input").or_insert_with(|| json!({}));
        if !arguments.is_object() {
            *arguments = json!({});
        }
    }
    let is_needed = |key: &str| needed.iter().any(|(name, _)| *name == key);
    for key in ["tool_response", "error"] {
        if !is_needed(key) {
            fields.shift_remove(key);
        }
    }
    for (key, value) in needed {
        fields.entry(key).or_insert(value);
    }
    fields.insert("hook_event_name".to_owned(), json!(event));
    Value::Object(fields)
}
