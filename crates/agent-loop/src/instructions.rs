//! Instructions for the agent, from files.

use std::path::{Path, PathBuf};

use hook_types::{InstructionsLoaded, LoadReason, MemoryType};

/// A file of instructions, and whose they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The file; one that is not there is no instructions.
    pub file: PathBuf,
    /// Whose they are.
    pub memory_type: MemoryType,
}

impl Instructions {
    /// The project's instructions.
    pub fn project(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            memory_type: MemoryType::Project,
        }
    }

    /// The user's instructions.
    pub fn user(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            memory_type: MemoryType::User,
        }
    }

    /// The event that tells of them.
    pub(crate) fn loaded(&self, why: LoadReason) -> InstructionsLoaded {
        let file = self.file.to_string_lossy();
        InstructionsLoaded::new(file, self.memory_type.clone(), why)
    }

    /// What they say; nothing where there is no such file.
    pub(crate) async fn read(&self) -> std::io::Result<Option<String>> {
        let file = self.file.clone();
        let read = hook_runner::off_thread(move || text_of(&file)).await;
        read.unwrap_or_else(|panicked| Err(std::io::Error::other(panicked)))
    }
}

fn text_of(file: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
