//! More hooks that do something odd, as real processes, each alone and followed by the same search.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Instant;

use hook_runner::Fire;
use hook_shell::ShellHook;
use hook_types::{Decision, PreToolUse};
use support::{
    AMPLE, DENY, alone, bash, fire_and_close, large, millis, only, reason, said, stdout,
};

mod support;

const TIMED_OUT: (&str, Decision) = ("timed_out", Decision::Pass);
const DENIED: (&str, Decision) = ("answered", Decision::Deny);
const NO_OPINION: (&str, Decision) = ("no_opinion", Decision::Pass);

// And more.

#[test]
fn a_deny_at_the_start_of_a_stream_that_never_ends_counts() {
    alone(async |fixture| {
        let hook = fixture.hook(&format!("echo '{DENY}'; yes"));
        let fired = fixture.call(hook.timeout(millis(500))).await;
        assert_eq!(said(&fired), ("timed_out", Decision::Deny));
        assert_eq!(reason(&fired), "no");
    });
}

#[test]
fn a_guard_that_never_stops_printing_an_object_blocks() {
    alone(async |fixture| {
        let hook = fixture.hook("printf '{\"systemMessage\":\"'; yes");
        let fired = fixture.call(hook.timeout(millis(500))).await;
        assert_eq!(said(&fired), ("timed_out", Decision::Deny));
        assert!(only(&fired).reply.evidence.truncated);
    });
}

#[test]
fn what_a_grandchild_prints_after_the_exit_is_no_answer() {
    alone(async |fixture| {
        let script = format!("(sleep 1; echo '{DENY}'; echo said > said) & exit 0");
        let runner = fixture.runner::<PreToolUse>(fixture.hook(&script));
        let fired = runner.fire(bash("ls")).await.into_fired();
        assert_eq!(said(&fired), NO_OPINION);
        runner.close(AMPLE).await;
    });
}

#[test]
fn a_hook_may_delete_the_directory_it_runs_in() {
    alone(async |fixture| {
        let place = fixture.path("place");
        std::fs::create_dir(&place).unwrap();
        let hook = fixture
            .hook(&format!("rmdir \"$PWD\"; cd ..; echo '{DENY}'"))
            .cwd(&place);
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), DENIED);
        assert!(!place.exists());
    });
}

#[test]
fn a_hook_that_changes_its_process_groups_dies_with_them() {
    alone(async |fixture| {
        let script = "set -m; sleep 300 & sleep 300 & set +m; (set -m; sleep 300 &) ; wait";
        let hook = fixture.hook(script).shell("bash").timeout(millis(500));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), TIMED_OUT);
    });
}

#[test]
fn a_hook_that_kills_its_own_group_has_crashed_and_nobody_else_has() {
    alone(async |fixture| {
        let fired = fixture.script("sleep 300 & kill -KILL 0; sleep 300").await;
        assert_eq!(said(&fired), ("crashed", Decision::Pass));
    });
}

#[test]
fn a_deny_that_is_printed_when_term_comes_counts() {
    alone(async |fixture| {
        let script =
            format!("deny() {{ echo '{DENY}'; }}; trap deny TERM; while :; do sleep 0.05; done");
        let hook = fixture
            .hook(&script)
            .timeout(millis(500))
            .grace(millis(1000));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), ("timed_out", Decision::Deny), "{fired:?}");
    });
}

#[test]
fn a_hook_that_stops_itself_dies_at_the_deadline() {
    alone(async |fixture| {
        let hook = fixture.hook("kill -STOP $$; sleep 300");
        let fired = fixture.call(hook.timeout(millis(300))).await;
        assert_eq!(said(&fired), TIMED_OUT);
    });
}

#[test]
fn a_hook_that_closes_stdin_at_once_answers() {
    alone(async |fixture| {
        let hook = fixture.hook(&format!("exec <&-; sleep 0.3; echo '{DENY}'"));
        let fired = fixture.fire(large(1 << 20), hook).await;
        assert_eq!(said(&fired), DENIED);
    });
}

