//! Writes an answer as the wire has it.

use serde_json::{Map, Value, json};

use crate::decision::Decision;
use crate::event::{EventName, Spelling};
use crate::output::{AsyncOutput, SyncOutput};

/// An answer to `event` as the wire has it.
///
/// ```
/// use hook_types::{EventName, SyncOutput, wire};
/// use serde_json::json;
///
/// let no = SyncOutput::deny("not now");
/// assert_eq!(wire::write(EventName::Stop, &no), json!({"decision": "block", "reason": "not now"}));
/// ```
pub fn write(event: EventName, output: &SyncOutput) -> Value {
    let mut top = Map::new();
    put(&mut top, "continue", output.proceed);
    put(&mut top, "stopReason", output.stop_reason.as_deref());
    put(
        &mut top,
        "suppressOutput",
        output.suppress_output.then_some(true),
    );
    put(&mut top, "systemMessage", output.system_message.as_deref());
    put(
        &mut top,
        "terminalSequence",
        output.terminal_sequence.as_deref(),
    );

    let mut specific = Map::new();
    match event.row().spelling {
        Spelling::PermissionDecision => {
            put(&mut specific, "permissionDecision", output.decision.word());
            put(
                &mut specific,
                "permissionDecisionReason",
                output.reason.as_deref(),
            );
        }
        // Without a decision there is no object for the reason to stand in.
        Spelling::Behavior if output.decision == Decision::Pass => {
            put(&mut top, "reason", output.reason.as_deref());
        }
        Spelling::Behavior => put(&mut specific, "decision", behavior(output)),
        Spelling::Unspoken => {}
        Spelling::Decision => {
            put(
                &mut top,
                "decision",
                (output.decision == Decision::Deny).then_some("block"),
            );
            put(&mut top, "reason", output.reason.as_deref());
        }
    }
    if event.row().spelling != Spelling::Behavior {
        put(&mut specific, "updatedInput", output.updated_input.as_ref());
    }
    put(
        &mut specific,
        "additionalContext",
        output.additional_context.as_deref(),
    );
    put(
        &mut specific,
        "updatedToolOutput",
        output.updated_output.as_ref(),
    );
    put(
        &mut specific,
        "updatedMCPToolOutput",
        output.updated_mcp_output.as_ref(),
    );
    specific.extend(special(event, output));
    if !specific.is_empty() {
        specific.shift_insert(0, "hookEventName".to_owned(), json!(event));
        top.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    Value::Object(top)
}

/// A promise to answer later, as the wire has it.
pub fn write_async(promise: AsyncOutput) -> Value {
    match promise.timeout {
        None => json!({"async": true}),
        Some(timeout) => json!({
            "async": true,
            "asyncTimeout": u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
        }),
    }
}

/// The object that a permission request's `decision` is.
fn behavior(output: &SyncOutput) -> Option<Value> {
    let mut decision = Map::new();
    put(&mut decision, "behavior", output.decision.word());
    put(&mut decision, "message", output.reason.as_deref());
    put(&mut decision, "updatedInput", output.updated_input.as_ref());
    put(
        &mut decision,
        "updatedPermissions",
        output.specific.updated_permissions.as_ref(),
    );
    put(&mut decision, "interrupt", output.specific.interrupt);
    (!decision.is_empty()).then_some(Value::Object(decision))
}

/// What only a few events have, beside what stands in a permission request's `decision`.
fn special(event: EventName, output: &SyncOutput) -> Map<String, Value> {
    let mut special = match json!(output.specific) {
        Value::Object(special) => special,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    special.shift_remove("exports");
    if event.row().spelling == Spelling::Behavior {
        special.shift_remove("updatedPermissions");
        special.shift_remove("interrupt");
    }
    special
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), json!(value));
    }
}
