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

/// How much waits for a place that cannot be written to, in bytes. What is beyond it is lost.
const MOST_WAITING: usize = 16 * 1024 * 1024;

#[derive(Default)]
struct State {
    waiting: String,
    parent: Option<String>,
    /// The last try failed, and was told of.
    failing: bool,
    /// Too much waited for too long; nothing more is tried.
    given_up: bool,
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

    /// Writes what waits. What cannot be written waits on, and goes out with what comes next; of the
    /// errors in a row only the first is told.
    pub(crate) async fn flush(&self) -> Result<(), Unwritten> {
        if self.state().waiting.is_empty() {
            return Ok(());
        }
        let _writing = self.0.writing.lock().await;
        let lines = {
            let mut state = self.state();
            let lines = std::mem::take(&mut state.waiting);
            if state.given_up || lines.is_empty() {
                return Ok(());
            }
            lines
        };
        let written = self.0.store.append(&self.0.path, lines.clone()).await;
        let mut state = self.state();
        let Err(error) = written else {
            state.failing = false;
            return Ok(());
        };
        state.waiting.insert_str(0, &lines);
        if state.waiting.len() > MOST_WAITING {
            state.given_up = true;
            state.waiting = String::new();
            return Err(Unwritten::Lost(error));
        }
        if std::mem::replace(&mut state.failing, true) {
            return Ok(());
        }
        Err(Unwritten::Waiting(error))
    }
}

/// Why lines are not where they belong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritten {
    /// They wait for the next try.
    #[error("cannot be written, and waits until it can: {0}")]
    Waiting(std::io::Error),
    /// There are too many of them.
    #[error("cannot be written, and is not kept from here on: {0}")]
    Lost(std::io::Error),
}
