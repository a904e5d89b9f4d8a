//! Who listens, from when to when.

use std::time::Duration;

use hook_runner::Fire;
use hook_types::Stop;

use crate::stage::{RING, call, delivered, missed, passes, read, reports, runner_of, words};

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
