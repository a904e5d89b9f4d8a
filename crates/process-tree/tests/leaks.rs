//! Hundreds of runs of every kind leave no descriptor, thread, child or process behind.
//!
//! Alone in its file, for it counts what belongs to the whole process. `RUNS=20000` makes it a
//! soak.
#![expect(
    clippy::disallowed_methods,
    reason = "a longer run is asked for by hand"
)]
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use process_tree::{Command, Control, Ending, Limits, Registry};
use support::{AMPLE, Fixture, within};
use test_support::{children, descriptors, threads};

mod support;

const AT_ONCE: usize = 16;

/// One run, and whether it ended as it should.
type Kind = for<'a> fn(&'a Fixture, &'a Control) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

const KINDS: [Kind; 12] = [
    |fixture, control| Box::pin(exits(fixture.shell("exit 3"), control, Ending::Exited(3))),
    |fixture, control| {
        Box::pin(exits(
            fixture.shell("kill -9 $$"),
            control,
            Ending::Signalled(9),
        ))
    },
    |fixture, control| {
        let unread = fixture.shell("true").stdin(vec![0; 1 << 20]);
        Box::pin(exits(unread, control, Ending::Exited(0)))
    },
    |fixture, control| {
        Box::pin(never_starts(
            fixture.shell("true").cwd("/no/such/place"),
            control,
        ))
    },
    |fixture, control| {
        Box::pin(never_starts(
            fixture.mark(Command::new("/no/such")),
            control,
        ))
    },
    |fixture, control| Box::pin(times_out(fixture.shell("sleep 300"), control)),
    |fixture, control| {
        Box::pin(times_out(
            fixture.shell("setsid sleep 300 & sleep 300"),
            control,
        ))
    },
    |fixture, control| {
        let limits = Limits {
            drain: Duration::from_millis(1),
            ..Limits::default()
        };
        Box::pin(says_x(
            fixture.shell("sleep 300 & printf x").limits(limits),
            control,
        ))
    },
    |fixture, control| Box::pin(says_x(fixture.shell("cat").stdin("x"), control)),
    |fixture, control| {
        Box::pin(is_dropped(
            fixture.shell("sleep 300 & setsid sleep 300"),
            control,
        ))
    },
    |fixture, control| Box::pin(is_cancelled(fixture.shell("true"), control)),
    |fixture, control| {
        Box::pin(serves(
            fixture.shell("read -r x; echo $x; sleep 300"),
            control,
        ))
    },
];

async fn exits(command: Command, control: &Control, wanted: Ending) -> bool {
    command.run(control).await.ending == wanted
}

async fn never_starts(command: Command, control: &Control) -> bool {
    matches!(command.run(control).await.ending, Ending::NeverStarted(_))
}

async fn times_out(command: Command, control: &Control) -> bool {
    let done = command.limits(within(50)).run(control).await;
    matches!(done.ending, Ending::TimedOut { .. })
}

async fn says_x(command: Command, control: &Control) -> bool {
    command.run(control).await.stdout.text() == "x"
}

async fn is_dropped(command: Command, control: &Control) -> bool {
    tokio::time::timeout(Duration::from_millis(3), command.run(control))
        .await
        .is_err()
}

async fn is_cancelled(command: Command, control: &Control) -> bool {
    control.cancel();
    matches!(command.run(control).await.ending, Ending::Cancelled { .. })
}

async fn serves(command: Command, control: &Control) -> bool {
    let server = command.spawn_lines(control).await.unwrap();
    server.send_line("hello").await.unwrap();
    server
        .next_line()
        .await
        .is_some_and(|line| line.text == "hello")
}

async fn many(fixture: &Arc<Fixture>, runs: usize) {
    let registry = Registry::new();
    let next = Arc::new(AtomicUsize::new(0));
    let workers: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (fixture, next) = (Arc::clone(fixture), Arc::clone(&next));
            let registry = registry.clone();
            tokio::spawn(async move {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= runs {
                        return;
                    }
                    let (kind, control) = (turn % KINDS.len(), Control::new());
                    let control = control.with_registry(&registry);
                    assert!(KINDS[kind](&fixture, &control).await, "kind {kind}");
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    registry.close().await;
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn counts() -> (usize, usize, usize) {
    (descriptors(), threads(), children().len())
}

/// Waits until something holds, or for long.
fn wait_for(holds: impl Fn() -> bool) {
    let clock = Instant::now();
    while !holds() && clock.elapsed() < AMPLE {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What the process holds before anything ran. The first runtime of a process opens a pipe for
/// signals that stays; its threads are still listed for a moment when it is gone.
fn at_rest() -> (usize, usize, usize) {
    let before = threads();
    drop(runtime());
    wait_for(|| threads() == before);
    assert_eq!(threads(), before, "threads of a runtime that is gone");
    counts()
}

#[test]
fn hundreds_of_runs_leave_nothing_behind() {
    let runs = std::env::var("RUNS").map_or(240, |runs| runs.parse().unwrap());
    let before = at_rest();
    let fixture = Arc::new(Fixture::new());
    let runtime = runtime();
    runtime.block_on(many(&fixture, runs));
    drop(runtime);

    // The thread that kills may still be about its last round.
    wait_for(|| counts() == before);
    let after = counts();
    println!("{runs} runs: descriptors, threads, children {before:?} before, {after:?} after");
    assert_eq!(after, before, "descriptors, threads, children");
}
