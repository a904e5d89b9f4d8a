//! What the agent knows of the files on disk: which it has seen, and how they were then.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many files are remembered; beyond that the one that was seen longest ago is forgotten, and must be
/// read again before it can be changed.
const MOST: usize = 4096;

/// The files that the agent has read or written, and how each was then: one that it has not seen, or that
/// has changed since, is not changed blindly. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct ReadFiles(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: HashMap<PathBuf, Entry>,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    seen: Seen,
    by: By,
    at: u64,
}

/// Who made the file what the agent knows it as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Others,
    /// The agent, and hooks have not been told yet.
    AgentJustNow,
    Agent,
}

/// How a file was. A new date on the same content is no change, so dates are not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    length: u64,
    digest: u64,
}

impl Seen {
    /// A file with this content.
    pub(crate) fn of(content: &[u8]) -> Self {
        let mut digest = Digest::default();
        digest.add(content);
        digest.finish()
    }
}

/// What a content comes to, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    hasher: DefaultHasher,
    length: u64,
}

impl Digest {
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.hasher.write(piece);
        self.length += piece.len() as u64;
    }

    pub(crate) fn finish(&self) -> Seen {
        Seen {
            length: self.length,
            digest: self.hasher.finish(),
        }
    }
}

/// How the agent stands to a file that it wants to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// It has never seen it.
    Unseen,
    /// It knows it as it is.
    Current,
    /// It wrote it last, and somebody has changed it since.
    ChangedAfterWriting,
    /// It read it, and somebody has changed it since.
    ChangedAfterReading,
}

impl ReadFiles {
    /// Remembers how a file was when it was read.
    pub(crate) fn read(&self, path: &Path, seen: Seen) {
        let mut state = self.state();
        // What the agent wrote and nobody has changed stays its own.
        let held = state.files.get(path).filter(|entry| entry.seen == seen);
        let by = held.map_or(By::Others, |entry| entry.by);
        state.put(path, seen, by);
    }

    /// Remembers how a file was when the agent had written it.
    pub(crate) fn written(&self, path: &Path, seen: Seen) {
        self.state().put(path, seen, By::AgentJustNow);
    }

    /// How the agent stands to a file that is now like this.
    pub(crate) fn knowledge(&self, path: &Path, now: &Seen) -> Knowledge {
        let state = self.state();
        match state.files.get(path) {
            None => Knowledge::Unseen,
            Some(entry) if entry.seen == *now => Knowledge::Current,
            Some(entry) if entry.by == By::Others => Knowledge::ChangedAfterReading,
            Some(_) => Knowledge::ChangedAfterWriting,
        }
    }

    /// Hooks have run after a call: what they made of the files that it wrote counts as the agent's own
    /// work. A formatter that rewrites each file after an edit does not stand in the way of the next one.
    pub async fn hooks_have_run(&self) {
        if !self.state().files.values().any(Entry::is_fresh) {
            return;
        }
        let files = self.clone();
        let looking = hook_runner::off_thread(move || files.catch_up());
        // It fails only where the runtime is shutting down, and then nobody asks any more.
        looking.await.ok();
    }

    fn catch_up(&self) {
        let state = self.state();
        let fresh = state.files.iter().filter(|(_, entry)| entry.is_fresh());
        let fresh: Vec<PathBuf> = fresh.map(|(path, _)| path.clone()).collect();
        drop(state);
        for path in fresh {
            let now = super::file::load(&path).ok();
            let mut state = self.state();
            if let Some(entry) = state.files.get_mut(&path) {
                entry.by = By::Agent;
                entry.seen = now.map_or(entry.seen, |content| Seen::of(&content));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn is_fresh(&self) -> bool {
        self.by == By::AgentJustNow
    }
}

impl State {
    fn put(&mut self, path: &Path, seen: Seen, by: By) {
        self.clock += 1;
        let at = self.clock;
        self.files.insert(path.to_owned(), Entry { seen, by, at });
        if self.files.len() > MOST {
            self.forget_the_oldest();
        }
    }

    fn forget_the_oldest(&mut self) {
        let oldest = self.files.iter().min_by_key(|(_, entry)| entry.at);
        if let Some(path) = oldest.map(|(path, _)| path.clone()) {
            self.files.remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(content: &str) -> Seen {
        Seen::of(content.as_bytes())
    }

    #[test]
    fn how_a_content_is_cut_into_pieces_does_not_matter() {
        let mut digest = Digest::default();
        for piece in ["a", "", "bcdefghij", "kl"] {
            digest.add(piece.as_bytes());
        }
        assert_eq!(digest.finish(), seen("abcdefghijkl"));
        assert_ne!(digest.finish(), seen("abcdefghijkm"));
    }

    #[test]
    fn a_file_is_known_by_its_content_and_by_who_wrote_it_last() {
        let files = ReadFiles::default();
        let path = Path::new("/a");
        assert_eq!(files.knowledge(path, &seen("1")), Knowledge::Unseen);
        files.read(path, seen("1"));
        assert_eq!(files.knowledge(path, &seen("1")), Knowledge::Current);
        assert_eq!(
            files.knowledge(path, &seen("2")),
            Knowledge::ChangedAfterReading
        );
        files.written(path, seen("2"));
        assert_eq!(
            files.knowledge(path, &seen("3")),
            Knowledge::ChangedAfterWriting
        );
        files.read(path, seen("3"));
        assert_eq!(
            files.knowledge(path, &seen("4")),
            Knowledge::ChangedAfterReading
        );
    }

    #[test]
    fn the_file_seen_longest_ago_is_forgotten_first() {
        let files = ReadFiles::default();
        let path = |number: usize| PathBuf::from(format!("/{number}"));
        for number in 0..=MOST {
            files.read(&path(number), seen("x"));
        }
        assert_eq!(files.knowledge(&path(0), &seen("x")), Knowledge::Unseen);
        assert_eq!(files.knowledge(&path(1), &seen("x")), Knowledge::Current);
    }
}
