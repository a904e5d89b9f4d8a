//! The question and the answer, whoever answers.

use std::fmt;
use std::sync::Arc;

use hook_runner::{Gate, Layer};
use serde_json::Value;

use super::state::{TrustState, Why};
use crate::entry::Entry;
use crate::file::{ConfigFile, Origin};
use crate::source::Place;

/// What is judged: a hook, or an entry that is broken and would block a guard.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Where its file comes from.
    pub origin: &'a Origin,
    /// Where it stands.
    pub place: &'a Place,
    /// What it amounts to, whatever its position and however it spells its defaults.
    pub content: &'a Value,
    /// The hook, where it is one.
    pub entry: Option<&'a Entry>,
}

impl ConfigFile {
    /// What its entries amount to, the broken ones too.
    pub(crate) fn contents(&self) -> Vec<Value> {
        let entries = self.parsed.entries().map(Entry::normalised);
        let broken = self.parsed.broken.iter();
        entries
            .chain(broken.map(|broken| broken.content.clone()))
            .collect()
    }

    /// Shows its entries as what is judged, the broken ones too.
    pub(crate) fn subjects(&self, mut show: impl FnMut(Subject<'_>)) {
        for entry in self.parsed.entries() {
            show(Subject {
                origin: &self.origin,
                place: &entry.place,
                content: &entry.normalised(),
                entry: Some(entry),
            });
        }
        for broken in &self.parsed.broken {
            show(Subject {
                origin: &self.origin,
                place: &broken.place,
                content: &broken.content,
                entry: None,
            });
        }
    }
}

/// What was found.
#[derive(Clone)]
pub struct Judgement {
    /// Whether somebody has approved it.
    pub state: TrustState,
    /// Why.
    pub why: Why,
    /// What an approval does not cover, in sentences.
    pub opaque: Vec<String>,
    /// Who is asked again at each firing; none: it always may run.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Judgement {
    /// The answer is the same at each firing.
    pub fn always(why: Why) -> Self {
        Self {
            state: why.state(),
            why,
            opaque: Vec::new(),
            gate: None,
        }
    }
}

impl fmt::Debug for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judgement")
            .field("state", &self.state)
            .field("why", &self.why)
            .field("opaque", &self.opaque)
            .field("asks_again", &self.gate.is_some())
            .finish()
    }
}

/// Who judges hooks.
pub trait Trust: Send + Sync + 'static {
    /// Is told what all entries amount to, before the first of them is judged: one that was approved
    /// and is gone may have been changed into one that was not.
    fn survey(&self, contents: &[Value]) {
        let _ = contents;
    }

    /// Judges one.
    fn judge(&self, subject: &Subject<'_>) -> Judgement;
}

/// Trusts everything: for files that somebody has just looked at, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrustEverything;

impl Trust for TrustEverything {
    fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let managed = subject.origin.layer == Layer::Managed;
        Judgement::always(if managed { Why::Policy } else { Why::Assumed })
    }
}
