//! Hosts in unusual states: few descriptors, no free thread, children reaped by the system.
//!
//! Limits and signal dispositions belong to a whole process, so these tests start themselves
//! again under a shell that sets them up.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use process_tree::{Ending, LaunchErrorKind};
use support::{AMPLE, Fixture, run, within};
use test_support::prepared;

mod support;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_host_without_free_descriptors_is_told_so() {
    if !prepared(
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
    if !prepared(
        "a_host_that_ignores_the_end_of_children_never_hears_success",
        "exec env --ignore-signal=CHLD",
    ) {
        return;
    }
    let fixture = Fixture::new();
    runtime().block_on(async {
        let done = run(&fixture.shell("echo ran; sleep 0.3")).await;
        assert_eq!((done.ending, &*done.stdout.text()), (Ending::Lost, "ran\n"));
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
        assert_eq!(lasting.join().unwrap().stdout.text(), "done\n");
    });
}

#[test]
fn a_stray_is_found_once_descriptors_are_free_again() {
    if !prepared(
        "a_stray_is_found_once_descriptors_are_free_again",
        "ulimit -n 64; exec",
    ) {
        return;
    }
    let fixture = Fixture::new();
    runtime().block_on(async {
        let command = fixture
            .shell("setsid sleep 300 </dev/null >/dev/null 2>&1 & sleep 300")
            .limits(within(1000));
        let doomed = tokio::spawn(async move { run(&command).await });
        fixture.until_there_are(3).await;
        // Whoever looks for strays now finds no file to open.
        let held: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        drop(held);
        let done = doomed.await.unwrap();
        assert!(matches!(done.ending, Ending::TimedOut { .. }));
    });
}

#[test]
fn a_proc_of_another_namespace_is_not_believed() {
    let test = "a_proc_of_another_namespace_is_not_believed";
    let allowed = std::process::Command::new("unshare")
        .args(["--pid", "--fork", "true"])
        .status();
    if !allowed.is_ok_and(|status| status.success()) {
        println!("namespaces are not allowed here");
        return;
    }
    // Without `--mount-proc` numbers in /proc are those of the outer namespace.
    if !prepared(test, "exec unshare --pid --fork --kill-child") {
        return;
    }
    runtime().block_on(async {
        let done = run(&process_tree::Command::shell("sleep 300 & echo hi")).await;
        assert_eq!(done.stdout.text(), "hi\n");
        // Nobody outside may be taken for ours; who is in the group dies all the same.
        assert!(done.left.is_empty(), "{:?}", done.left);
        let doomed = process_tree::Command::shell("sleep 300; true").limits(within(200));
        let done = run(&doomed).await;
        assert!(matches!(done.ending, Ending::TimedOut { .. }));
        assert!(done.timing.total < AMPLE);
    });
}

#[test]
fn a_runtime_without_a_free_thread_runs_commands_and_finds_what_they_left() {
    let fixture = Fixture::new();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, busy) = std::sync::mpsc::channel::<()>();
    runtime.spawn_blocking(move || busy.recv_timeout(AMPLE * 2));
    let done = runtime.block_on(run(&fixture.shell("sleep 300 & echo ran")));
    assert_eq!(done.stdout.text(), "ran\n");
    assert_eq!(done.left.pids().len(), 1);
    assert!(done.timing.total < AMPLE);
    runtime.block_on(done.left.kill());
    drop(free);
}
