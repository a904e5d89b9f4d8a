//! The event stream, from the reader's end: what comes, in which order, and what a slow reader
//! misses.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{
    Delivery, Description, Fire, Group, Handler, Hook, HookContext, HookSet, Input, Messages,
    Runner, Session, Sink, background, blocking_fn, hook_fn,
};
use hook_types::message::RunOutcome;
use hook_types::{
    Base, Event, EventName, HookKind, Message, PostToolUse, PreToolUse, Reply, SkipReason, Status,
    Stop,
};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};

/// What the ring of one reader holds: messages, and bytes of text.
const RING: usize = 4096;
const RING_BYTES: usize = 8 * 1024 * 1024;

// ===== what the tests share =====

fn call() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "ls"}))
}

fn runner_of(hooks: impl IntoIterator<Item = Hook>) -> Runner {
    let group = hooks.into_iter().fold(Group::sequential(), Group::hook);
    Runner::new(HookSet::builder().group(group).build().unwrap())
}

/// A hook that has no opinion.
fn passes() -> Hook {
    hook_fn(|_: PreToolUse| PreToolUse::pass())
}

/// A hook that reports its progress so many times.
fn reports(times: usize) -> Hook {
    hook_fn(move |_: PreToolUse, context: HookContext| {
        for time in 1..=times {
            context.progress(&format!("{time} done"), "");
        }
    })
}

/// A handler that hands back what it was told to.
struct Says(Reply);

#[async_trait]
impl Handler for Says {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        self.0.clone()
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("test".into()), "says what it was told to")
    }
}

fn says(reply: Reply) -> Hook {
    Hook::new(EventName::PreToolUse, Says(reply))
}

/// A hook that has printed so many bytes.
fn prints(bytes: usize) -> Hook {
    let mut reply = Reply::no_opinion();
    reply.evidence.stdout = "x".repeat(bytes);
    says(reply)
}

/// Everything that waits for a reader, now.
fn read(messages: &mut Messages) -> Vec<Delivery> {
    std::iter::from_fn(|| messages.try_next()).collect()
}

/// What a message is, in a word.
fn word(message: &Message) -> &'static str {
    match message {
        Message::Started(_) => "started",
        Message::Progress(_) => "progress",
        Message::Response(_) => "response",
        Message::Verdict(_) => "verdict",
        _ => "something new",
    }
}

/// What was read, in a word each.
fn words(deliveries: &[Delivery]) -> Vec<&'static str> {
    let word = |delivery: &Delivery| match delivery {
        Delivery::Message(message) => word(message),
        Delivery::Missed { .. } | _ => "missed",
    };
    deliveries.iter().map(word).collect()
}

fn written(delivery: &Delivery) -> Value {
    match delivery {
        Delivery::Message(message) => serde_json::to_value(message).unwrap(),
        other @ (Delivery::Missed { .. } | _) => panic!("not a message: {other:?}"),
    }
}

/// How many messages and how many reports of progress the reader was told that it missed.
fn missed(deliveries: &[Delivery]) -> (u64, u64) {
    deliveries
        .iter()
        .fold((0, 0), |sum, delivery| match delivery {
            Delivery::Missed { messages, progress } => (sum.0 + messages, sum.1 + progress),
            Delivery::Message(_) | _ => sum,
        })
}

fn delivered(deliveries: &[Delivery]) -> u64 {
    let messages = deliveries
        .iter()
        .filter(|delivery| matches!(delivery, Delivery::Message(_)));
    messages.count() as u64
}

/// The text that was kept for the reader.
fn text(deliveries: &[Delivery]) -> usize {
    let messages = deliveries
        .iter()
        .filter(|delivery| matches!(delivery, Delivery::Message(_)));
    messages
        .map(|message| written(message).to_string().len())
        .sum()
}

// ===== order =====

