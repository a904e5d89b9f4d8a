//! Why approvals cannot be read or kept.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why approvals cannot be read or kept: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    path: PathBuf,
    kind: StoreErrorKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The file system refused.
    Io(String),
    /// The file is not what was written there.
    Corrupt(String),
    /// The file was written by a later version.
    Newer(u32),
    /// Others than the user may write to the file.
    NotYours,
    /// The store lies in the project, which could approve itself.
    InProject,
    /// Another process holds the store.
    Busy,
    /// A thousand broken files lie beside it.
    TooManyBroken,
    /// There is no store.
    NoStore,
}

impl StoreError {
    pub(super) fn new(path: &Path, kind: StoreErrorKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
        }
    }

    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::new(path, StoreErrorKind::Io(error.to_string()))
    }

    /// The file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    pub fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self.kind {
            StoreErrorKind::Io(_) => "see that you may write there",
            StoreErrorKind::Corrupt(_) => {
                "approve again: the file is moved aside then, and a new one is begun"
            }
            StoreErrorKind::Newer(_) => "use the version that wrote it, or move the file aside",
            StoreErrorKind::NotYours => {
                "see that the file belongs to you and only you may write to it"
            }
            StoreErrorKind::InProject => {
                "keep approvals outside the project: set XDG_STATE_HOME to another directory"
            }
            StoreErrorKind::Busy => "end the process that hangs, or try again",
            StoreErrorKind::TooManyBroken => "look at the `.broken-…` files there, and remove them",
            StoreErrorKind::NoStore => "set HOME or XDG_STATE_HOME",
        }
    }

    pub(super) fn is_corrupt(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Corrupt(_))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            StoreErrorKind::Io(error) => write!(f, "approvals in {path}: {error}"),
            StoreErrorKind::Corrupt(why) => write!(f, "approvals in {path} cannot be read: {why}"),
            StoreErrorKind::Newer(version) => {
                write!(f, "approvals in {path} are of a later version, {version}")
            }
            StoreErrorKind::NotYours => {
                write!(
                    f,
                    "approvals in {path} may be somebody else's: others may write there"
                )
            }
            StoreErrorKind::InProject => {
                write!(
                    f,
                    "approvals in {path} do not count: the project could approve itself"
                )
            }
            StoreErrorKind::Busy => write!(f, "another process holds {path}"),
            StoreErrorKind::TooManyBroken => {
                write!(f, "{path} is broken, and so are a thousand files beside it")
            }
            StoreErrorKind::NoStore => f.write_str("there is no place for approvals"),
        }
    }
}

impl std::error::Error for StoreError {}
