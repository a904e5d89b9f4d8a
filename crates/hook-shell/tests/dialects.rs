//! Hooks that are written for other systems, run as they are.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hook_runner::{Fired, Group, Hook, Runner, Wait};
use hook_shell::{Dialect, Host, ShellHook};
use hook_types::{
    Code, Decision, Error, Event, EventName, HookEvent, PermissionCheck, PostCompact, PostToolUse,
    PostToolUseFailure, PreModelRequest, PreToolUse, SessionEnd, SessionMessage, SessionStart,
    Status, Stop, UserPromptSubmit,
};
use process_tree::Environment;
use serde_json::{Value, json};
use support::{Fixture, bash, codes, fire_and_close, millis, only, reason, said, stdout};

mod support;

/// A hook of another system's, in a session that knows its model and its clock.
async fn run<E: Event>(fixture: &Fixture, dialect: Dialect, event: E, hook: ShellHook) -> Fired {
    let environment = Environment::empty().with("PATH", "/usr/local/bin:/usr/bin:/bin");
    let host = Host::with_environment(environment);
    let runner = fixture.runner::<E>(fixture.mark(hook).dialect(dialect).host(&host));
    runner.update_session(|session| {
        session.model = Some("model-7".to_owned());
        session.clock = || UNIX_EPOCH + Duration::from_millis(1_699_999_999_123);
    });
    fire_and_close(&runner, event).await
}

