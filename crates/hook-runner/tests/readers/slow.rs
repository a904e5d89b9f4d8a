//! What a slow reader misses.

use hook_runner::{Delivery, Fire, HookContext, hook_fn};
use hook_types::{Event, PreToolUse};
use serde_json::{Value, json};

use crate::stage::{
    RING, RING_BYTES, call, delivered, missed, passes, prints, read, reports, runner_of, text,
    words, written,
};

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
