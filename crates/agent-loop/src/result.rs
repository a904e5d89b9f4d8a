//! What a turn came to.

use std::time::Duration;

use hook_types::{SessionId, ToolUseId};
use serde_json::Value;

use crate::conversation::ToolCall;
use crate::model::Usage;
use crate::model_error::ModelError;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnResult {
    /// The session.
    pub session_id: SessionId,
    /// How it ended.
    pub ending: Ending,
    /// What the model said last.
    pub text: String,
    /// How many requests went to the model.
    pub requests: u32,
    /// The tokens of the turn, subagents included.
    pub usage: Usage,
    /// What they cost in US dollars, where the price is known.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub duration: Duration,
    /// The calls that were refused.
    pub denials: Vec<Denial>,
}

impl TurnResult {
    /// Whether the model came to an end of its own.
    pub fn is_finished(&self) -> bool {
        self.ending == Ending::Finished
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// The model was done, and no hook kept it going.
    Finished,
    /// A hook refused the prompt; the message is for the user.
    Refused(String),
    /// A hook refused to have the model asked, or ended the turn after its tool calls.
    EndedByHook(String),
    /// A hook stopped the whole agent.
    Halted(String),
    /// The user, or the host, interrupted it.
    Interrupted,
    /// Whoever was asked for permission wants the turn to end.
    PermissionRefused(String),
    /// A hook left a call to whoever resumes the session.
    Deferred(ToolCall),
    /// The model was asked as often as it may.
    MaxRequests(u32),
    /// The model's service failed.
    Failed(ModelError),
}

impl Ending {
    /// The ending in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Refused(_) => "refused",
            Self::EndedByHook(_) => "ended_by_hook",
            Self::Halted(_) => "halted",
            Self::Interrupted => "interrupted",
            Self::PermissionRefused(_) => "permission_refused",
            Self::Deferred(_) => "tool_deferred",
            Self::MaxRequests(_) => "max_requests",
            Self::Failed(_) => "failed",
        }
    }
}

/// A call that was refused: by a hook, a rule, the mode, or whoever was asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Denial {
    /// The tool.
    pub tool_name: String,
    /// The call.
    pub tool_use_id: ToolUseId,
    /// What it would have been called with.
    pub tool_input: Value,
    /// What the model was told.
    pub reason: String,
}
