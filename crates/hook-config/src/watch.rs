//! Notices when files of hooks change, and keeps a runner's hooks fresh.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hook_runner::Runner;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::reload::{Reloaded, Reloader};

/// How long files must be quiet before they are read: editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Why files cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("files cannot be watched: {0}; on Linux, look at fs.inotify.max_user_watches")]
pub struct WatchError(String);

/// Notices when one of some files changes, comes or goes.
///
/// The folders that they are in are watched, or the nearest ones that exist: editors replace files, and
/// a file that is not there yet can come.
pub struct FileWatch {
    watcher: Mutex<Watching>,
    changed: Arc<Notify>,
}

struct Watching {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl FileWatch {
    /// Watches nothing yet.
    pub fn new() -> Result<Self, WatchError> {
        let changed = Arc::new(Notify::new());
        let tell = Arc::clone(&changed);
        // Reading a file is no change; whatever else happens may be one, and is looked at.
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                tell.notify_one();
            }
        })
        .map_err(|error| WatchError(error.to_string()))?;
        Ok(Self {
            watcher: Mutex::new(Watching {
                watcher,
                folders: BTreeSet::new(),
            }),
            changed,
        })
    }

    /// Watches these files, and no longer others.
    pub fn watch<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Result<(), WatchError> {
        let wanted: BTreeSet<PathBuf> = files.flat_map(folders).collect();
        let mut watching = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<PathBuf> = watching.folders.difference(&wanted).cloned().collect();
        for folder in gone {
            // It may be gone by itself.
            let _ = watching.watcher.unwatch(&folder);
            watching.folders.remove(&folder);
        }
        let new: Vec<PathBuf> = wanted.difference(&watching.folders).cloned().collect();
        for folder in new {
            match watching.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => drop(watching.folders.insert(folder)),
                // It went away meanwhile; the folder above it says when it comes back.
                Err(_) if !folder.exists() => {}
                Err(error) => return Err(WatchError(error.to_string())),
            }
        }
        Ok(())
    }

    /// Waits until something has changed, and then until nothing changes any more.
    pub async fn changed(&self) {
        self.changed.notified().await;
        while tokio::time::timeout(QUIET, self.changed.notified())
            .await
            .is_ok()
        {}
    }
}

impl std::fmt::Debug for FileWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileWatch").finish_non_exhaustive()
    }
}

/// The nearest folder of a file that exists, and that of the file which a link leads to.
fn folders(file: &Path) -> Vec<PathBuf> {
    let nearest = |file: &Path| {
        file.ancestors()
            .skip(1)
            .find(|folder| folder.is_dir())
            .map(Path::to_owned)
    };
    let target = std::fs::canonicalize(file).ok();
    let target = target.as_deref().filter(|target| *target != file);
    nearest(file)
        .into_iter()
        .chain(target.and_then(nearest))
        .collect()
}

/// Keeps a runner's hooks as the files have them, until it is dropped.
///
/// When files change they are read again. A set that can be used replaces the runner's, between two
/// firings; one that cannot does not. `tell` is told of both.
///
/// ```no_run
/// # async fn example(runner: hook_runner::Runner, reloader: hook_config::Reloader) {
/// let fresh = hook_config::keep_fresh(runner, reloader, |change| println!("{change:?}"));
/// tokio::spawn(fresh);
/// # }
/// ```
pub async fn keep_fresh(
    runner: Runner,
    mut reloader: Reloader,
    mut tell: impl FnMut(Reloaded) + Send,
) -> Result<std::convert::Infallible, WatchError> {
    let files = FileWatch::new()?;
    files.watch(reloader.watched())?;
    loop {
        // Once at the start too: something may have changed before anybody watched.
        let reloaded = reloader.reload();
        files.watch(reloader.watched())?;
        if let Reloaded::Ready { loaded, .. } = &reloaded {
            runner.replace(loaded.hooks.clone());
        }
        if !matches!(reloaded, Reloaded::Unchanged) {
            tell(reloaded);
        }
        files.changed().await;
    }
}
