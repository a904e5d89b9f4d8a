//! What exit codes and output mean, one row a test. No process runs here: the rule is a function.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::LazyLock;
use std::time::Duration;

use hook_shell::Dialect;
use hook_shell::protocol::{Collected, reply};
use hook_types::wire::Extent;
use hook_types::{Decision, EventName, HookEvent, Reply};
use process_tree::{Ending, Force};
use serde_json::Value;

fn event(name: EventName) -> HookEvent {
    static SAMPLES: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../hook-types/samples/inputs.json")).unwrap()
    });
    HookEvent::parse(SAMPLES[name.as_str()]["minimal"].clone()).unwrap()
}

fn told(dialect: Dialect, name: EventName, ending: &Ending, stdout: &str, stderr: &str) -> Reply {
    let collected = Collected {
        ending,
        stdout,
        stderr,
        cut: Extent::Whole,
        limit: Duration::from_secs(5),
    };
    reply(dialect, &event(name), &collected)
}

/// `event, exit code, stdout, stderr => status, decision, reason`.
macro_rules! exits {
    ($module:ident, $dialect:ident { $($name:ident: $event:ident, $code:literal, $stdout:expr, $stderr:expr
        => $status:literal, $decision:ident, $reason:expr;)* }) => {
        mod $module {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let reply = told(Dialect::$dialect, EventName::$event, &Ending::Exited($code), $stdout, $stderr);
                    assert_eq!(reply.status.word(), $status, "{reply:?}");
                    assert_eq!(reply.output.decision, Decision::$decision, "{reply:?}");
                    let reason: Option<&str> = $reason;
                    assert_eq!(reply.output.reason.as_deref(), reason, "{reply:?}");
                    assert_eq!(reply.evidence.exit_code, Some($code));
                }
            )*
        }
    };
}

const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
const DENY: &str = r#"{"decision":"block","reason":"by JSON"}"#;

exits! { claude, Claude {
    exit_0_with_an_answer_is_the_answer: PreToolUse, 0, ALLOW, "" => "answered", Allow, None;
    exit_0_with_a_block_blocks: PreToolUse, 0, DENY, "ignored" => "answered", Deny, Some("by JSON");
    exit_0_with_an_answer_that_does_not_fit_is_a_failure: PreToolUse, 0, r#"{"continue":"yes"}"#, "" => "bad_output", Pass, None;
    exit_0_with_broken_json_is_a_failure: PreToolUse, 0, "{not json}", "" => "bad_output", Pass, None;
    exit_0_with_text_is_no_opinion: PreToolUse, 0, "all fine", "" => "no_opinion", Pass, None;
    exit_0_with_nothing_is_no_opinion: PreToolUse, 0, "", "warnings" => "no_opinion", Pass, None;
    exit_0_with_an_empty_answer_is_no_opinion: PreToolUse, 0, "{}", "" => "no_opinion", Pass, None;
    exit_0_with_a_log_line_is_no_opinion: PreToolUse, 0, "[10:54] hello", "" => "no_opinion", Pass, None;
    exit_2_with_nothing_blocks: PreToolUse, 2, "", "" => "blocked", Deny, None;
    exit_2_with_stderr_blocks_and_says_why: PreToolUse, 2, "", "no root here\n" => "blocked", Deny, Some("no root here");
    exit_2_beats_an_allow: PreToolUse, 2, ALLOW, "no" => "blocked", Deny, Some("no");
    exit_2_with_a_block_takes_the_blocks_reason: PreToolUse, 2, DENY, "by stderr" => "blocked", Deny, Some("by JSON");
    exit_2_with_an_answer_that_does_not_fit_blocks: PreToolUse, 2, r#"{"continue":"yes"}"#, "no" => "blocked", Deny, Some("no");
    exit_2_with_broken_json_blocks: PreToolUse, 2, "{not json}", "no" => "blocked", Deny, Some("no");
    exit_2_with_text_blocks: PreToolUse, 2, "text", "no" => "blocked", Deny, Some("no");
    exit_2_keeps_the_agent_going: Stop, 2, "", "tests fail" => "blocked", Deny, Some("tests fail");
    exit_2_is_feedback_after_a_tool: PostToolUse, 2, "", "lint" => "blocked", Deny, Some("lint");
    exit_2_on_a_permission_request_is_not_an_answer: PermissionRequest, 2, "", "no" => "failed", Pass, None;
    exit_2_at_the_start_of_a_session_blocks_nothing: SessionStart, 2, "", "no" => "failed", Pass, None;
    exit_1_with_an_answer_is_the_answer: PreToolUse, 1, DENY, "" => "answered", Deny, Some("by JSON");
    exit_1_with_an_allow_is_the_answer: PreToolUse, 1, ALLOW, "" => "answered", Allow, None;
    exit_1_with_broken_json_is_a_failure: PreToolUse, 1, "{not json}", "" => "bad_output", Pass, None;
    exit_1_with_text_is_a_failure: PreToolUse, 1, "text", "trace" => "failed", Pass, None;
    exit_1_with_nothing_is_a_failure: PreToolUse, 1, "", "" => "failed", Pass, None;
    exit_127_is_a_failure: PreToolUse, 127, "", "sh: nope: not found" => "failed", Pass, None;
    any_exit_but_0_fails_the_making_of_a_worktree: WorktreeCreate, 1, "", "no disk" => "blocked", Deny, Some("no disk");
    any_exit_but_0_fails_the_removal_of_a_worktree: WorktreeRemove, 3, "", "busy" => "blocked", Deny, Some("busy");
    a_worktree_without_a_path_is_a_failure: WorktreeCreate, 0, "\n \n", "" => "failed", Pass, None;
    a_deny_in_noise_counts_on_a_guard: PreToolUse, 0, "hello\n{\"decision\":\"block\",\"reason\":\"by JSON\"}", "" => "answered", Deny, Some("by JSON");
    a_deny_in_noise_counts_with_any_exit: PreToolUse, 7, "hello\n{\"decision\":\"block\",\"reason\":\"by JSON\"}", "" => "answered", Deny, Some("by JSON");
} }

