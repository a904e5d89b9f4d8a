//! The approvals of one project, as they are kept.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::case::Case;
use super::digest::Digest;
use super::files::{Content, CoveredFile};
use super::fingerprint::Fingerprint;

/// The version of the format.
pub(super) const VERSION: u32 = 1;
/// A longer text is not kept, and its difference cannot be shown.
const MAX_TEXT: usize = 32 * 1024;
/// So much text is kept of one approval.
const MAX_TEXTS: usize = 128 * 1024;
/// So many approvals of one entry are kept, with different files.
const MAX_VERSIONS: usize = 16;
/// So many approvals of one project are kept.
const MAX_APPROVALS: usize = 1000;

/// The approvals of one project.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(super) struct Record {
    pub(super) version: u32,
    /// The project's root without links; for people, and to find projects that have vanished.
    pub(super) project: PathBuf,
    #[serde(default)]
    pub(super) approvals: Vec<Approval>,
}

impl Record {
    pub(super) fn new(project: &Path) -> Self {
        Self {
            version: VERSION,
            // What is not text could not be written down; the file's name is made from the bytes.
            project: project.to_string_lossy().into_owned().into(),
            approvals: Vec::new(),
        }
    }

    /// The last approval of an entry, whatever its files were.
    pub(super) fn last(&self, entry: Digest) -> Option<&Approval> {
        let mut approvals = self.approvals.iter().rev();
        approvals.find(|approval| approval.entry == entry)
    }

    /// Whether an entry was approved with these very files, be it the last time or before.
    pub(super) fn approves(&self, entry: Digest, whole: Digest) -> bool {
        let is_this = |approval: &Approval| approval.entry == entry && approval.whole == whole;
        self.approvals.iter().any(is_this)
    }

    /// Adds approvals. Older ones stay: whoever goes back to another branch has approved what is there.
    pub(super) fn add(&mut self, approvals: &[Approval], replaced: &[Digest]) {
        for new in approvals {
            let is_same = |old: &Approval| old.entry == new.entry && old.whole == new.whole;
            self.approvals.retain(|old| !is_same(old));
            self.approvals.push(new.clone());
            self.forget_oldest(|old| old.entry == new.entry, MAX_VERSIONS);
        }
        for old in &mut self.approvals {
            old.superseded |= replaced.contains(&old.entry);
        }
        self.forget_oldest(|_| true, MAX_APPROVALS);
    }

    /// Keeps only so many of some approvals, the latest.
    fn forget_oldest(&mut self, of: impl Fn(&Approval) -> bool, keep: usize) {
        let mut surplus = self
            .approvals
            .iter()
            .filter(|old| of(old))
            .count()
            .saturating_sub(keep);
        self.approvals.retain(|old| {
            let goes = surplus > 0 && of(old);
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// An approval: what was approved, with enough of it to show what has changed since.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[non_exhaustive]
pub struct Approval {
    /// The digest of the entry.
    pub entry: Digest,
    /// The digest of the entry and its files.
    pub whole: Digest,
    /// The file that the entry stood in.
    pub file: String,
    /// When it runs: `PreToolUse:Bash`.
    #[serde(default)]
    pub listens: Vec<String>,
    /// What it runs, in a line.
    #[serde(default)]
    pub summary: String,
    /// The entry, however it was written.
    #[serde(default)]
    pub content: Value,
    /// The files that it named.
    #[serde(default)]
    pub files: Vec<ApprovedFile>,
    /// What the approval does not cover, in sentences.
    #[serde(default)]
    pub opaque: Vec<String>,
    /// When it was given, in seconds since 1970.
    #[serde(default)]
    pub approved_at: u64,
    /// Whether another entry was approved in its place. It still counts if it comes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
}

/// A file as it was approved.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovedFile {
    /// Where the command finds it, from the project's root where it lies in the project.
    pub path: String,
    /// The same without links.
    pub target: String,
    /// The digest of its content, where that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Its text, where it is one and not long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Approval {
    /// An approval of what was seen.
    pub(super) fn of(case: &Case, seen: &Fingerprint, file: String, at: u64) -> Self {
        let mut text_left = MAX_TEXTS;
        Self {
            entry: seen.entry,
            whole: seen.whole,
            file,
            listens: case.listens().to_vec(),
            summary: case.summary().to_owned(),
            content: case.content().clone(),
            files: seen
                .files
                .iter()
                .map(|file| ApprovedFile::of(file, &mut text_left))
                .collect(),
            opaque: seen.opaque.iter().map(ToString::to_string).collect(),
            approved_at: at,
            superseded: false,
        }
    }
}

impl ApprovedFile {
    fn of(file: &CoveredFile, text_left: &mut usize) -> Self {
        let fits = |text: &&String| text.len() <= MAX_TEXT.min(*text_left);
        let text = file.text.as_ref().filter(fits).cloned();
        *text_left -= text.as_ref().map_or(0, String::len);
        Self {
            path: file.path.to_string_lossy().into_owned(),
            target: file.target.to_string_lossy().into_owned(),
            digest: match &file.content {
                Content::Read { digest, .. } => Some(*digest),
                Content::System | Content::TooLarge { .. } | Content::Unread => None,
            },
            text,
        }
    }
}
