//! What the tests of the runner share: events, handlers of which the test holds the other end, and
//! short words for what became of a firing.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{
    Admission, Delivery, Description, Fired, Gate, Handler, Hook, HookContext, HookSet, Input,
    Messages, Runner,
};
use hook_types::{
    Attempt, Event, EventName, HookKind, Message, OnFailure, PreToolUse, Reply, SkipReason, Status,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A call of the shell.
pub(crate) fn bash(command: &str) -> PreToolUse {
    PreToolUse::new("Bash", json!({ "command": command }))
}

/// A call of a tool that takes no input.
pub(crate) fn tool(name: &str) -> PreToolUse {
    PreToolUse::new(name, json!({}))
}

/// A runner of one hook.
pub(crate) fn runner_of(hook: Hook) -> Runner {
    Runner::new(HookSet::builder().on("", hook).build().unwrap())
}

/// How each hook ended, in a word.
pub(crate) fn words(fired: &Fired) -> Vec<&'static str> {
    let attempts = fired.attempts.iter();
    attempts
        .map(|attempt| attempt.reply.status.word())
        .collect()
}

/// The hooks, in the order in which they are reported.
pub(crate) fn ids(fired: &Fired) -> Vec<&str> {
    let attempts = fired.attempts.iter();
    attempts.map(|attempt| attempt.hook.id.as_str()).collect()
}

/// Why a hook was not run.
pub(crate) fn skipped(attempt: &Attempt) -> Option<&SkipReason> {
    if let Status::Skipped(reason) = &attempt.reply.status {
        Some(reason)
    } else {
        None
    }
}

/// What a failed hook said.
pub(crate) fn failure(attempt: &Attempt) -> Option<&str> {
    if let Status::Failed(why) = &attempt.reply.status {
        Some(why)
    } else {
        None
    }
}

/// The command that the outcome gives the tool.
pub(crate) fn updated_command(fired: &Fired) -> Option<&str> {
    fired.outcome.updated_input.as_ref()?["command"].as_str()
}

/// Everything that a reader has got so far.
pub(crate) fn read_all(messages: &mut Messages) -> Vec<Message> {
    let mut read = Vec::new();
    while let Some(delivery) = messages.try_next() {
        let Delivery::Message(message) = delivery else {
            panic!("nothing was to be missed: {delivery:?}");
        };
        read.push(*message);
    }
    read
}

/// The messages' names.
pub(crate) fn subtypes(messages: &[Message]) -> Vec<String> {
    let subtype = |message| serde_json::to_value(message).unwrap()["subtype"].clone();
    let text = |message| subtype(message).as_str().unwrap().to_owned();
    messages.iter().map(text).collect()
}

/// Counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub(crate) fn add(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn sub(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    pub(crate) fn raise_to(&self, value: usize) {
        self.0.fetch_max(value, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// What was seen, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn say(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn get(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Says when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Guard(Arc<AtomicBool>);

impl Guard {
    pub(crate) fn new() -> (Self, Arc<AtomicBool>) {
        let dropped = Arc::new(AtomicBool::new(false));
        (Self(Arc::clone(&dropped)), dropped)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A gate whose answer the test can change.
#[derive(Debug)]
pub(crate) struct Door(Mutex<Admission>);

impl Door {
    pub(crate) fn new(admission: Admission) -> Arc<Self> {
        Arc::new(Self(Mutex::new(admission)))
    }

    pub(crate) fn set(&self, admission: Admission) {
        *self.0.lock().unwrap() = admission;
    }
}

impl Gate for Door {
    fn admit(&self) -> Admission {
        *self.0.lock().unwrap()
    }
}

/// A handler that always hands back the same, after a while; it may be the same as another one.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) reply: Reply,
    pub(crate) after: Duration,
    pub(crate) identity: Option<String>,
    pub(crate) limit: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) runs: Counter,
    /// The limits that it was told.
    pub(crate) limits: Arc<Mutex<Vec<Duration>>>,
}

impl Fixed {
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            reply,
            after: Duration::ZERO,
            identity: None,
            limit: None,
            grace: Duration::ZERO,
            on_failure: None,
            runs: Counter::default(),
            limits: Arc::default(),
        }
    }

    /// One that never keeps its deadline.
    pub(crate) fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    pub(crate) fn identity(mut self, identity: &str) -> Self {
        self.identity = Some(identity.to_owned());
        self
    }

    pub(crate) fn hook(&self, event: EventName) -> Hook {
        Hook::new(event, self.clone())
    }

    /// The limits that it was told, run by run.
    pub(crate) fn told(&self) -> Vec<Duration> {
        self.limits.lock().unwrap().clone()
    }
}

#[async_trait]
impl Handler for Fixed {
    async fn handle(&self, _: Arc<Input>, context: &HookContext) -> Reply {
        self.runs.add();
        self.limits.lock().unwrap().push(context.limit());
        if !self.after.is_zero() {
            tokio::time::sleep(self.after).await;
        }
        self.reply.clone()
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Command, "./fixed.sh")
    }

    fn identity(&self) -> Option<String> {
        self.identity.clone()
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn grace(&self) -> Duration {
        self.grace
    }

    fn on_failure(&self, event: EventName) -> Option<OnFailure> {
        self.on_failure.filter(|_| event == EventName::PreToolUse)
    }
}

/// A command that refuses with its exit code.
pub(crate) fn exit_two() -> Reply {
    let mut reply = Reply::with_status(Status::Blocked { exit_code: 2 });
    reply.evidence.exit_code = Some(2);
    reply.output = PreToolUse::deny("exit code 2").into_output().into();
    reply
}

/// A handler and the other end of it.
pub(crate) fn scripted() -> (Scripted, Script) {
    let (asked, questions) = mpsc::unbounded_channel();
    (Scripted { asked }, Script { questions })
}

/// Hands every question to the test, and waits for its answer.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    asked: mpsc::UnboundedSender<(Arc<Input>, oneshot::Sender<Reply>)>,
}

#[derive(Debug)]
pub(crate) struct Script {
    questions: mpsc::UnboundedReceiver<(Arc<Input>, oneshot::Sender<Reply>)>,
}

impl Script {
    /// The next question that a hook is asked.
    pub(crate) async fn asked(&mut self) -> (Arc<Input>, oneshot::Sender<Reply>) {
        self.questions.recv().await.unwrap()
    }
}

#[async_trait]
impl Handler for Scripted {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let (answer, answered) = oneshot::channel();
        self.asked.send((input, answer)).unwrap();
        match context.in_time(answered).await {
            Some(answer) => answer.unwrap_or_else(|_| Reply::failed("the test went away")),
            None => Reply::with_status(Status::TimedOut {
                limit: context.limit(),
            }),
        }
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("scripted".into()), "what the test says")
    }
}
