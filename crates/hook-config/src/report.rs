//! What became of every file and every hook.

use std::sync::Arc;

use hook_types::HookId;

use crate::diagnostic::{Diagnostic, Severity};
use crate::entry::{Entry, Listen};
use crate::file::{ConfigFile, Origin};
use crate::source::Place;
use crate::trust::TrustState;

/// What became of every file and every hook.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The files that were looked for, in the order of their layers.
    pub files: Vec<ConfigFile>,
    /// The hooks, in the order in which they are merged.
    pub hooks: Vec<HookReport>,
    /// What is wrong, in the order of the files.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Whether anything is wrong that keeps an entry or a file from being used.
    pub fn has_errors(&self) -> bool {
        let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
        self.diagnostics.iter().any(is_error)
    }
}

/// One entry of a file, and what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookReport {
    /// The hooks that it is in the set: one for each event. None where it is not in the set.
    pub ids: Vec<HookId>,
    /// The entry; none where it is broken.
    pub entry: Option<Arc<Entry>>,
    /// When it runs.
    pub listens: Vec<Listen>,
    /// Where it stands.
    pub place: Place,
    /// Where its file comes from.
    pub origin: Origin,
    /// Whether somebody has approved it.
    pub trust: TrustState,
    /// The words that an approval cannot cover.
    pub opaque: Vec<String>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// It is in the set.
    Active,
    /// It is in the set, and switched off in its file.
    Disabled,
    /// A switch keeps it out of the set.
    SwitchedOff(String),
    /// It cannot be used; where it would have run, this failure is reported.
    Broken(String),
}
