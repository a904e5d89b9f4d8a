//! A firing that no hook is there for is free: not one allocation.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::{Arc, Once};

use hook_runner::{Fire, HookRunner, HookSet, NoHooks, Runner};
use hook_types::{Event, PostToolUse, PreToolUse, Stop};
use serde_json::json;
use test_support::Counting;
use tracing::span::{Attributes, Id, Record};

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread allocates until the verdict on `event` is there.
async fn allocations<E: Event>(runner: &Arc<dyn HookRunner>, event: E) -> usize {
    let before = test_support::allocations();
    let verdict = runner.fire(event).await;
    let after = test_support::allocations();
    assert_eq!(verdict.event, E::NAME);
    after - before
}

/// A subscriber that wants to know everything and keeps nothing.
struct Everything;

impl tracing::Subscriber for Everything {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Attaches it for all threads: what a thread without one does would switch spans off for all.
fn subscribe() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Everything).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
}

fn call() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "cargo test"}))
}

/// A hundred hooks, none of them for `PreToolUse`.
fn hooks_on_other_events() -> HookSet {
    (0..50)
        .fold(HookSet::builder(), |builder, number| {
            builder
                .on("Bash", |_: PostToolUse| PostToolUse::context("noted"))
                .on(&format!("tool_{number}"), |_: Stop| Stop::pass())
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn no_hooks_allocates_nothing() {
    subscribe();
    let runner: Arc<dyn HookRunner> = Arc::new(NoHooks);
    assert_eq!(allocations(&runner, call()).await, 0);
    assert_eq!(allocations(&runner, Stop::new(false)).await, 0);
}

#[tokio::test]
async fn a_runner_without_hooks_allocates_nothing() {
    subscribe();
    let (runner, _messages) = Runner::new(HookSet::empty()).with_messages();
    let runner: Arc<dyn HookRunner> = Arc::new(runner);
    assert_eq!(allocations(&runner, call()).await, 0);
}

#[tokio::test]
async fn a_hundred_hooks_on_other_events_allocate_nothing_with_a_reader_and_a_subscriber() {
    subscribe();
    let hooks = hooks_on_other_events();
    assert_eq!(hooks.len(), 100);
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    let runner: Arc<dyn HookRunner> = Arc::new(runner);

    assert_eq!(allocations(&runner, call()).await, 0);
    assert_eq!(messages.try_next(), None);

    // The same runner, asked about an event that it has hooks for: the counter does count, and the
    // reader does listen.
    let event = PostToolUse::new("Bash", json!({}), json!("ok"));
    assert_ne!(allocations(&runner, event).await, 0);
    assert_ne!(messages.try_next(), None);
}

#[tokio::test]
async fn a_set_that_is_replaced_by_an_empty_one_allocates_nothing_again() {
    subscribe();
    let runner = Runner::new(
        HookSet::builder()
            .on("Bash", |_: PreToolUse| ())
            .build()
            .unwrap(),
    );
    let fired: Arc<dyn HookRunner> = Arc::new(runner.clone());
    assert_ne!(allocations(&fired, call()).await, 0);
    runner.replace(HookSet::empty());
    assert_eq!(allocations(&fired, call()).await, 0);
}

#[tokio::test]
async fn a_reader_that_is_dropped_is_forgotten() {
    subscribe();
    let hooks = HookSet::builder().on("Bash", |_: PreToolUse| ());
    let runner = Runner::new(hooks.build().unwrap());
    let fired: Arc<dyn HookRunner> = Arc::new(runner.clone());
    allocations(&fired, call()).await; // the first firing remembers which hooks match
    let alone = allocations(&fired, call()).await;
    let messages = runner.messages();
    assert!(allocations(&fired, call()).await > alone);
    drop(messages);
    allocations(&fired, call()).await; // the first message that nobody takes
    assert_eq!(allocations(&fired, call()).await, alone);
}
