//! Has a file moved since it was looked at? Without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file that changed so short a time ago may change again with the same times: some file systems
/// count in steps of two seconds.
const YOUNG: Duration = Duration::from_secs(2);

/// What can be told of a path without reading what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    path: PathBuf,
    /// What the path names itself, which may be a link.
    itself: Option<Signs>,
    /// What it leads to.
    target: Option<Signs>,
}

/// The signs by which a change shows. Whoever forges the time of the last write moves the time of
/// the last change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signs {
    device: u64,
    inode: u64,
    kind: Kind,
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Link,
    Other,
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Self {
        let itself = std::fs::symlink_metadata(path).ok();
        let itself = itself.as_ref().map(Signs::of);
        let is_link = itself
            .as_ref()
            .is_some_and(|signs| signs.kind == Kind::Link);
        let target = if is_link {
            std::fs::metadata(path).ok().as_ref().map(Signs::of)
        } else {
            itself.clone()
        };
        Self {
            path: path.to_owned(),
            itself,
            target,
        }
    }

    /// What the path leads to; `None` if nothing is there.
    pub(super) fn target(&self) -> Option<&Signs> {
        self.target.as_ref()
    }

    /// Whether all is as it was.
    pub(super) fn holds(&self) -> bool {
        Self::of(&self.path) == *self
    }

    /// Whether a change from now on would show. One of a file that was just written may not.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let signs = [&self.itself, &self.target];
        signs
            .into_iter()
            .flatten()
            .all(|signs| signs.is_settled(now))
    }
}

impl Signs {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let kind = Kind::of(metadata);
        let is_file = kind != Kind::Directory;
        // What is in a directory is not covered: its size and times say nothing.
        let of_file = |value: (i64, i64)| if is_file { value } else { (0, 0) };
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            kind,
            size: if is_file { metadata.size() } else { 0 },
            written: of_file((metadata.mtime(), metadata.mtime_nsec())),
            changed: of_file((metadata.ctime(), metadata.ctime_nsec())),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// A time in the future settles nothing: somebody's clock is wrong.
    fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, nanoseconds) = self.changed;
        let changed = Duration::new(
            seconds.try_into().unwrap_or(0),
            nanoseconds.try_into().unwrap_or(0),
        );
        now.checked_sub(changed).is_some_and(|age| age > YOUNG)
    }
}

impl Kind {
    fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => Self::File,
            () if kind.is_dir() => Self::Directory,
            () if kind.is_symlink() => Self::Link,
            () => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_settles_two_seconds_after_its_last_change_and_never_before_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stamp = Stamp::of(file.path());
        let changed = SystemTime::now();
        assert!(!stamp.is_settled(changed));
        assert!(!stamp.is_settled(changed + Duration::from_secs(1)));
        assert!(stamp.is_settled(changed + Duration::from_secs(3)));
        assert!(
            !stamp.is_settled(changed - Duration::from_hours(1)),
            "a clock that is wrong"
        );
    }

    #[test]
    fn what_is_not_there_is_settled_until_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let stamp = Stamp::of(&path);
        assert!(stamp.is_settled(SystemTime::now()) && stamp.holds());
        std::fs::write(path, "").unwrap();
        assert!(!stamp.holds());
    }

    #[test]
    fn what_is_in_a_directory_does_not_move_it() {
        let folder = tempfile::tempdir().unwrap();
        let stamp = Stamp::of(folder.path());
        std::fs::write(folder.path().join("new"), "").unwrap();
        assert!(stamp.holds());
    }
}
