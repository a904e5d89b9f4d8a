//! Hooks that do everything wrong, as real processes. Each test runs alone in this process, and is
//! followed by a search for what it could have left: processes with its marker, zombies,
//! descriptors, temporary files.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use hook_runner::{Cancellation, Fire, Group, Hook, HookRunner};
use hook_shell::{Host, ShellHook};
use hook_types::{
    Code, Decision, EventName, HookEvent, OnFailure, PostToolUse, PreToolUse, Status,
};
use process_tree::Watchdog;
use serde_json::json;
use support::{
    ALLOW, AMPLE, DENY, Fixture, alone, bash, codes, fire_and_close, large, millis, only, reason,
    runtime, said, stdout,
};
use test_support::{TAG, memory, prepared};

mod support;

const TIMED_OUT: (&str, Decision) = ("timed_out", Decision::Pass);
const DENIED: (&str, Decision) = ("answered", Decision::Deny);
const NO_OPINION: (&str, Decision) = ("no_opinion", Decision::Pass);

// Time and processes.

#[test]
fn a_shell_that_waits_for_its_child_ends_at_the_deadline_with_it() {
    alone(async |fixture| {
        let hook = fixture.hook("sleep 300; true").timeout(millis(200));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), TIMED_OUT);
        assert!(only(&fired).duration < AMPLE);
    });
}

#[test]
fn a_hook_that_ignores_term_ends_after_the_grace() {
    alone(async |fixture| {
        let script = "trap '' TERM; sleep 300; sleep 300; sleep 300";
        let fired = fixture
            .call(fixture.hook(script).timeout(millis(200)))
            .await;
        assert_eq!(said(&fired), TIMED_OUT);
        assert!(only(&fired).duration < AMPLE);
    });
}

#[test]
fn a_child_left_behind_does_not_hold_the_answer_back_and_is_reported() {
    alone(async |fixture| {
        let script = r#"sleep 300 & echo '{"decision":"block","reason":"now"}'"#;
        let runner = fixture.runner::<PreToolUse>(fixture.hook(script).timeout(AMPLE * 2));
        let fired = runner.fire(bash("ls")).await.into_fired();
        assert_eq!((said(&fired), reason(&fired)), (DENIED, "now"));
        assert!(only(&fired).duration < AMPLE);
        assert_eq!(only(&fired).reply.evidence.left_running, 1);
        assert_eq!(fixture.strays().len(), 1, "what a command leaves may go on");

        runner.close(Duration::ZERO).await;
        assert_eq!(fixture.strays(), [0; 0], "until the session is closed");
    });
}

#[test]
fn the_deadline_runs_while_stdin_is_written() {
    alone(async |fixture| {
        let hook = fixture.hook("sleep 300").timeout(millis(300));
        let fired = fixture.fire(large(4 << 20), hook).await;
        assert_eq!(said(&fired), TIMED_OUT);
        assert!(only(&fired).duration < AMPLE);
    });
}

#[test]
fn a_hook_that_prints_300_kilobytes_before_it_reads_a_megabyte_answers() {
    alone(async |fixture| {
        let script = format!(
            "head -c 300000 /dev/zero | tr '\\0' x; echo; wc -c >&2; echo '{DENY}'; exit 0"
        );
        let fired = fixture.fire(large(1 << 20), fixture.hook(&script)).await;
        assert_eq!(said(&fired), DENIED);
        let read: usize = only(&fired).reply.evidence.stderr.trim().parse().unwrap();
        assert!(read > 1 << 20, "{read}");
        assert_eq!(codes(&fired), [Code::Noise]);
    });
}

#[test]
fn of_300_megabytes_one_is_kept_and_the_rest_is_drained() {
    alone(async |fixture| {
        let before = memory("VmHWM");
        let script = "head -c 300000000 /dev/zero | tr '\\0' x; echo done >&2";
        let fired = fixture.call(fixture.hook(script).timeout(AMPLE * 4)).await;
        assert_eq!(said(&fired), NO_OPINION);
        assert_eq!(codes(&fired), [Code::Cut], "and a guard is told of it");
        let evidence = &only(&fired).reply.evidence;
        assert_eq!((evidence.stdout.len(), evidence.truncated), (1 << 20, true));
        assert_eq!(evidence.stderr, "done\n", "it got to its end");
        let grown = memory("VmHWM").saturating_sub(before);
        assert!(grown < 64 * 1024, "{grown} KiB more");
    });
}