exits! { opta, Opta {
    any_exit_but_0_cancels_a_tool: PreToolUse, 1, "", "Blocked" => "blocked", Deny, Some("Blocked");
    exit_2_cancels_a_tool: PreToolUse, 2, "", "Blocked" => "blocked", Deny, Some("Blocked");
    exit_0_lets_a_tool_run: PreToolUse, 0, "", "" => "no_opinion", Pass, None;
    json_on_stdout_counts: PreToolUse, 0, DENY, "" => "answered", Deny, Some("by JSON");
    an_exit_code_after_a_tool_changes_nothing: PostToolUse, 1, "", "x" => "failed", Pass, None;
    exit_2_after_a_tool_changes_nothing: PostToolUse, 2, "", "x" => "failed", Pass, None;
    an_exit_code_at_stop_changes_nothing: Stop, 1, "", "x" => "failed", Pass, None;
} }

exits! { opencode, OpenCode {
    any_exit_but_0_blocks_a_tool_and_stdout_says_why: PreToolUse, 1, "Blocked: sudo not allowed\n", "" => "blocked", Deny, Some("Blocked: sudo not allowed");
    stderr_says_why_where_stdout_does_not: PreToolUse, 1, "", "no" => "blocked", Deny, Some("no");
    a_request_to_the_model_is_blocked: PreModelRequest, 3, "budget", "" => "blocked", Deny, Some("budget");
    a_prompt_is_blocked: UserPromptSubmit, 1, "secret", "" => "blocked", Deny, Some("secret");
    a_permission_check_is_blocked: PermissionCheck, 1, "no", "" => "blocked", Deny, Some("no");
    after_a_tool_nothing_is_blocked: PostToolUse, 1, "x", "" => "failed", Pass, None;
    exit_0_is_success: PreToolUse, 0, "ok", "" => "no_opinion", Pass, None;
} }

const GO_ON: &str = r#"{"continue":true,"reason":"tests fail"}"#;

exits! { hookline, Hookline {
    continue_with_a_reason_keeps_the_agent_going: Stop, 0, GO_ON, "" => "answered", Deny, Some("tests fail");
    continue_with_a_reason_keeps_a_subagent_going: SubagentStop, 0, GO_ON, "" => "answered", Deny, Some("tests fail");
    continue_alone_is_the_default_spelt_out: Stop, 0, r#"{"continue":true}"#, "" => "no_opinion", Pass, None;
    continue_with_a_blank_reason_is_the_default: Stop, 0, r#"{"continue":true,"reason":" "}"#, "" => "answered", Pass, Some(" ");
    a_reason_without_continue_keeps_nobody_going: Stop, 0, r#"{"reason":"done"}"#, "" => "answered", Pass, Some("done");
    continue_on_another_event_is_the_default: PreToolUse, 0, GO_ON, "" => "answered", Pass, Some("tests fail");
    a_block_is_a_block: PreToolUse, 0, DENY, "" => "answered", Deny, Some("by JSON");
    exit_2_blocks: PreToolUse, 2, "", "no" => "blocked", Deny, Some("no");
} }

