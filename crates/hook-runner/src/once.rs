//! Hooks that run until they have succeeded once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hook_set::Registered;

/// Which hooks have had their turn in this session. Survives the replacement of the set: a hook is
/// known by what it does, else by its name.
#[derive(Debug, Default)]
pub(crate) struct Once(Mutex<HashSet<String>>);

/// A hook's one turn. It is given back unless the hook succeeds, however the firing ends.
#[derive(Debug)]
pub(crate) struct Turn {
    once: Arc<Once>,
    key: String,
    /// Kept or given back: nothing is left to do.
    settled: AtomicBool,
}

impl Once {
    /// Takes a hook's turn; none where it has been taken.
    pub(crate) fn claim(self: &Arc<Self>, hook: &Registered) -> Option<Arc<Turn>> {
        let key = hook.known_by.clone();
        let fresh = self.turns().insert(key.clone());
        fresh.then(|| {
            Arc::new(Turn {
                once: Arc::clone(self),
                key,
                settled: AtomicBool::new(false),
            })
        })
    }

    /// Whether a hook has had its turn.
    pub(crate) fn has_run(&self, hook: &Registered) -> bool {
        self.turns().contains(&hook.known_by)
    }

    fn turns(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// The hook succeeded: it does not run again.
    pub(crate) fn keep(&self) {
        self.settled.store(true, Ordering::Relaxed);
    }

    /// The hook did not succeed: it may run again, whoever still holds this turn.
    pub(crate) fn give_back(&self) {
        if !self.settled.swap(true, Ordering::Relaxed) {
            self.once.turns().remove(&self.key);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.give_back();
    }
}
