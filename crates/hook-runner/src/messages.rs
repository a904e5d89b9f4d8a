//! The sending side of the event stream: who listens, and what they are told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hook_types::message::{
    Envelope, HookProgress, HookResponse, HookStarted, HookVerdict, RunOutcome,
};
use hook_types::{Attempt, EventName, Message, MessageId, Outcome, RunId, SessionId};
use uuid::Uuid;

use crate::reader::{Messages, Ring};

/// Somebody who is called in line with every message, and loses none: a log file, a test.
pub trait Sink: Send + Sync + 'static {
    /// Takes a message. Called from whichever task sends it, one message at a time for one hook.
    fn message(&self, message: &Message);
}

/// Everybody who listens to one session.
#[derive(Default)]
pub(crate) struct Hub {
    /// Whether anybody does: looked at before a message is made.
    anybody: AtomicBool,
    listeners: RwLock<Listeners>,
}

#[derive(Default)]
struct Listeners {
    sinks: Vec<Arc<dyn Sink>>,
    readers: Vec<Arc<Ring>>,
}

impl Hub {
    pub(crate) fn anybody(&self) -> bool {
        self.anybody.load(Ordering::Relaxed)
    }

    pub(crate) fn subscribe(&self) -> Messages {
        let ring = Arc::new(Ring::default());
        self.change(|listeners| listeners.readers.push(Arc::clone(&ring)));
        Messages::new(ring)
    }

    pub(crate) fn add_sink(&self, sink: Arc<dyn Sink>) {
        self.change(|listeners| listeners.sinks.push(sink));
    }

    fn change(&self, change: impl FnOnce(&mut Listeners)) {
        let mut listeners = self
            .listeners
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        listeners
            .readers
            .retain(|reader| !Ring::is_abandoned(reader));
        change(&mut listeners);
        let anybody = !listeners.readers.is_empty() || !listeners.sinks.is_empty();
        self.anybody.store(anybody, Ordering::Relaxed);
    }

    fn send(&self, message: &Message) {
        let listeners = self
            .listeners
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        for sink in &listeners.sinks {
            sink.message(message);
        }
        for reader in &listeners.readers {
            reader.push(message);
        }
        let somebody_left = listeners.readers.iter().any(Ring::is_abandoned);
        drop(listeners);
        if somebody_left {
            self.change(|_| {});
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for reader in &self
            .listeners
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .readers
        {
            reader.close();
        }
    }
}

/// What ties the messages of one run of one hook together. Made only when somebody listens.
#[derive(Clone)]
pub(crate) struct Progress {
    hub: Arc<Hub>,
    session_id: SessionId,
    run: RunId,
    hook_name: Arc<str>,
    event: EventName,
}

impl Progress {
    /// Announces a run; nothing where nobody listens.
    pub(crate) fn started(
        hub: &Arc<Hub>,
        session_id: &SessionId,
        hook_name: &Arc<str>,
        event: EventName,
    ) -> Option<Self> {
        if !hub.anybody() {
            return None;
        }
        let run = Self {
            hub: Arc::clone(hub),
            session_id: session_id.clone(),
            run: RunId::new(new_id()),
            hook_name: Arc::clone(hook_name),
            event,
        };
        hub.send(&Message::Started(HookStarted {
            hook: run.envelope(),
        }));
        Some(run)
    }

    /// Says what the hook has printed so far.
    pub(crate) fn report(&self, stdout: &str, stderr: &str) {
        self.hub.send(&Message::Progress(HookProgress {
            hook: self.envelope(),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            output: format!("{stdout}{stderr}"),
        }));
    }

    /// Says how the run ended; nothing for a hook that goes on.
    pub(crate) fn ended(&self, attempt: &Attempt) {
        let Some(outcome) = RunOutcome::of(&attempt.reply.status) else {
            return;
        };
        let evidence = &attempt.reply.evidence;
        self.hub.send(&Message::Response(HookResponse {
            hook: self.envelope(),
            output: format!("{}{}", evidence.stdout, evidence.stderr),
            stdout: evidence.stdout.clone(),
            stderr: evidence.stderr.clone(),
            exit_code: evidence.exit_code,
            outcome,
        }));
    }

    fn envelope(&self) -> Envelope {
        Envelope::new(
            MessageId::new(new_id()),
            self.session_id.clone(),
            self.run.clone(),
            &*self.hook_name,
            self.event,
        )
    }
}

/// Says what a firing amounted to.
pub(crate) fn verdict(
    hub: &Hub,
    session_id: &SessionId,
    hook_name: &str,
    outcome: &Outcome,
    hooks: usize,
) {
    if hub.anybody() {
        let verdict = HookVerdict::new(
            MessageId::new(new_id()),
            session_id.clone(),
            hook_name,
            outcome,
            hooks,
        );
        hub.send(&Message::Verdict(verdict));
    }
}

/// The name of a hook in the stream: the event and its subject.
pub(crate) fn hook_name(event: EventName, subject: Option<&str>) -> Arc<str> {
    match subject {
        Some(subject) if !subject.is_empty() => format!("{event}:{subject}").into(),
        _ => event.as_str().into(),
    }
}

/// An id that nobody else has; ids made later sort later.
pub(crate) fn new_id() -> String {
    Uuid::now_v7().to_string()
}
