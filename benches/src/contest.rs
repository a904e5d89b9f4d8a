//! What is measured: sides that take turns, and what each of them must keep to.

use std::time::{Duration, Instant};

/// What a side's figures are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    Nanoseconds,
    Bytes,
}

/// What a side must keep to, with the upper end of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// Nothing: it is there to be seen beside the others.
    None,
    /// So many times the baseline.
    Times(f64),
    /// So much more than the baseline.
    More(f64),
    /// So much in all.
    AtMost(f64),
}

/// One thing to measure.
pub(crate) struct Side {
    pub(crate) name: String,
    pub(crate) target: Target,
    /// Does it, and says what one time took.
    pub(crate) sample: Box<dyn FnMut() -> f64>,
}

impl Side {
    /// A side without a target.
    pub(crate) fn new(name: impl Into<String>, sample: impl FnMut() -> f64 + 'static) -> Self {
        Self {
            name: name.into(),
            target: Target::None,
            sample: Box::new(sample),
        }
    }

    /// Demands something of it.
    pub(crate) fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }
}

/// Sides that are measured in one run, in turn.
pub(crate) struct Contest {
    pub(crate) unit: Unit,
    /// How often everybody has a turn.
    pub(crate) pairs: usize,
    /// What the others are compared to, turn by turn.
    pub(crate) baseline: Option<Side>,
    pub(crate) sides: Vec<Side>,
}

impl Contest {
    /// Times of so many pairs.
    pub(crate) fn of_times(pairs: usize) -> Self {
        Self {
            unit: Unit::Nanoseconds,
            pairs,
            baseline: None,
            sides: Vec::new(),
        }
    }

    /// What the others are compared to.
    pub(crate) fn beside(mut self, baseline: Side) -> Self {
        self.baseline = Some(baseline);
        self
    }

    /// One more side.
    pub(crate) fn side(mut self, side: Side) -> Self {
        self.sides.push(side);
        self
    }
}

/// How many nanoseconds one of `count` times took, which `work` does all together.
pub(crate) fn each(count: u32, work: impl FnOnce()) -> f64 {
    nanoseconds(time(work)) / f64::from(count)
}

/// How long it takes.
pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

pub(crate) fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}
