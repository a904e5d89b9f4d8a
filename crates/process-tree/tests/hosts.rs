//! Hosts in unusual states: few descriptors, no free thread, children reaped by the system.
//!
//! Limits and signal dispositions belong to a whole process, so these tests start themselves
//! again under a shell that sets them up.
#![expect(
    clippy::disallowed_methods,
    reason = "how this program is told what it is to be"
)]
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use process_tree::{Ending, LaunchErrorKind};
use support::{AMPLE, Fixture, run, within};

mod support;

/// Runs one of the tests below again, in a process that `setup` has prepared.
fn again(test: &str, setup: &str) -> bool {
    if std::env::var("PREPARED").is_ok_and(|prepared| prepared == test) {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let status = std::process::Command::new("/bin/sh")
        .args([
            "-c",
            &format!("{setup} \"$0\" --exact {test} --test-threads 1"),
        ])
        .arg(own)
        .env("PREPARED", test)
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed after `{setup}`");
    false
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_host_without_free_descriptors_is_told_so() {
    if !again(
        "a_host_without_free_descriptors_is_told_so",
        "ulimit -n 40; exec",
    ) {
        return;
    }
    let fixture = Fixture::new();
    runtime().block_on(async {
        let command = fixture.shell("sleep 0.5");
        let runs: Vec<_> = (0..32)
            .map(|_| {
                let command = command.clone();
                tokio::spawn(async move { run(&command).await.ending })
            })
            .collect();
        let (mut well, mut refused) = (0, 0);
        for ending in runs {
            let ending = ending.await.unwrap();
            if let Ending::NeverStarted(error) = ending {
                assert_eq!(error.kind(), &LaunchErrorKind::TooManyFiles, "{error}");
                refused += 1;
            } else {
                assert_eq!(ending, Ending::Exited(0));
                well += 1;
            }
        }
        assert!(
            well > 0 && refused > 0,
            "{well} ran, {refused} were refused"
        );
        assert!(run(&fixture.shell("true")).await.ending.is_success());
    });
}

#[test]
fn a_host_that_ignores_the_end_of_children_never_hears_success() {
    if !again(
        "a_host_that_ignores_the_end_of_children_never_hears_success",
        "exec env --ignore-signal=CHLD",
    ) {
        return;
    }
    let fixture = Fixture::new();
    runtime().block_on(async {
        let done = run(&fixture.shell("echo ran; sleep 0.3")).await;
        assert_eq!(
            (done.ending, done.stdout.text.as_str()),
            (Ending::Lost, "ran\n")
        );
        let quick = run(&fixture.shell("true")).await.ending;
        assert!(!quick.is_success(), "{quick:?}");
        let done = run(&fixture
            .shell("setsid sleep 300 & sleep 300")
            .limits(within(200)))
        .await;
        assert!(matches!(done.ending, Ending::TimedOut { .. }));
    });
}

#[test]
fn a_runtime_without_a_free_thread_still_meets_the_deadline() {
    let fixture = Fixture::new();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, busy) = std::sync::mpsc::channel::<()>();
    runtime.spawn_blocking(move || busy.recv_timeout(AMPLE * 2));
    let done = runtime.block_on(run(&fixture.shell("echo ran").limits(within(200))));
    assert!(
        matches!(done.ending, Ending::TimedOut { .. }),
        "{:?}",
        done.ending
    );
    assert!(done.timing.total < AMPLE);
    drop(free);
}

#[test]
fn runs_on_two_runtimes_do_not_disturb_each_other() {
    let fixture = Fixture::new();
    let command = fixture.shell("sleep 0.2; echo done");
    std::thread::scope(|scope| {
        let lasting = scope.spawn(|| runtime().block_on(run(&command)));
        let short = fixture
            .shell("setsid sleep 300 & sleep 300")
            .limits(within(50));
        let short = runtime().block_on(run(&short));
        assert!(matches!(short.ending, Ending::TimedOut { .. }));
        assert_eq!(lasting.join().unwrap().stdout.text, "done\n");
    });
}
