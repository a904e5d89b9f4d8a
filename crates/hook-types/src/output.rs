//! What a hook answers, with the event's type erased.
//!
//! Every event's answer has this one form inside the engine: a decision with its reason stands in
//! one place, wherever the wire has it. [`wire`](crate::wire) reads and writes the wire.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decision::Decision;
use crate::permission::PermissionUpdate;

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
        *self == Self::default()
            || *self
                == (Self {
                    proceed: Some(true),
                    ..Self::default()
                })
    }

    /// Whether it stops the whole agent.
    pub fn stops(&self) -> bool {
        self.proceed == Some(false)
    }
}

/// What only a few events' answers have. An answer holds only what its event honours.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Specific {
    /// `PermissionRequest`: rules to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// `PermissionRequest`: stop the agent along with the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<bool>,
    /// `PermissionDenied`: the model may try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// `Elicitation`, `ElicitationResult`: an answer in the user's place.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationAnswer>,
    /// `WorktreeCreate`: where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// `MessageDisplay`: what to show in place of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_content: Option<String>,
    /// `SessionStart`, `CwdChanged`, `FileChanged`: files to watch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_paths: Option<Vec<String>>,
    /// `SessionStart`, `UserPromptSubmit`: the session's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// `SessionStart`: what the user says first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_user_message: Option<String>,
    /// `SessionStart`: read the skills again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_skills: Option<bool>,
    /// `UserPromptSubmit`, `UserPromptExpansion`: keep a blocked prompt's text out of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress_original_prompt: Option<bool>,
    /// `PostToolUse`: a note for the classifier that decides in the user's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_context: Option<String>,
    /// `PreModelRequest`: another request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_request: Option<Value>,
    /// `PreModelRequest`, `PostModelResponse`: a reply in the model's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_response: Option<Value>,
    /// `PreToolSelection`: which tools the model may choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// `SessionStart`, `Setup`, `CwdChanged`, `FileChanged`: shell lines, such as `export A=b`, to run
    /// before the agent's later commands. A command writes them to a file of its own; they are never
    /// part of an answer on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exports: Option<String>,
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
