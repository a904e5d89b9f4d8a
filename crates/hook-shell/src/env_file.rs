//! The file that a command may write `export NAME=value` lines to, for later commands of the agent.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(unix)]
use rustix::fs::OFlags;

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
        // It may grow while it is read.
        let mut text = String::new();
        let mut file = open_plain(&self.file)?.take(LONGEST + 1);
        file.read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            let message = format!("more than the {LONGEST} bytes that are read");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }
}

/// Opens a plain file: not through a link, and without waiting for somebody to write to a pipe. What a
/// command left running may put either in its place at any moment, so what was opened is asked, and not
/// the name.
fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let message = "it is no longer a plain file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
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
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// So often that something takes its place between any two steps of a read.
    const OFTEN: usize = 5_000;
    const AMPLE: Duration = Duration::from_secs(20);

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

    /// What a command that is left running may do: it puts other things in the file's place, as fast as
    /// it can, until it is told to end.
    #[cfg(unix)]
    fn take_its_place(file: &EnvFile, end: &AtomicBool) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let place = |name: &str| file.directory.join(name);
        let put = |name: &str| fs::rename(place(name), file.path()).unwrap();
        fs::write(place("secret"), "secret").unwrap();
        while !end.load(Ordering::Relaxed) {
            fs::write(place("plain"), "export A=1").unwrap();
            put("plain");
            std::os::unix::fs::symlink(place("secret"), place("link")).unwrap();
            put("link");
            let mode = Mode::from_raw_mode(0o600);
            mknodat(CWD, place("pipe"), FileType::Fifo, mode, 0).unwrap();
            put("pipe");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_pipe_that_takes_the_files_place_is_waited_for_and_no_link_is_followed() {
        let file = Arc::new(EnvFile::create().unwrap());
        let end = Arc::new(AtomicBool::new(false));
        let hostile = thread::spawn({
            let (file, end) = (Arc::clone(&file), Arc::clone(&end));
            move || take_its_place(&file, &end)
        });
        // Whoever waits for a pipe waits for ever, so it is not joined.
        let (told, heard) = mpsc::channel();
        thread::spawn({
            let file = Arc::clone(&file);
            move || while told.send(file.read()).is_ok() {}
        });
        let (mut plain, mut refused) = (0, 0);
        while plain < OFTEN || refused < OFTEN {
            match heard.recv_timeout(AMPLE).expect("one waits for a pipe") {
                Ok(None) => {}
                Ok(Some(text)) => {
                    assert_eq!(text, "export A=1", "a link was followed");
                    plain += 1;
                }
                Err(_) => refused += 1,
            }
        }
        end.store(true, Ordering::Relaxed);
        hostile.join().unwrap();
    }
}