/// The variables that a hook is told whose names start with `prefix`.
async fn told<E: Event>(
    fixture: &Fixture,
    dialect: Dialect,
    prefix: &str,
    event: E,
) -> BTreeMap<String, String> {
    let hook = ShellHook::new("env -0 > told");
    run(fixture, dialect, event, hook).await;
    let all = fixture.read("told");
    all.split('\0')
        .filter_map(|entry| entry.split_once('='))
        .filter(|(name, _)| name.starts_with(prefix))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn table<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    let entries = entries.iter();
    entries
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

mod opta {
    use super::*;

    async fn opta<E: Event>(fixture: &Fixture, event: E, script: &str) -> Fired {
        run(fixture, Dialect::Opta, event, ShellHook::new(script)).await
    }

    #[tokio::test]
    async fn the_environment_tells_event_session_directory_model_and_tool() {
        let fixture = Fixture::new();
        let edit = json!({"file_path": "/a b.rs", "old_string": "\"x\"", "new_string": "$y"});
        let call = PreToolUse::new("Edit", edit);
        let seen = told(&fixture, Dialect::Opta, "OPTA_", call).await;
        let directory = fixture.directory().to_str().unwrap();
        let arguments = r#"{"path":"/a b.rs","old_string":"\"x\"","new_string":"$y"}"#;
        let expected = table([
            ("OPTA_EVENT", "tool.pre"),
            ("OPTA_SESSION_ID", "session-1"),
            ("OPTA_CWD", directory),
            ("OPTA_MODEL", "model-7"),
            ("OPTA_TOOL_NAME", "edit_file"),
            ("OPTA_TOOL_ARGS", arguments),
        ]);
        assert_eq!(seen, expected);
    }

    #[tokio::test]
    async fn tools_have_the_names_that_opta_gives_them() {
        let fixture = Fixture::new();
        for (ours, theirs) in [
            ("Bash", "run_command"),
            ("Edit", "edit_file"),
            ("Write", "write_file"),
            ("Read", "read_file"),
            ("run_command", "run_command"),
            ("mcp__memory__save", "mcp__memory__save"),
        ] {
            let call = PreToolUse::new(ours, json!({}));
            let fired = opta(&fixture, call, "printf %s \"$OPTA_TOOL_NAME\"").await;
            assert_eq!(stdout(&fired), theirs);
        }
    }

    #[tokio::test]
    async fn each_event_has_the_name_that_opta_gives_it() {
        async fn name<E: Event>(fixture: &Fixture, event: E) -> String {
            let fired = opta(fixture, event, "printf %s \"$OPTA_EVENT\" >&2").await;
            only(&fired).reply.evidence.stderr.clone()
        }
        let fixture = Fixture::new();
        let call = || ("Bash", json!({"command": "ls"}));
        assert_eq!(
            name(&fixture, SessionStart::new("startup")).await,
            "session.start"
        );
        assert_eq!(
            name(&fixture, SessionEnd::new("other")).await,
            "session.end"
        );
        let (tool, input) = call();
        assert_eq!(
            name(&fixture, PostToolUse::new(tool, input, json!("x"))).await,
            "tool.post"
        );
        let (tool, input) = call();
        assert_eq!(
            name(&fixture, PostToolUseFailure::new(tool, input, "x")).await,
            "tool.post"
        );
        assert_eq!(
            name(&fixture, PostCompact::new("auto", "short")).await,
            "compact"
        );
        assert_eq!(name(&fixture, Error::new("model", "x")).await, "error");
        assert_eq!(
            name(&fixture, UserPromptSubmit::new("x")).await,
            "prompt.pre"
        );
        assert_eq!(name(&fixture, Stop::new(false)).await, "stop");
    }

    #[tokio::test]
    async fn stdin_has_the_event_with_our_names() {
        let fixture = Fixture::new();
        opta(&fixture, bash("ls"), "cat > stdin").await;
        let object: Value = serde_json::from_str(&fixture.read("stdin")).unwrap();
        assert_eq!(object["tool_name"], "Bash");
        assert_eq!(object["hook_event_name"], "PreToolUse");
    }

    #[tokio::test]
    async fn a_result_is_cut_at_two_kilobytes_between_characters_and_that_is_reported() {
        let fixture = Fixture::new();
        // 2048 is in the middle of a character of three bytes.
        let result = "€".repeat(1000);
        let event = PostToolUse::new("Bash", json!({}), json!(result));
        let fired = opta(&fixture, event, "printf %s \"$OPTA_TOOL_RESULT\"").await;
        assert_eq!(stdout(&fired), "€".repeat(682));
        assert_eq!(codes(&fired), [Code::Cut]);
        let message = &fired.outcome.diagnostics[0].diagnostic.message;
        assert!(message.contains("2046 of 3000"), "{message}");

        let event = PostToolUse::new("Bash", json!({}), json!("x".repeat(2048)));
        let fired = opta(&fixture, event, "printf %s \"$OPTA_TOOL_RESULT\" | wc -c").await;
        assert_eq!(stdout(&fired).trim(), "2048");
        assert_eq!(codes(&fired), []);
    }

    #[tokio::test]
    async fn results_that_are_no_text_are_json_and_errors_are_results() {
        let fixture = Fixture::new();
        let print = "printf %s \"$OPTA_TOOL_RESULT\"";
        let event = PostToolUse::new("Bash", json!({}), json!({"stdout": "a"}));
        assert_eq!(
            stdout(&opta(&fixture, event, print).await),
            r#"{"stdout":"a"}"#
        );
        let event = PostToolUseFailure::new("Bash", json!({}), "exit code 1");
        assert_eq!(stdout(&opta(&fixture, event, print).await), "exit code 1");
    }

    #[tokio::test]
    async fn a_result_with_a_nul_in_it_is_told_all_the_same() {
        let fixture = Fixture::new();
        let event = PostToolUse::new("Read", json!({}), json!("ELF\0\0x"));
        let fired = opta(&fixture, event, "printf %s \"$OPTA_TOOL_RESULT\"").await;
        assert_eq!(stdout(&fired), "ELF\u{fffd}\u{fffd}x");
        assert_eq!(codes(&fired), [Code::WrongValue]);
    }

    #[tokio::test]
    async fn an_error_is_told_as_it_is() {
        let fixture = Fixture::new();
        let fired = opta(
            &fixture,
            Error::new("model", "rate 'limit'\n$5"),
            "printf %s \"$OPTA_ERROR\"",
        )
        .await;
        assert_eq!(stdout(&fired), "rate 'limit'\n$5");
    }

    #[tokio::test]
    async fn any_exit_but_0_cancels_a_tool_with_stderr_as_the_reason() {
        let fixture = Fixture::new();
        let fired = opta(&fixture, bash("ls"), "echo \"Blocked\" >&2 && exit 1").await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny));
        assert_eq!(reason(&fired), "Blocked");
        assert!(fired.outcome.is_denied());
    }

    #[tokio::test]
    async fn an_exit_code_changes_nothing_on_any_other_event() {
        let fixture = Fixture::new();
        let event = PostToolUse::new("Bash", json!({}), json!("x"));
        let fired = opta(&fixture, event, "echo no >&2; exit 1").await;
        assert_eq!(said(&fired), ("failed", Decision::Pass));
        let fired = opta(&fixture, UserPromptSubmit::new("x"), "exit 2").await;
        assert_eq!(said(&fired), ("failed", Decision::Pass));
        let fired = opta(&fixture, Stop::new(false), "exit 2").await;
        assert!(!fired.outcome.keeps_going());
    }

    #[tokio::test]
    async fn a_guard_that_takes_too_long_dies_or_does_not_start_cancels_the_tool() {
        let fixture = Fixture::new();
        let slow = ShellHook::new("echo 'still looking' >&2; sleep 300").timeout(millis(500));
        let fired = run(&fixture, Dialect::Opta, bash("ls"), slow).await;
        assert_eq!(said(&fired), ("timed_out", Decision::Deny));
        assert!(reason(&fired).contains("still looking"), "{fired:?}");
        let fired = opta(&fixture, bash("ls"), "kill -KILL $$").await;
        assert_eq!(said(&fired), ("crashed", Decision::Deny));
        let missing = ShellHook::exec("no-such-program", [] as [&str; 0]);
        let fired = run(&fixture, Dialect::Opta, bash("ls"), missing).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
        let slow = ShellHook::new("sleep 300").timeout(millis(200));
        let fired = run(&fixture, Dialect::Opta, SessionStart::new("startup"), slow).await;
        assert_eq!(said(&fired), ("timed_out", Decision::Pass));
    }

    #[tokio::test]
    async fn json_on_stdout_counts_too() {
        let fixture = Fixture::new();
        let script = r#"echo '{"decision":"block","reason":"by JSON"}'"#;
        let fired = opta(&fixture, bash("ls"), script).await;
        assert_eq!(said(&fired), ("answered", Decision::Deny));
        assert_eq!(reason(&fired), "by JSON");
    }

    #[tokio::test]
    async fn the_largest_arguments_that_fit_are_told_whole() {
        let fixture = Fixture::new();
        // Name, sign and end of the variable and the JSON around the text take their share.
        let around = "OPTA_TOOL_ARGS=".len() + 1 + r#"{"content":""}"#.len();
        let content = "x".repeat(128 * 1024 - around);
        let call = PreToolUse::new("Write", json!({ "content": content }));
        let fired = opta(&fixture, call, "exit 0").await;
        assert_eq!(
            said(&fired),
            ("no_opinion", Decision::Pass),
            "{}",
            reason(&fired)
        );

        let call = PreToolUse::new("Write", json!({ "content": content + "x" }));
        let fired = opta(&fixture, call, "touch ran").await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
        assert!(
            reason(&fired).contains("OPTA_TOOL_ARGS"),
            "{}",
            reason(&fired)
        );
        assert!(!fixture.path("ran").exists());
    }

    #[tokio::test]
    async fn arguments_that_do_not_fit_are_left_out_after_the_tool_and_that_is_reported() {
        let fixture = Fixture::new();
        let event = PostToolUse::new(
            "Write",
            json!({ "content": "x".repeat(200_000) }),
            json!("ok"),
        );
        let fired = opta(
            &fixture,
            event,
            "echo \"[${OPTA_TOOL_ARGS-unset}] $OPTA_TOOL_RESULT\"",
        )
        .await;
        assert_eq!(stdout(&fired), "[unset] ok\n");
        assert_eq!(codes(&fired), [Code::Cut]);
    }

    #[tokio::test]
    async fn a_background_hooks_errors_change_nothing_and_are_reported() {
        let fixture = Fixture::new();
        let shell = fixture.hook("echo oops >&2; exit 1").dialect(Dialect::Opta);
        let hook = Hook::new(EventName::PreToolUse, shell).wait(Wait::Background);
        let runner = fixture.runner_of(Group::sequential().hook(hook));
        let fired = runner.fire_until(HookEvent::from(bash("ls")), None).await;
        assert_eq!(said(&fired), ("background", Decision::Pass));
        runner.close(support::AMPLE).await;
        let late = runner.take_finished();
        assert_eq!(late.len(), 1);
        assert_eq!(late[0].attempt.reply.evidence.stderr, "oops\n");
        assert!(!late[0].attempt.success());
    }

    #[tokio::test]
    async fn the_seeds_examples_do_what_they_say() {
        let fixture = Fixture::new();
        let fired = opta(
            &fixture,
            SessionStart::new("startup"),
            r#"echo "$OPTA_EVENT""#,
        )
        .await;
        assert_eq!(stdout(&fired), "session.start\n");
        let fired = opta(
            &fixture,
            bash("ls"),
            r#"echo "About to run $OPTA_TOOL_NAME""#,
        )
        .await;
        assert_eq!(stdout(&fired), "About to run run_command\n");
        assert_eq!(fired.outcome.decision, Decision::Pass);
    }

    #[tokio::test]
    async fn the_seeds_script_blocks_a_destructive_rm() {
        let fixture = Fixture::new();
        let script = fixture.program(
            "block-rm.sh",
            r#"#!/bin/bash
# Where there is no jq, this much of it is enough.
command -v jq >/dev/null || jq() { sed -n 's/.*"command":"\([^"]*\)".*/\1/p'; }
CMD=$(echo "$OPTA_TOOL_ARGS" | jq -r '.command // empty' 2>/dev/null)
echo "$CMD" | grep -qE 'rm\s+(-rf?|--recursive)' && echo "Blocked: destructive rm" >&2 && exit 1
exit 0
"#,
        );
        let fired = opta(&fixture, bash("cd /; rm -rf *"), &script).await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny));
        assert_eq!(reason(&fired), "Blocked: destructive rm");
        let fired = opta(&fixture, bash("ls"), &script).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    }
}

