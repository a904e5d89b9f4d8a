//! Commands that the agent does not wait for: entries that say so, and commands that say so
//! themselves in their first line.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::{Duration, Instant};

use hook_runner::{Fire, Fired, Group, Hook, HookSet, LateAnswer, Policy, Runner, Wait};
use hook_shell::ShellHook;
use hook_types::{
    Code, Decision, Event, EventName, PostToolUse, PreToolUse, SessionEnd, SessionStart, Status,
    Stop,
};
use serde_json::json;
use support::{AMPLE, Fixture, alone, bash, codes, millis, only, reason, said, stdout};
use test_support::children;

mod support;

/// Waits until the test says so.
const UNTIL_GO: &str = "while [ ! -e go ]; do sleep 0.05; done";

const BEHIND: (&str, Decision) = ("background", Decision::Pass);

fn done() -> PostToolUse {
    PostToolUse::new("Bash", json!({"command": "make"}), json!("ok"))
}

/// A runner of one hook that the agent does not wait for.
fn behind<E: Event>(fixture: &Fixture, wait: Wait, hook: ShellHook) -> Runner {
    let hook = Hook::new(E::NAME, hook).id("hook").wait(wait);
    fixture.runner_of(Group::parallel().hook(hook))
}

fn go(fixture: &Fixture) {
    std::fs::write(fixture.path("go"), "").unwrap();
}

/// The next answer that comes late.
async fn late(runner: &Runner) -> LateAnswer {
    let clock = Instant::now();
    loop {
        let mut finished = runner.take_finished();
        if let Some(answer) = finished.pop() {
            assert!(finished.is_empty(), "more than one: {finished:?}");
            return answer;
        }
        assert!(clock.elapsed() < AMPLE, "no answer comes");
        tokio::time::sleep(millis(10)).await;
    }
}

fn word(answer: &LateAnswer) -> &'static str {
    answer.attempt.reply.status.word()
}

fn context(answer: &LateAnswer) -> Option<&str> {
    answer.attempt.reply.output.additional_context.as_deref()
}

/// A firing is over while its command runs; the answer comes once, after it.
async fn answers_later(fixture: &Fixture, runner: &Runner) -> LateAnswer {
    let fired = runner.fire(done()).await.into_fired();
    assert_eq!(said(&fired), BEHIND);
    assert_eq!(runner.in_background(), 1);
    assert!(!fixture.strays().is_empty(), "it runs");
    assert_eq!(runner.take_finished(), []);
    go(fixture);
    let answer = late(runner).await;
    runner.close(AMPLE).await;
    assert_eq!(runner.take_finished(), [], "once");
    answer
}

#[test]
fn an_entry_in_the_background_answers_later_and_once() {
    alone(async |fixture| {
        let script = format!(
            r#"{UNTIL_GO}; echo '{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","additionalContext":"built"}}}}'"#
        );
        let runner = behind::<PostToolUse>(fixture, Wait::Background, fixture.hook(&script));
        let answer = answers_later(fixture, &runner).await;
        assert_eq!(
            (word(&answer), context(&answer)),
            ("answered", Some("built"))
        );
        assert!(!answer.wakes);
    });
}

#[test]
fn a_first_line_that_promises_an_answer_lets_the_agent_go_on() {
    alone(async |fixture| {
        let script = format!(
            r#"echo '{{"async": true}}'; {UNTIL_GO}; echo '{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","additionalContext":"built"}}}}'"#
        );
        let runner = fixture.runner::<PostToolUse>(fixture.hook(&script));
        let answer = answers_later(fixture, &runner).await;
        assert_eq!(
            (word(&answer), context(&answer)),
            ("answered", Some("built"))
        );
    });
}

#[test]
fn a_promised_answer_may_stand_on_many_lines() {
    alone(async |fixture| {
        let script = format!(
            "echo '{{\"async\": true}}'; {UNTIL_GO}; cat <<'END'\n\
             {{\n  \"systemMessage\": \"done\",\n  \"hookSpecificOutput\": {{\n\
             \"hookEventName\": \"PostToolUse\",\n\n    \"additionalContext\":\n      \"built\"\n\
             }}\n}}\nEND"
        );
        let runner = fixture.runner::<PostToolUse>(fixture.hook(&script));
        let answer = answers_later(fixture, &runner).await;
        assert_eq!(
            (word(&answer), context(&answer)),
            ("answered", Some("built"))
        );
        let output = &answer.attempt.reply.output;
        assert_eq!(output.system_message.as_deref(), Some("done"));
        let printed = &answer.attempt.reply.evidence.stdout;
        assert!(printed.starts_with("{\"async\": true}\n{\n"), "{printed}");
    });
}

