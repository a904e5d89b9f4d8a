//! Where a transcript's lines go.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use async_trait::async_trait;
use hook_types::{AgentId, SessionId};

/// Where transcripts are kept.
#[async_trait]
pub trait TranscriptStore: Send + Sync + 'static {
    /// Where an agent's transcript stands, as hooks are told; empty where none is kept.
    fn path(&self, session: &SessionId, agent: Option<&AgentId>) -> String;

    /// Appends whole lines, each with its line break.
    async fn append(&self, path: &str, lines: String) -> io::Result<()>;

    /// Everything that was appended.
    async fn read(&self, path: &str) -> io::Result<String>;
}

/// The largest transcript that is read back, in bytes: hundreds of times what a model holds.
const LARGEST: u64 = 256 << 20;

/// No transcripts: hooks are told an empty path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTranscripts;

#[async_trait]
impl TranscriptStore for NoTranscripts {
    fn path(&self, _: &SessionId, _: Option<&AgentId>) -> String {
        String::new()
    }

    async fn append(&self, _: &str, _: String) -> io::Result<()> {
        Ok(())
    }

    async fn read(&self, _: &str) -> io::Result<String> {
        Ok(String::new())
    }
}

/// Transcripts as files in a directory, for their owner alone: `<session>.jsonl`, and
/// `<session>/agent-<id>.jsonl` for subagents.
#[derive(Clone, Debug)]
pub struct FileTranscripts {
    directory: PathBuf,
}

impl FileTranscripts {
    /// Files in `directory`, which is made when the first one is written.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }
}

#[async_trait]
impl TranscriptStore for FileTranscripts {
    fn path(&self, session: &SessionId, agent: Option<&AgentId>) -> String {
        let session = file_name(session.as_str());
        let name = match agent {
            Some(agent) => format!("{session}/agent-{}.jsonl", file_name(agent.as_str())),
            None => format!("{session}.jsonl"),
        };
        self.directory.join(name).to_string_lossy().into_owned()
    }

    async fn append(&self, path: &str, lines: String) -> io::Result<()> {
        let path = PathBuf::from(path);
        off_this_thread(move || append(&path, &lines)).await
    }

    async fn read(&self, path: &str) -> io::Result<String> {
        let path = PathBuf::from(path);
        let bytes = off_this_thread(move || read(&path, LARGEST)).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// An id as the name of a file: it leads nowhere else, whatever it holds.
fn file_name(id: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = id.chars().map(|c| if safe(c) { c } else { '_' }).collect();
    match name.trim_start_matches('.') {
        "" => "session".to_owned(),
        name => name.to_owned(),
    }
}

async fn off_this_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = hook_runner::off_thread(work).await;
    done.unwrap_or_else(|panicked| Err(io::Error::other(panicked)))
}

/// Everything in a file that is one, and not too large.
fn read(path: &std::path::Path, largest: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let message = format!("it has more than {largest} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// A directory that only its owner looks into: the names of sessions are nobody else's business either.
fn private_directory(directory: &std::path::Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn append(path: &std::path::Path, lines: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        private_directory(directory)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let before = file.seek(SeekFrom::End(0))?;
    // A file that was cut in the middle of a line must not swallow the next one.
    let mut last = [b'\n'];
    if before > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let gap = if last == [b'\n'] { "" } else { "\n" };
    write_whole(
        &mut file,
        before,
        &[gap.as_bytes(), lines.as_bytes()].concat(),
    )
}

/// Appends all of it, or nothing: what a full disk has taken of it is taken back.
fn write_whole(file: &mut File, before: u64, bytes: &[u8]) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        let error = match file.write(&bytes[written..]) {
            Ok(0) => io::ErrorKind::WriteZero.into(),
            Ok(count) => {
                written += count;
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error,
        };
        // Unless somebody else has gone on behind it.
        let is_the_end = |all: &fs::Metadata| all.len() == before + written as u64;
        if file.metadata().is_ok_and(|all| is_the_end(&all)) {
            let _ = file.set_len(before);
        }
        return Err(error);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_is_not_too_large_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("s.jsonl");
        fs::write(&file, "0123456789").unwrap();
        assert_eq!(read(&file, 10).unwrap().len(), 10);
        let large = read(&file, 9).unwrap_err();
        assert_eq!(large.to_string(), "it has more than 9 bytes");
        for other in [directory.path(), std::path::Path::new("/dev/zero")] {
            assert_eq!(read(other, 10).unwrap_err().to_string(), "it is no file");
        }
    }

    #[test]
    fn no_id_leads_out_of_the_directory() {
        let store = FileTranscripts::new("/t");
        let path = |session: &str, agent: Option<&str>| {
            store.path(&session.into(), agent.map(AgentId::from).as_ref())
        };
        let table = [
            (path("s-1", None), "/t/s-1.jsonl"),
            (path("s-1", Some("a.b")), "/t/s-1/agent-a.b.jsonl"),
            (path("", Some("a")), "/t/session/agent-a.jsonl"),
            (path("/etc/x", None), "/t/_etc_x.jsonl"),
            (path("..", Some("../../y")), "/t/session/agent-_.._y.jsonl"),
        ];
        for (path, expected) in table {
            assert_eq!(path, expected);
        }
    }
}
