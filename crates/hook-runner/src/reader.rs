//! The receiving side of the event stream: a ring for each reader, bounded in count and in bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_types::message::{HookProgress, HookResponse};
use hook_types::{Message, RunId};
use tokio::sync::Notify;

/// How many messages are kept for a reader that does not read, progress aside.
const MESSAGES: usize = 4096;
/// How much text is kept for it, whatever the number of messages.
const BYTES: usize = 8 * 1024 * 1024;

/// What a reader gets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delivery {
    /// A message.
    Message(Box<Message>),
    /// Messages that were dropped because the reader was too slow. They were older than the next.
    Missed {
        /// Messages about starts, ends and verdicts.
        messages: u64,
        /// Reports of progress, beside those that a newer report has replaced.
        progress: u64,
    },
}

/// One reader's end of the event stream. A reader that is slow, or never reads, slows nobody down;
/// it misses the oldest messages and is told how many.
///
/// ```
/// use hook_runner::{Delivery, Fire, HookSet, Runner};
/// use hook_types::{Event, PreToolUse};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let hooks = HookSet::builder().on("Bash", |_: PreToolUse| PreToolUse::deny("no")).build()?;
/// let (runner, mut messages) = Runner::new(hooks).with_messages();
/// runner.fire(PreToolUse::new("Bash", json!({}))).await;
/// drop(runner);
/// let mut subtypes = Vec::new();
/// while let Some(delivery) = messages.next().await {
///     if let Delivery::Message(message) = delivery {
///         subtypes.push(serde_json::to_value(&message).unwrap()["subtype"].clone());
///     }
/// }
/// assert_eq!(subtypes, ["hook_started", "hook_response", "hook_verdict"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Messages {
    ring: Arc<Ring>,
}

impl Messages {
    pub(crate) fn new(ring: Arc<Ring>) -> Self {
        Self { ring }
    }

    /// The next message; none once the runner is gone and everything has been read.
    pub async fn next(&mut self) -> Option<Delivery> {
        loop {
            let woken = self.ring.arrived.notified();
            let next = self.ring.state().pop();
            if next.is_some() || self.ring.state().is_done() {
                return next;
            }
            woken.await;
        }
    }

    /// The next message, if there is one now.
    pub fn try_next(&mut self) -> Option<Delivery> {
        self.ring.state().pop()
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        *self.ring.state() = State {
            abandoned: true,
            ..State::default()
        };
    }
}

/// What waits for one reader.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Item>,
    /// The newest report of progress of each run that has one in the queue.
    progress: HashMap<RunId, HookProgress>,
    messages: usize,
    bytes: usize,
    missed_messages: u64,
    missed_progress: u64,
    /// Nothing more comes.
    closed: bool,
    /// The reader is gone.
    abandoned: bool,
}

#[derive(Debug)]
enum Item {
    Message(Box<Message>),
    /// The place of a run's progress; what it says is kept beside the queue, newest only.
    Progress(RunId),
}

impl Ring {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a message for the reader; whether there is a reader still.
    pub(crate) fn push(&self, message: Message) -> bool {
        let mut state = self.state();
        if state.abandoned {
            return false;
        }
        state.push(message);
        drop(state);
        self.arrived.notify_one();
        true
    }

    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_one();
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.state().abandoned
    }
}

impl State {
    fn push(&mut self, message: Message) {
        self.bytes += size(&message);
        if let Message::Progress(progress) = message {
            let run = progress.hook.hook_id.clone();
            match self.progress.insert(run.clone(), progress) {
                Some(older) => self.bytes -= size(&Message::Progress(older)),
                None => self.queue.push_back(Item::Progress(run)),
            }
        } else {
            self.messages += 1;
            self.queue.push_back(Item::Message(Box::new(message)));
        }
        while self.messages > MESSAGES || (self.bytes > BYTES && self.queue.len() > 1) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        match self.take() {
            Some(message) if matches!(*message, Message::Progress(_)) => self.missed_progress += 1,
            Some(_) => self.missed_messages += 1,
            None => {}
        }
    }

    fn take(&mut self) -> Option<Box<Message>> {
        let message = match self.queue.pop_front()? {
            Item::Message(message) => {
                self.messages -= 1;
                message
            }
            Item::Progress(run) => Box::new(Message::Progress(self.progress.remove(&run)?)),
        };
        self.bytes -= size(&message);
        Some(message)
    }

    /// Whether nothing is left, and nothing more comes.
    fn is_done(&self) -> bool {
        self.closed && self.queue.is_empty()
    }

    fn pop(&mut self) -> Option<Delivery> {
        if self.missed_messages > 0 || self.missed_progress > 0 {
            return Some(Delivery::Missed {
                messages: std::mem::take(&mut self.missed_messages),
                progress: std::mem::take(&mut self.missed_progress),
            });
        }
        self.take().map(Delivery::Message)
    }
}

/// The text of a message, in bytes: what it costs beyond its fixed size.
fn size(message: &Message) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    match message {
        Message::Started(started) => started.hook.hook_name.len(),
        Message::Progress(HookProgress {
            hook,
            stdout,
            stderr,
            output,
        }) => hook.hook_name.len() + stdout.len() + stderr.len() + output.len(),
        Message::Response(HookResponse {
            hook,
            stdout,
            stderr,
            output,
            exit_code: _,
            outcome: _,
            facts,
        }) => {
            let facts = facts.iter().map(|(name, fact)| name.len() + fact.len());
            let printed = stdout.len() + stderr.len() + output.len();
            hook.hook_name.len() + printed + facts.sum::<usize>()
        }
        Message::Verdict(verdict) => {
            let runs = verdict.runs.iter();
            let notes = runs.flat_map(|run| run.diagnostics.iter().map(String::len));
            verdict.hook_name.len()
                + optional(&verdict.reason)
                + optional(&verdict.stop_reason)
                + notes.sum::<usize>()
        }
        _ => 0,
    }
}