#[tokio::test]
async fn readers_in_the_process_learn_which_hook_it_is_and_the_wire_stays_as_published() {
    let (runner, mut messages) = runner_of([passes().id("guard")]).with_messages();
    runner.fire(call()).await;
    let Some(Delivery::Message(message)) = messages.try_next() else {
        panic!("a hook started")
    };
    let Message::Started(started) = &*message else {
        panic!("{message:?}")
    };
    assert_eq!(started.hook.registered, Some("guard".into()));
    let wire = serde_json::to_value(&message).unwrap();
    assert_eq!(wire.as_object().unwrap().len(), 7, "{wire}");
}

#[tokio::test]
async fn a_hook_is_started_then_progresses_then_responds_and_the_verdict_comes_last() {
    let (runner, mut messages) =
        runner_of([hook_fn(|_: PreToolUse, context: HookContext| async move {
            context.progress("half", "");
            tokio::task::yield_now().await;
            PreToolUse::deny("no")
        })])
        .with_messages();
    runner.fire(call()).await;
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "progress", "response", "verdict"]);

    let runs: BTreeSet<String> = read[..3]
        .iter()
        .map(|delivery| written(delivery)["hook_id"].to_string())
        .collect();
    assert_eq!(runs.len(), 1, "one id ties the run together");
}