#[test]
fn what_keeps_an_agent_going_by_a_message_or_context_is_for_the_model() {
    let said = |dialect: Dialect, stdout: &str| {
        let output = told(dialect, EventName::Stop, &Ending::Exited(0), stdout, "")
            .output
            .into_inner();
        (output.additional_context, output.system_message)
    };
    let message = r#"{"continue":true,"systemMessage":"look again"}"#;
    let expected = (Some("look again".to_owned()), None);
    assert_eq!(said(Dialect::Hookline, message), expected);
    let both = r#"{"continue":true,"systemMessage":"look again","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"lint"}}"#;
    let expected = (Some("lint\nlook again".to_owned()), None);
    assert_eq!(said(Dialect::Hookline, both), expected);
    let expected = (None, Some("look again".to_owned()));
    assert_eq!(said(Dialect::Claude, message), expected);
    let stop = r#"{"systemMessage":"look again"}"#;
    assert_eq!(said(Dialect::Hookline, stop), expected);
}

#[test]
fn in_claude_files_continue_never_keeps_an_agent_going() {
    let reply = told(
        Dialect::Claude,
        EventName::Stop,
        &Ending::Exited(0),
        GO_ON,
        "",
    );
    assert_eq!(reply.output.decision, Decision::Pass);
}

#[test]
fn a_deny_of_a_hook_whose_end_nobody_saw_counts_on_a_guard() {
    let denied = told(
        Dialect::Claude,
        EventName::PreToolUse,
        &Ending::Lost,
        DENY,
        "",
    );
    assert_eq!(
        (denied.status.word(), denied.output.decision),
        ("failed", Decision::Deny)
    );
    assert_eq!(denied.output.reason.as_deref(), Some("by JSON"));
    let allowed = told(
        Dialect::Claude,
        EventName::PreToolUse,
        &Ending::Lost,
        ALLOW,
        "",
    );
    assert_eq!(
        (allowed.status.word(), allowed.output.decision),
        ("failed", Decision::Pass)
    );
}

#[test]
fn text_is_context_on_four_events_and_nothing_on_the_others() {
    for name in EventName::ALL {
        let reply = told(
            Dialect::Claude,
            *name,
            &Ending::Exited(0),
            "on branch main",
            "",
        );
        let context = reply.output.additional_context.as_deref();
        let expected = matches!(
            name,
            EventName::UserPromptSubmit
                | EventName::UserPromptExpansion
                | EventName::SessionStart
                | EventName::PostModelSwitch
        );
        assert_eq!(context.is_some(), expected, "{name}");
    }
}

#[test]
fn the_last_line_without_colours_is_the_worktrees_path() {
    let printed = "Preparing…\n\u{1b}[32m/tmp/tree\u{1b}[0m\n\n";
    let reply = told(
        Dialect::Claude,
        EventName::WorktreeCreate,
        &Ending::Exited(0),
        printed,
        "",
    );
    assert_eq!(
        reply.output.specific.worktree_path.as_deref(),
        Some("/tmp/tree")
    );
}

#[test]
fn death_by_a_signal_is_a_crash_and_a_readable_deny_before_it_counts_on_guards() {
    let killed = Ending::Signalled(9);
    let silent = told(Dialect::Claude, EventName::PreToolUse, &killed, "", "");
    assert_eq!(
        (silent.status.word(), silent.output.decision),
        ("crashed", Decision::Pass)
    );
    assert_eq!(
        (silent.evidence.signal, silent.evidence.exit_code),
        (Some(9), None)
    );

    let denied = told(Dialect::Claude, EventName::PreToolUse, &killed, DENY, "");
    assert_eq!(
        (denied.status.word(), denied.output.decision),
        ("crashed", Decision::Deny)
    );
    let allowed = told(Dialect::Claude, EventName::PreToolUse, &killed, ALLOW, "");
    assert_eq!(allowed.output.decision, Decision::Pass);
    let stop = told(Dialect::Claude, EventName::Stop, &killed, DENY, "");
    assert_eq!(
        stop.output.decision,
        Decision::Pass,
        "a broken hook must not trap the agent"
    );
}

#[test]
fn a_timeout_is_no_decision_unless_a_deny_was_printed_before_it() {
    let late = Ending::TimedOut { by: Force::Kill };
    let silent = told(Dialect::Claude, EventName::PreToolUse, &late, "", "");
    assert_eq!(
        (silent.status.word(), silent.output.decision),
        ("timed_out", Decision::Pass)
    );
    let denied = told(Dialect::Claude, EventName::PreToolUse, &late, DENY, "");
    assert_eq!(
        (denied.status.word(), denied.output.decision),
        ("timed_out", Decision::Deny)
    );
}

