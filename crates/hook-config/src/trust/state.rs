//! May a hook run? Four states, and why.

use std::fmt;

use hook_runner::{Admission, Layer};

use super::case::Case;
use super::surroundings::Surroundings;

/// Whether somebody has approved a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrustState {
    /// Set by policy: runs in any case.
    Managed,
    /// The user's own, or approved.
    Trusted,
    /// Approved, and not what it was. It does not run, and blocks guards.
    Changed,
    /// Nobody has approved it. It does not run.
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

    /// What follows for a firing.
    pub fn admission(self) -> Admission {
        match self {
            Self::Managed | Self::Trusted => Admission::Admitted,
            Self::Changed => Admission::Changed,
            Self::Untrusted => Admission::Untrusted,
        }
    }
}

impl fmt::Display for TrustState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a hook has its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// A policy has it.
    Policy,
    /// It is in a file of the user's own, or written in Rust.
    Own,
    /// Its file was named for this run.
    Named,
    /// The user has approved it as it is.
    Approved,
    /// For this run all hooks are taken as approved.
    Assumed,
    /// A file that it names is not what was approved.
    FileChanged,
    /// The entry takes the place of one that was approved.
    EntryChanged,
    /// It was approved, and now nobody can tell: the approvals cannot be read.
    StoreUnreadable,
    /// Nobody has approved it.
    NeverApproved,
}

impl Why {
    /// The state that follows.
    pub fn state(self) -> TrustState {
        match self {
            Self::Policy => TrustState::Managed,
            Self::Own | Self::Named | Self::Approved | Self::Assumed => TrustState::Trusted,
            Self::FileChanged | Self::EntryChanged | Self::StoreUnreadable => TrustState::Changed,
            Self::NeverApproved => TrustState::Untrusted,
        }
    }

    /// The reason, in a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "a policy has it",
            Self::Own => "it is your own",
            Self::Named => "its file was named for this run",
            Self::Approved => "you have approved it as it is",
            Self::Assumed => "hooks are taken as approved for this run",
            Self::FileChanged => "a file that it names is not what you approved",
            Self::EntryChanged => "it takes the place of a hook that you approved",
            Self::StoreUnreadable => "your approvals can no longer be read",
            Self::NeverApproved => "you have not approved it",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a hook needs no approval; `None` if it needs one.
///
/// A project's files need one, the private ones too, since a repository can bring them along. So does
/// a plugin that lies in the project, or that a project's file switches on. A file that was named for
/// this run was chosen by whoever named it.
pub(super) fn without_approval(case: &Case, around: &Surroundings) -> Option<Why> {
    let is_plugin = case.layer() == Layer::Plugin;
    let layer = if is_plugin {
        case.enabled_by()?
    } else {
        case.layer()
    };
    let is_brought = is_plugin && layer == Layer::User && around.contains(case.file());
    of_layer(layer).filter(|_| !is_brought)
}

/// The same, for a file of a layer.
fn of_layer(layer: Layer) -> Option<Why> {
    match layer {
        Layer::Managed => Some(Why::Policy),
        Layer::User | Layer::Rust => Some(Why::Own),
        Layer::Settings => Some(Why::Named),
        // A layer that is not known yet is not known to be the user's.
        Layer::Project | Layer::Local | Layer::Plugin | _ => None,
    }
}