#[test]
fn a_promise_that_is_kept_at_once_is_late_all_the_same() {
    alone(async |fixture| {
        for rest in ["", r#"; echo '{"systemMessage":"done"}'"#, "; exit 1"] {
            let script = format!(r#"echo '{{"async":true}}'{rest}"#);
            let runner = fixture.runner::<PostToolUse>(fixture.hook(&script));
            let fired = runner.fire(done()).await.into_fired();
            assert_eq!(said(&fired), BEHIND, "{script}");
            let answer = late(&runner).await;
            assert_eq!(answer.attempt.hook.id.as_str(), "hook");
            runner.close(AMPLE).await;
            assert_eq!(runner.take_finished(), []);
        }
        let script = r#"printf '{"async":true}'"#;
        let runner = fixture.runner::<PostToolUse>(fixture.hook(script));
        assert_eq!(
            said(&*runner.fire(done()).await),
            BEHIND,
            "without a newline"
        );
        assert_eq!(word(&late(&runner).await), "no_opinion");
        runner.close(AMPLE).await;
    });
}

#[test]
fn the_time_of_a_promise_is_in_milliseconds_and_ends_it() {
    alone(async |fixture| {
        let script = r#"echo '{"async":true,"asyncTimeout":400}'; setsid sleep 300 & sleep 300"#;
        let hook = fixture.hook(script).timeout(AMPLE * 10);
        let runner = fixture.runner::<PostToolUse>(hook);
        let fired = runner.fire(done()).await.into_fired();
        assert_eq!(said(&fired), BEHIND);
        let answer = late(&runner).await;
        let expected = Status::TimedOut { limit: millis(400) };
        assert_eq!(answer.attempt.reply.status, expected);
        assert_eq!(fixture.remaining(), [0; 0]);
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn a_promise_may_ask_for_more_time_than_the_hook_has() {
    alone(async |fixture| {
        let script = r#"echo '{"async":true,"asyncTimeout":60000}'; sleep 2; echo '{"systemMessage":"slow"}'"#;
        let hook = fixture.hook(script).timeout(millis(1000));
        let runner = fixture.runner::<PostToolUse>(hook);
        assert_eq!(said(&*runner.fire(done()).await), BEHIND);
        let answer = late(&runner).await;
        assert_eq!(word(&answer), "answered", "{answer:?}");
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn without_a_time_of_its_own_a_promise_has_the_hooks() {
    alone(async |fixture| {
        let script = "echo '{\"async\":true}'; sleep 300";
        let hook = fixture.hook(script).timeout(millis(800));
        let runner = fixture.runner::<PostToolUse>(hook);
        assert_eq!(said(&*runner.fire(done()).await), BEHIND);
        assert_eq!(word(&late(&runner).await), "timed_out");
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn an_absurd_time_is_no_harm() {
    alone(async |fixture| {
        let script = "echo '{\"async\":true,\"asyncTimeout\":18446744073709551615}'; sleep 0.5";
        let runner = fixture.runner::<PostToolUse>(fixture.hook(script));
        assert_eq!(said(&*runner.fire(done()).await), BEHIND);
        assert_eq!(word(&late(&runner).await), "no_opinion");
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn an_entry_in_the_background_has_its_deadline() {
    alone(async |fixture| {
        let hook = fixture.hook("echo partial; sleep 300").timeout(millis(400));
        let runner = behind::<PostToolUse>(fixture, Wait::Background, hook);
        assert_eq!(said(&*runner.fire(done()).await), BEHIND);
        let answer = late(&runner).await;
        assert_eq!(word(&answer), "timed_out");
        assert_eq!(answer.attempt.reply.evidence.stdout, "partial\n");
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn a_promise_of_an_entry_in_the_background_is_part_of_its_answer() {
    alone(async |fixture| {
        let script =
            format!(r#"echo '{{"async":true}}'; {UNTIL_GO}; echo '{{"systemMessage":"done"}}'"#);
        let runner = behind::<PostToolUse>(fixture, Wait::Background, fixture.hook(&script));
        let answer = answers_later(fixture, &runner).await;
        let output = &answer.attempt.reply.output;
        assert_eq!(output.system_message.as_deref(), Some("done"), "{answer:?}");
    });
}

#[test]
fn closing_ends_what_runs_reaps_it_and_says_so() {
    alone(async |fixture| {
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        for (wait, promise) in [
            (Wait::Background, ""),
            (Wait::Awaited, "echo '{\"async\":true}'; "),
        ] {
            let hook = fixture.hook(&format!("{promise}{script}"));
            let runner = behind::<PostToolUse>(fixture, wait, hook);
            assert_eq!(said(&*runner.fire(done()).await), BEHIND);
            fixture.until_there_are(3).await;
            runner.close(Duration::ZERO).await;
            assert_eq!(fixture.strays(), [0; 0], "nothing outlives it");
            assert_eq!(children(), [""; 0], "nor waits to be reaped");
            assert_eq!(word(&late(&runner).await), "cancelled");
            assert_eq!(runner.in_background(), 0);
        }
    });
}

#[test]
fn closing_gives_what_runs_its_time() {
    alone(async |fixture| {
        let hook = fixture.hook("sleep 0.5; echo '{\"systemMessage\":\"done\"}'");
        let runner = behind::<PostToolUse>(fixture, Wait::Background, hook);
        runner.fire(done()).await;
        runner.close(AMPLE).await;
        assert_eq!(word(&late(&runner).await), "answered");
    });
}

#[test]
fn what_runs_at_the_end_of_a_session_may_run_to_its_own_deadline() {
    alone(async |fixture| {
        let hook = fixture.hook("sleep 0.7; echo bye > bye").timeout(AMPLE);
        let runner = behind::<SessionEnd>(fixture, Wait::Background, hook);
        runner.fire(SessionEnd::new("other")).await;
        runner.close(Duration::ZERO).await;
        assert_eq!(fixture.read("bye"), "bye\n");
        assert_eq!(word(&late(&runner).await), "no_opinion");
    });
}

#[test]
fn dropping_the_runner_ends_what_runs() {
    alone(async |fixture| {
        let script = "trap '' TERM; setsid sleep 300 & sleep 300; sleep 300";
        let runner = behind::<PostToolUse>(fixture, Wait::Background, fixture.hook(script));
        runner.fire(done()).await;
        fixture.until_there_are(3).await;
        drop(runner);
        assert_eq!(fixture.remaining(), [0; 0]);
    });
}

#[test]
fn exit_2_wakes_the_agent_where_that_was_asked_for() {
    alone(async |fixture| {
        let script = format!("{UNTIL_GO}; echo 'the build is broken' >&2; exit 2");
        let runner = behind::<PostToolUse>(fixture, Wait::Rewake, fixture.hook(&script));
        let answer = answers_later(fixture, &runner).await;
        assert!(answer.wakes);
        assert_eq!(
            answer.attempt.reply.evidence.stderr,
            "the build is broken\n"
        );
    });
}

#[test]
fn what_wakes_an_agent_is_stderr_else_stdout() {
    alone(async |fixture| {
        for (script, text) in [
            ("echo out; echo err >&2; exit 2", "err"),
            ("echo out; exit 2", "out"),
        ] {
            let hook = fixture.hook(script);
            let runner = behind::<PostToolUse>(fixture, Wait::Rewake, hook);
            runner.fire(done()).await;
            let answer = late(&runner).await;
            assert!(answer.wakes);
            let reason = answer.attempt.reply.output.into_inner().reason;
            assert_eq!(reason.as_deref(), Some(text), "{script}");
            runner.close(Duration::ZERO).await;
        }
    });
}

#[test]
fn nothing_but_exit_2_of_a_hook_that_asked_for_it_wakes_the_agent() {
    alone(async |fixture| {
        for (wait, script) in [
            (Wait::Rewake, "exit 0"),
            (Wait::Rewake, "exit 1"),
            (Wait::Rewake, "./no-such-script"),
            (Wait::Rewake, "kill -KILL $$"),
            (Wait::Rewake, r#"echo '{"decision":"block"}'"#),
            (Wait::Background, "exit 2"),
        ] {
            let runner = behind::<PostToolUse>(fixture, wait, fixture.hook(script));
            runner.fire(done()).await;
            assert!(!late(&runner).await.wakes, "{wait:?} {script}");
            runner.close(Duration::ZERO).await;
        }
    });
}

#[test]
fn a_missing_script_in_the_background_is_reported_once() {
    alone(async |fixture| {
        let runner = behind::<Stop>(fixture, Wait::Rewake, fixture.hook("./no-such-script"));
        assert!(!runner.fire(Stop::new(false)).await.keeps_going());
        let answer = late(&runner).await;
        assert_eq!(answer.attempt.reply.evidence.exit_code, Some(127));
        tokio::time::sleep(millis(300)).await;
        assert_eq!(runner.take_finished(), []);
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn a_guard_in_the_background_cannot_block() {
    alone(async |fixture| {
        let runner = behind::<PreToolUse>(fixture, Wait::Background, fixture.hook("exit 2"));
        assert_eq!(said(&*runner.fire(bash("ls")).await), BEHIND);
        assert_eq!(
            word(&late(&runner).await),
            "blocked",
            "it is reported all the same"
        );
        runner.close(Duration::ZERO).await;
    });
}

#[test]
fn a_promise_and_a_deny_in_one_object_are_a_deny_on_a_guard() {
    alone(async |fixture| {
        let fired = fixture
            .script(r#"echo '{"async":true,"decision":"block","reason":"no"}'"#)
            .await;
        assert_eq!(said(&fired), ("answered", Decision::Deny));
        assert_eq!(reason(&fired), "no");
        assert_eq!(codes(&fired), [Code::AsyncDeny]);
    });
}

#[test]
fn only_the_first_line_can_promise() {
    alone(async |fixture| {
        for script in [
            "echo hello; echo '{\"async\":true}'; sleep 0.4",
            "echo '{\"async\":false}'; sleep 0.4",
            "echo '{\"async\":\"true\"}'; sleep 0.4",
        ] {
            let runner = fixture.runner::<PostToolUse>(fixture.hook(script));
            let fired: Fired = runner.fire(done()).await.into_fired();
            assert_ne!(only(&fired).reply.status, Status::Background, "{script}");
            assert!(stdout(&fired).contains("async"));
            runner.close(Duration::ZERO).await;
        }
    });
}

#[test]
fn more_commands_than_there_is_room_for_are_not_started() {
    alone(async |fixture| {
        let hooks = (0..3).fold(Group::parallel(), |group, number| {
            let hook = fixture.hook(&format!("echo {number} >> started; sleep 300"));
            group.hook(Hook::new(EventName::PostToolUse, hook).wait(Wait::Background))
        });
        let hooks = HookSet::builder().group(hooks).build().unwrap();
        let mut policy = Policy::default();
        policy.in_background = 2;
        let runner = Runner::with(hooks, fixture.session(), policy);
        let fired = runner.fire(done()).await.into_fired();
        let words = fired.attempts.iter();
        let words: Vec<&str> = words.map(|attempt| attempt.reply.status.word()).collect();
        assert_eq!(words, ["background", "background", "failed"]);
        fixture.until_there_are(2).await;
        runner.close(Duration::ZERO).await;
        assert!(!fixture.read("started").contains('2'));
    });
}

#[test]
fn a_hook_that_is_killed_in_the_background_leaves_no_file_for_exports() {
    alone(async |fixture| {
        let hook = fixture.hook("echo export A=1 > \"$CLAUDE_ENV_FILE\"; echo up > up; sleep 300");
        let runner = behind::<SessionStart>(fixture, Wait::Background, hook);
        runner.fire(SessionStart::new("startup")).await;
        fixture.written("up").await;
        runner.close(Duration::ZERO).await;
        assert_eq!(
            support::temporary_files(),
            [""; 0].map(std::path::PathBuf::from)
        );
    });
}

#[test]
fn what_a_hook_exports_in_the_background_comes_with_its_answer() {
    alone(async |fixture| {
        let hook = fixture.hook("echo export A=1 > \"$CLAUDE_ENV_FILE\"");
        let runner = behind::<SessionStart>(fixture, Wait::Background, hook);
        runner.fire(SessionStart::new("startup")).await;
        let answer = late(&runner).await;
        let exports = answer.attempt.reply.output.specific.exports.as_deref();
        assert_eq!(exports, Some("export A=1\n"));
        runner.close(Duration::ZERO).await;
    });
}
