//! The file that a command may write `export NAME=value` lines to, for later commands of the agent.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the names of the directories unique in this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// How much of the file is read back, in bytes.
const LONGEST: u64 = 64 * 1024;

/// An empty file in a directory of its own, which is removed when it is dropped: what a command left
/// running writes later has no place to go.
#[derive(Debug)]
pub(crate) struct EnvFile {
    directory: PathBuf,
    file: PathBuf,
}

impl EnvFile {
    pub(crate) fn create() -> io::Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookline-env-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&directory)?;
        let file = directory.join("env.sh");
        let created = Self { directory, file };
        File::create_new(&created.file)?;
        Ok(created)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.file
    }

    /// What the command wrote; nothing where it wrote nothing.
    pub(crate) fn read(&self) -> io::Result<Option<String>> {
        let size = fs::metadata(&self.file)?.len();
        if size == 0 {
            return Ok(None);
        }
        if size > LONGEST {
            let message = format!("{size} bytes; {LONGEST} are read at most");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        fs::read_to_string(&self.file).map(Some)
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
