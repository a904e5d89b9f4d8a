//! Writing files: whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// How many links a path may lead through.
const LINKS: usize = 40;

/// Writes a file in one step: whoever reads it sees the old text or the new one, and so does whoever
/// comes after a crash. Keeps the file's mode and, as far as we may, its owner; a link stays a link,
/// and its target is written. Folders that are missing are made.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join(".hookline/hooks.json");
/// hook_config::write_atomically(&path, b"{}\n")?;
/// assert_eq!(std::fs::read_to_string(path)?, "{}\n");
/// # Ok(())
/// # }
/// ```
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = follow(path)?;
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder)?;
    let before = match fs::metadata(&target) {
        Ok(before) if before.is_file() => Some(before),
        Ok(_) => return Err(io::Error::other("there is something else than a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut file = new_file(folder, before.is_some())?;
    file.write_all(bytes)?;
    if let Some(before) = before {
        keep_owner(file.path(), &before);
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    // The new name is on the disk when the folder is; not every file system can do that.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The file that a path means: the end of its links, though nothing may be there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(link) = fs::read_link(&path) else {
            return Ok(path);
        };
        // A relative link starts from the folder that it is in.
        path = match path.parent() {
            Some(folder) => folder.join(link),
            None => link,
        };
    }
    Err(io::Error::other("the links lead nowhere"))
}

/// The path without links, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    for ancestor in path.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            let missing = missing.iter().rev();
            return missing.fold(real, |path: PathBuf, name: &OsString| path.join(name));
        }
        missing.extend(ancestor.file_name().map(ToOwned::to_owned));
    }
    path.to_owned()
}

/// Where a path leads, if that is not below `root`. What climbs out of a folder that is not there yet
/// leads nowhere that is known.
pub(crate) fn leads_out(root: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    let end = follow(path)?;
    let climbs = end.components().any(|part| part == Component::ParentDir);
    let known = end.parent().is_some_and(Path::exists);
    let within = (known || !climbs) && real(&end).starts_with(real(root));
    Ok(Some(end).filter(|_| !within))
}

/// A file beside the one that it will replace, with the mode that new files have. One that takes the
/// place of another is nobody else's to read before it has that one's mode.
fn new_file(folder: &Path, replaces: bool) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hookline-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if replaces { 0o600 } else { 0o666 };
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    builder.tempfile_in(folder)
}

/// Gives the new file to whom the old one belongs, where that is allowed.
#[cfg(unix)]
fn keep_owner(path: &Path, before: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, chown};
    // Only root may give files away; anybody else writes a file of their own.
    let _ = chown(path, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_takes_the_place_of_a_file_is_private_before_it_has_that_files_mode() {
        let folder = tempfile::tempdir().unwrap();
        let file = new_file(folder.path(), true).unwrap();
        let mode = file.as_file().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
