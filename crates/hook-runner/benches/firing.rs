//! What a firing costs: without hooks, with one closure, with ten; with and without a deadline of
//! the hook's own, with and without a reader of the event stream.
//!
//! Every firing is a `PreToolUse` of `Bash` through `Arc<dyn HookRunner>`, on a runtime of one
//! thread. Events are built before the clock starts; that the event and the verdict are dropped is
//! part of the figure.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use hook_runner::{
    BuildError, Fire, Group, Hook, HookRunner, HookSet, Messages, NoHooks, Runner, hook_fn,
};
use hook_types::{Event, PostToolUse, PreToolUse};
use serde_json::json;
use tokio::runtime::Runtime;

use support::{Figure, Variant, measure, time};

mod support;

const FIRINGS: u32 = 200;
const ROUNDS: usize = 201;
/// All ratios are to this one.
const BASE: &str = "one closure";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let mut variants = vec![
        Variant::new("the event, dropped and not fired", FIRINGS, || {
            let events = events();
            time(|| events.into_iter().for_each(|event| drop(black_box(event))))
        }),
        fires(&runtime, "no hooks: NoHooks", Arc::new(NoHooks)),
        fires(
            &runtime,
            "no hooks: an empty Runner",
            Arc::new(Runner::new(HookSet::empty())),
        ),
        fires(
            &runtime,
            "no hooks: 100 hooks on another event",
            Arc::new(Runner::new(on_another_event(100)?)),
        ),
    ];
    for (name, hooks) in [
        (BASE, closures(1, Deadline::OfTheEvent)?),
        ("one closure, a deadline", closures(1, Deadline::Own)?),
        ("one closure, that waits", waiting(Deadline::OfTheEvent)?),
        (
            "one closure, that waits, a deadline",
            waiting(Deadline::Own)?,
        ),
        ("ten closures", closures(10, Deadline::OfTheEvent)?),
        (
            "ten closures, a deadline each",
            closures(10, Deadline::Own)?,
        ),
        ("ten closures at once", at_once(10)?),
    ] {
        let runner = Runner::new(hooks.clone());
        variants.push(fires(&runtime, name, Arc::new(runner)));
        let (runner, messages) = Runner::new(hooks.clone()).with_messages();
        let name_read = format!("{name}, a reader");
        variants.push(fires_read(&runtime, &name_read, Arc::new(runner), messages));
        let (runner, messages) = Runner::new(hooks).with_messages();
        let name_unread = format!("{name}, a reader that never reads");
        variants.push(fires_unread(
            &runtime,
            &name_unread,
            Arc::new(runner),
            messages,
        ));
    }
    print(&measure(variants, ROUNDS));
    Ok(())
}

fn print(figures: &[Figure]) {
    let base = figures
        .iter()
        .find(|figure| figure.name == BASE)
        .map_or(1.0, |figure| figure.median);
    println!("| a firing | median ns | lowest ns | × one closure |\n|---|---|---|---|");
    for figure in figures {
        println!(
            "| {} | {:.0} | {:.0} | {:.2} |",
            figure.name,
            figure.median,
            figure.lowest,
            figure.median / base
        );
    }
}

// ===== what is fired at =====

#[derive(Clone, Copy)]
enum Deadline {
    Own,
    OfTheEvent,
}

fn with(deadline: Deadline, hook: Hook) -> Hook {
    match deadline {
        Deadline::Own => hook.timeout(Duration::from_secs(5)),
        Deadline::OfTheEvent => hook,
    }
}

fn on_another_event(hooks: usize) -> Result<HookSet, BuildError> {
    (0..hooks)
        .fold(HookSet::builder(), |builder, _| {
            builder.on("Bash", |_: PostToolUse| ())
        })
        .build()
}

/// Closures that are done when they are first asked.
fn closures(hooks: usize, deadline: Deadline) -> Result<HookSet, BuildError> {
    (0..hooks)
        .fold(HookSet::builder(), |builder, _| {
            let hook = hook_fn(|_: PreToolUse| PreToolUse::pass());
            builder.on("Bash", with(deadline, hook))
        })
        .build()
}

/// A closure that the runtime has to come back to, so that timers are set for it. It gives way
/// more than once because one that is ready when it is asked again at once is given no timer.
fn waiting(deadline: Deadline) -> Result<HookSet, BuildError> {
    let hook = hook_fn(|_: PreToolUse| async {
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        PreToolUse::pass()
    });
    HookSet::builder().on("Bash", with(deadline, hook)).build()
}

fn at_once(hooks: usize) -> Result<HookSet, BuildError> {
    let group = (0..hooks).fold(Group::parallel(), |group, _| {
        group.on("Bash", |_: PreToolUse| PreToolUse::pass())
    });
    HookSet::builder().group(group).build()
}

// ===== firing =====

fn events() -> Vec<PreToolUse> {
    let event = || PreToolUse::new("Bash", json!({"command": "cargo test"}));
    (0..FIRINGS).map(|_| event()).collect()
}

fn fire_all(runtime: &Runtime, runner: &Arc<dyn HookRunner>) -> Duration {
    let events = events();
    time(|| {
        runtime.block_on(async {
            for event in events {
                drop(black_box(runner.fire(event).await));
            }
        });
    })
}

fn fires<'a>(runtime: &'a Runtime, name: &str, runner: Arc<dyn HookRunner>) -> Variant<'a> {
    Variant::new(name, FIRINGS, move || fire_all(runtime, &runner))
}

/// A reader that has read everything before the clock starts again.
fn fires_read<'a>(
    runtime: &'a Runtime,
    name: &str,
    runner: Arc<dyn HookRunner>,
    mut messages: Messages,
) -> Variant<'a> {
    Variant::new(name, FIRINGS, move || {
        let took = fire_all(runtime, &runner);
        while let Some(delivery) = messages.try_next() {
            drop(black_box(delivery));
        }
        took
    })
}

fn fires_unread<'a>(
    runtime: &'a Runtime,
    name: &str,
    runner: Arc<dyn HookRunner>,
    messages: Messages,
) -> Variant<'a> {
    Variant::new(name, FIRINGS, move || {
        let took = fire_all(runtime, &runner);
        black_box(&messages);
        took
    })
}
