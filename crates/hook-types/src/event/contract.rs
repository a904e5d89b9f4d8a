//! The trait that every event's struct implements: what it is, and what a hook may answer.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::field::{Honours, part};
use super::subject::Subject;
use super::table::{EventName, HookEvent};
use super::wire;
use crate::Base;
use crate::answer::Answer;
use crate::permission::PermissionUpdate;

/// One kind of event.
///
/// Beside what the engine needs to know, the trait holds the constructors of answers. They read
/// like speech, and each exists only where the event honours it: a hook for
/// [`Stop`](crate::Stop) cannot change a tool's input, and says so when it is compiled.
///
/// ```
/// use hook_types::{Event, PreToolUse, Stop};
/// use serde_json::json;
///
/// let no = PreToolUse::deny("not on a Friday");
/// let yes = PreToolUse::allow().rewriting(json!({"command": "ls -a"}));
/// let go_on = Stop::keep_going("two tests still fail");
/// # let _ = (no, yes, go_on);
/// ```
///
/// ```compile_fail
/// use hook_types::{Event, Stop};
///
/// Stop::rewrite(serde_json::json!({}));
/// ```
pub trait Event:
    wire::Fields + Clone + fmt::Debug + Serialize + Into<HookEvent> + Send + Sync + 'static
{
    /// The event's name.
    const NAME: EventName;

    /// What every event carries.
    fn base(&self) -> &Base;

    /// What every event carries, to be filled in.
    fn base_mut(&mut self) -> &mut Base;

    /// Fields that this version does not know.
    fn extra(&self) -> &Map<String, Value>;

    /// What a matcher is tested against.
    fn subject(&self) -> Subject<'_>;

    /// The event behind an erased one, if it is of this kind.
    fn of(event: &HookEvent) -> Option<&Self>;

    /// The same, taken out of it.
    fn taken_from(event: HookEvent) -> Option<Box<Self>>;

    /// No opinion.
    fn pass() -> Answer<Self> {
        Answer::pass()
    }

    /// What was about to happen must not.
    fn deny(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::Deny>,
    {
        Answer::blocking(reason)
    }

    /// Go ahead without asking the user. A rule that denies or asks is stronger.
    fn allow() -> Answer<Self>
    where
        Self: Honours<part::Allow>,
    {
        Answer::deciding(crate::Decision::Allow, None)
    }

    /// Ask the user.
    fn ask(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::Ask>,
    {
        Answer::deciding(crate::Decision::Ask, Some(reason.into()))
    }

    /// End the run here; whoever resumes it decides.
    fn defer() -> Answer<Self>
    where
        Self: Honours<part::Defer>,
    {
        Answer::deciding(crate::Decision::Defer, None)
    }

    /// Tell the model what is wrong with what it did.
    fn feedback(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::Feedback>,
    {
        Answer::blocking(reason)
    }

    /// Do not stop; the reason is what to do next.
    fn keep_going(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::KeepGoing>,
    {
        Answer::blocking(reason)
    }

    /// Stop before the model is asked again.
    fn end_turn(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::EndTurn>,
    {
        Answer::blocking(reason)
    }

    /// What the hook was to do has failed.
    fn fail(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::Fail>,
    {
        Answer::blocking(reason)
    }

    /// Stop the whole agent. Stronger than every decision.
    fn stop_agent(reason: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::Continue>,
    {
        Answer::pass().and_stop_agent(reason)
    }

    /// Run the tool with another input, which replaces the whole of the old one.
    fn rewrite(input: Value) -> Answer<Self>
    where
        Self: Honours<part::UpdatedInput>,
    {
        Answer::pass().rewriting(input)
    }

    /// Tell the model something more.
    fn context(text: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::AdditionalContext>,
    {
        Answer::pass().with_context(text)
    }

    /// Show the model another result.
    fn replace_output(output: Value) -> Answer<Self>
    where
        Self: Honours<part::UpdatedToolOutput>,
    {
        Answer::pass().with_output(output)
    }

    /// Let the call through, and remember rules for the next time.
    fn allow_and_remember(updates: impl Into<Vec<PermissionUpdate>>) -> Answer<Self>
    where
        Self: Honours<part::Allow> + Honours<part::UpdatedPermissions>,
    {
        Self::allow().remembering(updates)
    }

    /// Answer an MCP server in the user's place.
    fn accept(content: Value) -> Answer<Self>
    where
        Self: Honours<part::Action>,
    {
        Answer::pass().with_elicitation(crate::ElicitationAction::Accept, Some(content))
    }

    /// Refuse an MCP server's question in the user's place.
    fn decline() -> Answer<Self>
    where
        Self: Honours<part::Action>,
    {
        Answer::pass().with_elicitation(crate::ElicitationAction::Decline, None)
    }

    /// Close an MCP server's question in the user's place.
    fn cancel() -> Answer<Self>
    where
        Self: Honours<part::Action>,
    {
        Answer::pass().with_elicitation(crate::ElicitationAction::Cancel, None)
    }

    /// Here is the worktree.
    fn worktree(path: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::WorktreePath>,
    {
        Answer::pass().with_worktree(path)
    }

    /// Show this in place of the text.
    fn show(text: impl Into<String>) -> Answer<Self>
    where
        Self: Honours<part::DisplayContent>,
    {
        Answer::pass().showing(text)
    }

    /// The model may try the refused call again.
    fn retry() -> Answer<Self>
    where
        Self: Honours<part::Retry>,
    {
        Answer::pass().with_retry()
    }

    /// Send the model another request.
    fn send(request: Value) -> Answer<Self>
    where
        Self: Honours<part::LlmRequest>,
    {
        Answer::pass().sending(request)
    }

    /// Answer in the model's place.
    fn respond(response: Value) -> Answer<Self>
    where
        Self: Honours<part::LlmResponse>,
    {
        Answer::pass().responding(response)
    }
}
