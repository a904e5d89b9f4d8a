//! From a real command's exit code and output to what the agent must do.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use hook_runner::{Fire, Group, Hook};
use hook_types::outcome::Cause;
use hook_types::{
    Code, Decision, EventName, OnFailure, PermissionRequest, PostToolUse, PreCompact, PreToolUse,
    SessionStart, Source, Stop, UserPromptSubmit, WorktreeCreate,
};
use serde_json::{Value, json};
use support::{
    ALLOW, DENY, Fixture, as_json, bash, codes, fire_and_close, only, reason, said, stdout,
};

mod support;

#[tokio::test]
async fn a_json_deny_prevents_the_call_and_names_who_decided() {
    let fixture = Fixture::new();
    let fired = fixture.script(&format!("echo '{DENY}'")).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    let decider = fired.outcome.decided_by.as_ref().unwrap();
    assert_eq!(
        (decider.hook.as_str(), &decider.cause),
        ("hook", &Cause::Answer)
    );
    let blocked = fired.into_result().unwrap_err();
    assert_eq!(blocked.to_string(), "PreToolUse denied by hook `hook`: no");
}

#[tokio::test]
async fn a_json_allow_is_an_allow_with_any_exit_code_but_2() {
    let fixture = Fixture::new();
    for code in [0, 1, 3] {
        let fired = fixture
            .script(&format!("echo '{ALLOW}'; exit {code}"))
            .await;
        assert_eq!(said(&fired), ("answered", Decision::Allow), "exit {code}");
    }
    let fired = fixture.script(&format!("echo '{ALLOW}'; exit 2")).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
}

#[tokio::test]
async fn exit_2_blocks_and_stderr_says_why() {
    let fixture = Fixture::new();
    let fired = fixture
        .script("echo ignored; echo 'no root here' >&2; exit 2")
        .await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
    assert_eq!(reason(&fired), "no root here");
    assert_eq!(fired.outcome.decided_by.unwrap().cause, Cause::ExitCode);
}

#[tokio::test]
async fn exit_2_keeps_an_agent_going_that_wants_to_stop() {
    let fixture = Fixture::new();
    let hook = fixture.hook("echo 'run the tests' >&2; exit 2");
    let fired = fixture.fire(Stop::new(false), hook).await;
    assert!(fired.outcome.keeps_going());
    assert_eq!(reason(&fired), "run the tests");
    let hook = fixture.hook(r#"echo '{"decision":"block","reason":"one more thing"}'"#);
    let fired = fixture.fire(Stop::new(false), hook).await;
    assert!(fired.outcome.keeps_going());
    assert_eq!(reason(&fired), "one more thing");
}

#[tokio::test]
async fn a_broken_stop_hook_does_not_keep_the_agent_going() {
    let fixture = Fixture::new();
    for script in [
        "exit 1",
        "kill -KILL $$",
        "no-such-command",
        "echo '{broken}'",
    ] {
        let hook = Hook::new(EventName::Stop, fixture.hook(script)).on_failure(OnFailure::Block);
        let runner = fixture.runner_of(Group::parallel().hook(hook));
        let fired = fire_and_close(&runner, Stop::new(false)).await;
        assert!(!fired.outcome.keeps_going(), "{script}");
        assert!(only(&fired).reply.status.is_failure(), "{script}");
    }
}

#[tokio::test]
async fn exit_2_after_a_tool_is_feedback_and_prevents_nothing() {
    let fixture = Fixture::new();
    let event = PostToolUse::new("Edit", json!({"file_path": "a.rs"}), json!("done"));
    let hook = fixture.hook("echo 'two lints' >&2; exit 2");
    let fired = fixture.fire(event, hook).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
    assert_eq!(reason(&fired), "two lints");
    assert!(!fired.outcome.is_denied());
    assert!(fired.into_result().is_ok());
}

#[tokio::test]
async fn continue_false_stops_the_agent_and_beats_an_allow() {
    let fixture = Fixture::new();
    let fired = fixture
        .script(r#"echo '{"continue":false,"stopReason":"enough","decision":"approve"}'"#)
        .await;
    let stop = fired.outcome.stop.as_ref().unwrap();
    assert_eq!(stop.reason.as_deref(), Some("enough"));
    let blocked = fired.into_result().unwrap_err();
    assert_eq!(blocked.reason.as_deref(), Some("enough"));
}

#[tokio::test]
async fn a_rewrite_replaces_the_whole_input() {
    let fixture = Fixture::new();
    let script = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}'"#;
    let event = PreToolUse::new("Bash", json!({"command": "ls", "timeout": 5}));
    let fired = fixture.fire(event, fixture.hook(script)).await;
    assert_eq!(
        fired.outcome.updated_input,
        Some(json!({"command": "ls -l"}))
    );
}

#[tokio::test]
async fn text_is_context_for_a_prompt_and_nothing_for_a_call() {
    let fixture = Fixture::new();
    let script = "echo on branch main; echo clean";
    let fired = fixture
        .fire(UserPromptSubmit::new("hi"), fixture.hook(script))
        .await;
    assert_eq!(said(&fired), ("answered", Decision::Pass));
    let context = &fired.outcome.additional_context[0];
    assert_eq!(context.text, "on branch main\nclean");
    assert_eq!(context.hook.as_str(), "hook");
    let fired = fixture.script(script).await;
    assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    assert_eq!(stdout(&fired), "on branch main\nclean\n");
}

#[tokio::test]
async fn a_session_starts_with_context_from_text_and_from_json() {
    let fixture = Fixture::new();
    for script in [
        "echo house rules",
        r#"echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"house rules"}}'"#,
    ] {
        let fired = fixture
            .fire(SessionStart::new("startup"), fixture.hook(script))
            .await;
        assert_eq!(fired.outcome.additional_context[0].text, "house rules");
    }
}

#[tokio::test]
async fn the_last_line_is_the_path_of_a_worktree_and_any_other_exit_fails_it() {
    let fixture = Fixture::new();
    let hook = fixture.hook("echo preparing; echo /tmp/tree");
    let fired = fixture.fire(WorktreeCreate::new("t"), hook).await;
    assert_eq!(
        fired.outcome.specific.worktree_path.as_deref(),
        Some("/tmp/tree")
    );
    let hook = fixture.hook("echo 'no disk' >&2; exit 9");
    let fired = fixture.fire(WorktreeCreate::new("t"), hook).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
    assert_eq!(reason(&fired), "no disk");
}

#[tokio::test]
async fn exit_2_means_nothing_to_a_permission_request_and_json_does() {
    let fixture = Fixture::new();
    let ask = || PermissionRequest::new("Bash", json!({"command": "ls"}));
    let fired = fixture.fire(ask(), fixture.hook("exit 2")).await;
    assert_eq!(said(&fired), ("failed", Decision::Pass));
    let hook = fixture.hook(
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"never"}}}'"#,
    );
    let fired = fixture.fire(ask(), hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    assert_eq!(reason(&fired), "never");
}

