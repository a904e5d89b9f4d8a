//! How much is kept, what was counted, what a line changed.

use std::collections::BTreeMap;

use super::keep;

/// How much a model keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) firings: usize,
    pub(crate) text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            firings: keep::FIRINGS,
            text: keep::TEXT,
        }
    }
}

/// What was counted, from the first line on; nothing of it is ever dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Messages of hooks.
    pub(crate) messages: u64,
    pub(crate) firings: u64,
    /// Firings by what they came to.
    pub(crate) verdicts: BTreeMap<String, u64>,
    /// Runs that failed, took too long, or were cancelled.
    pub(crate) failed: u64,
    /// Lines that are about something else.
    pub(crate) other: u64,
    /// Lines that are no JSON, or too long.
    pub(crate) unreadable: u64,
    /// Firings that are no longer kept.
    pub(crate) dropped: u64,
}

/// What a line changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing that is shown but counts.
    Counts,
    /// Something about a firing.
    Firing(u64),
    /// A firing is over.
    Over(u64),
    /// A hook in the background has ended, after its firing was over.
    Late(u64),
}

/// The words that are counted each; any other is counted with its kind.
const KNOWN: [&str; 7] = ["allow", "ask", "block", "defer", "deny", "none", "stop"];

impl Counts {
    pub(crate) fn count(&mut self, verdict: &str) {
        let word = if KNOWN.contains(&verdict) {
            verdict
        } else {
            "other"
        };
        *self.verdicts.entry(word.to_owned()).or_default() += 1;
    }

    /// Takes a count back.
    pub(crate) fn uncount(&mut self, verdict: &str) {
        if let Some(count) = self.verdicts.get_mut(verdict) {
            *count = count.saturating_sub(1);
        }
    }
}
