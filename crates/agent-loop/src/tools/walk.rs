//! Finding files below a directory, within bounds.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hook_runner::Cancellation;
use ignore::{DirEntry, WalkBuilder};

use crate::tool::ToolError;

/// How many entries are looked at before the search is cut short.
const MOST: usize = 500_000;

/// What a walk goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everything but git's own files.
    All,
    /// Also without what `.gitignore`, `.ignore` and their kin leave out.
    NotIgnored,
}

/// A walk over the files below a directory, or over the one file that it is given. Links to directories
/// are not followed; hidden files are files like others.
pub(super) fn walker(root: &Path, scope: Scope) -> WalkBuilder {
    let ignores = scope == Scope::NotIgnored;
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(ignores)
        .ignore(ignores)
        .git_ignore(ignores)
        .git_exclude(ignores)
        // A setting of the user's own, outside the project, is not read.
        .git_global(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

/// Hands every file to `visit` until that returns false; whether all files were visited.
pub(super) fn visit(
    builder: &WalkBuilder,
    until: &Cancellation,
    mut visit: impl FnMut(&Path) -> bool,
) -> Result<bool, ToolError> {
    for (count, entry) in builder.build().enumerate() {
        if until.is_cancelled() {
            return Err(ToolError::interrupted("Interrupted"));
        }
        // What cannot be entered is left out.
        let Ok(entry) = entry else { continue };
        if count >= MOST || (is_file(&entry) && !visit(entry.path())) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A regular file, or a link to one.
fn is_file(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Some(kind) if kind.is_symlink() => entry.path().is_file(),
        kind => kind.is_some_and(|kind| kind.is_file()),
    }
}

/// The files, with those that changed last first; by name where that does not tell.
pub(super) fn newest_first(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let changed = |path: &Path| {
        path.metadata()
            .and_then(|facts| facts.modified())
            .unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let mut dated: Vec<(SystemTime, PathBuf)> = files
        .into_iter()
        .map(|path| (changed(&path), path))
        .collect();
    dated.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    dated.into_iter().map(|(_, path)| path).collect()
}

/// Where a search starts; it must be there.
pub(super) fn root(path: PathBuf) -> Result<PathBuf, ToolError> {
    if path.exists() {
        return Ok(path);
    }
    Err(ToolError::new(format!(
        "`{}` does not exist: there is nothing to search",
        path.display()
    )))
}
