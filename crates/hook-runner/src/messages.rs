//! The sending side of the event stream: who listens, and what they are told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use hook_types::message::{
    Envelope, HookProgress, HookResponse, HookStarted, HookVerdict, RunOutcome, VerdictRun,
};
use hook_types::{
    Attempt, EventName, Evidence, HookId, Message, MessageId, RunId, SessionId, Status, ToolUseId,
};
use uuid::Uuid;

use crate::fired::Fired;
use crate::invoke::Firing;
use crate::reader::{Messages, Ring};

/// Somebody who is called in line with every message, and loses none: a log file, a test.
pub trait Sink: Send + Sync + 'static {
    /// Takes a message. Called from whichever task sends it, one message at a time for one run of
    /// a hook. A panic is reported and costs this sink the message, nobody else.
    fn message(&self, message: &Message);
}

/// Everybody who listens to one session.
#[derive(Default)]
pub(crate) struct Hub {
    /// Whether anybody does: looked at before a message is made.
    anybody: AtomicBool,
    listeners: RwLock<Arc<Listeners>>,
}

#[derive(Clone, Default)]
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
        let listeners = Arc::make_mut(&mut listeners);
        listeners.readers.retain(|reader| !reader.is_abandoned());
        change(listeners);
        let anybody = !listeners.readers.is_empty() || !listeners.sinks.is_empty();
        self.anybody.store(anybody, Ordering::Relaxed);
    }

    fn send(&self, message: Message) {
        // The lock is not held while sinks run: one may add a reader.
        let listeners = Arc::clone(
            &self
                .listeners
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        );
        for sink in &listeners.sinks {
            hand_over(sink, &message);
        }
        let Some((last, others)) = listeners.readers.split_last() else {
            return;
        };
        let mut all_there = true;
        for reader in others {
            all_there &= reader.push(message.clone());
        }
        all_there &= last.push(message);
        if !all_there {
            drop(listeners);
            self.change(|_| {});
        }
    }
}

/// Calls a sink, whose panic is its own affair.
fn hand_over(sink: &Arc<dyn Sink>, message: &Message) {
    if catch_unwind(AssertUnwindSafe(|| sink.message(message))).is_err() {
        tracing::error!("a sink of the event stream panicked; it has not taken the message");
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let listeners = self
            .listeners
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for reader in &listeners.readers {
            reader.close();
        }
    }
}

/// One run of one hook, for those who listen. Made only when somebody does.
pub(crate) struct Progress(Arc<Announced>);

/// A run that has been announced, and whose end will be.
struct Announced {
    hub: Arc<Hub>,
    session_id: SessionId,
    run: RunId,
    hook_name: Arc<str>,
    event: EventName,
    hook: HookId,
    /// Whether its end has been told: nothing comes after it. Held while a message is sent, so
    /// that none overtakes another.
    over: Mutex<bool>,
}

impl Progress {
    /// Announces a run; nothing where nobody listens.
    pub(crate) fn started(
        hub: &Arc<Hub>,
        session_id: &SessionId,
        hook_name: &Arc<str>,
        event: EventName,
        hook: &HookId,
    ) -> Option<Self> {
        if !hub.anybody() {
            return None;
        }
        let run = Announced {
            hub: Arc::clone(hub),
            session_id: session_id.clone(),
            run: RunId::new(new_id()),
            hook_name: Arc::clone(hook_name),
            event,
            hook: hook.clone(),
            over: Mutex::new(false),
        };
        hub.send(Message::Started(HookStarted {
            hook: run.envelope(),
        }));
        Some(Self(Arc::new(run)))
    }

    /// The same run, for those who may outlive it: they keep nobody from reading on to the end.
    pub(crate) fn overheard(&self) -> Overheard {
        Overheard(Arc::downgrade(&self.0))
    }

    /// Which run it is.
    pub(crate) fn run(&self) -> &RunId {
        &self.0.run
    }

    /// Says what the hook has printed so far; nothing once it has ended.
    pub(crate) fn report(&self, stdout: &str, stderr: &str) {
        let over = self.0.over();
        if !*over {
            self.0.hub.send(Message::Progress(HookProgress {
                hook: self.0.envelope(),
                stdout: stdout.to_owned(),
                stderr: stderr.to_owned(),
                output: format!("{stdout}{stderr}"),
            }));
        }
    }