#[test]
fn a_program_without_a_first_line_runs_in_a_shell_and_not_without_one() {
    alone(async |fixture| {
        let program = fixture.program("bare", &format!("echo '{DENY}'\n"));
        let fired = fixture.script(&program).await;
        assert_eq!(said(&fired), DENIED);
        let exec = ShellHook::exec(program.as_str(), [] as [&str; 0]);
        let fired = fixture.call(fixture.mark(exec)).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
        let why = only(&fired).reply.status.to_string();
        assert!(why.contains("#!"), "{why}");
    });
}

#[test]
fn a_program_whose_first_line_ends_as_in_windows_is_a_failure() {
    alone(async |fixture| {
        let program = fixture.program("windows", "#!/bin/sh\r\necho hello\r\n");
        let exec = ShellHook::exec(program.as_str(), [] as [&str; 0]);
        let fired = fixture.call(fixture.mark(exec)).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
        assert!(only(&fired).reply.status.to_string().contains("windows"));
        let fired = fixture.script(&program).await;
        assert_eq!(said(&fired), ("failed", Decision::Pass));
        assert_eq!(only(&fired).reply.evidence.exit_code, Some(127));
    });
}

#[test]
fn a_command_longer_than_an_argument_may_be_is_not_started_and_says_why() {
    alone(async |fixture| {
        let fired = fixture.script(&format!(": {}", "x".repeat(200_000))).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
        assert_eq!(fixture.read("end"), "");
    });
}

#[test]
fn a_hook_that_sheds_its_environment_dies_all_the_same() {
    alone(async |fixture| {
        let script = "env -i setsid sh -c 'echo $$ > shed; exec sleep 300' & exec env -i sh -c 'echo $$ > leader; exec sleep 300'";
        let hook = fixture.hook(script).timeout(millis(700));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), TIMED_OUT);
        for name in ["shed", "leader"] {
            let pid = fixture.written(name).await;
            assert!(is_gone(pid.trim()), "{name} lives");
        }
    });
}

fn is_gone(pid: &str) -> bool {
    let clock = Instant::now();
    while clock.elapsed() < AMPLE {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") {
            return true;
        }
        std::thread::sleep(millis(10));
    }
    false
}

#[test]
fn a_hook_starts_in_a_session_of_its_own_with_nothing_blocked_and_nothing_ignored() {
    alone(async |fixture| {
        let read = async |program: &str, arguments: &[&str]| {
            let hook = ShellHook::exec(program, arguments.iter().copied());
            let fired = fixture.call(fixture.mark(hook)).await;
            stdout(&fired).to_owned()
        };
        let stat = read("cat", &["/proc/self/stat"]).await;
        let fields: Vec<&str> = stat.split_whitespace().collect();
        assert_eq!(fields[0], fields[5], "its session is its own: {stat}");
        let signals = read("grep", &["-E", "Sig(Blk|Ign):", "/proc/self/status"]).await;
        for line in signals.lines() {
            let mask = line.split_whitespace().nth(1).unwrap();
            // The C library keeps two signals to itself, which it ignores in whatever it starts.
            let mask = u64::from_str_radix(mask, 16).unwrap() & !(0b11 << 31);
            assert_eq!(mask, 0, "{line}");
        }
        let inherited = read("ls", &["/proc/self/fd"]).await;
        let ours: Vec<_> = (0..32)
            .map(|_| std::fs::File::open("/dev/null").unwrap())
            .collect();
        assert_eq!(read("ls", &["/proc/self/fd"]).await, inherited);
        drop(ours);
    });
}

#[test]
fn progress_of_a_flood_is_told_in_bounded_pieces() {
    alone(async |fixture| {
        let hook = fixture.hook("head -c 20000000 /dev/zero | tr '\\0' x; sleep 0.5");
        let (runner, mut messages) = fixture.runner::<PreToolUse>(hook).with_messages();
        fire_and_close(&runner, bash("ls")).await;
        let mut told = 0;
        while let Some(message) = messages.try_next() {
            let hook_runner::Delivery::Message(message) = message else {
                panic!("{message:?}");
            };
            let text = serde_json::to_string(&*message).unwrap();
            assert!(text.len() < 8 << 20, "{} bytes", text.len());
            told += 1;
        }
        assert!(told >= 3, "started, response and verdict at least");
    });
}