#[tokio::test]
async fn a_compaction_is_prevented_by_exit_2() {
    let fixture = Fixture::new();
    let hook = fixture.hook("echo 'not now' >&2; exit 2");
    let fired = fixture.fire(PreCompact::new("auto"), hook).await;
    assert!(fired.outcome.is_denied());
    assert_eq!(fired.outcome.decision_word(), Some("block"));
}

#[tokio::test]
async fn a_missing_command_is_a_failure_that_says_so_and_lets_the_call_through() {
    let fixture = Fixture::new();
    let fired = fixture.script("./no-such-hook.sh").await;
    assert_eq!(said(&fired), ("failed", Decision::Pass));
    let attempt = only(&fired);
    assert_eq!(attempt.reply.evidence.exit_code, Some(127));
    let why = attempt.reply.status.to_string();
    assert!(why.contains("127 (command not found)"), "{why}");
    assert!(why.contains("no-such-hook.sh"), "{why}");
}

#[tokio::test]
async fn a_failure_blocks_a_guard_where_that_is_wanted_and_keeps_its_status() {
    let fixture = Fixture::new();
    let hook = Hook::new(EventName::PreToolUse, fixture.hook("./no-such-hook.sh"))
        .on_failure(OnFailure::Block);
    let runner = fixture.runner_of(Group::parallel().hook(hook));
    let fired = fire_and_close(&runner, bash("ls")).await;
    assert_eq!(said(&fired), ("failed", Decision::Deny));
    assert_eq!(
        fired.outcome.decided_by.as_ref().unwrap().cause,
        Cause::FailurePolicy
    );
    assert!(reason(&fired).contains("no-such-hook.sh"), "{fired:?}");
}

