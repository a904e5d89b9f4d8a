//! What "not ok" means for an event. One table for all kinds of hooks that ask a model.

use hook_types::{Decision, EventName, Field, SyncOutput};

/// What becomes of the turn where a hook says that something is not ok and the event leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnBlock {
    /// It ends, as the contract has it.
    #[default]
    End,
    /// It goes on, and the model is told: `continueOnBlock`.
    Continue,
}

/// What "not ok" comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consequence {
    /// A refusal with its reason. What that does is the event's own: a call does not happen, an agent
    /// keeps going, a turn ends.
    Refuse,
    /// A refusal, and the turn ends.
    RefuseAndEnd,
    /// The turn ends, and the user is told why.
    End,
    /// Nothing: the event does not heed what a model says, and so none is asked.
    Nothing,
}

/// Events where the turn, or the teammate, ends unless the hook says otherwise.
const ENDS: [(EventName, Consequence); 4] = [
    (EventName::PreToolUse, Consequence::RefuseAndEnd),
    (EventName::PostToolUse, Consequence::End),
    (EventName::TeammateIdle, Consequence::End),
    // Where a tool completes the task, an order to stop is not heeded, and the refusal is its error.
    (EventName::TaskCompleted, Consequence::RefuseAndEnd),
];

/// What "not ok" means for an event.
///
/// ```
/// use hook_model::{Consequence, OnBlock, consequence};
/// use hook_types::EventName;
///
/// assert_eq!(consequence(EventName::PreToolUse, OnBlock::End), Consequence::RefuseAndEnd);
/// assert_eq!(consequence(EventName::PreToolUse, OnBlock::Continue), Consequence::Refuse);
/// assert_eq!(consequence(EventName::Stop, OnBlock::End), Consequence::Refuse);
/// assert_eq!(consequence(EventName::PermissionRequest, OnBlock::End), Consequence::Nothing);
/// ```
pub fn consequence(event: EventName, on_block: OnBlock) -> Consequence {
    if !event.row().heeds_models() {
        return Consequence::Nothing;
    }
    let ends = ENDS.iter().find(|(name, _)| *name == event);
    match (on_block, ends) {
        (OnBlock::End, Some((_, ends))) => *ends,
        (OnBlock::End, None) | (OnBlock::Continue, _) => Consequence::Refuse,
    }
}

impl Consequence {
    /// The answer that it is, with the reason for it.
    pub(crate) fn output(self, reason: String) -> SyncOutput {
        let mut output = SyncOutput::default();
        if matches!(self, Self::End | Self::RefuseAndEnd) {
            output.proceed = Some(false);
            output.stop_reason = Some(reason.clone());
        }
        if matches!(self, Self::Refuse | Self::RefuseAndEnd) {
            output.decision = Decision::Deny;
            output.reason = Some(reason);
        }
        output
    }
}

/// Whether an agent that wants to stop is let go where it cannot do what is asked of it.
pub(crate) fn may_be_impossible(event: EventName) -> bool {
    matches!(event, EventName::Stop | EventName::SubagentStop)
}

/// What lets an agent stop that cannot do what is asked of it: the user is told.
pub(crate) fn impossible(event: EventName, reason: &str) -> SyncOutput {
    let mut output = SyncOutput::default();
    if event.row().honours(Field::SystemMessage) {
        output.system_message = Some(format!("It cannot be done: {reason}"));
    }
    output
}
