//! Thousands of firings, 64 at a time, of hooks that end in every way there is, leave descriptors,
//! threads, children and memory as they were.
//!
//! Alone in its file, for it counts what belongs to the whole process. The short form runs by
//! default. In full, 20,000 firings:
//!
//! ```sh
//! FIRINGS=20000 cargo test --release -p hook-shell --test soak -- --nocapture
//! ```

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hook_runner::{Cancellation, Fired, Group, Hook, HookRunner, HookSet, Policy, Runner, Wait};
use hook_types::{EventName, HookEvent, PreToolUse, SessionStart};
use serde_json::json;
use support::{AMPLE, DENY, Fixture, millis, only, temporary_files};
use test_support::{Counting, children, descriptors, live, threads};

mod support;

#[global_allocator]
static COUNTING: Counting = Counting;

const AT_ONCE: usize = 64;
/// What chance may hold at one moment more than at another.
const SLACK: usize = 128 * 1024;

/// What firings meet by turns: a name, what the hook does, and how it ends.
const KINDS: [(&str, &str, &str); 16] = [
    ("answers", "", "answered"),
    ("blocks", "echo no >&2; exit 2", "blocked"),
    ("says_nothing", "cat > /dev/null", "no_opinion"),
    ("fails", "exit 7", "failed"),
    ("is_missing", "./no-such-hook", "failed"),
    ("crashes", "kill -KILL $$", "crashed"),
    ("babbles", "echo '{broken}'", "bad_output"),
    (
        "floods",
        "head -c 3000000 /dev/zero | tr '\\0' x",
        "no_opinion",
    ),
    ("reads_none_of_much", "exit 2", "blocked"),
    ("takes_too_long", "sleep 300; true", "timed_out"),
    (
        "hides",
        "setsid sleep 300 & (setsid sleep 300 &) ; sleep 300",
        "timed_out",
    ),
    (
        "will_not_end",
        "trap '' TERM; sleep 300; sleep 300",
        "timed_out",
    ),
    ("leaves", "sleep 3 & exit 2", "blocked"),
    ("is_cancelled", "setsid sleep 300 & sleep 300", "cancelled"),
    ("is_dropped", "setsid sleep 300 & sleep 300", ""),
    (
        "goes_on",
        "echo '{\"async\":true}'; sleep 0.1; echo '{}'",
        "background",
    ),
];

fn hooks(fixture: &Fixture) -> HookSet {
    let group = KINDS
        .iter()
        .fold(Group::parallel(), |group, (name, script, end)| {
            let script = if script.is_empty() {
                format!("echo '{DENY}'")
            } else {
                (*script).to_owned()
            };
            let hook = fixture.hook(&script).grace(millis(50));
            let hook = if *end == "timed_out" {
                hook.timeout(millis(100))
            } else {
                hook.timeout(AMPLE * 4)
            };
            group.handler::<PreToolUse>(name, hook)
        });
    let start = fixture.hook("echo export A=1 > \"$CLAUDE_ENV_FILE\"");
    let start = Hook::new(EventName::SessionStart, start).wait(Wait::Background);
    HookSet::builder().group(group.hook(start)).build().unwrap()
}

/// Fires an event whose turn is cancelled soon.
async fn cancelled(runner: &Runner, event: HookEvent) -> Fired {
    let until = Cancellation::new();
    let cancelling = async {
        tokio::time::sleep(millis(20)).await;
        until.cancel();
    };
    let firing = runner.fire_until(event, Some(until.clone()));
    tokio::join!(firing, cancelling).0
}

/// Fires an event, and lets go of it soon.
async fn dropped(runner: &Runner, event: HookEvent) {
    let firing = runner.fire_event(event);
    assert!(tokio::time::timeout(millis(20), firing).await.is_err());
}

/// Starts a hook in the background that exports something.
async fn start(runner: &Runner) {
    let start = HookEvent::from(SessionStart::new("startup"));
    let started = runner.fire_event(start).await;
    assert_eq!(only(&started).reply.status.word(), "background");
}

async fn fire(runner: &Runner, number: usize) {
    let (name, _, end) = KINDS[number % KINDS.len()];
    let bytes = if name == "reads_none_of_much" {
        1 << 20
    } else {
        10
    };
    let input = json!({ "content": "x".repeat(bytes) });
    let event = HookEvent::from(PreToolUse::new(name, input));
    let fired = match name {
        "is_cancelled" => cancelled(runner, event).await,
        "is_dropped" => return dropped(runner, event).await,
        "goes_on" => {
            start(runner).await;
            runner.fire_event(event).await
        }
        _ => runner.fire_event(event).await,
    };
    assert_eq!(only(&fired).reply.status.word(), end, "{name}: {fired:?}");
}

/// A whole session of so many firings.
fn session(fixture: &Arc<Fixture>, firings: usize) {
    let runtime = support::runtime();
    runtime.block_on(async {
        let mut policy = Policy::default();
        policy.in_background = 2 * AT_ONCE;
        let runner = Runner::with(hooks(fixture), fixture.session(), policy);
        let next = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (runner, next) = (runner.clone(), Arc::clone(&next));
                tokio::spawn(async move {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= firings {
                            return;
                        }
                        fire(&runner, number).await;
                        drop(runner.take_finished());
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.unwrap();
        }
        runner.close(Duration::ZERO).await;
        assert_eq!(runner.in_background(), 0);
        assert_eq!(fixture.strays(), [0; 0]);
    });
}

fn counts() -> (usize, usize, usize) {
    (descriptors(), threads(), children().len())
}

/// Waits until something holds, or for long.
fn wait_for(holds: impl Fn() -> bool) {
    let clock = Instant::now();
    while !holds() && clock.elapsed() < AMPLE {
        std::thread::sleep(millis(10));
    }
}

/// What the process holds before anything was fired. The first runtime of a process opens a pipe
/// for signals that stays; its threads are still listed for a moment when it is gone.
fn at_rest() -> (usize, usize, usize) {
    let before = threads();
    drop(support::runtime());
    wait_for(|| threads() == before);
    assert_eq!(threads(), before, "threads of a runtime that is gone");
    counts()
}

/// What the process holds, once the thread that kills has had its last round.
fn held(wanted: (usize, usize, usize)) -> (usize, usize, usize) {
    wait_for(|| counts() == wanted);
    counts()
}

#[test]
fn many_firings_leave_descriptors_threads_and_memory_as_they_were() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a longer run is asked for by hand"
    )]
    let firings = std::env::var("FIRINGS").map_or(384, |firings| firings.parse().unwrap());
    let before = at_rest();
    let fixture = Arc::new(Fixture::new());
    session(&fixture, AT_ONCE);
    assert_eq!(held(before), before, "descriptors, threads, children");

    let bytes = live();
    session(&fixture, firings);
    assert_eq!(held(before), before, "descriptors, threads, children");
    let grown = live().saturating_sub(bytes);
    assert!(grown < SLACK, "{grown} bytes more");
    assert_eq!(temporary_files().len(), 0, "{:?}", temporary_files());

    // The books are kept: what is held is seen.
    let bytes = live();
    let ballast = vec![0_u8; SLACK];
    assert_eq!(live() - bytes, ballast.len());
}
