//! What happens to hooks when nobody waits for them any more.

mod support;

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use hook_runner::{
    Cancellation, Fire, Group, HookContext, HookSet, Runner, Wait, blocking_fn, hook_fn,
};
use hook_types::{Code, Event, EventName, PreToolUse, Reply, Status, Stop};
use support::{Counter, Fixed, Guard, bash, read_all, runner_of, scripted, secs, subtypes, words};
use tokio::time::{Instant, sleep, timeout};

#[tokio::test(start_paused = true)]
async fn dropping_a_firing_drops_the_futures_of_its_hooks() {
    let (guard, dropped) = Guard::new();
    let guard = Mutex::new(Some(guard));
    let started = Counter::default();
    let count = started.clone();
    let runner = runner_of(hook_fn(move |_: Stop| {
        let guard = guard.lock().unwrap().take();
        count.add();
        async move {
            sleep(secs(3_600)).await;
            drop(guard);
        }
    }));
    let firing = timeout(secs(5), runner.fire(Stop::new(false)));
    assert!(firing.await.is_err(), "it was dropped");
    assert_eq!(started.get(), 1);
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn dropping_a_firing_starts_no_further_hook_of_a_sequential_group() {
    let second = Fixed::new(Reply::no_opinion());
    let hooks = HookSet::builder()
        .on("", |_: Stop| async { sleep(secs(60)).await })
        .on("", second.hook(EventName::Stop))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let firing = timeout(secs(5), runner.fire(Stop::new(false)));
    assert!(firing.await.is_err());
    sleep(secs(600)).await;
    assert_eq!(second.runs.get(), 0);
}

#[tokio::test]
async fn dropping_a_firing_cancels_the_context_of_a_blocking_closure() {
    let (started, has_started) = tokio::sync::oneshot::channel();
    let started = Mutex::new(Some(started));
    let (seen, has_seen) = mpsc::channel();
    let seen = Mutex::new(seen);
    let runner = runner_of(blocking_fn(move |_: Stop, context: HookContext| {
        let cancellation = context.cancellation().clone();
        if let Some(started) = started.lock().unwrap().take() {
            started.send(()).unwrap();
        }
        let begun = std::time::Instant::now();
        while !cancellation.is_cancelled() && begun.elapsed() < secs(30) {
            std::thread::sleep(support::millis(1));
        }
        seen.lock()
            .unwrap()
            .send(cancellation.is_cancelled())
            .unwrap();
    }));
    tokio::select! {
        _ = runner.fire(Stop::new(false)) => panic!("the hook ends when it is told to"),
        started = has_started => started.unwrap(),
    }
    assert_eq!(has_seen.recv_timeout(secs(40)), Ok(true));
}

#[tokio::test]
async fn a_context_is_cancelled_when_its_firing_is_over_however_it_ended() {
    let kept = std::sync::Arc::new(Mutex::new(None));
    let keeper = kept.clone();
    let runner = runner_of(hook_fn(move |_: Stop, context: HookContext| {
        assert!(!context.cancellation().is_cancelled());
        *keeper.lock().unwrap() = Some(context);
    }));
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["no_opinion"]);
    let context = kept.lock().unwrap().take().unwrap();
    assert!(context.cancellation().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_firing_that_is_cancelled_comes_back_at_once_with_cancelled_attempts() {
    let hang = || |_: PreToolUse| async { sleep(secs(3_600)).await };
    let second = Fixed::new(Reply::no_opinion());
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .on("", hang())
                .hook(second.hook(EventName::PreToolUse)),
        )
        .group(
            Group::parallel()
                .on("", hang())
                .on("", |_: PreToolUse| PreToolUse::deny("no")),
        )
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    let until = Cancellation::new();
    let word = until.clone();
    let begun = Instant::now();
    let (fired, ()) = tokio::join!(
        runner.fire_until(bash("ls").into(), Some(until)),
        async move {
            sleep(secs(5)).await;
            word.cancel();
        }
    );
    assert_eq!(begun.elapsed().as_secs(), 5);
    assert_eq!(
        words(&fired),
        ["cancelled", "cancelled", "cancelled", "answered"]
    );
    assert_eq!(second.runs.get(), 0, "nothing is started any more");
    assert!(fired.outcome.is_denied(), "what was said before counts");
    let messages = subtypes(&read_all(&mut messages));
    assert_eq!(messages.last().unwrap(), "hook_verdict");
}

#[tokio::test]
async fn a_firing_that_is_cancelled_before_it_begins_starts_nothing() {
    let (awaited, behind) = (
        Fixed::new(Reply::no_opinion()),
        Fixed::new(Reply::no_opinion()),
    );
    let hooks = HookSet::builder()
        .on("", awaited.hook(EventName::Stop))
        .on("", behind.hook(EventName::Stop).wait(Wait::Background))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let until = Cancellation::new();
    until.cancel();
    let fired = runner
        .fire_until(Stop::new(false).into(), Some(until))
        .await;
    assert_eq!(words(&fired), ["cancelled", "cancelled"]);
    tokio::task::yield_now().await;
    assert_eq!((awaited.runs.get(), behind.runs.get()), (0, 0));
}

#[tokio::test]
async fn a_cancellation_reaches_the_context_of_a_hook() {
    let (handler, mut script) = scripted();
    let context_of_closure = std::sync::Arc::new(Mutex::new(None));
    let keeper = context_of_closure.clone();
    let hooks = HookSet::builder()
        .parallel()
        .hook::<Stop>("", handler)
        .on("", move |_: Stop, context: HookContext| {
            *keeper.lock().unwrap() = Some(context.cancellation().clone());
            std::future::pending::<()>()
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let until = Cancellation::new();
    let firing = tokio::spawn({
        let (runner, until) = (runner.clone(), until.clone());
        async move {
            runner
                .fire_until(Stop::new(false).into(), Some(until))
                .await
        }
    });
    let (_, answer) = script.asked().await;
    let seen = loop {
        if let Some(seen) = context_of_closure.lock().unwrap().clone() {
            break seen;
        }
        tokio::task::yield_now().await;
    };
    assert!(!seen.is_cancelled());
    until.cancel();
    let fired = firing.await.unwrap();
    assert!(seen.is_cancelled());
    assert_eq!(words(&fired), ["cancelled", "cancelled"]);
    assert!(answer.is_closed(), "the handler's future is gone");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_hook_does_not_block_whatever_the_policy() {
    let hook = hook_fn(|_: PreToolUse| async { sleep(secs(3_600)).await });
    let runner = runner_of(hook.on_failure(hook_types::OnFailure::Block));
    let until = Cancellation::new();
    let word = until.clone();
    let (fired, ()) = tokio::join!(
        runner.fire_until(bash("ls").into(), Some(until)),
        async move {
            sleep(secs(1)).await;
            word.cancel();
        }
    );
    assert_eq!(fired.attempts[0].reply.status, Status::Cancelled);
    assert!(!fired.outcome.is_denied());
    // That nobody refused is no consent, and whoever looks can tell.
    assert!(fired.is_cancelled());
    let said: Vec<Code> = fired
        .outcome
        .diagnostics
        .iter()
        .map(|said| said.diagnostic.code)
        .collect();
    assert_eq!(said, [Code::Cancelled]);
}

#[tokio::test]
async fn a_firing_that_ran_to_its_end_is_not_cancelled() {
    let runner = runner_of(hook_fn(|_: PreToolUse| PreToolUse::deny("no")));
    assert!(!runner.fire(bash("ls")).await.is_cancelled());
    assert!(!runner.fire(Stop::new(false)).await.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_once_hook_that_was_cancelled_may_run_again() {
    let runs = Counter::default();
    let count = runs.clone();
    let hook = hook_fn(move |_: Stop| {
        let run = count.add();
        async move {
            if run < 3 {
                sleep(secs(3_600)).await;
            }
        }
    });
    let runner = runner_of(hook.once());

    // Dropped.
    let firing = timeout(secs(5), runner.fire(Stop::new(false)));
    assert!(firing.await.is_err());
    // Cancelled.
    let until = Cancellation::new();
    let word = until.clone();
    let (fired, ()) = tokio::join!(
        runner.fire_until(Stop::new(false).into(), Some(until)),
        async move {
            sleep(secs(5)).await;
            word.cancel();
        }
    );
    assert_eq!(words(&fired), ["cancelled"]);
    // Left in peace.
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["no_opinion"]);
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["skipped"]);
    assert_eq!(runs.get(), 3);
}