#[tokio::test]
async fn what_is_odd_about_an_answer_reaches_the_outcome_with_the_hooks_name() {
    let fixture = Fixture::new();
    let fired = fixture
        .script(r#"echo '{"systemMesage":"hi","additionalContext":"lost"}'"#)
        .await;
    assert_eq!(codes(&fired), [Code::UnknownKey, Code::Misplaced]);
    let finding = &fired.outcome.diagnostics[0];
    assert_eq!(finding.hook.as_ref().unwrap().as_str(), "hook");
    assert_eq!(
        finding.diagnostic.suggestion.as_deref(),
        Some("systemMessage")
    );
}

#[tokio::test]
async fn messages_context_and_denies_of_several_hooks_come_in_order() {
    let fixture = Fixture::new();
    let say = |text: &str, wait: &str| {
        fixture.hook(&format!(
            r#"sleep {wait}; echo '{{"systemMessage":"{text}","decision":"block","reason":"{text}"}}'"#
        ))
    };
    let group = Group::parallel()
        .handler::<PreToolUse>("Bash", say("first", "0.4"))
        .handler::<PreToolUse>("Bash", say("second", "0.2"))
        .handler::<PreToolUse>("Bash", say("third", "0"))
        .handler::<PreToolUse>("Write", say("never", "0"));
    let fired = fire_and_close(&fixture.runner_of(group), bash("ls")).await;
    assert_eq!(reason(&fired), "first\nsecond\nthird");
    let messages = fired.outcome.system_messages.iter();
    let messages: Vec<&str> = messages.map(|note| note.text.as_str()).collect();
    assert_eq!(messages, ["first", "second", "third"]);
}

#[tokio::test]
async fn a_firing_is_printed_as_the_command_line_documents_it() {
    let fixture = Fixture::new();
    let hook = Hook::new(
        EventName::PreToolUse,
        fixture.hook(r#"echo '{"decision":"block","reason":"no"}'; echo trace >&2"#),
    )
    .id("no-sudo")
    .description("keeps root out")
    .source(Source {
        file: "settings.json".into(),
        line: 7,
    });
    let runner = fixture.runner_of(Group::parallel().hook(hook));
    let mut printed = as_json(&fire_and_close(&runner, bash("sudo ls")).await);
    let duration = printed["hooks"][0]["duration_ms"].take();
    assert!(duration.as_f64().unwrap() > 0.0);
    let expected = json!({
        "event": "PreToolUse",
        "outcome": {
            "decision": "deny", "reason": "no", "decided_by": "no-sudo", "cause": "answer",
            "continue": true, "stop_reason": null, "suppress_output": false,
            "updated_input": null, "updated_output": null, "specific": {},
            "additional_context": [], "system_messages": [], "diagnostics": []
        },
        "hooks": [{
            "id": "no-sudo", "name": "PreToolUse:Bash", "description": "keeps root out",
            "kind": "command", "source": {"file": "settings.json", "line": 7},
            "status": "answered", "exit_code": 0,
            "stdout": "{\"decision\":\"block\",\"reason\":\"no\"}\n", "stderr": "trace\n",
            "truncated": false, "duration_ms": null,
            "output": {"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "no"
            }},
            "diagnostics": []
        }]
    });
    assert_eq!(printed, expected);
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(keys(&printed), keys(&expected), "in this order");
    assert_eq!(keys(&printed["outcome"]), keys(&expected["outcome"]));
    assert_eq!(keys(&printed["hooks"][0]), keys(&expected["hooks"][0]));
}

#[tokio::test]
async fn what_happens_is_told_in_order_with_what_the_command_printed() {
    let fixture = Fixture::new();
    let hook = fixture.hook("echo one; sleep 0.5; echo two; echo no >&2; exit 2");
    let (runner, mut messages) = fixture.runner::<PreToolUse>(hook).with_messages();
    assert!(runner.fire(bash("ls")).await.is_denied());
    runner.close(std::time::Duration::ZERO).await;
    let mut told: Vec<Value> = Vec::new();
    while let Some(hook_runner::Delivery::Message(message)) = messages.try_next() {
        told.push(serde_json::to_value(&*message).unwrap());
    }
    let subtypes: Vec<&str> = told
        .iter()
        .map(|message| message["subtype"].as_str().unwrap())
        .collect();
    assert_eq!(
        subtypes,
        [
            "hook_started",
            "hook_progress",
            "hook_response",
            "hook_verdict"
        ]
    );
    assert!(told[1]["stdout"].as_str().unwrap().starts_with("one\n"));
    assert_eq!(told[2]["stdout"], "one\ntwo\n");
    assert_eq!(told[2]["stderr"], "no\n");
    assert_eq!(
        (&told[2]["exit_code"], &told[2]["outcome"]),
        (&json!(2), &json!("success"))
    );
}
