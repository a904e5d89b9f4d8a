//! Sinks: called in line.

use std::sync::{Arc, Mutex};

use hook_runner::{Fire, HookContext, Messages, Runner, Sink, hook_fn};
use hook_types::{Event, Message, PreToolUse};

use crate::stage::{call, missed, passes, read, reports, runner_of, word, words};

/// Writes down what happens, in order.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn note(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Sink for Log {
    fn message(&self, message: &Message) {
        self.note(word(message));
    }
}

#[tokio::test]
async fn a_sink_is_called_in_line() {
    let log = Arc::new(Log::default());
    let hook_s = Arc::clone(&log);
    let runner = runner_of([hook_fn(move |_: PreToolUse, context: HookContext| {
        hook_s.note("the hook begins");
        context.progress("half", "");
        hook_s.note("the hook ends");
    })]);
    runner.add_sink(Arc::clone(&log) as Arc<dyn Sink>);
    runner.fire(call()).await;
    log.note("fire has returned");
    assert_eq!(
        log.lines(),
        [
            "started",
            "the hook begins",
            "progress",
            "the hook ends",
            "response",
            "verdict",
            "fire has returned"
        ]
    );
}

#[tokio::test]
async fn a_sink_loses_nothing_that_a_slow_reader_does() {
    let log = Arc::new(Log::default());
    let (runner, mut messages) = runner_of([reports(5)]).with_messages();
    runner.add_sink(Arc::clone(&log) as Arc<dyn Sink>);
    for _ in 0..3000 {
        runner.fire(call()).await;
    }
    let lines = log.lines();
    let one = [
        "started", "progress", "progress", "progress", "progress", "progress", "response",
        "verdict",
    ];
    assert_eq!(lines.len(), 3000 * one.len());
    assert!(lines.chunks(one.len()).all(|chunk| chunk == one));
    assert_ne!(missed(&read(&mut messages)), (0, 0));
}

/// A sink that does what it must not.
struct Panics;

impl Sink for Panics {
    fn message(&self, _: &Message) {
        panic!("the disk is full");
    }
}

#[tokio::test]
async fn a_sink_that_panics_changes_no_verdict_and_stops_nobody_else() {
    let log = Arc::new(Log::default());
    let runner = runner_of([hook_fn(|_: PreToolUse, context: HookContext| {
        context.progress("half", "");
        PreToolUse::deny("no")
    })]);
    runner.add_sink(Arc::new(Panics));
    runner.add_sink(Arc::clone(&log) as Arc<dyn Sink>);
    let verdict = runner.fire(call()).await;
    assert!(verdict.is_denied());
    assert_eq!(log.lines(), ["started", "progress", "response", "verdict"]);
}

/// A sink that starts to listen at the first message.
struct Subscribes {
    runner: Runner,
    messages: Mutex<Option<Messages>>,
}

impl Sink for Subscribes {
    fn message(&self, _: &Message) {
        let mut messages = self.messages.lock().unwrap();
        messages.get_or_insert_with(|| self.runner.messages());
    }
}

#[tokio::test]
async fn a_sink_may_call_the_runner_that_calls_it() {
    let runner = runner_of([passes()]);
    let sink = Arc::new(Subscribes {
        runner: runner.clone(),
        messages: Mutex::default(),
    });
    runner.add_sink(Arc::clone(&sink) as Arc<dyn Sink>);
    runner.fire(call()).await;
    let mut messages = sink.messages.lock().unwrap().take().unwrap();
    assert_eq!(words(&read(&mut messages)), ["response", "verdict"]);
}
