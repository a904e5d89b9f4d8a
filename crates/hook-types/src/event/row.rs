//! The columns of the event table: what each one can say.

use std::time::Duration;

use super::EventName;
use super::field::{Field, Fields};
use crate::decision::Decision;

/// Everything the engine must know of one event. The rows are in `event/table.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventRow {
    /// The event.
    pub name: EventName,
    /// The input field that a matcher is tested against; none: matchers are ignored.
    pub subject: Option<&'static str>,
    /// How much of a matcher is read as plain names.
    pub names: Names,
    /// How long a hook may take where nobody said otherwise.
    pub deadline: Deadline,
    /// What a block does.
    pub effect: Effect,
    /// Where on the wire a decision stands.
    pub spelling: Spelling,
    /// What plain text on a command's stdout is.
    pub stdout: Stdout,
    /// What a command's exit code 2 does.
    pub exit_two: ExitTwo,
    /// Whether a failed hook may be told to block, and a deny is dug out of noise.
    pub guard: bool,
    /// Whether a hook that times out blocks.
    pub timeout_blocks: bool,
    /// The subject that no hook can block.
    pub exempt: Option<&'static str>,
    /// The parts of an answer that count.
    pub honours: Fields,
}

impl EventRow {
    /// Whether that part of an answer counts for this event.
    pub fn honours(&self, field: Field) -> bool {
        self.honours.contains(field)
    }

    /// The decision that a word is where the event speaks of permission; none where it takes no
    /// such word.
    pub fn permission_word(&self, word: &str) -> Option<Decision> {
        match word {
            "deny" => Some(Decision::Deny),
            "allow" if self.honours(Field::Allow) => Some(Decision::Allow),
            "ask" if self.honours(Field::Ask) => Some(Decision::Ask),
            "defer" if self.honours(Field::Defer) => Some(Decision::Defer),
            _ => None,
        }
    }

    /// Whether it counts for the event what a model says of it that a hook asks: where it takes a decision
    /// that is no permission of the user's.
    pub fn heeds_models(&self) -> bool {
        match self.spelling {
            Spelling::PermissionDecision | Spelling::Decision => true,
            Spelling::Behavior | Spelling::Unspoken => false,
        }
    }

    /// Whether the event is about a tool call, so that a condition on the call can be asked.
    pub fn is_about_a_tool_call(&self) -> bool {
        self.subject == Some("tool_name")
    }

    /// The word for a block: `deny` where the contract speaks of permission, else `block`.
    pub fn block_word(&self) -> &'static str {
        match self.spelling {
            Spelling::PermissionDecision | Spelling::Behavior => "deny",
            Spelling::Decision | Spelling::Unspoken => "block",
        }
    }

    /// Whether a block keeps something from happening, or the agent from going on as it would.
    /// Feedback and ignored blocks do not.
    pub fn block_prevents(&self) -> bool {
        match self.effect {
            Effect::Prevent | Effect::KeepGoing | Effect::EndTurn | Effect::Fail => true,
            Effect::Feedback | Effect::Ignore => false,
        }
    }
}

/// What a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// What was about to happen does not.
    Prevent,
    /// The model is told why; nothing is undone.
    Feedback,
    /// The agent does not stop.
    KeepGoing,
    /// The agent stops before it asks the model again.
    EndTurn,
    /// What the hook was to do has failed.
    Fail,
    /// Nothing.
    Ignore,
}

/// Where on the wire a decision stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// `hookSpecificOutput.permissionDecision`; also the older top-level `decision`.
    PermissionDecision,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `decision: "block"` at the top.
    Decision,
    /// Nowhere: the event takes no decision.
    Unspoken,
}

/// What plain text on a command's stdout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stdout {
    /// For the log: only a JSON answer counts.
    Answer,
    /// Context for the model.
    Context,
    /// The path that was asked for, in the last line.
    Path,
    /// Nothing: what a hook prints does not count.
    Ignored,
}

/// What a command's exit code 2 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitTwo {
    /// It blocks, with stderr as the reason.
    Blocks,
    /// It blocks, and so does every other code but 0.
    BlocksLikeAnyFailure,
    /// It blocks nothing; the user is shown stderr.
    Shown,
    /// It does nothing.
    Ignored,
}

/// How much of a matcher is read as plain names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Names {
    /// Letters, digits, `_`, `-`, blanks; separated by `|` or a comma.
    Usual,
    /// Letters, digits and `_`; separated by `|` only. Anything else is a regular expression.
    Narrow,
}

/// How long hooks may take where nobody said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deadline {
    /// Each hook by itself.
    Each(Duration),
    /// All hooks of a firing together. A hook's own timeout raises the budget, up to a limit.
    Shared {
        /// The budget.
        budget: Duration,
        /// How far it may be raised.
        at_most: Duration,
    },
}

impl Deadline {
    /// The time that one hook gets.
    pub fn limit(self) -> Duration {
        match self {
            Self::Each(limit) => limit,
            Self::Shared { budget, .. } => budget,
        }
    }
}
