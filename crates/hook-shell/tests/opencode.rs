//! Hooks that are written for OpenCode, run as they are.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hook_runner::{Fired, Group, Runner};
use hook_shell::{Dialect, ShellHook};
use hook_types::{
    Code, Decision, Event, HookEvent, PermissionCheck, PostToolUse, PostToolUseFailure,
    PreModelRequest, PreToolUse, SessionMessage, SessionStart, Status, UserPromptSubmit,
};
use serde_json::{Value, json};
use support::{Fixture, bash, codes, fire_and_close, millis, only, reason, said, stdout};

use dialects_support::{run, table, told};

mod dialects_support;
mod support;

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
async fn json_on_stdout_counts_too() {
    let fixture = Fixture::new();
    let script = r#"echo '{"decision":"block","reason":"by JSON"}'"#;
    let fired = opencode(&fixture, bash("ls"), script).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    assert_eq!(reason(&fired), "by JSON");
    let script = r#"echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"by JSON"}}'"#;
    let fired = opencode(&fixture, SessionStart::new("startup"), script).await;
    assert_eq!(fired.outcome.additional_context[0].text, "by JSON");
}

#[tokio::test]
async fn text_on_stdout_is_for_the_log_and_never_for_the_model() {
    let fixture = Fixture::new();
    let fired = opencode(&fixture, SessionStart::new("startup"), "echo started").await;
    assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    assert_eq!(fired.outcome.additional_context, []);
    assert_eq!(stdout(&fired), "started\n");
    let fired = opencode(&fixture, UserPromptSubmit::new("hi"), "cat").await;
    assert_eq!(fired.outcome.additional_context, []);
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn exit_0_is_success_whatever_was_printed() {
    let fixture = Fixture::new();
    for printed in ["{'success': True}", "{ok}", "{\"suppressOutput\": \"yes\"}"] {
        let script = format!("cat <<'E'\n{printed}\nE\n");
        let fired = opencode(&fixture, bash("ls"), &script).await;
        assert_eq!(said(&fired), ("no_opinion", Decision::Pass), "{printed}");
        assert!(!codes(&fired).is_empty(), "and that is reported: {printed}");
    }
}

#[tokio::test]
async fn stdin_and_the_environment_tell_one_moment() {
    static SECONDS: AtomicU64 = AtomicU64::new(1_700_000_000);
    let fixture = Fixture::new();
    let hook = fixture
        .hook("cat > stdin; printf '%s' \"$OPENCODE_TIMESTAMP\" > told")
        .dialect(Dialect::OpenCode);
    let runner = fixture.runner::<PreToolUse>(hook);
    runner.update_session(|session| {
        session.clock =
            || UNIX_EPOCH + Duration::from_secs(SECONDS.fetch_add(1, Ordering::Relaxed));
    });
    fire_and_close(&runner, bash("ls")).await;
    let object: Value = serde_json::from_str(&fixture.read("stdin")).unwrap();
    let told: f64 = fixture.read("told").parse().unwrap();
    assert_eq!(object["timestamp"].as_f64(), Some(told));
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