mod opencode {
    use super::*;

    async fn opencode<E: Event>(fixture: &Fixture, event: E, script: &str) -> Fired {
        run(fixture, Dialect::OpenCode, event, ShellHook::new(script)).await
    }

    /// What a hook reads on stdin.
    async fn stdin<E: Event>(fixture: &Fixture, event: E) -> Value {
        opencode(fixture, event, "cat > stdin").await;
        let text = fixture.read("stdin");
        assert!(text.ends_with("}\n"));
        serde_json::from_str(&text).unwrap()
    }

    #[tokio::test]
    async fn the_environment_tells_event_time_session_and_tool() {
        let fixture = Fixture::new();
        let seen = told(&fixture, Dialect::OpenCode, "OPENCODE_", bash("ls -la")).await;
        let expected = table([
            ("OPENCODE_EVENT", "tool:pre_execute"),
            ("OPENCODE_TIMESTAMP", "1699999999.123"),
            ("OPENCODE_SESSION_ID", "session-1"),
            ("OPENCODE_TOOL_NAME", "bash"),
            ("OPENCODE_TOOL_ARGS", r#"{"command":"ls -la"}"#),
        ]);
        assert_eq!(seen, expected);
    }

    #[tokio::test]
    async fn results_and_errors_are_told() {
        let fixture = Fixture::new();
        let result = json!({"success": true, "file_path": "/a.py"});
        let event = PostToolUse::new("Write", json!({}), result.clone());
        let seen = told(&fixture, Dialect::OpenCode, "OPENCODE_", event).await;
        assert_eq!(seen["OPENCODE_EVENT"], "tool:post_execute");
        assert_eq!(seen["OPENCODE_TOOL_NAME"], "write");
        let told_result: Value = serde_json::from_str(&seen["OPENCODE_TOOL_RESULT"]).unwrap();
        assert_eq!(told_result, result);
        let event = PostToolUseFailure::new("Bash", json!({}), "Command not found");
        let seen = told(&fixture, Dialect::OpenCode, "OPENCODE_", event).await;
        assert_eq!(seen["OPENCODE_EVENT"], "tool:error");
        assert_eq!(seen["OPENCODE_ERROR"], "Command not found");
    }

    #[tokio::test]
    async fn stdin_is_opencodes_own_object() {
        let fixture = Fixture::new();
        let expected = json!({
            "type": "tool:pre_execute",
            "timestamp": 1_699_999_999.123,
            "data": {"tool_args": {"command": "ls -la"}},
            "tool_name": "bash",
            "session_id": "session-1"
        });
        assert_eq!(stdin(&fixture, bash("ls -la")).await, expected);
        let event = PreModelRequest::new("model-7", json!({"messages": []})).message_count(5);
        let seen = stdin(&fixture, event).await;
        assert_eq!(seen["type"], "llm:pre_request");
        assert_eq!(
            seen["data"],
            json!({"model": "model-7", "message_count": 5})
        );
        assert_eq!(seen.get("tool_name"), None);
        let seen = stdin(&fixture, UserPromptSubmit::new("read it")).await;
        assert_eq!(seen["type"], "user:prompt_submit");
        assert_eq!(seen["data"], json!({"content": "read it"}));
        let seen = stdin(&fixture, SessionMessage::new("user", "hello")).await;
        assert_eq!(seen["data"], json!({"role": "user", "content": "hello"}));
    }

    #[tokio::test]
    async fn tools_have_the_names_that_opencode_gives_them() {
        let fixture = Fixture::new();
        for ours in ["Bash", "Read", "Write", "Edit", "Glob", "Grep"] {
            let call = PreToolUse::new(ours, json!({}));
            let fired = opencode(&fixture, call, "printf %s \"$OPENCODE_TOOL_NAME\"").await;
            assert_eq!(stdout(&fired), ours.to_lowercase());
        }
    }

    #[tokio::test]
    async fn any_failure_of_a_hook_before_something_blocks_it() {
        async fn blocks<E: Event + Clone>(fixture: &Fixture, event: E) {
            let fired = opencode(fixture, event.clone(), "echo 'not now'; exit 3").await;
            assert_eq!(said(&fired), ("blocked", Decision::Deny), "{}", E::NAME);
            assert_eq!(reason(&fired), "not now");
            let slow = ShellHook::new("sleep 300").timeout(millis(300));
            let fired = run(fixture, Dialect::OpenCode, event.clone(), slow).await;
            assert_eq!(said(&fired), ("timed_out", Decision::Deny), "{}", E::NAME);
            let missing = ShellHook::new("true").shell("/no/such/shell");
            let fired = run(fixture, Dialect::OpenCode, event, missing).await;
            assert_eq!(
                said(&fired),
                ("launch_failed", Decision::Deny),
                "{}",
                E::NAME
            );
            assert!(matches!(only(&fired).reply.status, Status::LaunchFailed(_)));
        }
        let fixture = Fixture::new();
        blocks(&fixture, bash("ls")).await;
        blocks(&fixture, UserPromptSubmit::new("x")).await;
        blocks(&fixture, PreModelRequest::new("m", json!({}))).await;
        blocks(&fixture, PermissionCheck::new("Bash", json!({}))).await;
    }

    #[tokio::test]
    async fn no_failure_of_any_other_hook_blocks() {
        let fixture = Fixture::new();
        let event = PostToolUse::new("Bash", json!({}), json!("x"));
        let fired = opencode(&fixture, event, "exit 1").await;
        assert_eq!(said(&fired), ("failed", Decision::Pass));
        let slow = ShellHook::new("sleep 300").timeout(millis(200));
        let fired = run(
            &fixture,
            Dialect::OpenCode,
            SessionStart::new("startup"),
            slow,
        )
        .await;
        assert_eq!(said(&fired), ("timed_out", Decision::Pass));
    }

    #[tokio::test]
    async fn arguments_that_do_not_fit_block_a_guard_and_it_does_not_run() {
        let fixture = Fixture::new();
        let fired = opencode(&fixture, support::large(200_000), "touch ran").await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
        assert!(
            reason(&fired).contains("OPENCODE_TOOL_ARGS"),
            "{}",
            reason(&fired)
        );
        assert!(!fixture.path("ran").exists());
    }

    #[tokio::test]
    async fn a_result_that_does_not_fit_is_left_out_and_stdin_has_it() {
        let fixture = Fixture::new();
        let event = PostToolUse::new("Read", json!({}), json!("x".repeat(200_000)));
        let script = "echo \"[${OPENCODE_TOOL_RESULT-unset}]\"; wc -c";
        let fired = opencode(&fixture, event, script).await;
        let (first, read) = stdout(&fired).split_once('\n').unwrap();
        assert_eq!(first, "[unset]");
        assert!(read.trim().parse::<usize>().unwrap() > 200_000);
        assert_eq!(codes(&fired), [Code::Cut]);
    }

    #[tokio::test]
    async fn the_seeds_hook_blocks_sudo_and_nothing_else() {
        let fixture = Fixture::new();
        let script = r#"
        if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then
            echo "Blocked: sudo not allowed"
            exit 1
        fi
        exit 0
    "#;
        let fired = opencode(&fixture, bash("sudo rm -rf /"), script).await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny));
        assert_eq!(reason(&fired), "Blocked: sudo not allowed");
        let fired = opencode(&fixture, bash("ls"), script).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
        let template = r#"if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then exit 1; fi"#;
        let fired = opencode(&fixture, bash("sudo ls"), template).await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny));
        let fired = opencode(&fixture, bash("ls"), template).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    }

    #[tokio::test]
    async fn the_seeds_complete_example_prints_what_its_text_shows() {
        let fixture = Fixture::new();
        let hook = |matcher: &str, script: &str, group: Group| {
            let shell = fixture.hook(script).dialect(Dialect::OpenCode);
            group.handler::<PreToolUse>(matcher, shell)
        };
        let group = Group::sequential().stop_on_failure();
        let group = hook("", r#"echo ">>> Executing: $OPENCODE_TOOL_NAME""#, group);
        let group = hook(
            "Bash",
            r#"
            if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then
                echo "BLOCKED: sudo not allowed"
                exit 1
            fi
        "#,
            group,
        );
        let runner: Runner = fixture.runner_of(
            group.handler::<PostToolUse>(
                "",
                fixture
                    .hook(r#"echo "<<< Completed: $OPENCODE_TOOL_NAME""#)
                    .dialect(Dialect::OpenCode),
            ),
        );
        let printed = |fired: &Fired| -> Vec<(String, Option<i32>)> {
            let ran = fired.attempts.iter();
            let ran = ran.filter(|attempt| !matches!(attempt.reply.status, Status::Skipped(_)));
            ran.map(|attempt| {
                let evidence = &attempt.reply.evidence;
                (evidence.stdout.trim().to_owned(), evidence.exit_code)
            })
            .collect()
        };
        let line = |text: &str, code| (text.to_owned(), Some(code));

        let fired = runner
            .fire_until(HookEvent::from(bash("ls -la")), None)
            .await;
        assert_eq!(
            printed(&fired),
            [line(">>> Executing: bash", 0), line("", 0)]
        );
        let done = PostToolUse::new("Bash", json!({}), json!({"success": true}));
        let fired = runner.fire_until(HookEvent::from(done), None).await;
        assert_eq!(printed(&fired), [line("<<< Completed: bash", 0)]);
        let fired = runner
            .fire_until(HookEvent::from(bash("sudo rm -rf /")), None)
            .await;
        assert_eq!(
            printed(&fired),
            [
                line(">>> Executing: bash", 0),
                line("BLOCKED: sudo not allowed", 1)
            ]
        );
        assert!(fired.outcome.is_denied());
        let read = PreToolUse::new("Read", json!({"file_path": "/tmp/test.txt"}));
        let fired = runner.fire_until(HookEvent::from(read), None).await;
        assert_eq!(printed(&fired), [line(">>> Executing: read", 0)]);
        runner.close(Duration::ZERO).await;
    }

    #[tokio::test]
    async fn the_seeds_security_script_finds_dangerous_commands() {
        let fixture = Fixture::new();
        let script = fixture.program(
            "security.sh",
            r#"#!/bin/bash
# Where there is no jq, this much of it is enough.
command -v jq >/dev/null || jq() { sed -n 's/.*"command":"\([^"]*\)".*/\1/p'; }
COMMAND=$(echo "$OPENCODE_TOOL_ARGS" | jq -r '.command // empty')
BLOCKED_PATTERNS=(
    "rm -rf /"
    "mkfs"
    "dd if="
)
for pattern in "${BLOCKED_PATTERNS[@]}"; do
    if echo "$COMMAND" | grep -q "$pattern"; then
        echo "BLOCKED: Dangerous command pattern detected: $pattern"
        exit 1
    fi
done
exit 0
"#,
        );
        let fired = opencode(&fixture, bash("dd if=/dev/zero of=/dev/sda"), &script).await;
        assert_eq!(
            reason(&fired),
            "BLOCKED: Dangerous command pattern detected: dd if="
        );
        let fired = opencode(&fixture, bash("ls"), &script).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    }
}

#[tokio::test]
async fn the_time_of_day_is_asked_for_at_each_firing() {
    let fixture = Fixture::new();
    let hook = fixture
        .hook("printf %s \"$OPENCODE_TIMESTAMP\"")
        .dialect(Dialect::OpenCode);
    let fired = fixture.call(hook).await;
    let told: f64 = stdout(&fired).parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    assert!((now.as_secs_f64() - told).abs() < 3600.0);
}
