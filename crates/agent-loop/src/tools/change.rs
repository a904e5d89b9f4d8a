//! Changing a file that the agent knows.

use std::path::Path;

use serde_json::Value;

use super::read_files::{Knowledge, ReadFiles, Seen};
use super::{file, patch, paths, store};
use crate::tool::ToolError;

/// A change that has been made.
#[derive(Debug)]
pub(super) struct Change {
    /// What was there before; nothing: the file is new.
    pub(super) old: Option<String>,
    pub(super) new: String,
}

impl Change {
    /// Writes the new content and remembers that the agent did.
    pub(super) fn carry_out(
        path: &Path,
        old: Option<String>,
        new: String,
        known: &ReadFiles,
    ) -> Result<Self, ToolError> {
        store::store(path, new.as_bytes()).map_err(|error| {
            ToolError::new(format!("`{}` cannot be written: {error}", path.display()))
        })?;
        known.written(&paths::real(path), Seen::of(new.as_bytes()));
        Ok(Self { old, new })
    }

    /// What changed, as hooks know it.
    pub(super) fn hunks(&self) -> Value {
        patch::hunks(self.old.as_deref().unwrap_or_default(), &self.new)
    }

    /// The old content, unless it is too long to be handed around.
    pub(super) fn original(&self) -> Option<&str> {
        let old = self.old.as_deref()?;
        (old.len() <= patch::LONGEST).then_some(old)
    }
}

/// What is in the file; nothing where there is none.
pub(super) fn current(path: &Path) -> Result<Option<Vec<u8>>, ToolError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        // A link to nothing: what it points to is made.
        Ok(facts) if facts.is_symlink() && !path.exists() => Ok(None),
        _ => file::load(path).map(Some),
    }
}

/// Whether the agent knows what it would overwrite.
pub(super) fn may_overwrite(
    path: &Path,
    content: &[u8],
    known: &ReadFiles,
) -> Result<(), ToolError> {
    match known.knowledge(&paths::real(path), &Seen::of(content)) {
        Knowledge::Current => Ok(()),
        Knowledge::Unseen => Err(unseen(path)),
        Knowledge::ChangedAfterWriting | Knowledge::ChangedAfterReading => Err(changed(path)),
    }
}

/// Whether the agent knows enough of a file to change a part of it.
///
/// One that it wrote last may have been changed by a formatter since. The edit is made in the file as it
/// is now, and says what it replaces: nothing is lost.
pub(super) fn may_edit(path: &Path, content: &[u8], known: &ReadFiles) -> Result<(), ToolError> {
    match known.knowledge(&paths::real(path), &Seen::of(content)) {
        Knowledge::Current | Knowledge::ChangedAfterWriting => Ok(()),
        Knowledge::Unseen => Err(unseen(path)),
        Knowledge::ChangedAfterReading => Err(changed(path)),
    }
}

fn unseen(path: &Path) -> ToolError {
    ToolError::new(format!(
        "`{}` has not been read yet; use Read on it before you change it",
        path.display()
    ))
}

fn changed(path: &Path) -> ToolError {
    ToolError::new(format!(
        "`{}` has changed since it was read; use Read on it again before you change it",
        path.display()
    ))
}
