//! What a command leaves running when it exits by itself.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use process_tree::{Control, Ending, Limits, Registry};
use support::{AMPLE, Fixture, run};

mod support;

#[tokio::test]
async fn the_answer_does_not_wait_for_a_descendant_that_holds_the_pipes() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("sleep 300 & echo hi")).await;
    assert_eq!(
        (done.ending, &*done.stdout.text()),
        (Ending::Exited(0), "hi\n")
    );
    assert!(done.timing.total < AMPLE);
    assert_eq!(done.left.pids().len(), 1);
    done.left.kill().await;
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_command_that_leaves_nothing_says_so() {
    let fixture = Fixture::new();
    for script in [
        "true",
        "sleep 0.01; true",
        "(true) & wait",
        "sh -c true; sh -c true",
    ] {
        assert!(
            run(&fixture.shell(script)).await.left.is_empty(),
            "{script}"
        );
    }
}

#[tokio::test]
async fn what_a_descendant_writes_soon_after_the_exit_is_read() {
    let fixture = Fixture::new();
    let limits = Limits {
        drain: AMPLE,
        ..Limits::default()
    };
    let done = run(&fixture
        .shell("(sleep 0.3; echo late) & echo soon")
        .limits(limits))
    .await;
    assert_eq!(done.stdout.text(), "soon\nlate\n");
}

#[tokio::test]
async fn a_descendant_that_floods_the_pipe_does_not_hold_up_the_answer() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("yes & sleep 0.1; exit 4")).await;
    assert_eq!(done.ending, Ending::Exited(4));
    assert!(done.timing.total < AMPLE);
    // Its pipe is gone, so it may have died of that already.
    done.left.kill().await;
}

#[tokio::test]
async fn a_daemon_without_our_session_and_pipes_is_reported() {
    let fixture = Fixture::new();
    let script = "setsid sleep 300 </dev/null >/dev/null 2>&1 & sleep 0.2";
    // On a machine that starts many processes at once it may be noticed only at the close.
    let registry = Registry::new();
    let control = Control::new().with_registry(&registry);
    let mut reported = false;
    for _ in 0..20 {
        reported |= !fixture.shell(script).run(&control).await.left.is_empty();
    }
    assert!(reported);
    registry.close().await;
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn leftovers_live_until_the_registry_is_closed() {
    let fixture = Fixture::new();
    let registry = Registry::new();
    let control = Control::new().with_registry(&registry);
    fixture.shell("sleep 300 &").run(&control).await;
    fixture
        .shell("setsid sh -c 'sleep 300; true' &")
        .run(&control)
        .await;
    assert_eq!(registry.leftovers().len(), 2);
    assert!(fixture.strays().len() >= 2);

    registry.close().await;

    assert_eq!(fixture.strays(), [0; 0]);
    assert!(registry.leftovers().is_empty());
}

#[tokio::test]
async fn closing_one_registry_spares_the_others() {
    let fixture = Fixture::new();
    let (ours, theirs) = (Registry::new(), Registry::new());
    for registry in [&ours, &theirs] {
        let control = Control::new().with_registry(registry);
        fixture.shell("sleep 300 &").run(&control).await;
    }
    ours.close().await;
    assert_eq!((ours.leftovers().len(), theirs.leftovers().len()), (0, 1));
    theirs.close().await;
}

#[tokio::test]
async fn a_registry_forgets_what_ended_by_itself() {
    let fixture = Fixture::new();
    let registry = Registry::new();
    let control = Control::new().with_registry(&registry);
    let done = fixture.shell("sleep 0.3 & echo left").run(&control).await;
    assert_eq!(done.stdout.text(), "left\n");
    fixture.remaining();
    assert!(registry.leftovers().is_empty());
}

#[tokio::test]
async fn leftovers_that_started_more_die_with_it() {
    let fixture = Fixture::new();
    let script = "(sleep 0.3; setsid sleep 300 & sleep 300) & echo left";
    let done = run(&fixture.shell(script)).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    done.left.kill().await;
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn killing_leftovers_twice_is_harmless() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("sleep 300 &")).await;
    done.left.kill().await;
    done.left.clone().kill().await;
}
