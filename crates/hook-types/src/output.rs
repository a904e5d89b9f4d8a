//! What a hook answers, with the event's type erased.
//!
//! Every event's answer has this one form inside the engine: a decision with its reason stands in
//! one place, wherever the wire has it. [`wire`](crate::wire) reads and writes the wire.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decision::Decision;
use crate::seldom::Blank;
use crate::specific::Specific;

/// An answer: now, or later.
#[derive(Clone, Debug, PartialEq)]
pub enum HookOutput {
    /// The answer.
    Sync(Box<SyncOutput>),
    /// The hook goes on in the background; the agent does not wait.
    Async(AsyncOutput),
}

impl From<SyncOutput> for HookOutput {
    fn from(output: SyncOutput) -> Self {
        Self::Sync(Box::new(output))
    }
}

/// A promise to answer later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsyncOutput {
    /// How long the hook may go on; none: its deadline.
    pub timeout: Option<Duration>,
}

impl AsyncOutput {
    /// A promise to answer within `timeout`.
    pub fn within(timeout: Option<Duration>) -> Self {
        Self { timeout }
    }
}

/// The answer of one hook, whatever the event.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SyncOutput {
    /// What the hook decided.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// `continue` on the wire: `false` stops the agent; `true` is the default spelt out.
    pub proceed: Option<bool>,
    /// What the user is told when the agent stops.
    pub stop_reason: Option<String>,
    /// Keep this hook's output out of transcript and display.
    pub suppress_output: bool,
    /// A message for the user.
    pub system_message: Option<String>,
    /// A title, a notification or a bell for the terminal; checked to be no more than that.
    pub terminal_sequence: Option<String>,
    /// Context for the model.
    pub additional_context: Option<String>,
    /// Another input for the tool: all of it.
    pub updated_input: Option<Value>,
    /// Another result for the model to see.
    pub updated_output: Option<Value>,
    /// The older form of the same, for MCP tools only.
    pub updated_mcp_output: Option<Value>,
    /// What only a few events have.
    pub specific: Specific,
}

impl SyncOutput {
    /// A refusal.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            decision: Decision::Deny,
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Another input for the tool, and nothing else.
    pub fn rewriting_input(input: Option<Value>) -> Self {
        Self {
            updated_input: input,
            ..Self::default()
        }
    }

    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        let Self {
            decision,
            reason,
            proceed,
            stop_reason,
            suppress_output,
            system_message,
            terminal_sequence,
            additional_context,
            updated_input,
            updated_output,
            updated_mcp_output,
            specific,
        } = self;
        let texts = [
            reason,
            stop_reason,
            system_message,
            terminal_sequence,
            additional_context,
        ];
        let values = [updated_input, updated_output, updated_mcp_output];
        *decision == Decision::Pass
            && *proceed != Some(false)
            && !suppress_output
            && texts.into_iter().all(Option::is_none)
            && values.into_iter().all(Option::is_none)
            && specific.is_blank()
    }

    /// Whether it stops the whole agent.
    pub fn stops(&self) -> bool {
        self.proceed == Some(false)
    }
}

impl Blank for SyncOutput {
    fn blank() -> &'static Self {
        static NOTHING: SyncOutput = SyncOutput {
            decision: Decision::Pass,
            reason: None,
            proceed: None,
            stop_reason: None,
            suppress_output: false,
            system_message: None,
            terminal_sequence: None,
            additional_context: None,
            updated_input: None,
            updated_output: None,
            updated_mcp_output: None,
            specific: Specific::none(),
        };
        &NOTHING
    }
}

/// What is done with an MCP server's question, from the weakest to the strongest. Combining is
/// `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum ElicitationAction {
    /// Answer it.
    Accept,
    /// Refuse to answer.
    Decline,
    /// Close it.
    Cancel,
}

/// An answer to an MCP server in the user's place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElicitationAnswer {
    /// What is done with the question.
    pub action: ElicitationAction,
    /// What is answered, where it is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

/// Which tools the model may choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "camelCase")]
pub struct ToolConfig {
    /// How the model chooses.
    #[cfg_attr(feature = "schema", schemars(with = "ToolMode"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolMode>,
    /// The tools; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_function_names: Option<Vec<String>>,
}

/// How the model chooses a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "UPPERCASE")]
pub enum ToolMode {
    /// As it likes.
    Auto,
    /// It must call one.
    Any,
    /// It may call none. Stronger than the others.
    None,
}