    /// Says how the run ended; nothing for a hook that goes on.
    pub(crate) fn ended(&self, attempt: &Attempt) {
        let Some(outcome) = RunOutcome::of(&attempt.reply.status) else {
            return;
        };
        let mut over = self.0.over();
        if !std::mem::replace(&mut *over, true) {
            // A failure that printed nothing still says what went wrong.
            let reply = &attempt.reply;
            let said = Some(reply.evidence.stderr.clone()).filter(|stderr| !stderr.is_empty());
            let stderr = said.or_else(|| reply.status.detail()).unwrap_or_default();
            self.0.respond(outcome, &reply.evidence, stderr);
        }
    }
}

/// A run that somebody heard of, as long as it goes on.
pub(crate) struct Overheard(Weak<Announced>);

impl Overheard {
    pub(crate) fn progress(&self) -> Option<Progress> {
        self.0.upgrade().map(Progress)
    }
}

impl Announced {
    fn over(&self) -> MutexGuard<'_, bool> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn respond(&self, outcome: RunOutcome, evidence: &Evidence, stderr: String) {
        self.hub.send(Message::Response(HookResponse {
            hook: self.envelope(),
            output: format!("{}{stderr}", evidence.stdout),
            stdout: evidence.stdout.clone(),
            stderr,
            exit_code: evidence.exit_code,
            outcome,
            facts: evidence.facts.clone(),
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
        .of(self.hook.clone())
    }
}

/// A run that is dropped before its end was cancelled: whoever heard of its start hears of that.
impl Drop for Announced {
    fn drop(&mut self) {
        if !*self.over() {
            self.respond(RunOutcome::Cancelled, &Evidence::default(), String::new());
        }
    }
}

/// Runs that were announced in one firing, and of which hooks they are. Empty where nobody listens.
#[derive(Default)]
pub(crate) struct Announcements(Mutex<Vec<(RunId, HookId)>>);

impl Announcements {
    pub(crate) fn note(&self, progress: Option<&Progress>, hook: &HookId) {
        if let Some(progress) = progress {
            let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            runs.push((progress.run().clone(), hook.clone()));
        }
    }

    /// The runs with what became of them, in the order of the attempts. One hook may have run twice.
    fn with<'a>(&self, attempts: impl Iterator<Item = &'a Attempt>) -> Vec<VerdictRun> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let run = |attempt: &Attempt| {
            let place = runs.iter().position(|(_, hook)| *hook == attempt.hook.id)?;
            Some(VerdictRun::new(runs.remove(place).0, attempt))
        };
        attempts.filter_map(run).collect()
    }
}

/// Says what a firing amounted to.
pub(crate) fn verdict(firing: &Firing<'_>, fired: &Fired, call: Option<&ToolUseId>) {
    if !firing.hub.anybody() {
        return;
    }
    let ran = fired
        .attempts
        .iter()
        .filter(|attempt| !matches!(attempt.reply.status, Status::Skipped(_)));
    let verdict = HookVerdict::new(
        MessageId::new(new_id()),
        firing.session.base.session_id.clone(),
        &**firing.name,
        &fired.outcome,
        ran.clone().count(),
    );
    let verdict = verdict
        .of_runs(firing.announced.with(ran))
        .about(call.cloned());
    firing.hub.send(Message::Verdict(verdict));
}

/// The name of a hook in the stream: the event and its subject.
pub(crate) fn hook_name(event: EventName, subject: Option<&str>) -> Arc<str> {
    match subject {
        Some(subject) if !subject.is_empty() => [event.as_str(), ":", subject].concat().into(),
        _ => event.as_str().into(),
    }
}

/// An id that nobody else has; ids made later sort later.
///
/// A version 7 UUID, whose random part is drawn once a process and counted up from there: drawing
/// it anew would ask the system each time, which costs more than sending the message.
pub(crate) fn new_id() -> String {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(Uuid::now_v7().as_u64_pair().1));
    static PROCESS: LazyLock<[u8; 2]> = LazyLock::new(|| {
        let [.., high, low] = Uuid::now_v7().into_bytes();
        [high, low]
    });
    let mut random = [0; 10];
    random[..2].copy_from_slice(&*PROCESS);
    random[2..].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since_epoch.map_or(0, |since| since.as_millis());
    let millis = u64::try_from(millis).unwrap_or(u64::MAX);
    uuid::Builder::from_unix_timestamp_millis(millis, &random)
        .into_uuid()
        .to_string()
}
