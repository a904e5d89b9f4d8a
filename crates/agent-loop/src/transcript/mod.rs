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
    writing: Arc<tokio::sync::Mutex<()>>,
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
            writing: Arc::default(),
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

    /// Writes what waits, and waits for what somebody else is just writing. What cannot be written waits on,
    /// and goes out with what comes next; of the errors in a row only the first is told.
    pub(crate) async fn flush(&self) -> Result<(), Unwritten> {
        if self.0.path.is_empty() {
            return Ok(());
        }
        let writing = Arc::clone(&self.0.writing).lock_owned().await;
        let Some(lines) = self.take_lines() else {
            return Ok(());
        };
        let transcript = self.clone();
        // In a task of its own: whoever stops waiting loses no line, and lets none overtake them.
        let work = tokio::spawn(async move {
            let written = transcript.write(lines).await;
            drop(writing);
            written
        });
        let written = work.await;
        written.unwrap_or_else(|panicked| Err(Unwritten::Lost(std::io::Error::other(panicked))))
    }

    fn take_lines(&self) -> Option<String> {
        let mut state = self.state();
        let lines = std::mem::take(&mut state.waiting);
        Some(lines).filter(|lines| !lines.is_empty() && !state.given_up)
    }

    async fn write(&self, lines: String) -> Result<(), Unwritten> {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use async_trait::async_trait;

    use super::*;

    /// A disk that takes its time, and what is on it.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<String>>>);

    impl Slow {
        fn written(&self) -> Vec<String> {
            let written = self.0.lock().unwrap();
            let subtype = |line: &String| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["subtype"].as_str().unwrap().to_owned()
            };
            written.iter().map(subtype).collect()
        }
    }

    #[async_trait]
    impl TranscriptStore for Slow {
        fn path(&self, _: &SessionId, _: Option<&AgentId>) -> String {
            "/slow".to_owned()
        }

        async fn append(&self, _: &str, lines: String) -> std::io::Result<()> {
            // The more waits, the sooner it is done: whoever comes second would be first.
            let pause = 100 / (1 + self.0.lock().unwrap().len() as u64);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let lines = lines.lines().map(str::to_owned);
            self.0.lock().unwrap().extend(lines);
            Ok(())
        }

        async fn read(&self, _: &str) -> std::io::Result<String> {
            Ok(String::new())
        }
    }

    fn transcript() -> (Slow, Transcript) {
        let slow = Slow::default();
        let store = Arc::new(slow.clone());
        (slow, Transcript::new(store, SessionId::new("s"), None))
    }

    fn line(subtype: &str) -> Line {
        Line::system(subtype, "", "/", SystemTime::UNIX_EPOCH)
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_has_nothing_to_write_waits_for_what_is_being_written() {
        let (slow, transcript) = transcript();
        transcript.append(line("one"));
        let first = tokio::spawn({
            let transcript = transcript.clone();
            async move { transcript.flush().await }
        });
        tokio::task::yield_now().await;
        transcript.flush().await.unwrap();
        assert_eq!(slow.written(), ["one"], "a hook would read it now");
        first.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_stops_waiting_loses_no_line_and_none_overtakes_it() {
        let (slow, transcript) = transcript();
        transcript.append(line("one"));
        let dropped = tokio::time::timeout(Duration::from_millis(1), transcript.flush()).await;
        assert!(dropped.is_err());
        transcript.append(line("two"));
        transcript.flush().await.unwrap();
        assert_eq!(slow.written(), ["one", "two"]);
    }
}
