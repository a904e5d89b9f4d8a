//! What the shell is given: the command, what hooks have exported before it, and a note of where it ends.

use std::io::{self, Read, Seek};
use std::path::PathBuf;

use tempfile::NamedTempFile;

/// A script for one command.
pub(super) struct Script {
    text: String,
    /// The shell writes its working directory there when it exits.
    note: NamedTempFile,
}

impl Script {
    pub(super) fn new(command: &str, exports: &str) -> io::Result<Self> {
        let note = NamedTempFile::with_prefix("hookline-cwd-")?;
        let path = note.path().to_str();
        let path = path.ok_or_else(|| {
            io::Error::other("the directory for temporary files has no UTF-8 name")
        })?;
        let on_exit = format!("pwd >| {} 2>/dev/null", quoted(path));
        let mut text = format!("trap {} EXIT\n", quoted(&on_exit));
        if !exports.trim().is_empty() {
            // `command`, so that a mistake in an export does not end the shell.
            text = format!("{text}command eval {}\n", quoted(exports));
        }
        text.push_str(command);
        Ok(Self { text, note })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where the shell was when it exited, if it said so.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let mut file = self.note.as_file();
        let mut bytes = Vec::new();
        file.rewind().ok()?;
        file.take(64 << 10).read_to_end(&mut bytes).ok()?;
        // A name may end in a line end of its own.
        bytes.pop_if(|last| *last == b'\n')?;
        Some(path_from(bytes))
    }
}

#[cfg(unix)]
fn path_from(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// One word for the shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_quoted_word_means_anything_to_the_shell() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
