//! Writing a file: whole or not at all, and with nothing else of it changed.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// How many symbolic links are followed.
const LINKS: usize = 40;

/// Makes `content` the content of the file. Links are followed, parents are made, mode and owner stay.
///
/// A reader sees the old content or the new one: it is written beside the file, which it then replaces.
/// Where that would change more than the content (a file with several names, an owner that only root can
/// give, a directory that cannot be written to) the file is written in place.
pub(super) fn store(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = follow(path)?;
    match OpenOptions::new().write(true).open(&path) {
        Ok(file) => replace(&path, file, content),
        Err(error) if error.kind() == ErrorKind::NotFound => create(&path, content),
        Err(error) => Err(error),
    }
}

/// Where the links lead, also where nothing is there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = path.read_link() else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("/")).join(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder)?;
    let mut beside = beside(folder, None)?;
    beside.write_all(content)?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn replace(path: &Path, mut file: File, content: &[u8]) -> io::Result<()> {
    if let Some(mut beside) = twin(path, &file) {
        beside.write_all(content)?;
        beside.persist(path).map_err(|error| error.error)?;
        return Ok(());
    }
    file.set_len(0)?;
    file.write_all(content)
}

/// An empty file beside this one that can take its place unnoticed.
fn twin(path: &Path, file: &File) -> Option<NamedTempFile> {
    let facts = file.metadata().ok()?;
    let beside = beside(folder_of(path), Some(facts.permissions())).ok()?;
    take_after(&facts, beside.as_file()).then_some(beside)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

#[cfg(unix)]
fn beside(folder: &Path, like: Option<Permissions>) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;

    let mut builder = Builder::new();
    builder.prefix(".hookline-").suffix(".tmp");
    let Some(permissions) = like else {
        // What the umask leaves of it, as for any new file.
        return builder
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder);
    };
    let beside = builder.tempfile_in(folder)?;
    beside.as_file().set_permissions(permissions)?;
    Ok(beside)
}

#[cfg(not(unix))]
fn beside(folder: &Path, _like: Option<Permissions>) -> io::Result<NamedTempFile> {
    Builder::new()
        .prefix(".hookline-")
        .suffix(".tmp")
        .tempfile_in(folder)
}

/// Gives the new file the old one's owner; whether they then differ in nothing.
#[cfg(unix)]
fn take_after(old: &std::fs::Metadata, new: &File) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};

    let Ok(now) = new.metadata() else {
        return false;
    };
    let same_owner = (now.uid(), now.gid()) == (old.uid(), old.gid());
    let owned = same_owner || fchown(new, Some(old.uid()), Some(old.gid())).is_ok();
    // A change of owner takes the set-id bits away.
    owned && old.nlink() == 1 && new.set_permissions(old.permissions()).is_ok()
}

#[cfg(not(unix))]
fn take_after(_old: &std::fs::Metadata, _new: &File) -> bool {
    true
}
