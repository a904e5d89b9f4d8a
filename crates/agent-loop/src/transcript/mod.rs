//! The conversation on disk: one JSON object a line, in the shape that published hooks read.
//!
//! ```text
//! {"type": "user", "uuid": …, "parentUuid": …, "sessionId": …, "timestamp": …, "cwd": …,
//!  "isSidechain": false, "message": {"role": "user", "content": […]}}
//! ```
//!
//! Lines are collected and written before a hook is fired, and at the end of a turn.

mod entry; // one line
mod resume; // lines back to a conversation
mod store; // where lines go

pub use resume::ResumeError;
pub use store::{FileTranscripts, NoTranscripts, TranscriptStore};

pub(crate) use entry::Line;
pub(crate) use resume::{Resumed, read};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_types::{AgentId, SessionId};

/// One agent's transcript. Clones are the same.
#[derive(Clone)]
pub(crate) struct Transcript(Arc<Inner>);

struct Inner {
    store: Arc<dyn TranscriptStore>,
    session_id: SessionId,
    agent_id: Option<AgentId>,
    path: String,
    state: Mutex<State>,
    /// Held while lines are written, so that they stay in order.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    waiting: String,
    parent: Option<String>,
    failed: bool,
}

impl Transcript {
    pub(crate) fn new(
        store: Arc<dyn TranscriptStore>,
        session_id: SessionId,
        agent_id: Option<AgentId>,
    ) -> Self {
        let path = store.path(&session_id, agent_id.as_ref());
        Self::at(store, session_id, agent_id, path)
    }

    /// A transcript that stands at a certain place, as when it is resumed.
    pub(crate) fn at(
        store: Arc<dyn TranscriptStore>,
        session_id: SessionId,
        agent_id: Option<AgentId>,
        path: String,
    ) -> Self {
        Self(Arc::new(Inner {
            store,
            session_id,
            agent_id,
            path,
            state: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }))
    }

    /// What hooks are told as `transcript_path`.
    pub(crate) fn path(&self) -> &str {
        &self.0.path
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on behind a line that is there already.
    pub(crate) fn continue_after(&self, uuid: Option<String>) {
        self.state().parent = uuid;
    }

    /// Puts a line in the queue.
    pub(crate) fn append(&self, line: Line) {
        if self.0.path.is_empty() {
            return;
        }
        let mut state = self.state();
        let uuid = line.uuid.clone();
        let parent = state.parent.replace(uuid);
        let written = line.write(&self.0.session_id, self.0.agent_id.as_ref(), parent);
        state.waiting.push_str(&written);
        state.waiting.push('\n');
    }

    /// Writes what waits. An error is told once; after that nothing more is tried.
    pub(crate) async fn flush(&self) -> std::io::Result<()> {
        if self.state().waiting.is_empty() {
            return Ok(());
        }
        let _writing = self.0.writing.lock().await;
        let lines = {
            let mut state = self.state();
            let lines = std::mem::take(&mut state.waiting);
            if state.failed || lines.is_empty() {
                return Ok(());
            }
            lines
        };
        let written = self.0.store.append(&self.0.path, lines).await;
        if written.is_err() {
            self.state().failed = true;
        }
        written
    }
}
