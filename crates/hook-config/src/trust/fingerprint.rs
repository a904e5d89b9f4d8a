//! What an approval is given to: an entry and the files it names.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;

use super::case::Case;
use super::digest::{Digest, Parts};
use super::files::{self, Content, CoveredFile, Watch};
use super::opaque::Opaque;
use super::surroundings::Surroundings;

/// The content of an entry and of the files it names, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fingerprint {
    /// The digest of the entry alone.
    pub entry: Digest,
    /// The digest of the entry and the files.
    pub whole: Digest,
    /// The files, by path.
    pub files: Vec<CoveredFile>,
    /// What is not covered.
    pub opaque: BTreeSet<Opaque>,
}

impl Fingerprint {
    /// Looks at the entry and at its files as they are now.
    pub fn of(case: &Case, around: &Surroundings) -> Self {
        Self::watched(case, around).0
    }

    /// Whether something that the hook may run is not covered.
    pub fn is_opaque(&self) -> bool {
        !self.opaque.is_empty()
    }

    /// The same, and when to look again. An entry that names no files never changes by itself.
    pub(super) fn watched(case: &Case, around: &Surroundings) -> (Self, Option<Watch>) {
        let found = case.command().map(|line| files::look(line, around));
        let (files, opaque, watch) = match found {
            Some(found) => (found.files, found.opaque, Some(found.watch)),
            None => (Vec::new(), BTreeSet::new(), None),
        };
        let fingerprint = Self {
            entry: case.digest(),
            whole: whole(case.digest(), &files),
            files,
            opaque,
        };
        (fingerprint, watch)
    }
}

fn whole(entry: Digest, files: &[CoveredFile]) -> Digest {
    let mut parts = Parts::default();
    parts.add(entry.to_string().as_bytes());
    for file in files {
        parts.add(file.path.as_os_str().as_bytes());
        parts.add(file.target.as_os_str().as_bytes());
        let content = match &file.content {
            Content::Read { digest, .. } => digest.to_string(),
            Content::System => "system".to_owned(),
            Content::TooLarge { length } => format!("too large: {length}"),
            Content::Unread => "unread".to_owned(),
        };
        parts.add(content.as_bytes());
    }
    parts.finish()
}
