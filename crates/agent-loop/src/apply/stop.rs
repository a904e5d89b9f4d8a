//! `Stop`, `SubagentStop` and `TeammateIdle`: may the agent stop?

use hook_types::Decision;

use super::{Halt, Heard};
use crate::said::{Manner, Said};

/// What an agent does that wants to stop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StopStep {
    /// It stops.
    Stop,
    /// It stops, whatever other hooks want.
    Halt(Halt),
    /// It goes on with these words.
    KeepGoing(Vec<Said>),
    /// It would go on, but has been kept going too often in a row.
    Enough { warning: String },
}

pub(crate) fn stop(heard: &Heard, counter: &StopCounter) -> StopStep {
    if let Some(halt) = heard.halt() {
        return StopStep::Halt(halt);
    }
    let mut said = Vec::new();
    if heard.outcome.decision == Decision::Deny {
        said.push(heard.reason(Manner::KeepsGoing));
    }
    said.extend(heard.context(Manner::KeepsGoing));
    if said.is_empty() {
        return StopStep::Stop;
    }
    if counter.is_spent() {
        return StopStep::Enough {
            warning: format!(
                "hooks have kept the agent going {} times in a row without a tool call; it stops now",
                counter.count
            ),
        };
    }
    StopStep::KeepGoing(said)
}

/// How often in a row hooks have kept an agent going. A tool call starts the count again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopCounter {
    /// Whether a hook is the reason that the turn is still going.
    pub(crate) active: bool,
    pub(crate) count: u32,
    /// 0: as often as they like.
    pub(crate) limit: u32,
}

impl StopCounter {
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            active: false,
            count: 0,
            limit,
        }
    }

    fn is_spent(self) -> bool {
        self.limit > 0 && self.count >= self.limit
    }

    pub(crate) fn kept_going(&mut self) {
        self.active = true;
        self.count += 1;
    }

    pub(crate) fn called_a_tool(&mut self) {
        self.count = 0;
    }

    /// A new turn.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.limit);
    }
}

#[cfg(test)]
mod tests {
    use hook_runner::Fired;
    use hook_types::EventName;

    use super::*;

    fn blocked() -> Heard {
        let mut heard = Fired::nothing(EventName::Stop);
        heard.outcome.decision = Decision::Deny;
        heard.outcome.reason = Some("run the tests".into());
        Heard(heard)
    }

    #[test]
    fn eight_times_in_a_row_and_then_enough() {
        let mut counter = StopCounter::new(8);
        for _ in 0..8 {
            assert!(matches!(stop(&blocked(), &counter), StopStep::KeepGoing(_)));
            counter.kept_going();
        }
        assert!(matches!(
            stop(&blocked(), &counter),
            StopStep::Enough { .. }
        ));
        counter.called_a_tool();
        assert!(matches!(stop(&blocked(), &counter), StopStep::KeepGoing(_)));
        assert!(counter.active, "a tool call does not make it a new turn");
    }

    #[test]
    fn no_limit_is_no_limit() {
        let mut counter = StopCounter::new(0);
        counter.count = 1_000;
        assert!(matches!(stop(&blocked(), &counter), StopStep::KeepGoing(_)));
    }
}