#[tokio::test]
async fn a_reader_that_keeps_up_gets_every_report_of_progress() {
    let (runner, mut messages) =
        runner_of([hook_fn(|_: PreToolUse, context: HookContext| async move {
            for step in ["a", "ab", "abc"] {
                context.progress(step, "!");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })])
        .with_messages();
    let reading = tokio::spawn(async move {
        let mut outputs = Vec::new();
        while let Some(delivery) = messages.next().await {
            if let Some(output) = written(&delivery).get("output") {
                outputs.push(output.clone());
            }
        }
        outputs
    });
    runner.fire(call()).await;
    drop(runner);
    assert_eq!(reading.await.unwrap(), ["a!", "ab!", "abc!", ""]);
}

#[tokio::test(start_paused = true)]
async fn the_verdict_comes_after_all_responses_and_before_fire_returns() {
    let slow = |seconds: u64| {
        hook_fn(move |_: PreToolUse| tokio::time::sleep(Duration::from_secs(seconds)))
    };
    let group = [3, 1, 2]
        .into_iter()
        .map(slow)
        .fold(Group::parallel(), Group::hook);
    let hooks = HookSet::builder().group(group).build().unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.fire(call()).await;
    // Nothing is awaited between the verdict and this.
    assert_eq!(
        words(&read(&mut messages)),
        [
            "started", "started", "started", "response", "response", "response", "verdict"
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_holds_for_every_hook_when_many_fire_at_once() {
    let (runner, mut messages) = runner_of([
        reports(3),
        hook_fn(|_: PreToolUse, context: HookContext| async move {
            context.progress("waits", "");
            tokio::task::yield_now().await;
        }),
    ])
    .with_messages();
    let firings: Vec<_> = (0..200)
        .map(|_| {
            let runner = runner.clone();
            tokio::spawn(async move { runner.fire(call()).await.attempts.len() })
        })
        .collect();
    for firing in firings {
        assert_eq!(firing.await.unwrap(), 2);
    }

    let mut runs: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for delivery in read(&mut messages) {
        if let Some(run) = written(&delivery).get("hook_id") {
            runs.entry(run.to_string())
                .or_default()
                .extend(words(&[delivery]));
        }
    }
    assert_eq!(runs.len(), 400);
    for (run, words) in runs {
        assert_eq!(words, ["started", "progress", "response"], "{run}");
    }
}

#[tokio::test]
async fn a_background_hook_responds_once_at_its_end() {
    let (gate, opened) = tokio::sync::oneshot::channel::<()>();
    let opened = Mutex::new(Some(opened));
    let (runner, mut messages) =
        runner_of([hook_fn(move |_: PreToolUse, context: HookContext| {
            let opened = opened.lock().unwrap().take().unwrap();
            background(async move {
                opened.await.unwrap();
                context.progress("nearly", "");
            })
        })])
        .with_messages();

    runner.fire(call()).await;
    assert_eq!(words(&read(&mut messages)), ["started", "verdict"]);
    gate.send(()).unwrap();
    runner.late().await.unwrap();
    let late = read(&mut messages);
    assert_eq!(words(&late), ["progress", "response"]);
    assert_eq!(written(&late[1])["outcome"], "success");

    runner.close(Duration::ZERO).await;
    drop(runner);
    assert_eq!(messages.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_background_hook_that_is_ended_with_the_session_responds_as_cancelled() {
    let (runner, mut messages) = runner_of([hook_fn(|_: PreToolUse| {
        background(std::future::pending::<()>())
    })])
    .with_messages();
    runner.fire(call()).await;
    runner.close(Duration::from_millis(10)).await;
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "verdict", "response"]);
    assert_eq!(written(&read[2])["outcome"], "cancelled");
}

#[tokio::test]
async fn a_background_hook_whose_runner_is_dropped_responds_as_cancelled() {
    let (runner, mut messages) = runner_of([hook_fn(|_: PreToolUse| {
        background(std::future::pending::<()>())
    })])
    .with_messages();
    runner.fire(call()).await;
    assert_eq!(words(&read(&mut messages)), ["started", "verdict"]);
    drop(runner);
    let last = messages.next().await.unwrap();
    assert_eq!(written(&last)["outcome"], "cancelled");
    assert_eq!(messages.next().await, None);
}

#[tokio::test]
async fn a_hook_whose_firing_is_dropped_responds_as_cancelled() {
    let (runner, mut messages) =
        runner_of([hook_fn(|_: PreToolUse, context: HookContext| async move {
            context.progress("so far", "");
            std::future::pending::<()>().await;
        })])
        .with_messages();
    {
        let mut firing = std::pin::pin!(runner.fire(call()));
        let first = std::future::poll_fn(|task| {
            std::task::Poll::Ready(firing.as_mut().poll(task).is_pending())
        });
        assert!(first.await);
    }
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "progress", "response"]);
    assert_eq!(written(&read[2])["outcome"], "cancelled");
}

#[tokio::test]
async fn a_hook_that_has_responded_progresses_no_more() {
    let (kept, keep) = std::sync::mpsc::channel::<HookContext>();
    let (runner, mut messages) =
        runner_of([hook_fn(move |_: PreToolUse, context: HookContext| {
            context.progress("in time", "");
            kept.send(context).unwrap();
        })])
        .with_messages();
    runner.fire(call()).await;
    assert_eq!(
        words(&read(&mut messages)),
        ["started", "progress", "response", "verdict"]
    );
    keep.recv().unwrap().progress("too late", "");
    assert_eq!(messages.try_next(), None);
}

#[tokio::test]
async fn a_thread_that_is_abandoned_progresses_no_more() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (done, finished) = tokio::sync::oneshot::channel::<()>();
    let ends = Mutex::new(Some((wait, done)));
    let (runner, mut messages) =
        runner_of([blocking_fn(move |_: PreToolUse, context: HookContext| {
            let (wait, done) = ends.lock().unwrap().take().unwrap();
            wait.recv().unwrap();
            context.progress("too late", "");
            done.send(()).unwrap();
        })
        .timeout(Duration::from_millis(20))])
        .with_messages();
    assert!(runner.fire(call()).await.attempts[0].timed_out());
    go.send(()).unwrap();
    finished.await.unwrap();
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "response", "verdict"]);
    assert_eq!(written(&read[1])["outcome"], "cancelled");
}

#[tokio::test]
async fn a_thread_that_is_abandoned_does_not_keep_the_stream_open() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(Some(wait));
    let (runner, mut messages) =
        runner_of([blocking_fn(move |_: PreToolUse, context: HookContext| {
            let wait = wait.lock().unwrap().take().unwrap();
            let _ = wait.recv();
            drop(context);
        })
        .timeout(Duration::from_millis(20))])
        .with_messages();
    assert!(runner.fire(call()).await.attempts[0].timed_out());
    drop(runner);
    // The thread still holds its context, and the reader gets to the end all the same.
    let mut read = 0;
    let end = tokio::time::timeout(Duration::from_secs(30), async {
        while messages.next().await.is_some() {
            read += 1;
        }
    });
    end.await.unwrap();
    assert_eq!(read, 3);
    go.send(()).unwrap();
}

