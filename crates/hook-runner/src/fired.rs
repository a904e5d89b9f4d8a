//! What a firing comes back with.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use hook_types::event::part;
use hook_types::{
    Attempt, Blocked, ElicitationAnswer, Event, EventName, Honours, Outcome, Status, ToolConfig,
};
use serde::Serialize;
use serde_json::Value;

/// The attempts of a firing, in order, and what they amount to. Serialises as the command line
/// prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fired {
    /// The event.
    pub event: EventName,
    /// What the agent must do.
    pub outcome: Outcome,
    /// What became of each hook that matched, in order; behind them, those that judged a rewritten
    /// input once more.
    #[serde(rename = "hooks")]
    pub attempts: Vec<Attempt>,
}

impl Fired {
    /// Nothing happened.
    pub const fn nothing(event: EventName) -> Self {
        Self {
            event,
            outcome: Outcome::none(event),
            attempts: Vec::new(),
        }
    }

    /// Whether it was cancelled before every hook had answered. Nobody refused by that, and nobody
    /// consented.
    pub fn is_cancelled(&self) -> bool {
        let mut attempts = self.attempts.iter();
        attempts.any(|attempt| attempt.reply.status == Status::Cancelled)
    }

    /// An error where a hook refused or stopped the agent; else the outcome.
    pub fn into_result(self) -> Result<Outcome, Blocked> {
        self.outcome.into_result()
    }
}

/// What an event of the type `E` amounts to: a [`Fired`] that can only be asked what `E` honours.
///
/// ```
/// use hook_runner::{Fire, HookSet, Runner};
/// use hook_types::{Event, PreToolUse};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let hooks = HookSet::builder()
///     .on("Bash", |_: PreToolUse| PreToolUse::rewrite(json!({"command": "ls"})))
///     .build()?;
/// let verdict = Runner::new(hooks).fire(PreToolUse::new("Bash", json!({"command": "rm"}))).await;
/// assert!(!verdict.is_denied());
/// assert_eq!(verdict.updated_input(), Some(&json!({"command": "ls"})));
/// # Ok(())
/// # }
/// ```
pub struct Verdict<E> {
    /// None where nobody listened: most firings of most agents, which are to cost nothing.
    fired: Option<Box<Fired>>,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Verdict<E> {
    pub(crate) fn new(fired: Box<Fired>) -> Self {
        Self {
            fired: Some(fired),
            event: PhantomData,
        }
    }

    /// Nothing happened.
    pub(crate) fn nothing() -> Self {
        Self {
            fired: None,
            event: PhantomData,
        }
    }

    /// Whether a hook refused, and the event heeds refusals.
    pub fn is_denied(&self) -> bool {
        self.outcome.is_denied()
    }

    /// Why what was decided was decided.
    pub fn reason(&self) -> Option<&str> {
        self.outcome.reason.as_deref()
    }

    /// Another input for the tool.
    pub fn updated_input(&self) -> Option<&Value>
    where
        E: Honours<part::UpdatedInput>,
    {
        self.outcome.updated_input.as_ref()
    }

    /// Another result for the model to see.
    pub fn updated_output(&self) -> Option<&Value>
    where
        E: Honours<part::UpdatedToolOutput>,
    {
        self.outcome.updated_output.as_ref()
    }

    /// Context for the model, in order.
    pub fn context(&self) -> impl Iterator<Item = &str>
    where
        E: Honours<part::AdditionalContext>,
    {
        self.outcome
            .additional_context
            .iter()
            .map(|note| note.text.as_str())
    }

    /// Whether the agent goes on in place of stopping.
    pub fn keeps_going(&self) -> bool
    where
        E: Honours<part::KeepGoing>,
    {
        self.outcome.keeps_going()
    }

    /// An answer in the user's place.
    pub fn elicitation(&self) -> Option<&ElicitationAnswer>
    where
        E: Honours<part::Action>,
    {
        self.outcome.specific.elicitation.as_ref()
    }

    /// Where the worktree is.
    pub fn worktree_path(&self) -> Option<&str>
    where
        E: Honours<part::WorktreePath>,
    {
        self.outcome.specific.worktree_path.as_deref()
    }

    /// What to show in place of the text.
    pub fn display_content(&self) -> Option<&str>
    where
        E: Honours<part::DisplayContent>,
    {
        self.outcome.specific.display_content.as_deref()
    }

    /// Which tools the model may choose from.
    pub fn tool_config(&self) -> Option<&ToolConfig>
    where
        E: Honours<part::ToolConfig>,
    {
        self.outcome.specific.tool_config.as_ref()
    }

    /// An error where a hook refused or stopped the agent; else the outcome.
    pub fn into_result(self) -> Result<Outcome, Blocked> {
        self.into_fired().into_result()
    }

    /// The same, without its type.
    pub fn into_fired(self) -> Fired {
        match self.fired {
            Some(fired) => *fired,
            None => Fired::nothing(E::NAME),
        }
    }
}

impl<E: Event> Deref for Verdict<E> {
    type Target = Fired;

    fn deref(&self) -> &Fired {
        match &self.fired {
            Some(fired) => fired,
            None => const { &Fired::nothing(E::NAME) },
        }
    }
}

impl<E: Event> fmt::Debug for Verdict<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
