//! `TaskCreated` and `TaskCompleted`: does the task list change?

use super::{Halt, Heard};
use crate::said::{Manner, Said};

/// Whether a change to the task list is made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TaskStep {
    /// It is.
    Accept,
    /// It is not; the model is told why.
    Refuse(Said),
}

pub(crate) fn task(heard: &Heard) -> TaskStep {
    if heard.outcome.is_denied() {
        return TaskStep::Refuse(heard.reason(Manner::Refuses));
    }
    TaskStep::Accept
}

/// Whether a teammate stops for good whose turn ended with a task in progress. Where the task list itself
/// was changed by a tool, nobody is asked.
pub(crate) fn teammate_stops(heard: &Heard) -> Option<Halt> {
    heard.halt()
}
