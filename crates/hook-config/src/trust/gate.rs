//! The question at each firing: is the hook still what was approved?

use std::sync::{Arc, Mutex, PoisonError};

use hook_runner::{Admission, Gate};

use super::case::Case;
use super::content::Judge;
use super::digest::Digest;
use super::files::Watch;
use super::fingerprint::Fingerprint;
use super::ledger::Ledger;
use super::state::Why;

/// Asks again at each firing. As long as neither the files nor the approvals have moved, that takes
/// one look at the times of each.
#[derive(Debug)]
pub(super) struct ContentGate {
    judge: Arc<Judge>,
    case: Case,
    /// The approved entry that this one takes the place of.
    replaces: Option<Digest>,
    last: Mutex<Last>,
}

#[derive(Debug)]
struct Last {
    whole: Digest,
    watch: Option<Watch>,
    ledger: Arc<Ledger>,
    why: Why,
    /// Whether it was trusted before: then it must not go out in silence.
    was_trusted: bool,
}

impl ContentGate {
    /// A gate for a hook, and what it says for now.
    pub(super) fn new(
        judge: Arc<Judge>,
        case: Case,
        replaces: Option<Digest>,
    ) -> (Self, Fingerprint, Why) {
        let ledger = judge.ledger();
        let (fingerprint, watch) = Fingerprint::watched(&case, judge.around());
        let whole = fingerprint.whole;
        let why = judge.why(&case, whole, &ledger, replaces, false);
        let gate = Self {
            judge,
            case,
            replaces,
            last: Mutex::new(Last {
                whole,
                watch,
                ledger,
                why,
                was_trusted: why.state().runs(),
            }),
        };
        (gate, fingerprint, why)
    }

    /// Why the hook may run now, or may not.
    fn why(&self) -> Why {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let files_hold = last.watch.as_ref().is_none_or(Watch::holds);
        let ledger = self.judge.ledger();
        if files_hold && Arc::ptr_eq(&ledger, &last.ledger) {
            return last.why;
        }
        if !files_hold {
            let (fingerprint, watch) = Fingerprint::watched(&self.case, self.judge.around());
            last.whole = fingerprint.whole;
            last.watch = watch;
        }
        let (whole, was_trusted) = (last.whole, last.was_trusted);
        last.why = self
            .judge
            .why(&self.case, whole, &ledger, self.replaces, was_trusted);
        last.ledger = ledger;
        last.was_trusted |= last.why.state().runs();
        last.why
    }
}

impl Gate for ContentGate {
    fn admit(&self) -> Admission {
        self.why().state().admission()
    }
}
