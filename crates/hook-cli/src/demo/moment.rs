//! What happens in the demonstration, one thing after the other.

use agent_loop::{AgentEvent, AgentEventKind, ChatMessage, Role};
use hook_runner::{Fired, LateAnswer};
use serde_json::{Value, json};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Moment {
    /// The user says something.
    Prompt(String),
    /// The agent wants a tool to run.
    Wants { tool: String, input: Value },
    /// The agent says something, and wants to stop.
    Says(String),
    /// An event was fired at hooks.
    Fired(Box<Fired>),
    /// A tool runs.
    Runs { tool: String, input: Value },
    /// A call is over.
    Over {
        tool: String,
        result: String,
        is_error: bool,
    },
    /// A hook in the background has answered.
    Late(Box<LateAnswer>),
    /// The user is warned.
    Warning(String),
}

impl Moment {
    /// What an agent's event shows; mostly nothing.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the demonstration is about calls and hooks; what else happens is not shown"
    )]
    pub(crate) fn of(event: &AgentEvent) -> Vec<Self> {
        match &event.kind {
            AgentEventKind::Message(message) => of_message(message),
            AgentEventKind::ToolStarted { name, input, .. } => vec![Self::Runs {
                tool: name.clone(),
                input: input.clone(),
            }],
            AgentEventKind::ToolFinished {
                name,
                result,
                is_error,
                ..
            } => vec![Self::Over {
                tool: name.clone(),
                result: result.clone(),
                is_error: *is_error,
            }],
            AgentEventKind::Warning(text) => vec![Self::Warning(text.clone())],
            _ => Vec::new(),
        }
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Prompt(text) => json!({"type": "prompt", "text": text}),
            Self::Wants { tool, input } => json!({"type": "wants", "tool": tool, "input": input}),
            Self::Says(text) => json!({"type": "says", "text": text}),
            Self::Fired(fired) => json!({"type": "fired", "event": fired.event,
                "outcome": fired.outcome, "hooks": fired.attempts}),
            Self::Runs { tool, input } => json!({"type": "runs", "tool": tool, "input": input}),
            Self::Over {
                tool,
                result,
                is_error,
            } => json!({"type": "over", "tool": tool, "result": result, "is_error": is_error}),
            Self::Late(late) => json!({"type": "late", "hook": late.attempt}),
            Self::Warning(text) => json!({"type": "warning", "text": text}),
        }
    }
}

/// What the model wants: its calls, or to stop.
fn of_message(message: &ChatMessage) -> Vec<Moment> {
    if message.role != Role::Assistant {
        return Vec::new();
    }
    let calls = message.tool_calls().map(|call| Moment::Wants {
        tool: call.name.clone(),
        input: call.input.clone(),
    });
    let calls: Vec<Moment> = calls.collect();
    if calls.is_empty() {
        return vec![Moment::Says(message.text())];
    }
    calls
}
