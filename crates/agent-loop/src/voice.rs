//! How agent events reach whoever watches: in line for observers, through a bounded ring for readers.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hook_runner::Sink;
use hook_types::{AgentId, Message};
use tokio::sync::Notify;

use crate::event::{AgentEvent, AgentEventKind};

/// How many events are kept for a reader that does not read.
const KEPT: usize = 4096;
/// How much text is kept for it, whatever the number of events.
const BYTES: usize = 8 * 1024 * 1024;

/// Somebody who is called in line with every event, and misses none. Must not block.
pub trait Observer: Send + Sync + 'static {
    /// Takes an event.
    fn observe(&self, event: &AgentEvent);
}

impl<F: Fn(&AgentEvent) + Send + Sync + 'static> Observer for F {
    fn observe(&self, event: &AgentEvent) {
        self(event);
    }
}

/// Tells whoever watches. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Voice {
    listeners: Arc<RwLock<Listeners>>,
    agent_id: Option<AgentId>,
}

#[derive(Default)]
struct Listeners {
    observers: Vec<Arc<dyn Observer>>,
    rings: Vec<Arc<Ring>>,
}

impl Drop for Listeners {
    fn drop(&mut self) {
        for ring in &self.rings {
            ring.close();
        }
    }
}

impl Voice {
    pub(crate) fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        let listeners = Listeners {
            observers,
            rings: Vec::new(),
        };
        Self {
            listeners: Arc::new(RwLock::new(listeners)),
            agent_id: None,
        }
    }

    /// The same listeners, told in a subagent's name.
    pub(crate) fn of_agent(&self, agent_id: AgentId) -> Self {
        Self {
            listeners: Arc::clone(&self.listeners),
            agent_id: Some(agent_id),
        }
    }

    /// A reader of what happens from now on.
    pub(crate) fn subscribe(&self) -> AgentEvents {
        let ring = Arc::new(Ring::default());
        let mut listeners = self
            .listeners
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.rings.retain(|ring| !ring.state().abandoned);
        listeners.rings.push(Arc::clone(&ring));
        AgentEvents { ring }
    }

    pub(crate) fn tell(&self, kind: AgentEventKind) {
        let listeners = self
            .listeners
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if listeners.observers.is_empty() && listeners.rings.is_empty() {
            return;
        }
        let event = AgentEvent {
            agent_id: self.agent_id.clone(),
            kind,
        };
        for observer in &listeners.observers {
            let told = catch_unwind(AssertUnwindSafe(|| observer.observe(&event)));
            if told.is_err() {
                tracing::error!("an observer panicked; it misses this event");
            }
        }
        for ring in &listeners.rings {
            ring.push(&event);
        }
    }

    /// Nothing more happens.
    pub(crate) fn close(&self) {
        let listeners = self
            .listeners
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.rings.iter().for_each(|ring| ring.close());
    }

    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.tell(AgentEventKind::Warning(text.into()));
    }
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Voice")
            .field("agent_id", &self.agent_id)
            .finish_non_exhaustive()
    }
}

/// The hooks' own messages, as agent events.
impl Sink for Voice {
    fn message(&self, message: &Message) {
        self.tell(AgentEventKind::Hook(Box::new(message.clone())));
    }
}

/// What a reader gets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arrival {
    /// An event.
    Event(Box<AgentEvent>),
    /// That many events were dropped because the reader was too slow. They were older than the next.
    Missed(u64),
}

/// One reader's end of the stream of agent events. A reader that is slow, or never reads, slows nobody
/// down; it misses the oldest events and is told how many.
#[derive(Debug)]
pub struct AgentEvents {
    ring: Arc<Ring>,
}

impl AgentEvents {
    /// The next event; none once the session is gone and everything has been read.
    pub async fn next(&mut self) -> Option<Arrival> {
        loop {
            let woken = self.ring.arrived.notified();
            match self.ring.pop() {
                Popped::Arrival(arrival) => return Some(arrival),
                Popped::Closed => return None,
                Popped::Empty => woken.await,
            }
        }
    }

    /// The next event, if there is one now.
    pub fn try_next(&mut self) -> Option<Arrival> {
        match self.ring.pop() {
            Popped::Arrival(arrival) => Some(arrival),
            Popped::Closed | Popped::Empty => None,
        }
    }
}

impl Drop for AgentEvents {
    fn drop(&mut self) {
        *self.ring.state() = State {
            abandoned: true,
            ..State::default()
        };
    }
}

#[derive(Debug, Default)]
struct Ring {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<AgentEvent>,
    bytes: usize,
    missed: u64,
    closed: bool,
    abandoned: bool,
}

impl State {
    fn pop(&mut self) -> Option<AgentEvent> {
        let event = self.queue.pop_front()?;
        self.bytes = self.bytes.saturating_sub(event.weight());
        Some(event)
    }
}

enum Popped {
    Arrival(Arrival),
    Closed,
    Empty,
}

impl Ring {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: &AgentEvent) {
        let mut state = self.state();
        if state.abandoned {
            return;
        }
        state.bytes += event.weight();
        state.queue.push_back(event.clone());
        while state.queue.len() > KEPT || (state.bytes > BYTES && state.queue.len() > 1) {
            state.pop();
            state.missed += 1;
        }
        drop(state);
        self.arrived.notify_one();
    }

    fn pop(&self) -> Popped {
        let mut state = self.state();
        let missed = std::mem::take(&mut state.missed);
        if missed > 0 {
            return Popped::Arrival(Arrival::Missed(missed));
        }
        match state.pop() {
            Some(event) => Popped::Arrival(Arrival::Event(Box::new(event))),
            None if state.closed => Popped::Closed,
            None => Popped::Empty,
        }
    }

    fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_that_is_slow_misses_the_oldest_and_is_told_how_many() {
        let voice = Voice::default();
        let mut events = voice.subscribe();
        for number in 0..KEPT + 2 {
            voice.warn(number.to_string());
        }
        drop(voice);
        assert_eq!(events.next().await, Some(Arrival::Missed(2)));
        let mut left = 0;
        while let Some(arrival) = events.next().await {
            left += 1;
            assert!(matches!(arrival, Arrival::Event(_)));
        }
        assert_eq!(left, KEPT);
    }
}