#[test]
fn in_opta_and_opencode_a_timeout_of_a_pre_hook_blocks_and_keeps_its_status() {
    let late = Ending::TimedOut { by: Force::Term };
    for dialect in [Dialect::Opta, Dialect::OpenCode] {
        let pre = told(dialect, EventName::PreToolUse, &late, "", "");
        assert_eq!(
            (pre.status.word(), pre.output.decision),
            ("timed_out", Decision::Deny)
        );
        let post = told(dialect, EventName::PostToolUse, &late, "", "");
        assert_eq!(post.output.decision, Decision::Pass);
    }
}

#[test]
fn output_that_was_cut_blocks_on_a_guard() {
    let collected = Collected {
        ending: &Ending::Exited(0),
        stdout: r#"{"hookSpecificOutput":{"upd"#,
        stderr: "",
        cut: Extent::Cut,
        limit: Duration::from_secs(5),
    };
    for dialect in [
        Dialect::Claude,
        Dialect::Hookline,
        Dialect::Opta,
        Dialect::OpenCode,
    ] {
        let guard = reply(dialect, &event(EventName::PreToolUse), &collected);
        assert_eq!(
            (guard.status.word(), guard.output.decision),
            ("bad_output", Decision::Deny),
            "{dialect:?}"
        );
    }
    let after = reply(Dialect::Claude, &event(EventName::PostToolUse), &collected);
    assert_eq!(
        (after.status.word(), after.output.decision),
        ("bad_output", Decision::Pass)
    );
}

#[test]
fn exit_2_discards_what_a_hook_said_to_a_server() {
    let accept =
        r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{}}}"#;
    let reply = told(
        Dialect::Claude,
        EventName::Elicitation,
        &Ending::Exited(2),
        accept,
        "no",
    );
    assert_eq!(reply.output.decision, Decision::Deny);
    assert_eq!(reply.output.specific.elicitation, None);
}

#[test]
fn exit_2_keeps_the_rest_of_an_answer() {
    let said = r#"{"systemMessage":"look","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#;
    let reply = told(
        Dialect::Claude,
        EventName::PreToolUse,
        &Ending::Exited(2),
        said,
        "no",
    );
    assert_eq!(reply.output.system_message.as_deref(), Some("look"));
    assert_eq!(reply.output.additional_context.as_deref(), Some("c"));
}

#[test]
fn a_failure_says_the_code_and_the_first_line_of_stderr() {
    let reply = told(
        Dialect::Claude,
        EventName::PreToolUse,
        &Ending::Exited(127),
        "",
        "\nsh: 1: nope: not found\nmore",
    );
    assert_eq!(
        reply.status.to_string(),
        "failed: exit code 127 (command not found): sh: 1: nope: not found"
    );
}

#[test]
fn megabytes_of_stderr_do_not_become_a_reason() {
    let noise = "x".repeat(3_000_000);
    let reply = told(
        Dialect::Claude,
        EventName::PreToolUse,
        &Ending::Exited(2),
        "",
        &noise,
    );
    assert!(reply.output.into_inner().reason.unwrap().len() < 11_000);
    let long = "every line of what a linter found\n".repeat(250);
    let reply = told(
        Dialect::Claude,
        EventName::PostToolUse,
        &Ending::Exited(2),
        "",
        &long,
    );
    assert_eq!(reply.output.reason.as_deref(), Some(long.trim()));
}

#[test]
fn every_event_reads_every_ending_without_a_panic() {
    let endings = [
        Ending::Exited(0),
        Ending::Exited(1),
        Ending::Exited(2),
        Ending::Signalled(15),
        Ending::Cancelled { by: Force::Kill },
        Ending::Lost,
    ];
    for name in EventName::ALL {
        for ending in &endings {
            for stdout in [
                "",
                "text",
                "{}",
                DENY,
                "{broken",
                "{broken}",
                "[1]",
                "\u{feff}{\"decision\":\"block\"}",
            ] {
                for dialect in [
                    Dialect::Claude,
                    Dialect::Hookline,
                    Dialect::Opta,
                    Dialect::OpenCode,
                ] {
                    let reply = told(dialect, *name, ending, stdout, "stderr");
                    let ignored = name.row().effect == hook_types::Effect::Ignore;
                    assert!(
                        !ignored || reply.output.decision != Decision::Deny,
                        "{name} {ending:?} {stdout}"
                    );
                }
            }
        }
    }
}
