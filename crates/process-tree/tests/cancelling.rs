//! Cancelling a run, dropping it, and dropping the runtime under it.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use process_tree::{Control, Ending, Finished, Force, Limits};
use support::{AMPLE, Fixture};

mod support;

const STUBBORN: &str = "trap '' TERM; setsid sh -c \"trap '' TERM; while :; do sleep 300; done\" & \
     echo up; while :; do sleep 300; done";

#[tokio::test]
async fn cancelling_asks_first() {
    let fixture = Fixture::new();
    let control = Control::new();
    let command = fixture.shell("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done");
    let (done, ()) = tokio::join!(command.run(&control), async {
        fixture.until_there_are(1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        control.cancel();
    });
    assert_eq!(done.ending, Ending::Cancelled { by: Force::Exit });
    assert_eq!(done.stdout.text(), "bye\n");
    assert!(control.is_cancelled());
}

#[tokio::test]
async fn cancelling_kills_what_does_not_listen_after_the_grace() {
    let fixture = Fixture::new();
    let control = Control::new();
    let limits = Limits {
        grace: Duration::from_millis(200),
        ..Limits::default()
    };
    let command = fixture.shell(STUBBORN).limits(limits);
    let (done, ()) = tokio::join!(command.run(&control), async {
        fixture.until_there_are(4).await;
        control.cancel();
    });
    assert_eq!(done.ending, Ending::Cancelled { by: Force::Kill });
    assert_eq!(done.stdout.text(), "up\n");
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn killing_does_not_wait_for_the_grace() {
    let fixture = Fixture::new();
    let control = Control::new();
    let command = fixture.shell(STUBBORN).limits(Limits {
        grace: AMPLE * 3,
        ..Limits::default()
    });
    let (done, ()) = tokio::join!(command.run(&control), async {
        fixture.until_there_are(4).await;
        control.cancel();
        tokio::time::sleep(Duration::from_millis(100)).await;
        control.kill();
    });
    assert_eq!(done.ending, Ending::Cancelled { by: Force::Kill });
    assert!(done.timing.total < AMPLE);
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_cancelled_handle_starts_nothing() {
    let fixture = Fixture::new();
    let control = Control::new();
    control.cancel();
    let done = fixture.shell("echo ran").run(&control).await;
    assert_eq!(done.ending, Ending::Cancelled { by: Force::Exit });
    assert_eq!(done.stdout.text(), "");
}

#[tokio::test]
async fn one_handle_ends_many_runs() {
    let fixture = Fixture::new();
    let control = Control::new();
    let command = fixture.shell("sleep 300");
    let runs: Vec<_> = (0..16)
        .map(|_| {
            let (command, control) = (command.clone(), control.clone());
            tokio::spawn(async move { command.run(&control).await })
        })
        .collect();
    fixture.until_there_are(16).await;
    control.cancel();
    for run in runs {
        assert!(matches!(
            run.await.unwrap().ending,
            Ending::Cancelled { .. }
        ));
    }
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn dropping_the_future_kills_the_tree() {
    let fixture = Fixture::new();
    let task = tokio::spawn({
        let command = fixture.shell(STUBBORN);
        async move { command.run(&Control::new()).await }
    });
    fixture.until_there_are(4).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[tokio::test]
async fn dropping_the_future_at_any_moment_kills_the_tree() {
    let fixture = Fixture::new();
    for delay in 0..40 {
        let command = fixture.shell("setsid sleep 300 & sleep 300");
        let control = Control::new();
        let run = command.run(&control);
        let moment = Duration::from_micros(delay * 150);
        let _: Result<Finished, _> = tokio::time::timeout(moment, run).await;
    }
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[tokio::test]
async fn dropping_the_future_in_the_grace_kills_the_tree() {
    let fixture = Fixture::new();
    let limits = Limits {
        timeout: Duration::from_millis(300),
        grace: AMPLE * 3,
        ..Limits::default()
    };
    let command = fixture.shell(STUBBORN).limits(limits);
    let control = Control::new();
    let run = tokio::time::timeout(Duration::from_millis(800), command.run(&control));
    assert!(run.await.is_err());
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[test]
fn dropping_the_runtime_leaves_nothing_running() {
    for threads in [0, 2] {
        let fixture = Fixture::new();
        let mut builder = match threads {
            0 => tokio::runtime::Builder::new_current_thread(),
            _ => tokio::runtime::Builder::new_multi_thread(),
        };
        let runtime = builder.enable_all().build().unwrap();
        for _ in 0..4 {
            let command = fixture.shell(STUBBORN);
            runtime.spawn(async move { command.run(&Control::new()).await });
        }
        runtime.block_on(fixture.until_there_are(16));
        drop(runtime);
        assert_eq!(fixture.remaining(), [0; 0]);
    }
}

#[test]
fn a_run_that_outlives_its_runtime_can_be_dropped_anywhere() {
    let fixture = Fixture::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let command = fixture.shell("setsid sleep 300 & sleep 300");
    let control = Control::new();
    let mut run = Box::pin(command.run(&control));
    let clock = Instant::now();
    while fixture.strays().len() < 3 && clock.elapsed() < AMPLE {
        let _entered = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        assert!(matches!(pin!(&mut run).poll(&mut context), Poll::Pending));
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(runtime);
    drop(run); // no runtime here
    assert_eq!(fixture.remaining(), [0; 0]);
}
