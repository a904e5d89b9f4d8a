//! What a firing costs: nothing where nobody listens, and little more than the closure where one does.
//!
//! Every firing is a `PreToolUse` of `Bash` through `Arc<dyn HookRunner>`, on a runtime of one thread.
//! Events are built before the clock starts; the event is consumed, and what comes back is dropped, on
//! both sides.

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_runner::{Fire, Group, Hook, HookRunner, HookSet, Messages, NoHooks, Runner, hook_fn};
use hook_types::{Answer, Base, Event, PostToolUse, PreToolUse};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::Failure;
use crate::contest::{Contest, Side, Target, each, nanoseconds};
use crate::rows::Entry;

/// How many firings one turn has: few, so that the allocator has their events at hand, as it has that of
/// an agent that fires one after the other.
const FIRINGS: u32 = 6;
const PAIRS: usize = 2_000;

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: "firing-nothing",
        about: "a firing with no hook for its event, beside dropping the event",
        build: nothing,
    },
    Entry {
        name: "firing-closure",
        about: "one ready closure, nobody listens, beside the bare boxed closure",
        build: closure,
    },
    Entry {
        name: "firing-scale",
        about: "readers, closures that wait, ten closures, beside a firing of one",
        build: scale,
    },
];

// ===== contests =====

fn nothing() -> Result<Contest, Failure> {
    let runtime = one_thread()?;
    let dropped = Side::new("the event, dropped and not fired", || {
        let events = events(FIRINGS);
        each(FIRINGS, || {
            for event in events {
                drop(black_box(event));
            }
        })
    });
    let target = Target::More(30.0);
    Ok(Contest::of_times(PAIRS)
        .beside(dropped)
        .side(fires(&runtime, "`NoHooks`", Arc::new(NoHooks)).target(target))
        .side(
            fires(
                &runtime,
                "a `Runner` without hooks",
                Arc::new(Runner::new(HookSet::empty())),
            )
            .target(target),
        )
        .side(
            fires(
                &runtime,
                "a `Runner` with 100 hooks on another event",
                Arc::new(Runner::new(on_another_event(100)?)),
            )
            .target(target),
        ))
}

fn closure() -> Result<Contest, Failure> {
    let runtime = one_thread()?;
    let runner = |hooks: HookSet| -> Arc<dyn HookRunner> { Arc::new(Runner::new(hooks)) };
    Ok(Contest::of_times(PAIRS)
        .beside(calls(&runtime))
        .side(
            fires(&runtime, "one async closure", runner(async_closure()?))
                .target(Target::Times(5.0)),
        )
        .side(
            fires(
                &runtime,
                "one plain closure",
                runner(
                    HookSet::builder()
                        .on("Bash", |call: PreToolUse| judge(&call))
                        .build()?,
                ),
            )
            .target(Target::Times(5.0)),
        )
        .side(
            fires(
                &runtime,
                "one async closure, a deadline of its own",
                runner(
                    HookSet::builder()
                        .on(
                            "Bash",
                            hook_fn(|call: PreToolUse| async move { judge(&call) })
                                .timeout(Duration::from_secs(5)),
                        )
                        .build()?,
                ),
            )
            .target(Target::Times(5.0)),
        ))
}

fn scale() -> Result<Contest, Failure> {
    let runtime = one_thread()?;
    let fires_at = |name: &str, hooks: HookSet| fires(&runtime, name, Arc::new(Runner::new(hooks)));
    let read = |name: &str, hooks: HookSet| {
        let (runner, messages) = Runner::new(hooks).with_messages();
        fires_read(&runtime, name, Arc::new(runner), messages)
    };
    let unread = |name: &str, hooks: HookSet| {
        let (runner, messages) = Runner::new(hooks).with_messages();
        fires_unread(&runtime, name, Arc::new(runner), messages)
    };
    Ok(Contest::of_times(PAIRS / 4)
        .beside(fires_at("one closure", closures(1)?))
        .side(fires_at("one closure that denies", denying()?))
        .side(read("one closure, a reader", closures(1)?))
        .side(unread(
            "one closure, a reader that never reads",
            closures(1)?,
        ))
        .side(fires_at("one closure that waits", waiting()?))
        .side(read("one closure that waits, a reader", waiting()?))
        .side(fires_at("ten closures, one after the other", closures(10)?))
        .side(read("ten closures, a reader", closures(10)?))
        .side(fires_at("ten closures at once", at_once(10)?))
        .side(read("ten closures at once, a reader", at_once(10)?)))
}

// ===== the bare closure =====

type Bare =
    dyn Fn(PreToolUse) -> Pin<Box<dyn Future<Output = Answer<PreToolUse>> + Send>> + Send + Sync;

