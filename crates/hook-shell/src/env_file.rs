//! The file that a command may write `export NAME=value` lines to, for later commands of the agent.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
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
        let directory = own_directory()?;
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
        // Not through a link, and not from a pipe that nobody writes to.
        let about = fs::symlink_metadata(&self.file)?;
        if !about.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no longer a plain file",
            ));
        }
        // It may grow while it is read.
        let mut text = String::new();
        let mut file = File::open(&self.file)?.take(LONGEST + 1);
        file.read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            let message = format!("more than the {LONGEST} bytes that are read");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }
}

/// A new directory that only this user can enter. One of that name may be left from a process that
/// was killed and had our number.
fn own_directory() -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookline-env-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        match builder.create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_in_nobodys_way() {
        let next = NEXT.load(Ordering::Relaxed);
        let stale: Vec<PathBuf> = (next..next + 5)
            .map(|number| format!("hookline-env-{}-{number}", std::process::id()))
            .map(|name| std::env::temp_dir().join(name))
            .collect();
        for directory in &stale {
            fs::create_dir(directory).unwrap();
        }
        let created = EnvFile::create();
        for directory in &stale {
            fs::remove_dir(directory).unwrap();
        }
        assert!(created.unwrap().path().is_file());
    }
}
