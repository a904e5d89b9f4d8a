//! What a command could not do, and what would help.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::safe;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nobody reads what we print. Not worth a word.
    #[error("nobody reads the output any more")]
    Closed,
    /// Anything else: what it was about, and what would help.
    #[error("{what}")]
    Told { what: String, help: Option<String> },
}

impl Failure {
    /// Something that was given is not what it must be.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::Told {
            what: what.into(),
            help: None,
        }
    }

    /// A file cannot be read.
    pub(crate) fn unreadable(path: &Path, why: impl Display) -> Self {
        Self::invalid(format!("cannot read {}: {why}", safe::path(path)))
    }

    /// A file cannot be written.
    pub(crate) fn unwritable(path: &Path, why: impl Display) -> Self {
        let mut above = path.ancestors().skip(1);
        let why = match above.find(|above| above.is_file()) {
            Some(file) => format!("{} is not a directory", safe::path(file)),
            None if path.is_dir() => "it is a directory".to_owned(),
            None => why.to_string(),
        };
        Self::invalid(format!("cannot write {}: {why}", safe::path(path)))
    }

    /// Says which file it is about.
    #[must_use]
    pub(crate) fn about(mut self, path: &Path) -> Self {
        if let Self::Told { what, .. } = &mut self {
            *what = format!("{}: {what}", safe::path(path));
        }
        self
    }

    /// Adds what would help.
    #[must_use]
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        if let Self::Told { help, .. } = &mut self {
            *help = Some(text.into());
        }
        self
    }

    /// What would help.
    pub(crate) fn remedy(&self) -> Option<&str> {
        match self {
            Self::Closed => None,
            Self::Told { help, .. } => help.as_deref(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::invalid(format!("cannot write the output: {error}"))
        }
    }
}