/// What the closure of every firing here does: looks at the command, and has nothing against it.
fn judge(call: &PreToolUse) -> Answer<PreToolUse> {
    match call.command() {
        Some(command) if command.contains("sudo") => PreToolUse::deny("sudo is not allowed here"),
        _ => PreToolUse::pass(),
    }
}

/// The least that calling somebody's async closure can be: one that is boxed, which is handed the event
/// and whose future, boxed too, is awaited. No plan, no deadline; a panic takes everything down.
pub(crate) fn bare() -> Arc<Bare> {
    black_box(Arc::new(|call: PreToolUse| {
        Box::pin(async move { judge(&call) })
    }))
}

fn calls(runtime: &Rc<Runtime>) -> Side {
    let runtime = Rc::clone(runtime);
    let closure = bare();
    Side::new("the bare boxed async closure", move || {
        let events = events(FIRINGS);
        runtime.block_on(async {
            let started = Instant::now();
            for event in events {
                drop(black_box(closure(event).await));
            }
            nanoseconds(started.elapsed()) / f64::from(FIRINGS)
        })
    })
}

// ===== what is fired at =====

pub(crate) fn on_another_event(hooks: usize) -> Result<HookSet, Failure> {
    let hooks = (0..hooks).fold(HookSet::builder(), |builder, _| {
        builder.on("Bash", |_: PostToolUse| ())
    });
    Ok(hooks.build()?)
}

pub(crate) fn async_closure() -> Result<HookSet, Failure> {
    let judges = |call: PreToolUse| async move { judge(&call) };
    Ok(HookSet::builder().on("Bash", judges).build()?)
}

/// Closures that are done when they are first asked.
pub(crate) fn closures(hooks: usize) -> Result<HookSet, Failure> {
    let hooks = (0..hooks).fold(HookSet::builder(), |builder, _| {
        builder.on("Bash", |call: PreToolUse| judge(&call))
    });
    Ok(hooks.build()?)
}

pub(crate) fn denying() -> Result<HookSet, Failure> {
    let deny = |_: PreToolUse| PreToolUse::deny("not today");
    Ok(HookSet::builder().on("Bash", deny).build()?)
}

/// A closure that the runtime has to come back to, so that timers are set for it. It gives way
/// more than once because one that is ready when it is asked again at once is given no timer.
fn waiting() -> Result<HookSet, Failure> {
    let hook: Hook = hook_fn(|call: PreToolUse| async move {
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        judge(&call)
    });
    Ok(HookSet::builder().on("Bash", hook).build()?)
}

pub(crate) fn at_once(hooks: usize) -> Result<HookSet, Failure> {
    let group = (0..hooks).fold(Group::parallel(), |group, _| {
        group.on("Bash", |call: PreToolUse| judge(&call))
    });
    Ok(HookSet::builder().group(group).build()?)
}

// ===== firing =====

pub(crate) fn one_thread() -> Result<Rc<Runtime>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    Ok(Rc::new(runtime))
}

/// An event as an agent fires it, with the facts of its session filled in.
pub(crate) fn event() -> PreToolUse {
    let mut event = PreToolUse::new("Bash", json!({"command": "cargo test"}));
    event.base = Base::new("s-1", "/tmp/s-1.jsonl", "/srv/app");
    event.tool_use_id("toolu_1")
}

fn events(count: u32) -> Vec<PreToolUse> {
    (0..count).map(|_| event()).collect()
}

fn fire_all(runtime: &Runtime, runner: &Arc<dyn HookRunner>) -> f64 {
    let events = events(FIRINGS);
    runtime.block_on(async {
        let started = Instant::now();
        for event in events {
            drop(black_box(runner.fire(event).await));
        }
        nanoseconds(started.elapsed()) / f64::from(FIRINGS)
    })
}

fn fires(runtime: &Rc<Runtime>, name: &str, runner: Arc<dyn HookRunner>) -> Side {
    let runtime = Rc::clone(runtime);
    Side::new(name, move || fire_all(&runtime, &runner))
}

/// A reader that has read everything before the clock starts again.
fn fires_read(
    runtime: &Rc<Runtime>,
    name: &str,
    runner: Arc<dyn HookRunner>,
    mut messages: Messages,
) -> Side {
    let runtime = Rc::clone(runtime);
    Side::new(name, move || {
        let took = fire_all(&runtime, &runner);
        while let Some(delivery) = messages.try_next() {
            drop(black_box(delivery));
        }
        took
    })
}

fn fires_unread(
    runtime: &Rc<Runtime>,
    name: &str,
    runner: Arc<dyn HookRunner>,
    messages: Messages,
) -> Side {
    let runtime = Rc::clone(runtime);
    Side::new(name, move || {
        let took = fire_all(&runtime, &runner);
        black_box(&messages);
        took
    })
}
