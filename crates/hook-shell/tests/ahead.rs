//! Hooks whose shells are started before their events.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::time::{Duration, Instant};

use hook_runner::HookRunner;
use hook_types::{Decision, HookEvent, PreToolUse, SessionStart};
use support::{AMPLE, Fixture, alone, bash, millis, reason};

mod support;

fn is_dash() -> bool {
    let shell = fs::canonicalize("/bin/sh").unwrap();
    shell.file_name().is_some_and(|name| name == "dash")
}

/// Waits until a shell waits for its event; where `/bin/sh` is another shell none ever does.
async fn until_one_waits(fixture: &Fixture) {
    let clock = Instant::now();
    while is_dash() && fixture.strays().is_empty() {
        assert!(clock.elapsed() < AMPLE, "no shell waits");
        tokio::time::sleep(millis(5)).await;
    }
}

#[test]
fn a_hook_whose_shell_waited_reads_its_own_event_and_answers() {
    alone(async |fixture| {
        let script = r#"IFS= read -r line; case $line in *sudo*) echo "no: $$" >&2; exit 2;; esac"#;
        let runner = fixture.runner::<PreToolUse>(fixture.hook(script).ahead(1));
        let fire = async |command: &str| runner.fire_event(bash(command).into()).await;
        let mut shells = Vec::new();
        for turn in 0..6 {
            let denied = fire("sudo make").await;
            assert_eq!(denied.outcome.decision, Decision::Deny, "{denied:?}");
            shells.push(reason(&denied).to_owned());
            let allowed = fire("make").await;
            assert_eq!(allowed.outcome.decision, Decision::Pass, "{allowed:?}");
            if turn > 0 {
                until_one_waits(fixture).await;
            }
        }
        shells.sort_unstable();
        shells.dedup();
        assert_eq!(shells.len(), 6, "a shell each");
        runner.close(Duration::ZERO).await;
        assert_eq!(fixture.strays(), [0; 0]);
    });
}

#[test]
fn a_hook_that_may_export_has_no_shell_wait_for_it() {
    alone(async |fixture| {
        let hook = fixture
            .hook("echo export A=1 > \"$CLAUDE_ENV_FILE\"")
            .ahead(1);
        let runner = fixture.runner::<SessionStart>(hook);
        for _ in 0..4 {
            let start = HookEvent::from(SessionStart::new("startup"));
            let fired = runner.fire_event(start).await;
            let exports = fired.outcome.specific.exports.as_deref();
            assert_eq!(exports, Some("export A=1\n"), "{fired:?}");
        }
        tokio::time::sleep(millis(200)).await;
        assert_eq!(fixture.strays(), [0; 0]);
        runner.close(Duration::ZERO).await;
    });
}
