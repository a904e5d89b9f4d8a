//! The deadline holds, and nothing of the tree survives it.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use process_tree::{Command, Control, Ending, Finished, Force, Limits};
use support::{AMPLE, Fixture, run, within};

mod support;

/// Runs a script that would take minutes, and checks that it did not.
async fn timed_out(fixture: &Fixture, script: &str) -> Finished {
    let done = run(&fixture.shell(script).limits(within(300))).await;
    assert!(
        matches!(done.ending, Ending::TimedOut { .. }),
        "{:?}",
        done.ending
    );
    assert!(done.timing.total >= Duration::from_millis(300));
    assert!(done.timing.total < AMPLE);
    assert_eq!(fixture.strays(), [0; 0], "something outlived the answer");
    assert!(done.left.is_empty());
    done
}

#[tokio::test]
async fn a_shell_and_the_program_it_waits_for_die_together() {
    let fixture = Fixture::new();
    let done = timed_out(&fixture, "sleep 300; true").await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Term });
}

#[tokio::test]
async fn a_command_that_traps_term_dies_after_the_grace() {
    let fixture = Fixture::new();
    let script = "trap '' TERM; echo armed; while :; do sleep 300; done";
    let done = timed_out(&fixture, script).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Kill });
    assert!(done.timing.total >= Duration::from_millis(500));
}

#[tokio::test]
async fn a_command_that_cleans_up_in_the_grace_is_let_go() {
    let fixture = Fixture::new();
    let script = "trap 'echo cleaned; exit 3' TERM; echo armed; while :; do sleep 0.01; done";
    let limits = Limits {
        grace: AMPLE,
        ..within(300)
    };
    let done = run(&fixture.shell(script).limits(limits)).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Exit });
    assert_eq!(done.stdout.text(), "armed\ncleaned\n");
    assert!(done.timing.total < AMPLE);
}

#[tokio::test]
async fn without_a_grace_it_is_killed_at_once() {
    let fixture = Fixture::new();
    let limits = Limits {
        grace: Duration::ZERO,
        ..within(300)
    };
    let done = run(&fixture.shell("sleep 300").limits(limits)).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Kill });
}

#[tokio::test]
async fn what_was_written_before_the_deadline_is_kept() {
    let fixture = Fixture::new();
    let done = timed_out(&fixture, "echo out; echo err >&2; sleep 300").await;
    assert_eq!(
        (&*done.stdout.text(), &*done.stderr.text()),
        ("out\n", "err\n")
    );
}

#[tokio::test]
async fn the_deadline_covers_a_stdin_that_is_not_read() {
    let fixture = Fixture::new();
    let command = fixture
        .shell("sleep 300")
        .stdin(vec![b'x'; 8 << 20])
        .limits(within(300));
    let done = run(&command).await;
    assert!(matches!(done.ending, Ending::TimedOut { .. }));
    assert!(done.timing.total < AMPLE);
}

#[tokio::test]
async fn a_descendant_in_a_session_of_its_own_dies() {
    let fixture = Fixture::new();
    timed_out(
        &fixture,
        "setsid sleep 300 & setsid sh -c 'sleep 300; true' & sleep 300",
    )
    .await;
}

#[tokio::test]
async fn a_daemon_that_lost_its_parents_and_closed_its_pipes_dies() {
    let fixture = Fixture::new();
    let script = "(setsid sh -c '(setsid sleep 300 &) &' </dev/null >/dev/null 2>&1 &); sleep 300";
    timed_out(&fixture, script).await;
}

#[tokio::test]
async fn a_session_leader_that_traps_term_dies() {
    let fixture = Fixture::new();
    let script = "setsid sh -c \"trap '' TERM; while :; do sleep 300; done\" & sleep 300";
    let done = timed_out(&fixture, script).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Kill });
}

#[tokio::test]
async fn a_descendant_without_our_variables_dies_while_its_parent_lives() {
    let fixture = Fixture::new();
    // Found by its parent; `FIXTURE_TAG` is gone too, so its number is looked up instead.
    let script = "env -i setsid sleep 300 & echo $!; sleep 300";
    let done = timed_out(&fixture, script).await;
    let stat = format!("/proc/{}/stat", done.stdout.text().trim());
    let state = std::fs::read_to_string(stat).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn a_stopped_command_dies() {
    let fixture = Fixture::new();
    timed_out(&fixture, "sleep 300 & kill -STOP $$").await;
}

#[tokio::test]
async fn a_command_that_forks_and_forks_dies() {
    let fixture = Fixture::new();
    // Each generation starts two more, some in sessions of their own; bounded in case we fail.
    let bomb = r#"
        bomb() {
            [ "$1" -gt 6 ] && { sleep 300; return; }
            sh -c "$SELF" bomb $(($1 + 1)) &
            setsid sh -c "$SELF" bomb $(($1 + 1)) &
            wait
        }
        bomb "$1"
    "#;
    let command = fixture
        .mark(Command::shell(bomb))
        .args(["bomb", "1"])
        .env("SELF", bomb);
    let done = run(&command.limits(within(600))).await;
    assert!(matches!(done.ending, Ending::TimedOut { .. }));
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_tree_that_keeps_changing_its_sessions_dies() {
    let fixture = Fixture::new();
    // A chain in which every link starts the next in a new session and exits.
    let chain = r#"
        i=0
        while [ $i -lt 1 ]; do i=$((i + 1)); sleep 0.01; done
        [ "$1" -lt 2000 ] && setsid sh -c "$SELF" chain $(($1 + 1)) &
    "#;
    let script = "sh -c \"$SELF\" chain 1; sleep 300";
    let command = fixture.shell(script).env("SELF", chain).limits(within(500));
    let done = run(&command).await;
    assert!(matches!(done.ending, Ending::TimedOut { .. }));
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_neighbour_is_not_hit() {
    let fixture = Fixture::new();
    let lasting = fixture.shell("sleep 2; echo unharmed");
    let control = Control::new();
    let doomed = fixture.shell("sleep 300").limits(within(200));
    let (neighbour, _) = tokio::join!(lasting.run(&control), run(&doomed));
    assert_eq!(neighbour.stdout.text(), "unharmed\n");
}

#[tokio::test]
async fn sixty_four_commands_at_once_all_meet_the_deadline() {
    let fixture = Fixture::new();
    let command = fixture
        .shell("trap '' TERM; setsid sleep 300 & sleep 300")
        .limits(within(1000));
    let runs: Vec<_> = (0..64)
        .map(|_| {
            let command = command.clone();
            tokio::spawn(async move { run(&command).await })
        })
        .collect();
    for done in runs {
        let done = done.await.unwrap();
        assert!(
            matches!(done.ending, Ending::TimedOut { .. }),
            "{:?}",
            done.ending
        );
        assert!(done.timing.total < AMPLE * 2, "{:?}", done.timing);
    }
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_deadline_of_zero_still_answers() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("sleep 300").limits(within(0))).await;
    assert!(matches!(done.ending, Ending::TimedOut { .. }));
}

#[tokio::test]
async fn the_longest_deadline_does_not_overflow() {
    let fixture = Fixture::new();
    let limits = Limits {
        timeout: Duration::MAX,
        grace: Duration::MAX,
        drain: Duration::MAX,
        ..within(0)
    };
    let done = run(&fixture.shell("echo hello").limits(limits)).await;
    assert_eq!(done.stdout.text(), "hello\n");
}
