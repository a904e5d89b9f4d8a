//! What comes in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use hook_runner::{
    Delivery, Fire, Group, HookContext, HookSet, Runner, background, blocking_fn, hook_fn,
};
use hook_types::{Event, Message, PreToolUse};

use crate::stage::{call, passes, read, reports, runner_of, words, written};

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
