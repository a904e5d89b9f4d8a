//! A set of hooks is replaced while other threads fire: each firing runs one set or the other, whole.
//!
//! Small enough for Miri, which runs it with weak memory and looks for data races
//! (`docs/reliability.md` has the command).

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::atomic::{AtomicBool, Ordering};

use hook_runner::{Fire, HookRunner, HookSet, Runner};
use hook_types::{Event, EventName, PreToolUse};
use serde_json::json;

/// How often the set is replaced, and who fires meanwhile.
const SWAPS: usize = if cfg!(miri) { 6 } else { 500 };
const THREADS: usize = if cfg!(miri) { 2 } else { 4 };

/// Two hooks that both say the same word.
fn saying(word: &'static str) -> HookSet {
    HookSet::builder()
        .on("Bash", move |_: PreToolUse| PreToolUse::context(word))
        .on("Bash", move |_: PreToolUse| PreToolUse::context(word))
        .build()
        .unwrap()
}

/// What one firing was told.
fn told(runtime: &tokio::runtime::Runtime, runner: &Runner) -> Vec<String> {
    let verdict = runtime.block_on(runner.fire(PreToolUse::new("Bash", json!({}))));
    let context = &verdict.outcome.additional_context;
    context.iter().map(|said| said.text.clone()).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
}

#[test]
fn every_firing_runs_one_set_whole_while_others_replace_it() {
    let runner = Runner::new(saying("old"));
    let is_over = AtomicBool::new(false);
    let fires = || {
        let runtime = runtime();
        let mut seen = Vec::new();
        while !is_over.load(Ordering::Relaxed) || seen.is_empty() {
            let words = told(&runtime, &runner);
            assert!(
                words == ["old", "old"] || words == ["new", "new"],
                "{words:?}"
            );
            assert!(runner.listens(EventName::PreToolUse));
            seen.push(words);
        }
        seen.len()
    };
    std::thread::scope(|scope| {
        let firing: Vec<_> = (0..THREADS).map(|_| scope.spawn(fires)).collect();
        for swap in 0..SWAPS {
            runner.replace(saying(if swap % 2 == 0 { "new" } else { "old" }));
            std::thread::yield_now();
        }
        runner.replace(saying("new"));
        is_over.store(true, Ordering::Relaxed);
        for thread in firing {
            assert!(thread.join().unwrap() > 0);
        }
    });
    assert_eq!(told(&runtime(), &runner), ["new", "new"]);
}

#[test]
fn whoever_asks_after_a_replacement_is_told_of_the_new_set() {
    let runner = Runner::new(HookSet::empty());
    std::thread::scope(|scope| {
        scope
            .spawn(|| runner.replace(saying("new")))
            .join()
            .unwrap();
        scope
            .spawn(|| assert_eq!(told(&runtime(), &runner), ["new", "new"]))
            .join()
            .unwrap();
    });
    runner.replace(HookSet::empty());
    assert!(!runner.listens(EventName::PreToolUse));
}
