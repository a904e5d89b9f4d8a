//! One request that is under way.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hook_types::{Reply, Status};
use tokio::sync::oneshot;

use super::READY;
use super::desk::Desk;

/// A request that is under way; forgotten when it is dropped.
pub(super) struct Request {
    pub(super) desk: Arc<Desk>,
    pub(super) id: u64,
    /// How many answers had come when it was made.
    pub(super) answers: u64,
    pub(super) answer: oneshot::Receiver<Reply>,
}

impl Request {
    /// The answer; nothing where the server died.
    pub(super) async fn answer(&mut self) -> Option<Reply> {
        (&mut self.answer).await.ok()
    }

    /// Whether the server died by itself and never saw the request.
    pub(super) fn was_never_seen(&self) -> bool {
        let state = self.desk.state();
        let by_itself = !state.death.wanted && state.death.unstarted.is_none();
        by_itself && state.unsent.contains(&self.id)
    }

    /// The server died before it answered.
    pub(super) fn died(&self) -> Reply {
        let death = self.desk.state().death.clone();
        if let Some(why) = death.unstarted {
            return Reply::with_status(Status::LaunchFailed(why));
        }
        let what = if death.wanted {
            "the server was ended before it answered"
        } else {
            "the server died before it answered"
        };
        let words = last_words(&death.stderr).unwrap_or("it said nothing");
        let mut reply = Reply::failed(format!("{what}: {words}"));
        reply.evidence.stderr = death.stderr;
        reply
    }

    /// The deadline has passed. A server that has said nothing all the while hangs: the next request
    /// gets another.
    pub(super) fn took_too_long(&self, limit: Duration) -> Reply {
        let desk = &self.desk;
        let answers = desk.state().answers;
        let ready = answers > 0 || desk.begins.elapsed() >= READY;
        if ready && answers == self.answers {
            desk.retire();
        }
        let mut reply = Reply::with_status(Status::TimedOut { limit });
        if let Some(lines) = desk.lines.get().and_then(Weak::upgrade) {
            reply.evidence.stderr = lines.stderr_tail();
        }
        reply
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = self.desk.state();
        state.unsent.retain(|id| *id != self.id);
        let forgotten = state.waiting.remove(&self.id).is_some();
        drop(state);
        if forgotten {
            self.desk.news.notify_waiters();
        }
    }
}

pub(super) fn last_words(stderr: &str) -> Option<&str> {
    let mut lines = stderr.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty())
}
