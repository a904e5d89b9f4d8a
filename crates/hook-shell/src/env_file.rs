//! The file that a command may write `export NAME=value` lines to, for later commands of the agent.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the names of the files unique in this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// How much of the file is read back, in bytes.
const LONGEST: u64 = 64 * 1024;

/// An empty file of its own, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct EnvFile(PathBuf);

impl EnvFile {
    pub(crate) fn create() -> io::Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookline-env-{}-{number}.sh", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What the command wrote; nothing where it wrote nothing.
    pub(crate) fn read(&self) -> io::Result<Option<String>> {
        let size = fs::metadata(&self.0)?.len();
        if size == 0 {
            return Ok(None);
        }
        if size > LONGEST {
            let message = format!("{size} bytes; {LONGEST} are read at most");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        fs::read_to_string(&self.0).map(Some)
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
