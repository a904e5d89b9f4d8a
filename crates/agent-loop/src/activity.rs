//! What an agent is doing, so that an interruption can say what it interrupted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_runner::Cancellation;
use hook_types::InterruptedDuring;

/// What is going on in one agent, the newest last. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    going_on: Vec<(u64, InterruptedDuring, Option<String>)>,
    next: u64,
}

impl Activity {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something begins; it is over when the guard goes, unless it was interrupted.
    pub(crate) fn enter(
        &self,
        during: InterruptedDuring,
        tool: Option<&str>,
        until: &Cancellation,
    ) -> Entered {
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state
            .going_on
            .push((number, during, tool.map(str::to_owned)));
        Entered {
            activity: self.clone(),
            number,
            until: until.clone(),
        }
    }

    /// What was interrupted, and the tool if it was one. Forgets everything.
    pub(crate) fn interrupted(&self) -> (InterruptedDuring, Option<String>) {
        let mut going_on = std::mem::take(&mut self.state().going_on);
        let tool = going_on.iter().rev().find_map(|(_, _, tool)| tool.clone());
        let during = going_on.pop().map(|(_, during, _)| during);
        (during.unwrap_or(InterruptedDuring::Model), tool)
    }
}

/// Something that is going on.
#[derive(Debug)]
pub(crate) struct Entered {
    activity: Activity,
    number: u64,
    until: Cancellation,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if !self.until.is_cancelled() {
            let number = self.number;
            let mut state = self.activity.state();
            state.going_on.retain(|(entered, _, _)| *entered != number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_was_not_interrupted() {
        let (activity, until) = (Activity::default(), Cancellation::new());
        drop(activity.enter(InterruptedDuring::Model, None, &until));
        let tool = activity.enter(InterruptedDuring::Tool, Some("Bash"), &until);
        let hook = activity.enter(InterruptedDuring::Hook, None, &until);
        until.cancel();
        drop((tool, hook));
        let interrupted = activity.interrupted();
        assert_eq!(interrupted, (InterruptedDuring::Hook, Some("Bash".into())));
    }
}