// ===== what is said =====

/// The stream's word for each status of a hook that has ended. A new status asks for its word here.
fn outcome_of(status: &Status) -> Option<&'static str> {
    match status {
        Status::Answered | Status::NoOpinion | Status::Blocked { .. } => Some("success"),
        Status::TimedOut { .. } | Status::Cancelled => Some("cancelled"),
        Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_) => Some("error"),
        Status::Background | Status::Skipped(_) => None,
    }
}

#[tokio::test]
async fn every_status_of_a_hook_that_has_ended_has_its_outcome() {
    let statuses = [
        Status::Answered,
        Status::NoOpinion,
        Status::Blocked { exit_code: 2 },
        Status::LaunchFailed("no such file".into()),
        Status::Crashed { signal: 11 },
        Status::Failed("exit code 1".into()),
        Status::BadOutput("not JSON".into()),
        Status::TimedOut {
            limit: Duration::from_secs(1),
        },
        Status::Cancelled,
    ];
    for status in statuses {
        let (runner, mut messages) =
            runner_of([says(Reply::with_status(status.clone()))]).with_messages();
        runner.fire(call()).await;
        let read = read(&mut messages);
        assert_eq!(
            words(&read),
            ["started", "response", "verdict"],
            "{status:?}"
        );
        let expected = outcome_of(&status).unwrap();
        assert_eq!(written(&read[1])["outcome"], expected, "{status:?}");
    }
    assert_eq!(RunOutcome::of(&Status::Background), None);
    assert_eq!(RunOutcome::of(&Status::Skipped(SkipReason::Disabled)), None);
}

#[tokio::test]
async fn a_panic_and_an_error_are_errors_and_a_timeout_is_cancelled() {
    let (runner, mut messages) = runner_of([
        hook_fn(|_: PreToolUse| -> () { panic!("a hook's own fault") }),
        hook_fn(|_: PreToolUse| Err::<(), _>("no such linter")),
        hook_fn(|_: PreToolUse| std::future::pending::<()>()).timeout(Duration::from_millis(5)),
        hook_fn(|_: PreToolUse| ()),
    ])
    .with_messages();
    runner.fire(call()).await;
    let outcomes: Vec<Value> = read(&mut messages)
        .iter()
        .filter_map(|delivery| written(delivery).get("outcome").cloned())
        .collect();
    assert_eq!(outcomes, ["error", "error", "cancelled", "success"]);
}

#[tokio::test]
async fn a_skipped_hook_sends_nothing() {
    let (runner, mut messages) = runner_of([
        passes().enabled(false),
        hook_fn(|_: PreToolUse| PreToolUse::pass().and_stop_agent("enough")),
        passes(),
    ])
    .with_messages();
    let verdict = runner.fire(call()).await;
    assert_eq!(verdict.attempts.len(), 3);
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "response", "verdict"]);
    assert_eq!(written(&read[2])["hooks"], 1);
}

#[tokio::test]
async fn a_firing_that_no_hook_matches_sends_nothing() {
    let hooks = HookSet::builder()
        .on("Write", |_: PreToolUse| ())
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.fire(call()).await;
    runner.fire(Stop::new(false)).await;
    assert_eq!(messages.try_next(), None);
}

