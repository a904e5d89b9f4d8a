//! Telling hooks that nobody waits for them any more.

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
