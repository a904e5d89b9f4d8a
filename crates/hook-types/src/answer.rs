//! A typed answer: what a Rust hook returns.

use std::fmt;
use std::marker::PhantomData;

use serde_json::Value;

use crate::decision::Decision;
use crate::event::{Event, Honours, part};
use crate::output::{ElicitationAction, ElicitationAnswer, SyncOutput, ToolConfig};
use crate::permission::PermissionUpdate;

/// The answer of a hook for the event `E`. Begin with one of [`Event`]'s constructors; what the
/// event would ignore does not compile.
///
/// ```
/// use hook_types::{Event, PreToolUse};
/// use serde_json::json;
///
/// let answer = PreToolUse::allow()
///     .rewriting(json!({"command": "git push --dry-run"}))
///     .with_context("pushes are rehearsed here");
/// assert_eq!(
///     answer.to_json(),
///     json!({"hookSpecificOutput": {
///         "hookEventName": "PreToolUse",
///         "permissionDecision": "allow",
///         "updatedInput": {"command": "git push --dry-run"},
///         "additionalContext": "pushes are rehearsed here",
///     }}),
/// );
/// ```
#[must_use = "an answer does something only when the hook returns it"]
pub struct Answer<E> {
    output: SyncOutput,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Answer<E> {
    /// No opinion.
    pub fn pass() -> Self {
        Self {
            output: SyncOutput::default(),
            event: PhantomData,
        }
    }

    pub(crate) fn deciding(decision: Decision, reason: Option<String>) -> Self {
        Self {
            output: SyncOutput {
                decision,
                reason,
                ..SyncOutput::default()
            },
            event: PhantomData,
        }
    }

    pub(crate) fn blocking(reason: impl Into<String>) -> Self {
        Self::deciding(Decision::Deny, Some(reason.into()))
    }

    /// Says why the call is let through.
    pub fn because(mut self, reason: impl Into<String>) -> Self
    where
        E: Honours<part::Allow>,
    {
        self.output.reason = Some(reason.into());
        self
    }

    /// Keeps this hook's output out of transcript and display.
    pub fn quietly(mut self) -> Self {
        self.output.suppress_output = true;
        self
    }

    /// Stops the whole agent as well.
    pub fn and_stop_agent(mut self, reason: impl Into<String>) -> Self
    where
        E: Honours<part::Continue>,
    {
        self.output.proceed = Some(false);
        self.output.stop_reason = Some(reason.into());
        self
    }

    /// Tells the user something.
    pub fn with_message(mut self, text: impl Into<String>) -> Self
    where
        E: Honours<part::SystemMessage>,
    {
        self.output.system_message = Some(text.into());
        self
    }

    /// Tells the model something more.
    pub fn with_context(mut self, text: impl Into<String>) -> Self
    where
        E: Honours<part::AdditionalContext>,
    {
        self.output.additional_context = Some(text.into());
        self
    }

    /// Gives the tool another input, which replaces the whole of the old one.
    pub fn rewriting(mut self, input: Value) -> Self
    where
        E: Honours<part::UpdatedInput>,
    {
        self.output.updated_input = Some(input);
        self
    }

    /// Shows the model another result.
    pub fn with_output(mut self, output: Value) -> Self
    where
        E: Honours<part::UpdatedToolOutput>,
    {
        self.output.updated_output = Some(output);
        self
    }

    /// Adds a note for the classifier that decides in the user's place.
    pub fn with_classifier_context(mut self, text: impl Into<String>) -> Self
    where
        E: Honours<part::ClassifierContext>,
    {
        self.output.specific.classifier_context = Some(text.into());
        self
    }

    /// Gives the session a title.
    pub fn with_title(mut self, title: impl Into<String>) -> Self
    where
        E: Honours<part::SessionTitle>,
    {
        self.output.specific.session_title = Some(title.into());
        self
    }

    /// Keeps a blocked prompt's text out of the message about it.
    pub fn hiding_the_prompt(mut self) -> Self
    where
        E: Honours<part::SuppressOriginalPrompt>,
    {
        self.output.specific.suppress_original_prompt = Some(true);
        self
    }

    /// Says in the user's place what comes first.
    pub fn with_first_message(mut self, text: impl Into<String>) -> Self
    where
        E: Honours<part::InitialUserMessage>,
    {
        self.output.specific.initial_user_message = Some(text.into());
        self
    }

    /// Has files watched; an empty list ends all watching.
    pub fn watching<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self
    where
        E: Honours<part::WatchPaths>,
    {
        self.output.specific.watch_paths = Some(paths.into_iter().map(Into::into).collect());
        self
    }

    /// Has the skills read again.
    pub fn reloading_skills(mut self) -> Self
    where
        E: Honours<part::ReloadSkills>,
    {
        self.output.specific.reload_skills = Some(true);
        self
    }

    /// Has rules remembered.
    pub fn remembering(mut self, updates: impl Into<Vec<PermissionUpdate>>) -> Self
    where
        E: Honours<part::UpdatedPermissions>,
    {
        self.output.specific.updated_permissions = Some(updates.into());
        self
    }

    /// Stops the agent along with the refusal.
    pub fn and_interrupt(mut self) -> Self
    where
        E: Honours<part::Interrupt>,
    {
        self.output.specific.interrupt = Some(true);
        self
    }

    /// Narrows the tools that the model may choose from.
    pub fn choosing_from(mut self, tools: ToolConfig) -> Self
    where
        E: Honours<part::ToolConfig>,
    {
        self.output.specific.tool_config = Some(tools);
        self
    }

    pub(crate) fn with_elicitation(
        mut self,
        action: ElicitationAction,
        content: Option<Value>,
    ) -> Self {
        self.output.specific.elicitation = Some(ElicitationAnswer { action, content });
        self
    }

    pub(crate) fn with_worktree(mut self, path: impl Into<String>) -> Self {
        self.output.specific.worktree_path = Some(path.into());
        self
    }

    pub(crate) fn showing(mut self, text: impl Into<String>) -> Self {
        self.output.specific.display_content = Some(text.into());
        self
    }

    pub(crate) fn with_retry(mut self) -> Self {
        self.output.specific.retry = Some(true);
        self
    }

    pub(crate) fn sending(mut self, request: Value) -> Self {
        self.output.specific.llm_request = Some(request);
        self
    }

    pub(crate) fn responding(mut self, response: Value) -> Self {
        self.output.specific.llm_response = Some(response);
        self
    }

    /// The answer with its event's type erased.
    pub fn into_output(self) -> SyncOutput {
        self.output
    }

    /// The answer as the wire has it.
    pub fn to_json(&self) -> Value {
        crate::wire::write(E::NAME, &self.output)
    }
}

impl<E> Clone for Answer<E> {
    fn clone(&self) -> Self {
        Self {
            output: self.output.clone(),
            event: PhantomData,
        }
    }
}

impl<E> PartialEq for Answer<E> {
    fn eq(&self, other: &Self) -> bool {
        self.output == other.output
    }
}

impl<E: Event> fmt::Debug for Answer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer<{}>({})", E::NAME, self.to_json())
    }
}