#[tokio::test]
async fn messages_have_exactly_the_published_fields() {
    let mut reply = Reply::with_status(Status::Blocked { exit_code: 2 });
    reply.output = PreToolUse::deny("not here").into_output();
    reply.evidence.stdout = "out".into();
    reply.evidence.stderr = "err".into();
    reply.evidence.exit_code = Some(2);
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .hook(reports(1))
                .hook(says(reply).id("guard")),
        )
        .build()
        .unwrap();
    let session = Session::new(Base::new("s-1", "", ""));
    let (runner, mut messages) =
        Runner::with(hooks, session, hook_runner::Policy::default()).with_messages();
    runner.fire(call()).await;
    let mut read: Vec<Value> = read(&mut messages).iter().map(written).collect();

    let runs: Vec<Value> = read
        .iter()
        .map(|message| message["hook_id"].clone())
        .collect();
    let mut last = String::new();
    for message in &mut read {
        let id = message["uuid"].as_str().unwrap().to_owned();
        assert_eq!(id.len(), 36, "{id}");
        assert!(
            last < id,
            "every message has an id of its own, and a later one sorts later"
        );
        last = id;
        message.as_object_mut().unwrap().shift_remove("uuid");
        message.as_object_mut().unwrap().shift_remove("hook_id");
    }
    let made_of = read[5].as_object_mut().unwrap().shift_remove("runs");
    let of = |subtype: &str| {
        json!({"type": "system", "subtype": subtype, "session_id": "s-1",
               "hook_name": "PreToolUse:Bash", "hook_event": "PreToolUse"})
    };
    let and = |mut message: Value, more: Value| {
        let Value::Object(more) = more else {
            panic!("{more}")
        };
        message.as_object_mut().unwrap().extend(more);
        message
    };
    assert_eq!(
        read,
        [
            of("hook_started"),
            and(
                of("hook_progress"),
                json!({"stdout": "1 done", "stderr": "", "output": "1 done"})
            ),
            and(
                of("hook_response"),
                json!({"output": "", "stdout": "", "stderr": "", "outcome": "success"}),
            ),
            of("hook_started"),
            and(
                of("hook_response"),
                json!({"output": "outerr", "stdout": "out", "stderr": "err", "exit_code": 2,
                       "outcome": "success"}),
            ),
            and(
                of("hook_verdict"),
                json!({"decision": "deny", "reason": "not here", "decided_by": "guard",
                       "cause": "exit_code", "continue": true, "stop_reason": null, "hooks": 2}),
            ),
        ]
    );
    assert!(runs[..5].iter().all(Value::is_string));
    assert_eq!(
        (&runs[0], &runs[1], &runs[3]),
        (&runs[1], &runs[2], &runs[4])
    );
    assert_ne!(runs[0], runs[3], "two runs have two ids");
    assert_eq!(runs[5], Value::Null, "a verdict is about no one run");
    let mut made_of = made_of.unwrap();
    for run in made_of.as_array_mut().unwrap() {
        let took = run.as_object_mut().unwrap().shift_remove("duration_us");
        assert!(took.unwrap().is_u64());
    }
    assert_eq!(
        made_of[1],
        json!({"hook_id": runs[3], "hook": "guard", "status": "blocked"})
    );
    assert_eq!(
        (&made_of[0]["hook_id"], &made_of[0]["status"]),
        (&runs[0], &json!("no_opinion")),
        "it says which runs it was made of"
    );
}

#[tokio::test]
async fn a_hook_is_named_after_its_event_and_subject() {
    let hooks = HookSet::builder()
        .on("", |_: PostToolUse| ())
        .on("", |_: Stop| ())
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner
        .fire(PostToolUse::new("mcp__disk__read", json!({}), json!("ok")))
        .await;
    runner.fire(Stop::new(false)).await;
    let names: Vec<Value> = read(&mut messages)
        .iter()
        .map(|delivery| written(delivery)["hook_name"].clone())
        .collect();
    assert_eq!(names[..3], ["PostToolUse:mcp__disk__read"; 3]);
    assert_eq!(names[3..], ["Stop"; 3]);
}

// ===== what a slow reader misses =====

