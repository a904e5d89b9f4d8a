//! What waits to be said to the model with its next request, and is said once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::said::Said;

/// How much may wait; beyond that the oldest is dropped, and logged.
const MOST: usize = 256;

/// What waits to be said with the next request. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending(Arc<Mutex<VecDeque<Said>>>);

impl Pending {
    fn queue(&self) -> MutexGuard<'_, VecDeque<Said>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, said: impl IntoIterator<Item = Said>) {
        let mut queue = self.queue();
        queue.extend(said);
        let over = queue.len().saturating_sub(MOST);
        if over > 0 {
            tracing::warn!(
                over,
                "too much waits to be said to the model; the oldest is dropped"
            );
            queue.drain(..over);
        }
    }

    /// Everything that waits; it waits no longer.
    pub(crate) fn take(&self) -> Vec<Said> {
        self.queue().drain(..).collect()
    }

    /// Forgets what came of an event that only the last of its kind counts for.
    pub(crate) fn forget(&self, event: hook_types::EventName) {
        self.queue().retain(|said| said.event != event);
    }
}
