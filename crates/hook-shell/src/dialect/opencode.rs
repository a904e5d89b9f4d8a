//! What OpenCode tells its hooks: an object of its own on stdin, and the environment.

use std::time::{SystemTime, UNIX_EPOCH};

use hook_runner::{Input, Session};
use hook_types::{EventName, HookEvent};
use serde_json::{Map, Value, json};

use super::{Dialect, LONGEST_VARIABLE, Told};

/// The hook event: type, timestamp, data, and where there are any, the tool and the session.
fn stdin(input: &Input, now: f64) -> String {
    let mut object = Map::new();
    object.insert(
        "type".to_owned(),
        json!(Dialect::OpenCode.told_name(input.name())),
    );
    object.insert("timestamp".to_owned(), json!(now));
    object.insert("data".to_owned(), Value::Object(data(input)));
    if let Some((tool, _)) = input.tool_call() {
        object.insert(
            "tool_name".to_owned(),
            json!(Dialect::OpenCode.names().theirs(tool)),
        );
    }
    if !input.base().session_id.is_empty() {
        object.insert("session_id".to_owned(), json!(input.base().session_id));
    }
    Value::Object(object).to_string()
}

/// One moment for both: a hook may compare them.
pub(super) fn tell(input: &Input, session: &Session) -> Told {
    let now = timestamp((session.clock)());
    let mut told = Told {
        stdin: Some(stdin(input, now)),
        ..Told::default()
    };
    told.tell("OPENCODE_EVENT", Dialect::OpenCode.told_name(input.name()));
    told.tell("OPENCODE_TIMESTAMP", now.to_string());
    told.tell("OPENCODE_SESSION_ID", input.base().session_id.as_str());
    if let Some((tool, arguments)) = input.tool_call() {
        told.tell("OPENCODE_TOOL_NAME", Dialect::OpenCode.names().theirs(tool));
        told.tell_json("OPENCODE_TOOL_ARGS", arguments);
    }
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the other events tell no more"
    )]
    match input.event() {
        HookEvent::PostToolUse(event) => {
            told.tell_json("OPENCODE_TOOL_RESULT", &event.tool_response);
        }
        HookEvent::PostToolUseFailure(event) => {
            told.tell_cut("OPENCODE_ERROR", &event.error, LONGEST_VARIABLE / 2);
        }
        HookEvent::Error(event) => {
            told.tell_cut("OPENCODE_ERROR", &event.error, LONGEST_VARIABLE / 2);
        }
        _ => {}
    }
    told
}

/// Seconds since 1970, with their fraction.
fn timestamp(now: SystemTime) -> f64 {
    let elapsed = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    (elapsed.as_secs_f64() * 1000.0).round() / 1000.0
}

/// What an event is about, under OpenCode's names.
fn data(input: &Input) -> Map<String, Value> {
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the other events have no data of their own"
    )]
    let data = match input.event() {
        HookEvent::PreToolUse(event) => json!({ "tool_args": event.tool_input }),
        HookEvent::PostToolUse(event) => {
            json!({ "tool_args": event.tool_input, "tool_result": event.tool_response })
        }
        HookEvent::PostToolUseFailure(event) => {
            json!({ "tool_args": event.tool_input, "error": event.error })
        }
        HookEvent::PreModelRequest(event) => {
            json!({ "model": event.model, "message_count": event.message_count })
        }
        HookEvent::PostModelResponse(event) => {
            json!({ "model": event.model, "response": event.llm_response })
        }
        HookEvent::ModelStreamStart(event) => json!({ "model": event.model }),
        HookEvent::ModelStreamEnd(event) => json!({ "model": event.model }),
        HookEvent::SessionMessage(event) => json!({ "role": event.role, "content": event.content }),
        HookEvent::PermissionCheck(event) => {
            json!({ "tool_args": event.tool_input, "perm_level": event.perm_level, "perm_rule": event.perm_rule })
        }
        HookEvent::PermissionRequest(event) => json!({ "tool_args": event.tool_input }),
        HookEvent::PermissionGranted(event) => {
            json!({ "tool_args": event.tool_input, "perm_rule": event.perm_rule })
        }
        HookEvent::PermissionDenied(event) => {
            json!({ "tool_args": event.tool_input, "reason": event.reason })
        }
        HookEvent::UserPromptSubmit(event) => json!({ "content": event.prompt }),
        HookEvent::SessionStart(event) => json!({ "source": event.source }),
        HookEvent::SessionEnd(event) => json!({ "reason": event.reason }),
        _ => json!({}),
    };
    let object = data.as_object().cloned().unwrap_or_default();
    object
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// What OpenCode calls an event.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the events that OpenCode does not have"
)]
pub(super) fn event_name(event: EventName) -> Option<&'static str> {
    Some(match event {
        EventName::PreToolUse => "tool:pre_execute",
        EventName::PostToolUse => "tool:post_execute",
        EventName::PostToolUseFailure => "tool:error",
        EventName::PreModelRequest => "llm:pre_request",
        EventName::PostModelResponse => "llm:post_response",
        EventName::ModelStreamStart => "llm:stream_start",
        EventName::ModelStreamEnd => "llm:stream_end",
        EventName::SessionStart => "session:start",
        EventName::SessionEnd => "session:end",
        EventName::SessionMessage => "session:message",
        EventName::PermissionCheck => "permission:check",
        EventName::PermissionRequest => "permission:prompt",
        EventName::PermissionGranted => "permission:granted",
        EventName::PermissionDenied => "permission:denied",
        EventName::UserPromptSubmit => "user:prompt_submit",
        EventName::UserInterrupt => "user:interrupt",
        _ => return None,
    })
}