#[tokio::test]
async fn the_ring_drops_the_oldest_and_tells_how_many_of_each() {
    let (runner, mut messages) = runner_of([reports(1)]).with_messages();
    // Three messages and a report of progress each.
    let firings = 2000_u64;
    for _ in 0..firings {
        runner.fire(call()).await;
    }
    let read = read(&mut messages);
    let Delivery::Missed { messages, progress } = read[0] else {
        panic!("told first: {:?}", read[0]);
    };
    let ring = RING as u64;
    assert_eq!(messages, 3 * firings - ring);
    // Of the oldest firing that is left only its verdict was kept: 4,096 is one more than a
    // multiple of three. Its progress is gone with its start and its response.
    assert_eq!(progress, firings - ring / 3);
    assert_eq!(
        words(&read[1..6]),
        ["verdict", "started", "progress", "response", "verdict"]
    );
    assert_eq!(delivered(&read), ring + ring / 3);
    assert_eq!(missed(&read[1..]), (0, 0), "told once");
}

#[tokio::test]
async fn a_ring_that_is_just_full_has_missed_nothing() {
    let (runner, mut messages) = runner_of([passes()]).with_messages();
    for _ in 0..RING / 3 {
        runner.fire(call()).await;
    }
    let all = read(&mut messages);
    assert_eq!((missed(&all), all.len()), ((0, 0), RING / 3 * 3));
}

#[tokio::test]
async fn progress_that_is_not_read_in_time_is_replaced_by_the_newest() {
    let (runner, mut messages) = runner_of([reports(10_000)]).with_messages();
    runner.fire(call()).await;
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "progress", "response", "verdict"]);
    assert_eq!(written(&read[1])["stdout"], "10000 done");
}

#[tokio::test]
async fn progress_is_replaced_for_each_run_by_itself() {
    let (runner, mut messages) = runner_of([reports(2), reports(5)]).with_messages();
    runner.fire(call()).await;
    let reports: Vec<Value> = read(&mut messages)
        .iter()
        .map(written)
        .filter(|message| message["subtype"] == "hook_progress")
        .map(|message| message["stdout"].clone())
        .collect();
    assert_eq!(reports, ["2 done", "5 done"]);
}

#[tokio::test]
async fn a_reader_that_never_reads_is_kept_no_more_than_eight_mebibytes_of_output() {
    let (runner, mut messages) = runner_of([prints(1024 * 1024)]).with_messages();
    for _ in 0..40 {
        runner.fire(call()).await;
    }
    let read = read(&mut messages);
    assert!(text(&read) <= RING_BYTES + 64 * 1024, "{}", text(&read));
    assert_eq!(missed(&read).0 + delivered(&read), 3 * 40);
    assert_eq!(
        words(&read)[read.len() - 2..],
        ["response", "verdict"],
        "the newest are kept"
    );
}

#[tokio::test]
async fn long_reasons_and_long_names_count_as_well() {
    let long = "x".repeat(16 * 1024);
    let reason = long.clone();
    let (runner, mut messages) = runner_of([hook_fn(move |_: PreToolUse| {
        PreToolUse::deny(reason.clone()).and_stop_agent(reason.clone())
    })])
    .with_messages();
    let firings = 500;
    for _ in 0..firings {
        runner.fire(PreToolUse::new(long.clone(), json!({}))).await;
    }
    let read = read(&mut messages);
    assert!(
        text(&read) <= RING_BYTES + RING_BYTES / 8,
        "{}",
        text(&read)
    );
    assert_eq!(missed(&read).0 + delivered(&read), 3 * firings);
}

#[tokio::test]
async fn a_message_that_is_too_large_by_itself_is_kept_until_the_next() {
    let (runner, mut messages) = runner_of([prints(2 * RING_BYTES)]).with_messages();
    runner.fire(call()).await;
    let read = read(&mut messages);
    assert_eq!(missed(&read), (2, 0), "the start and the response");
    assert_eq!(words(&read), ["missed", "verdict"]);
}

