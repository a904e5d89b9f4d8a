//! What a turn came to, for scripts and for programs.

use agent_loop::{Ending, TurnResult};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::exit::Exit;

/// What a script is told.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an ending that is not listed is no success"
)]
pub(crate) fn exit(result: &TurnResult) -> Exit {
    match &result.ending {
        Ending::Finished | Ending::Deferred(_) => Exit::Done,
        Ending::Refused(_) | Ending::EndedByHook(_) | Ending::Halted(_) => Exit::Prevented,
        Ending::Interrupted => Exit::Interrupted,
        // A person said no, or the agent came to no end.
        _ => Exit::Failed,
    }
}

/// Why the turn ended, where the model's own words do not say it.
pub(crate) fn reason(result: &TurnResult) -> Option<String> {
    let text = match &result.ending {
        Ending::Finished => return None,
        Ending::Refused(why) => format!("a hook refused the prompt: {why}"),
        Ending::EndedByHook(why) => format!("a hook ended the turn: {why}"),
        Ending::Halted(why) => format!("a hook stopped the agent: {why}"),
        Ending::Interrupted => "interrupted".to_owned(),
        Ending::PermissionRefused(why) => format!("the turn ended with a no: {why}"),
        Ending::Deferred(call) => {
            format!("a hook left {} to whoever resumes the session", call.name)
        }
        Ending::MaxRequests(limit) => {
            format!("the model was asked {limit} times, which is the limit")
        }
        Ending::Failed(error) => format!("the model failed: {error}"),
        other => other.word().to_owned(),
    };
    Some(text)
}

/// The result for programs: the fields of the published SDK's result, and `ending`, which says more.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an ending that is not listed is no success"
)]
pub(crate) fn as_json(result: &TurnResult) -> Value {
    let ending = &result.ending;
    let is_error = !matches!(ending, Ending::Finished | Ending::Deferred(_));
    let subtype = match ending {
        Ending::Finished | Ending::Deferred(_) => "success",
        Ending::MaxRequests(_) => "error_max_turns",
        _ => "error_during_execution",
    };
    let denials = result.denials.iter().map(|denial| {
        json!({"tool_name": denial.tool_name, "tool_use_id": denial.tool_use_id,
               "tool_input": denial.tool_input, "reason": denial.reason})
    });
    let mut value = json!({
        "type": "result",
        "subtype": subtype,
        "is_error": is_error,
        "result": result.text,
        "ending": ending.word(),
        "reason": reason(result),
        "num_turns": result.requests,
        "duration_ms": u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX),
        "total_cost_usd": result.cost_usd,
        "usage": result.usage,
        "permission_denials": denials.collect::<Vec<_>>(),
        "session_id": result.session_id,
        "uuid": Uuid::now_v7().to_string(),
    });
    if let Ending::Deferred(call) = ending {
        value["stop_reason"] = "tool_deferred".into();
        value["deferred_tool_use"] = json!({"id": call.id, "name": call.name, "input": call.input});
    }
    value
}
