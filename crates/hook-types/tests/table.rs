//! The event table, held against the lists of the design.

use std::collections::BTreeSet;

use hook_types::event::{Deadline, Effect, EventName, ExitTwo, Field, Names, Stdout};
use std::time::Duration;

fn names(fits: impl Fn(EventName) -> bool) -> BTreeSet<&'static str> {
    EventName::ALL
        .iter()
        .filter(|event| fits(**event))
        .map(|event| event.as_str())
        .collect()
}

fn set(names: &str) -> BTreeSet<&str> {
    names.split_whitespace().collect()
}

const PREVENT: &str = "PreToolUse PermissionRequest UserPromptSubmit UserPromptExpansion PreCompact \
    PreModelSwitch TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange \
    PreModelRequest PreToolSelection PermissionCheck";

#[test]
fn there_are_43_events_and_each_stands_in_its_own_row() {
    assert_eq!(EventName::ALL.len(), 43);
    for event in EventName::ALL {
        assert_eq!(event.row().name, *event);
        assert_eq!(event.as_str().parse(), Ok(*event));
    }
}

#[test]
fn a_block_does_what_the_design_says() {
    assert_eq!(
        names(|event| event.row().effect == Effect::Prevent),
        set(PREVENT)
    );
    assert_eq!(
        names(|event| event.row().effect == Effect::Feedback),
        set("PostToolUse PostToolUseFailure")
    );
    assert_eq!(
        names(|event| event.row().effect == Effect::KeepGoing),
        set("Stop SubagentStop TeammateIdle")
    );
    assert_eq!(
        names(|event| event.row().effect == Effect::EndTurn),
        set("PostToolBatch")
    );
    assert_eq!(
        names(|event| event.row().effect == Effect::Fail),
        set("WorktreeCreate WorktreeRemove")
    );
}

#[test]
fn guards_are_what_a_block_prevents_and_the_making_of_worktrees_but_never_a_trap() {
    let mut guards = set(PREVENT);
    guards.remove("TaskCompleted");
    guards.insert("WorktreeCreate");
    assert_eq!(names(|event| event.row().guard), guards);
}

#[test]
fn plain_text_is_context_on_four_events_and_a_path_on_one() {
    assert_eq!(
        names(|event| event.row().stdout == Stdout::Context),
        set("UserPromptSubmit UserPromptExpansion SessionStart PostModelSwitch")
    );
    assert_eq!(
        names(|event| event.row().stdout == Stdout::Path),
        set("WorktreeCreate")
    );
}

#[test]
fn exit_code_two_blocks_wherever_a_block_counts_but_not_on_a_permission_request() {
    let blocks = names(|event| {
        matches!(
            event.row().exit_two,
            ExitTwo::Blocks | ExitTwo::BlocksLikeAnyFailure
        )
    });
    let mut expected = names(|event| event.row().effect != Effect::Ignore);
    expected.remove("PermissionRequest");
    assert_eq!(blocks, expected);
}

#[test]
fn deadlines_are_ten_minutes_but_for_the_few_that_the_contract_names() {
    let seconds = |event: EventName| event.row().deadline.limit().as_millis();
    assert_eq!(
        names(|event| seconds(event) == 30_000),
        set("UserPromptSubmit PreModelSwitch PostModelSwitch")
    );
    assert_eq!(
        names(|event| seconds(event) == 10_000),
        set("MessageDisplay")
    );
    assert_eq!(
        EventName::SessionEnd.row().deadline,
        Deadline::Shared {
            budget: Duration::from_millis(1500),
            at_most: Duration::from_mins(1)
        }
    );
    assert_eq!(
        EventName::ALL
            .iter()
            .filter(|event| seconds(**event) == 600_000)
            .count(),
        38
    );
}

#[test]
fn a_matcher_is_ignored_on_the_events_that_have_no_subject() {
    assert_eq!(
        names(|event| event.row().subject.is_none()),
        set(
            "PostToolBatch UserPromptSubmit Stop TeammateIdle TaskCreated TaskCompleted \
             WorktreeCreate WorktreeRemove CwdChanged MessageDisplay UserInterrupt"
        )
    );
    assert_eq!(
        names(|event| event.row().names == Names::Narrow),
        set("FileChanged StopFailure")
    );
}

#[test]
fn a_tools_input_is_rewritten_only_where_a_tool_is_about_to_run() {
    assert_eq!(
        names(|event| event.row().honours(Field::UpdatedInput)),
        set("PreToolUse PermissionRequest")
    );
    assert_eq!(
        names(|event| event.row().honours(Field::Defer)),
        set("PreToolUse")
    );
}

#[test]
fn a_refusal_is_called_deny_where_the_contract_speaks_of_permission() {
    assert_eq!(
        names(|event| event.row().block_word() == "deny"),
        set("PreToolUse PreModelSwitch PermissionRequest PermissionCheck")
    );
}

#[test]
fn no_hook_keeps_a_policy_from_taking_effect() {
    assert_eq!(
        EventName::ConfigChange.row().exempt,
        Some("policy_settings")
    );
    assert_eq!(
        names(|event| event.row().timeout_blocks),
        set("PreModelSwitch")
    );
}

#[test]
fn a_wrong_name_is_told_the_nearest() {
    for (wrong, right) in [
        ("preToolUse", "PreToolUse"),
        ("PRE_TOOL_USE", "PreToolUse"),
        ("PostTooluse", "PostToolUse"),
        ("Notificaton", "Notification"),
        ("BeforeTool", "PreToolUse"),
        ("tool.pre", "PreToolUse"),
        ("AfterAgent", "Stop"),
    ] {
        let error = wrong.parse::<EventName>().unwrap_err();
        assert_eq!(
            error.nearest().map(EventName::as_str),
            Some(right),
            "{wrong}"
        );
        assert_eq!(
            error.to_string(),
            format!("no event is called `{wrong}`; did you mean `{right}`?")
        );
    }
    let error = "Breakfast".parse::<EventName>().unwrap_err();
    assert_eq!(error.to_string(), "no event is called `Breakfast`");
}
