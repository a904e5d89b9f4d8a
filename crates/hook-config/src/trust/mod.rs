//! Whether a hook may run. Asked when the set is made, and again at each firing.

use std::fmt;
use std::sync::Arc;

use hook_runner::{Gate, Layer};
use serde_json::Value;

use crate::entry::Entry;
use crate::file::Origin;
use crate::source::Place;

/// Whether somebody has approved a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrustState {
    /// Set by policy: runs in any case.
    Managed,
    /// The user's own, or approved.
    Trusted,
    /// Approved, and not what it was.
    Changed,
    /// Nobody has approved it.
    Untrusted,
}

impl TrustState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Trusted => "trusted",
            Self::Changed => "changed",
            Self::Untrusted => "untrusted",
        }
    }

    /// Whether the hook runs.
    pub fn runs(self) -> bool {
        matches!(self, Self::Managed | Self::Trusted)
    }
}

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

/// What was found.
#[derive(Clone)]
pub struct Judgement {
    /// Whether somebody has approved it.
    pub state: TrustState,
    /// The words that an approval cannot cover, since nobody knows which file they name.
    pub opaque: Vec<String>,
    /// Who is asked again at each firing; none: it always may run.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Judgement {
    /// It may run, and nobody asks again.
    pub fn always(state: TrustState) -> Self {
        Self {
            state,
            opaque: Vec::new(),
            gate: None,
        }
    }
}

impl fmt::Debug for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judgement")
            .field("state", &self.state)
            .field("opaque", &self.opaque)
            .field("asks_again", &self.gate.is_some())
            .finish()
    }
}

/// Who judges hooks.
pub trait Trust: Send + Sync + 'static {
    /// Judges one.
    fn judge(&self, subject: &Subject<'_>) -> Judgement;
}

/// Trusts everything: for files that somebody has just looked at, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrustEverything;

impl Trust for TrustEverything {
    fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let managed = subject.origin.layer == Layer::Managed;
        Judgement::always(if managed {
            TrustState::Managed
        } else {
            TrustState::Trusted
        })
    }
}
