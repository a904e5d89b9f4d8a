//! Files as the tools see them: whole, of bounded size, and never a pipe that would be waited for.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::tool::ToolError;

/// The largest file that is changed, and so held in memory.
pub(super) const LARGEST_TO_CHANGE: u64 = 16 << 20;

/// Opens a regular file of at most that many bytes.
pub(super) fn open(path: &Path, largest: u64) -> Result<(File, Metadata), ToolError> {
    // Asked before it is opened: to open a pipe is to wait for whoever writes to it.
    let facts = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    let shown = path.display();
    if facts.is_dir() {
        return Err(ToolError::new(format!(
            "`{shown}` is a directory; use Glob to see the files in it"
        )));
    }
    if !facts.is_file() {
        return Err(ToolError::new(format!(
            "`{shown}` is a pipe, a socket or a device, not a file"
        )));
    }
    if facts.len() > largest {
        return Err(ToolError::new(format!(
            "`{shown}` has {}, more than the {} that this tool takes; use Bash on parts of it",
            size(facts.len()),
            size(largest)
        )));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok((file, facts))
}

/// The whole content of a file that is small enough to be changed.
pub(super) fn load(path: &Path) -> Result<Vec<u8>, ToolError> {
    let (file, _) = open(path, LARGEST_TO_CHANGE)?;
    let mut content = Vec::new();
    // It may grow while it is read.
    let mut bounded = file.take(LARGEST_TO_CHANGE + 1);
    bounded
        .read_to_end(&mut content)
        .map_err(|error| unreadable(path, &error))?;
    if content.len() as u64 > LARGEST_TO_CHANGE {
        return Err(ToolError::new(format!(
            "`{}` has more than the {} that this tool takes",
            path.display(),
            size(LARGEST_TO_CHANGE)
        )));
    }
    Ok(content)
}

/// Why a file could not be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> ToolError {
    let shown = path.display();
    let kind = error.kind();
    ToolError::new(if kind == ErrorKind::NotFound {
        format!("`{shown}` does not exist; use Glob to find out what does")
    } else if kind == ErrorKind::NotADirectory {
        format!("`{shown}` cannot exist: one of its parents is a file, not a directory")
    } else {
        format!("`{shown}` cannot be read: {error}")
    })
}

/// A number of bytes, for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Whether the start of a file says that it is no text.
pub(super) fn is_binary(start: &[u8]) -> bool {
    start.contains(&0)
}
