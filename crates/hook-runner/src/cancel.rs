//! Telling hooks that nobody waits for them any more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// A word that ends what was started: clones share it.
///
/// ```
/// use hook_runner::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let seen_by_the_hook = cancellation.clone();
/// cancellation.cancel();
/// assert!(seen_by_the_hook.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// Nothing is cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends what was started.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it has been said.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is said.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// One that is cancelled along with this one, and can be cancelled alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }
}

/// Whether one run of a hook is over. Costs nothing until the hook asks; one that asks too late is told
/// at once.
#[derive(Debug, Default)]
pub(crate) struct Over {
    over: AtomicBool,
    token: OnceLock<Cancellation>,
}

impl Over {
    pub(crate) fn get(&self) -> &Cancellation {
        let token = self.token.get_or_init(Cancellation::new);
        // Either this sees the end, or the end sees the token.
        if self.over.load(Ordering::SeqCst) {
            token.cancel();
        }
        token
    }

    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(token) = self.token.get() {
            token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_after_the_end_is_told_at_once() {
        let over = Over::default();
        over.end();
        assert!(over.get().is_cancelled());
    }

    #[test]
    fn whoever_asked_before_the_end_is_told_at_the_end() {
        let over = Over::default();
        let token = over.get().clone();
        assert!(!token.is_cancelled());
        over.end();
        assert!(token.is_cancelled());
    }
}
