//! Hooks that are written for Opta, run as they are.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use hook_runner::{Fired, Group, Hook, Wait};
use hook_shell::{Dialect, ShellHook};
use hook_types::{
    Code, Decision, Error, Event, EventName, HookEvent, PostCompact, PostToolUse,
    PostToolUseFailure, PreToolUse, SessionEnd, SessionStart, Stop, UserPromptSubmit,
};
use serde_json::{Value, json};
use support::{Fixture, bash, codes, millis, only, reason, said, stdout};

use dialects_support::{run, table, told};

mod dialects_support;
mod support;

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
async fn text_on_stdout_is_for_the_log_and_never_for_the_model() {
    let fixture = Fixture::new();
    let fired = opta(
        &fixture,
        SessionStart::new("startup"),
        "echo on branch main",
    )
    .await;
    assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    assert_eq!(fired.outcome.additional_context, []);
    assert_eq!(stdout(&fired), "on branch main\n");
    let fired = opta(&fixture, UserPromptSubmit::new("hi"), "echo noted").await;
    assert_eq!(fired.outcome.additional_context, []);
}

#[tokio::test]
async fn exit_0_lets_a_tool_run_whatever_was_printed() {
    let fixture = Fixture::new();
    for printed in [
        "{'tool': 'run_command'}",
        "{ started }",
        r#"{"decision": 7}"#,
        r#"{"continue": true}
{"continue": true}"#,
    ] {
        let script = format!("cat <<'E'\n{printed}\nE\n");
        let fired = opta(&fixture, bash("ls"), &script).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass), "{printed}");
        assert!(!codes(&fired).is_empty(), "and that is reported: {printed}");
    }
}

#[tokio::test]
async fn a_hook_that_nothing_is_known_for_cancels_the_tool() {
    let fixture = Fixture::new();
    let unknown = || ShellHook::exec("true", ["${CLAUDE_PLUGIN_ROOT}"]);
    let fired = run(&fixture, Dialect::Opta, bash("ls"), unknown()).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
    assert!(reason(&fired).contains("CLAUDE_PLUGIN_ROOT"), "{fired:?}");
    let fired = run(&fixture, Dialect::Opta, Stop::new(false), unknown()).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
}

#[tokio::test]
async fn a_hook_that_has_no_time_at_all_cancels_the_tool() {
    let fixture = Fixture::new();
    let hook = || ShellHook::new("touch ran").timeout(Duration::ZERO);
    let fired = run(&fixture, Dialect::Opta, bash("ls"), hook()).await;
    assert_eq!(said(&fired), ("timed_out", Decision::Deny));
    let fired = run(&fixture, Dialect::Claude, bash("ls"), hook()).await;
    assert_eq!(said(&fired), ("timed_out", Decision::Pass));
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_rewrite_under_optas_names_comes_back_under_ours() {
    let fixture = Fixture::new();
    let rewrite = "printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":%s}}' \
                   \"$(printf %s \"$OPTA_TOOL_ARGS\" | sed s,/a,/b,)\"";
    let write = PreToolUse::new("Write", json!({"file_path": "/a.rs", "content": "x"}));
    let fired = opta(&fixture, write, rewrite).await;
    let expected = json!({"file_path": "/b.rs", "content": "x"});
    assert_eq!(fired.outcome.updated_input, Some(expected), "{fired:?}");
    // What is called `path` by us stays so.
    let search = PreToolUse::new("Grep", json!({"pattern": "x", "path": "/a"}));
    let fired = opta(&fixture, search, rewrite).await;
    let expected = json!({"pattern": "x", "path": "/b"});
    assert_eq!(fired.outcome.updated_input, Some(expected), "{fired:?}");
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
