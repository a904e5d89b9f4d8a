//! What Opta tells its hooks: everything travels in the environment.

use hook_runner::{Input, Session};
use hook_types::{EventName, HookEvent};
use serde_json::Value;

use super::{Dialect, LONGEST_VARIABLE, Told};

/// How much of a tool's result is told, in bytes.
const RESULT: usize = 2048;

pub(super) fn tell(input: &Input, session: &Session) -> Told {
    let mut told = Told::default();
    told.tell("OPTA_EVENT", Dialect::Opta.told_name(input.name()));
    told.tell("OPTA_SESSION_ID", input.base().session_id.as_str());
    told.tell("OPTA_CWD", input.base().cwd.as_str());
    told.tell("OPTA_MODEL", session.model.clone().unwrap_or_default());
    let names = Dialect::Opta.names();
    if let Some((tool, arguments)) = input.tool_call() {
        told.tell("OPTA_TOOL_NAME", names.theirs(tool));
        told.tell_json("OPTA_TOOL_ARGS", &names.their_arguments(arguments));
    }
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the other events tell no more"
    )]
    match input.event() {
        HookEvent::PostToolUse(event) => {
            told.tell_cut("OPTA_TOOL_RESULT", &text(&event.tool_response), RESULT);
        }
        HookEvent::PostToolUseFailure(event) => {
            told.tell_cut("OPTA_TOOL_RESULT", &event.error, RESULT);
        }
        HookEvent::Error(event) => {
            told.tell_cut("OPTA_ERROR", &event.error, LONGEST_VARIABLE / 2);
        }
        _ => {}
    }
    told
}

/// A result as text: a string is itself, anything else is JSON.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// What Opta calls an event.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the events that Opta does not have"
)]
pub(super) fn event_name(event: EventName) -> Option<&'static str> {
    Some(match event {
        EventName::SessionStart => "session.start",
        EventName::SessionEnd => "session.end",
        EventName::PreToolUse => "tool.pre",
        EventName::PostToolUse | EventName::PostToolUseFailure => "tool.post",
        EventName::PostCompact => "compact",
        EventName::Error => "error",
        EventName::UserPromptSubmit => "prompt.pre",
        EventName::Stop => "stop",
        _ => return None,
    })
}
