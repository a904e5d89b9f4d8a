//! How long a service may take.

use std::time::Duration;

/// How long a service may take. Connecting has ten seconds of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until the head of the answer is there. Default: 10 minutes; a large request takes its time.
    pub start: Duration,
    /// Between two pieces of the reply. Default: 5 minutes; some models think in silence.
    pub silence: Duration,
    /// For the whole reply. Default: 1 hour.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_mins(10),
            silence: Duration::from_mins(5),
            whole: Duration::from_hours(1),
        }
    }
}
