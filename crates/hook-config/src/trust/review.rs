//! What has changed since the approval.

use serde_json::Value;

use super::case::Case;
use super::diff::{DiffLine, diff};
use super::digest::Digest;
use super::files::{Content, CoveredFile};
use super::fingerprint::Fingerprint;
use super::record::{Approval, ApprovedFile};
use super::state::{TrustState, Why};

/// An entry as it is, beside what was approved.
#[derive(Clone, Debug)]
pub struct Review {
    case: Case,
    why: Why,
    fingerprint: Fingerprint,
    approved: Option<Approval>,
}

/// A difference from what was approved.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The entry says something else.
    Entry {
        /// What was approved.
        before: Value,
        /// What it says now.
        after: Value,
    },
    /// It names a file that it did not name, or that was not there.
    Added {
        /// Where.
        path: String,
        /// The text, where it is one and not long.
        text: Option<String>,
    },
    /// A file is gone, or is no longer named.
    Removed {
        /// Where.
        path: String,
    },
    /// A path leads to another file.
    Retargeted {
        /// Where.
        path: String,
        /// Where it led.
        before: String,
        /// Where it leads.
        after: String,
    },
    /// A file has another content.
    Edited {
        /// Where.
        path: String,
        /// The lines, if both texts are known.
        lines: Option<Vec<DiffLine>>,
    },
}

impl Review {
    pub(super) fn new(
        case: Case,
        why: Why,
        fingerprint: Fingerprint,
        approved: Option<Approval>,
    ) -> Self {
        Self {
            case,
            why,
            fingerprint,
            approved,
        }
    }

    /// The entry.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Whether it may run.
    pub fn state(&self) -> TrustState {
        self.why.state()
    }

    /// Why.
    pub fn why(&self) -> Why {
        self.why
    }

    /// What it names, and what that does not cover.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// What was approved: the same entry, or the one whose place it takes.
    pub fn approved(&self) -> Option<&Approval> {
        self.approved.as_ref()
    }

    /// The approved entry whose place it takes.
    pub(super) fn replaces(&self) -> Option<Digest> {
        let approved = self.approved.as_ref()?.entry;
        (approved != self.case.digest()).then_some(approved)
    }

    /// What has changed since the approval; nothing if there was none.
    pub fn changes(&self) -> Vec<Change> {
        let Some(approved) = &self.approved else {
            return Vec::new();
        };
        let mut changes = Vec::new();
        if approved.entry != self.case.digest() {
            changes.push(Change::Entry {
                before: approved.content.clone(),
                after: self.case.content().clone(),
            });
        }
        let now = &self.fingerprint.files;
        let find_now = |path: &str| now.iter().find(|file| file.path.to_string_lossy() == path);
        for before in &approved.files {
            match find_now(&before.path) {
                Some(after) => changes.extend(compare(before, after)),
                None => changes.push(Change::Removed {
                    path: before.path.clone(),
                }),
            }
        }
        let was_there = |path: &str| approved.files.iter().any(|file| file.path == path);
        let added = now
            .iter()
            .filter(|file| !was_there(&file.path.to_string_lossy()));
        changes.extend(added.map(|file| Change::Added {
            path: file.path.to_string_lossy().into_owned(),
            text: file.text.clone(),
        }));
        changes
    }
}

fn compare(before: &ApprovedFile, after: &CoveredFile) -> Vec<Change> {
    let mut changes = Vec::new();
    let target = after.target.to_string_lossy();
    if before.target != target {
        changes.push(Change::Retargeted {
            path: before.path.clone(),
            before: before.target.clone(),
            after: target.into_owned(),
        });
    }
    let digest = match &after.content {
        Content::Read { digest, .. } => Some(*digest),
        Content::System | Content::TooLarge { .. } | Content::Unread => None,
    };
    if before.digest != digest {
        let texts = before.text.as_deref().zip(after.text.as_deref());
        changes.push(Change::Edited {
            path: before.path.clone(),
            lines: texts.map(|(before, after)| diff(before, after)),
        });
    }
    changes
}