#[test]
fn an_answer_that_was_cut_blocks_on_a_guard() {
    alone(async |fixture| {
        let script =
            r#"printf '{"systemMessage":"'; head -c 2000000 /dev/zero | tr '\0' x; printf '"}'"#;
        let fired = fixture.script(script).await;
        assert_eq!(said(&fired), ("bad_output", Decision::Deny));
        assert!(only(&fired).reply.evidence.truncated);
        let fired = fixture
            .fire(
                PostToolUse::new("Bash", json!({}), json!("ok")),
                fixture.hook(script),
            )
            .await;
        assert_eq!(said(&fired), ("bad_output", Decision::Pass));
    });
}

#[test]
fn a_hook_that_dies_of_a_signal_has_crashed_whatever_it_said() {
    alone(async |fixture| {
        for (signal, number) in [("KILL", 9), ("SEGV", 11), ("TERM", 15)] {
            let script = format!("ulimit -c 0; echo '{ALLOW}'; kill -{signal} $$; sleep 300");
            let fired = fixture.script(&script).await;
            assert_eq!(said(&fired), ("crashed", Decision::Pass));
            let evidence = &only(&fired).reply.evidence;
            assert_eq!((evidence.signal, evidence.exit_code), (Some(number), None));
        }
    });
}

#[test]
fn a_crash_blocks_a_guard_where_failures_are_to_block() {
    alone(async |fixture| {
        let hook = Hook::new(EventName::PreToolUse, fixture.hook("kill -KILL $$"))
            .on_failure(OnFailure::Block);
        let runner = fixture.runner_of(Group::parallel().hook(hook));
        let fired = fire_and_close(&runner, bash("ls")).await;
        assert_eq!(said(&fired), ("crashed", Decision::Deny));
    });
}

#[test]
fn a_character_that_comes_in_two_pieces_is_whole() {
    alone(async |fixture| {
        let script = r#"printf '{"decision":"block","reason":"\303'; sleep 0.3; printf '\244 \360\237'; sleep 0.3; printf '\246\200"}'"#;
        let fired = fixture.script(script).await;
        assert_eq!(said(&fired), DENIED);
        assert_eq!(reason(&fired), "ä 🦀");
    });
}

#[test]
fn a_megabyte_of_stdin_for_a_hook_that_reads_none_is_no_error() {
    alone(async |fixture| {
        let fired = fixture
            .fire(large(1 << 20), fixture.hook(&format!("echo '{DENY}'")))
            .await;
        assert_eq!(said(&fired), DENIED);
        let fired = fixture.fire(large(1 << 20), fixture.hook("true")).await;
        assert_eq!(said(&fired), NO_OPINION);
    });
}

#[test]
fn a_working_directory_that_was_deleted_does_not_stop_a_hook() {
    alone(async |fixture| {
        let gone = fixture.path("gone");
        std::fs::create_dir(&gone).unwrap();
        let mut call = bash("ls");
        call.base.cwd = gone.to_str().unwrap().to_owned();
        std::fs::remove_dir(&gone).unwrap();
        let fired = fixture
            .fire(call, fixture.hook(&format!("pwd >&2; echo '{DENY}'")))
            .await;
        assert_eq!(said(&fired), DENIED);
        let printed = only(&fired).reply.evidence.stderr.trim().to_owned();
        assert_eq!(
            std::fs::canonicalize(printed).unwrap(),
            std::fs::canonicalize(fixture.directory()).unwrap()
        );
    });
}

#[test]
fn a_project_path_of_blanks_quotes_dollars_and_newlines_stays_one_path() {
    alone(async |fixture| {
        let project = fixture.text_path("a b\t'c' \"d\" $HOME `id` $(id)\nline; rm *");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(format!("{project}/check.sh"), format!("echo '{DENY}'")).unwrap();
        let mut session = fixture.session();
        session.project_dir.clone_from(&project);
        let forms = [
            ShellHook::exec("/bin/sh", ["${CLAUDE_PROJECT_DIR}/check.sh"]),
            ShellHook::new("/bin/sh \"$CLAUDE_PROJECT_DIR/check.sh\""),
            ShellHook::new("/bin/sh ./check.sh").cwd(&project),
        ];
        for hook in forms {
            let runner = fixture.runner::<PreToolUse>(fixture.mark(hook));
            runner.update_session(|facts| *facts = session.clone());
            let fired = fire_and_close(&runner, bash("ls")).await;
            assert_eq!(said(&fired), DENIED, "{fired:?}");
        }
    });
}

