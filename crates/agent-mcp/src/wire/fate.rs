//! How a connection ended, and that it has.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::{CancellationToken, DropGuard};

/// How a connection ended, once it has. Clones are the same; the first reason counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    why: OnceLock<String>,
    over: CancellationToken,
}

impl Fate {
    /// Says why the connection is over. Who comes second is not heard.
    pub(crate) fn seal(&self, why: impl Into<String>) {
        let _ = self.0.why.set(why.into());
        self.0.over.cancel();
    }

    /// Why it is over, as far as anybody knows.
    pub(crate) fn why(&self) -> String {
        let why = self.0.why.get().cloned();
        why.unwrap_or_else(|| "the connection was closed".to_owned())
    }

    /// Waits until it is over.
    pub(crate) async fn sealed(&self) {
        self.0.over.cancelled().await;
    }

    /// Why it is over, if somebody has said so.
    pub(crate) fn known(&self) -> Option<&str> {
        self.0.why.get().map(String::as_str)
    }

    /// Whether it is over.
    pub(crate) fn is_sealed(&self) -> bool {
        self.0.over.is_cancelled()
    }

    /// Ends the connection when it is dropped, for a reason that others know.
    pub(crate) fn guard(&self) -> DropGuard {
        self.0.over.clone().drop_guard()
    }
}
