//! How a session ends: `SessionEnd` is fired on every way out.

use std::sync::Arc;

use hook_runner::Cancellation;
use hook_types::{EndReason, SessionEnd};

use super::Session;
use crate::event::AgentEventKind;
use crate::firing::Firing;
use crate::shared::Shared;

impl Session {
    /// Ends the session: fires `SessionEnd`, and ends what hooks and commands have left running in the
    /// background. Whoever stops waiting for it does not stop it.
    pub async fn end(mut self, reason: EndReason) {
        self.ended = true;
        let firing = self.thread.firing.until(Cancellation::new());
        let work = tokio::spawn(end(firing, Arc::clone(&self.shared), reason));
        if let Err(error) = work.await {
            tracing::error!(%error, "the end of a session failed");
        }
    }
}

async fn end(firing: Firing, shared: Arc<Shared>, reason: EndReason) {
    // Nothing interrupts the end: hooks have their budget, and no more.
    let _ = firing.hear(SessionEnd::new(reason.clone())).await;
    firing.flush().await;
    firing.hooks().close(shared.parts.limits.closing).await;
    shared.processes.close().await;
    firing.tell(AgentEventKind::SessionEnded(reason));
    shared.voice.close();
}

impl Drop for Session {
    /// A session that was dropped, as with the future that held it, ends all the same.
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let firing = self.thread.firing.until(Cancellation::new());
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let end = end(firing, Arc::clone(&self.shared), EndReason::Unspecified);
                drop(runtime.spawn(end));
            }
            Err(_) => {
                tracing::warn!("a session was dropped outside a runtime; SessionEnd is not fired");
            }
        }
    }
}