#[test]
fn a_payload_beyond_every_limit_of_arguments_and_environment_arrives_whole() {
    alone(async |fixture| {
        let fired = fixture.fire(large(8 << 20), fixture.hook("wc -c")).await;
        let read: usize = stdout(&fired).trim().parse().unwrap();
        assert!(read > 8 << 20, "{read}");
    });
}

#[test]
fn a_hundred_firings_leave_no_descriptor_and_no_zombie() {
    alone(async |fixture| {
        let runner = fixture.runner::<PreToolUse>(fixture.hook("exit 2"));
        for _ in 0..100 {
            assert!(runner.fire(bash("ls")).await.is_denied());
        }
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn a_hook_that_calls_setsid_dies_at_the_deadline_with_all_it_started() {
    alone(async |fixture| {
        for script in [
            "setsid sleep 300 & sleep 300",
            "(setsid sh -c 'sleep 300 & sleep 300' </dev/null >/dev/null 2>&1 &); sleep 300",
            "exec setsid --fork sh -c 'trap \"\" TERM; sleep 300 & sleep 300; sleep 300'",
        ] {
            let runner = fixture.runner::<PreToolUse>(fixture.hook(script).timeout(millis(500)));
            runner.fire(bash("ls")).await;
            runner.close(Duration::ZERO).await;
            assert_eq!(fixture.strays(), [0; 0], "{script}");
        }
    });
}

#[test]
fn a_hook_that_forks_forever_is_caught() {
    alone(async |fixture| {
        // Every generation starts the next one and ends: nobody lives long enough to be hit by a
        // signal that was aimed at what a look at the system has shown.
        let chain = fixture.program(
            "chain",
            "#!/bin/sh\n[ -e stop ] && exit\nsleep 0.01\n\"$0\" &\n",
        );
        let hook = fixture.hook(&format!("'{chain}' & sleep 300"));
        let fired = fixture.call(hook.timeout(millis(500))).await;
        assert_eq!(said(&fired), TIMED_OUT);

        // The same with nobody at its head: only closing the session ends it.
        let runner = fixture.runner::<PreToolUse>(fixture.hook(&format!("setsid '{chain}' &")));
        let fired = runner.fire(bash("ls")).await.into_fired();
        assert_eq!(said(&fired), NO_OPINION);
        runner.close(Duration::ZERO).await;
        let left = fixture.remaining();
        std::fs::write(fixture.path("stop"), "").unwrap();
        assert_eq!(left, [0; 0]);
    });
}

#[test]
fn a_hook_that_closes_its_outputs_and_goes_on_is_waited_for_until_the_deadline() {
    alone(async |fixture| {
        let hook = fixture.hook("exec >&- 2>&-; sleep 300");
        let fired = fixture.call(hook.timeout(millis(300))).await;
        assert_eq!(said(&fired), TIMED_OUT);

        let script = format!("echo '{DENY}'; exec >&- 2>&-; sleep 0.5; echo end > end");
        let fired = fixture.script(&script).await;
        assert_eq!(said(&fired), DENIED);
        assert_eq!(fixture.read("end"), "end\n", "its exit is the end");
    });
}

#[test]
fn a_hook_that_reads_stdin_slowly_gets_all_of_it() {
    alone(async |fixture| {
        let script = "for i in 1 2 3 4 5; do head -c 100000 | wc -c; sleep 0.1; done; cat | wc -c";
        let fired = fixture.fire(large(1 << 20), fixture.hook(script)).await;
        let read: usize = stdout(&fired)
            .lines()
            .map(|line| line.trim().parse::<usize>().unwrap())
            .sum();
        assert!(read > 1 << 20, "{read}");
    });
}

#[test]
fn sixty_four_hooks_near_the_limit_of_processes_all_end_and_none_allows() {
    const TEST: &str = "sixty_four_hooks_near_the_limit_of_processes_all_end_and_none_allows";
    // The limit does not bind the superuser, who becomes somebody else first; where that one may
    // not run this program, descriptors are scarce instead.
    let setup = "other='setpriv --reuid 64123 --clear-groups prlimit --nproc=60'; \
                 if [ $(id -u) != 0 ]; \
                 then ulimit -u $(($(ps -L -u $(id -u) | wc -l) + 60)); set --; \
                 elif $other test -x \"$0\"; then set -- $other; \
                 else ulimit -n 100; set --; fi; exec \"$@\"";
    if !prepared(TEST, setup) {
        return;
    }
    let fixture = Fixture::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .build()
        .unwrap();
    runtime.block_on(async {
        let hooks = (0..64).fold(Group::parallel(), |group, number| {
            let script = format!("sleep 0.5; sleep 0.5; echo {number}: no >&2; exit 2");
            let hook = Hook::new(EventName::PreToolUse, fixture.hook(&script));
            group.hook(hook.on_failure(OnFailure::Block))
        });
        let hooks = hook_runner::HookSet::builder()
            .group(hooks)
            .build()
            .unwrap();
        let mut policy = hook_runner::Policy::default();
        policy.at_once = 64;
        let runner = hook_runner::Runner::with(hooks, fixture.session(), policy);
        let fired = fire_and_close(&runner, bash("ls")).await;
        assert_eq!(fired.attempts.len(), 64);
        assert_eq!(fired.outcome.decision, Decision::Deny);
        let count = |wanted: fn(&Status) -> bool| {
            let statuses = fired.attempts.iter().map(|attempt| &attempt.reply.status);
            statuses.filter(|status| wanted(status)).count()
        };
        let blocked = count(|status| matches!(status, Status::Blocked { exit_code: 2 }));
        let failed = count(Status::is_failure);
        assert_eq!(blocked + failed, 64, "{fired:?}");
        assert!(failed > 0, "the limit was not near: {blocked} ran");

        let fired = fixture.script("exit 2").await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny), "and it is over");
    });
}

#[test]
fn hooks_of_a_turn_that_is_cancelled_die() {
    alone(async |fixture| {
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        let runner = fixture.runner::<PreToolUse>(fixture.hook(script));
        let until = Cancellation::new();
        let firing = runner.fire_until(HookEvent::from(bash("ls")), Some(until.clone()));
        let cancelling = async {
            fixture.until_there_are(3).await;
            until.cancel();
        };
        let (fired, ()) = tokio::join!(firing, cancelling);
        assert_eq!(said(&fired), ("cancelled", Decision::Pass));
        assert_eq!(fixture.remaining(), [0; 0]);
    });
}

#[test]
fn hooks_of_a_firing_that_is_dropped_die() {
    alone(async |fixture| {
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        let runner = fixture.runner::<PreToolUse>(fixture.hook(script));
        tokio::select! {
            _ = runner.fire_event(bash("ls").into()) => unreachable!("nothing ends it"),
            () = fixture.until_there_are(3) => {}
        }
        assert_eq!(fixture.remaining(), [0; 0]);
    });
}

#[test]
fn hooks_of_a_runtime_that_is_dropped_die() {
    alone(async |fixture| {
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        let runner = fixture.runner::<PreToolUse>(fixture.hook(script));
        let agent = runtime();
        agent.spawn(async move { runner.fire(bash("ls")).await });
        fixture.until_there_are(3).await;
        agent.shutdown_background();
        assert_eq!(fixture.remaining(), [0; 0]);
    });
}

/// Not a test: the agent that the test below starts and kills. It does nothing without its tag.
#[test]
fn agent() {
    #[expect(
        clippy::disallowed_methods,
        reason = "how this program is told that it is the agent"
    )]
    let Ok(tag) = std::env::var("AGENT_TAG") else {
        return;
    };
    runtime().block_on(async {
        let host = Host::new().watched(Watchdog::start().unwrap());
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        let hook = ShellHook::new(script).env(TAG, tag).host(&host);
        let hooks = hook_runner::HookSet::builder()
            .hook::<PreToolUse>("", hook)
            .build();
        let runner = hook_runner::Runner::new(hooks.unwrap());
        println!("the agent is up");
        runner.fire(bash("ls")).await;
    });
}

#[test]
fn hooks_of_an_agent_that_is_killed_die() {
    alone(async |fixture| {
        let mut agent = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "agent", "--nocapture", "--test-threads", "1"])
            .env("AGENT_TAG", fixture.tag())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(agent.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.ends_with("the agent is up")));
        fixture.until_there_are(3).await;
        agent.kill().unwrap();
        agent.wait().unwrap();
        assert_eq!(fixture.remaining(), [0; 0]);
    });
}

#[test]
fn strays_that_are_becoming_other_programs_are_found_when_the_session_closes() {
    alone(async |fixture| {
        let script = "(setsid sh -c 'exec env env env env env env env sleep 300' </dev/null >/dev/null 2>&1 &)";
        for round in 0..40 {
            let runner = fixture.runner::<PreToolUse>(fixture.hook(script));
            runner.fire(bash("ls")).await;
            tokio::time::sleep(Duration::from_micros(round * 250)).await;
            runner.close(Duration::ZERO).await;
            assert_eq!(fixture.strays(), [0; 0], "round {round}");
        }
    });
}
