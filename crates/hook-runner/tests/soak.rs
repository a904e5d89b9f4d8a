//! A session of a hundred thousand firings ends with the memory, the threads and the descriptors
//! of one of ten thousand.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::ops::Range;
use std::panic;
use std::time::Duration;

use hook_runner::{Fire, Fired, Group, HookSet, Runner, background, hook_fn};
use hook_types::{
    Event, Notification, NotificationType, PermissionRequest, PostToolUse, PreToolUse, Status, Stop,
};
use serde_json::json;
use test_support::{Counting, live};

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a session holds at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: usize,
    threads: Option<usize>,
    descriptors: Option<usize>,
}

/// How many entries a directory has, where the system keeps such books.
fn entries(directory: &str) -> Option<usize> {
    cfg!(target_os = "linux").then(|| std::fs::read_dir(directory).unwrap().count())
}

/// What the hook that panics says.
const FAULT: &str = "a hook's own fault";

/// Ten thousand backtraces tell nobody anything; any other panic is still heard.
fn silence_the_hook_that_panics() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some(FAULT) {
            loud(info);
        }
    }));
}

/// Hooks that end in every way that there is. Which one a firing meets, its event and its subject
/// say.
fn hooks() -> HookSet {
    HookSet::builder()
        .on("answers_*", |call: PreToolUse| {
            PreToolUse::allow().with_context(call.tool_name)
        })
        .on("denies_*", |_: PreToolUse| PreToolUse::deny("not here"))
        .on("rewrites_*", |call: PreToolUse| {
            PreToolUse::rewrite(json!({"command": call.tool_name}))
        })
        .on("fails_*", |_: PostToolUse| Err::<(), _>("no such linter"))
        .on("panics_*", |_: PostToolUse| -> () { panic!("{FAULT}") })
        .on("goes_on_*", |call: PostToolUse| {
            background(async move { PostToolUse::context(call.tool_name) })
        })
        .on(
            "",
            hook_fn(|_: PermissionRequest| std::future::pending::<()>())
                .timeout(Duration::from_secs(1)),
        )
        .group(
            Group::parallel()
                .on("", |_: Stop| Stop::keep_going("run the tests"))
                .on("", |_: Stop| Err::<(), _>("no such test")),
        )
        .on("", |_: Notification| ())
        .build()
        .unwrap()
}

/// What firings meet by turns, and how many hooks that is.
const TURNS: [(&str, usize); 10] = [
    ("answers", 1),
    ("denies", 1),
    ("rewrites", 1),
    ("matches_nothing", 0),
    ("fails", 1),
    ("panics", 1),
    ("goes_on", 1),
    ("takes too long", 1),
    ("keeps going, and fails", 2),
    ("has no opinion", 1),
];

/// The firing of that number. A tool call is about a tool that no other firing is about; names are
/// of one length from turn to turn, so that a later one weighs no more.
async fn fire(runner: &Runner, number: usize) -> Fired {
    let turn = number % TURNS.len();
    let (what, _) = TURNS[turn];
    let input = json!({"command": "ls"});
    match turn {
        0..=3 => {
            let event = PreToolUse::new(format!("{what}_{number:06}"), input);
            runner.fire(event).await.into_fired()
        }
        4..=6 => {
            let event = PostToolUse::new(format!("{what}_tool"), input, json!("ok"));
            runner.fire(event).await.into_fired()
        }
        7 => runner
            .fire(PermissionRequest::new("Bash", input))
            .await
            .into_fired(),
        8 => runner.fire(Stop::new(false)).await.into_fired(),
        _ => {
            let event = Notification::new("waiting", NotificationType::IdlePrompt);
            runner.fire(event).await.into_fired()
        }
    }
}

/// So many firings are about more tools than a set remembers for one event.
const FULL_TURN: usize = 3000;

/// Fires, and says what was held in the end: bytes at the fullest moment of the last full turn,
/// because a set forgets all tools at once when it has remembered enough.
async fn fire_all(runner: &Runner, numbers: Range<usize>) -> Held {
    let last_turn = numbers.end - FULL_TURN;
    let mut held = Held::default();
    for number in numbers {
        let fired = fire(runner, number).await;
        let (turn, hooks) = TURNS[number % TURNS.len()];
        assert_eq!(fired.attempts.len(), hooks, "{number}: {turn}");
        let mut statuses = fired.attempts.iter().map(|attempt| &attempt.reply.status);
        if statuses.any(|status| *status == Status::Background) {
            runner.late().await.unwrap();
        }
        if number >= last_turn {
            held.bytes = held.bytes.max(live());
        }
    }
    held.threads = entries("/proc/self/task");
    held.descriptors = entries("/proc/self/fd");
    held
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_firings_hold_no_more_than_ten_thousand() {
    // A reader that never reads: what waits for it is bounded, too.
    let (runner, _messages) = Runner::new(hooks()).with_messages();
    silence_the_hook_that_panics();
    let early = fire_all(&runner, 0..10_000).await;
    let late = fire_all(&runner, 10_000..100_000).await;

    assert!(
        early.bytes.abs_diff(late.bytes) < 64 * 1024,
        "{early:?} {late:?}"
    );
    assert_eq!(early.threads, late.threads);
    assert_eq!(early.descriptors, late.descriptors);
    assert_eq!(runner.in_background(), 0);

    // The books are kept: what is held is seen.
    let before = live();
    let ballast = vec![0_u8; 64 * 1024];
    assert_eq!(live() - before, ballast.len());
}
