//! What only a few events' answers have. Most have nothing of it, and carry a pointer in its place.

use serde::Serialize;
use serde_json::Value;

use crate::output::{ElicitationAnswer, ToolConfig};
use crate::permission::PermissionUpdate;
use crate::seldom::{Blank, Seldom};

/// What only a few events' answers have: a [`SpecificFields`] that takes no room until one of them is
/// set.
pub type Specific = Seldom<SpecificFields>;

impl Blank for SpecificFields {
    fn blank() -> &'static Self {
        static NOTHING: SpecificFields = NONE;
        &NOTHING
    }
}

/// The fields of [`Specific`]. An answer holds only what its event honours.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SpecificFields {
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

const NONE: SpecificFields = SpecificFields {
    updated_permissions: None,
    interrupt: None,
    retry: None,
    elicitation: None,
    worktree_path: None,
    display_content: None,
    watch_paths: None,
    session_title: None,
    initial_user_message: None,
    reload_skills: None,
    suppress_original_prompt: None,
    classifier_context: None,
    llm_request: None,
    llm_response: None,
    tool_config: None,
    exports: None,
};