#[tokio::test]
async fn large_progress_is_bounded_and_counted_as_progress() {
    let report = "x".repeat(1024 * 1024);
    let (runner, mut messages) =
        runner_of([hook_fn(move |_: PreToolUse, context: HookContext| {
            context.progress(&report, "");
        })])
        .with_messages();
    for _ in 0..40 {
        runner.fire(call()).await;
    }
    let read = read(&mut messages);
    let (messages_missed, progress_missed) = missed(&read);
    assert!(text(&read) <= RING_BYTES + 64 * 1024, "{}", text(&read));
    assert!(progress_missed >= 36, "{progress_missed}");
    assert_eq!(messages_missed + progress_missed + delivered(&read), 4 * 40);
}

// ===== who listens =====

#[tokio::test]
async fn two_readers_do_not_take_from_each_other() {
    let (runner, mut eager) = runner_of([passes()]).with_messages();
    let mut lazy = runner.messages();
    let firings = 2000;
    for _ in 0..firings {
        runner.fire(call()).await;
        assert_eq!(words(&read(&mut eager)), ["started", "response", "verdict"]);
    }
    let lazy = read(&mut lazy);
    assert_eq!(delivered(&lazy), RING as u64);
    assert_eq!(missed(&lazy), (3 * firings - RING as u64, 0));
}

#[tokio::test]
async fn two_readers_are_told_the_same() {
    let (runner, mut one) = runner_of([reports(1)]).with_messages();
    let mut other = runner.messages();
    runner.fire(call()).await;
    let one = read(&mut one);
    assert_eq!(one.len(), 4);
    assert_eq!(one, read(&mut other));
}

#[tokio::test]
async fn a_late_reader_sees_only_what_comes_after() {
    let (runner, mut early) = runner_of([passes()]).with_messages();
    runner.fire(call()).await;
    let mut late = runner.messages();
    assert_eq!(late.try_next(), None);
    runner.fire(Stop::new(false)).await;
    runner.fire(call()).await;
    let all = read(&mut early);
    assert_eq!(all.len(), 6);
    assert_eq!(read(&mut late), all[3..]);
}

#[tokio::test]
async fn a_reader_that_is_dropped_is_not_missed_by_the_others() {
    let (runner, dropped) = runner_of([reports(1)]).with_messages();
    let mut stays = runner.messages();
    drop(dropped);
    for _ in 0..3 {
        runner.fire(call()).await;
        assert_eq!(read(&mut stays).len(), 4);
    }
    drop(stays);
    runner.fire(call()).await;
    let mut new = runner.messages();
    runner.fire(call()).await;
    assert_eq!(read(&mut new).len(), 4);
}

#[tokio::test]
async fn reading_ends_once_the_runner_is_gone_and_everything_is_read() {
    let (runner, mut messages) = runner_of([passes()]).with_messages();
    runner.fire(call()).await;
    drop(runner);
    let mut read = Vec::new();
    while let Some(delivery) = messages.next().await {
        read.push(delivery);
    }
    assert_eq!(words(&read), ["started", "response", "verdict"]);
    assert_eq!(messages.next().await, None);
}

#[tokio::test]
async fn a_reader_that_waits_is_woken_by_a_message_and_by_the_end() {
    let (runner, mut messages) = runner_of([passes()]).with_messages();
    let reading = tokio::spawn(async move {
        let mut read = Vec::new();
        while let Some(delivery) = messages.next().await {
            read.push(delivery);
        }
        read
    });
    tokio::task::yield_now().await;
    runner.fire(call()).await;
    tokio::task::yield_now().await;
    drop(runner);
    assert_eq!(
        words(&reading.await.unwrap()),
        ["started", "response", "verdict"]
    );
}

#[tokio::test]
async fn reading_goes_on_while_a_clone_of_the_runner_is_left() {
    let (runner, mut messages) = runner_of([passes()]).with_messages();
    let clone = runner.clone();
    drop(runner);
    let waits = tokio::time::timeout(Duration::from_millis(10), messages.next());
    assert!(waits.await.is_err());
    clone.fire(call()).await;
    assert_eq!(read(&mut messages).len(), 3);
}

// ===== sinks =====

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

// ===== tracing =====

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
