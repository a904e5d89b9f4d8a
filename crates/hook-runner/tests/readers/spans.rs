//! Every run is a span of `tracing`.

use std::cell::RefCell;

use hook_runner::{Fire, hook_fn};
use hook_types::{Event, PreToolUse};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};

use crate::stage::{call, runner_of};

thread_local! {
    /// What happened on this thread: spans with their fields, and what the test adds.
    static TRACED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn trace(line: String) {
    TRACED.with_borrow_mut(|lines| lines.push(line));
}

/// A subscriber that writes down what the thread of a test does.
struct Spans;

impl Visit for Spans {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        trace(format!("{field}={value:?}"));
    }
}

impl tracing::Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let about = span.metadata();
        trace(format!("{} {}", about.level(), about.name()));
        span.record(&mut Self);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Self);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &Id) {
        trace("entered".into());
    }

    fn exit(&self, _: &Id) {
        trace("left".into());
    }
}

#[tokio::test]
async fn every_run_has_a_span_with_its_hook_its_event_and_its_status() {
    // For all threads: what a thread without a subscriber does would switch the span off for all.
    tracing::subscriber::set_global_default(Spans).unwrap();
    tracing::callsite::rebuild_interest_cache();
    let runner = runner_of([hook_fn(|_: PreToolUse| {
        trace("the hook runs".into());
        PreToolUse::deny("no")
    })
    .id("guard")]);
    runner.fire(call()).await;
    let mut traced = TRACED.take();
    // How long it took is anybody's guess, but it is said, and last.
    let took = traced.pop().unwrap();
    assert!(took.starts_with("duration_ms="), "{took}");
    assert_eq!(
        traced,
        [
            "DEBUG hook",
            "session=",
            "id=guard",
            "name=PreToolUse:Bash",
            "event=PreToolUse",
            "entered",
            "the hook runs",
            "left",
            "status=\"answered\"",
        ]
    );
}
