//! What only a few events have.

use hook_types::Decision::Deny;
use hook_types::ElicitationAction::{self, Accept, Cancel, Decline};
use hook_types::EventName::{
    CwdChanged, Elicitation, ElicitationResult, MessageDisplay, PermissionDenied,
    PermissionRequest, PreToolSelection, PreToolUse, SessionStart, UserPromptSubmit,
    WorktreeCreate, WorktreeRemove,
};
use hook_types::{ElicitationAnswer, Outcome, Specific, Status, ToolConfig, ToolMode};
use serde_json::json;

use super::firing::{Given, allow, decider, deny, ended, no_opinion, oddities, on, rows, says};

fn sets(field: impl FnOnce(&mut Specific)) -> Given {
    says(|output| field(&mut output.specific))
}

fn worktree(path: &str) -> Given {
    let path = path.to_owned();
    sets(|specific| specific.worktree_path = Some(path))
}

fn broken() -> Given {
    ended(Status::Failed("exit code 1".into()))
}

fn shows(text: &str) -> Given {
    let text = text.to_owned();
    sets(|specific| specific.display_content = Some(text))
}

fn title(text: &str) -> Given {
    let text = text.to_owned();
    sets(|specific| specific.session_title = Some(text))
}

fn begins(text: &str) -> Given {
    let text = text.to_owned();
    sets(|specific| specific.initial_user_message = Some(text))
}

fn replies(action: ElicitationAction, content: Option<&str>) -> Given {
    let content = content.map(|text| json!({ "name": text }));
    sets(|specific| specific.elicitation = Some(ElicitationAnswer { action, content }))
}

fn reply(outcome: &Outcome) -> Option<(ElicitationAction, Option<&str>)> {
    let answer = outcome.specific.elicitation.as_ref()?;
    let content = answer
        .content
        .as_ref()
        .and_then(|content| content["name"].as_str());
    Some((answer.action, content))
}

fn watches(paths: &[&str]) -> Given {
    let paths = paths.iter().map(ToString::to_string).collect();
    sets(|specific| specific.watch_paths = Some(paths))
}

fn remembers(hook: Given, directory: &str) -> Given {
    let update =
        json!([{ "type": "addDirectories", "directories": [directory], "destination": "session" }]);
    let update = serde_json::from_value(update).unwrap();
    hook.saying(|output| output.specific.updated_permissions = Some(update))
}

fn remembered(outcome: &Outcome) -> Option<usize> {
    outcome.specific.updated_permissions.as_ref().map(Vec::len)
}

fn exports(lines: &str) -> Given {
    let lines = lines.to_owned();
    sets(|specific| specific.exports = Some(lines))
}

fn retries(retry: bool) -> Given {
    sets(|specific| specific.retry = Some(retry))
}

fn chooses(mode: Option<ToolMode>, tools: Option<&[&str]>) -> Given {
    let tools = tools.map(|tools| tools.iter().map(ToString::to_string).collect());
    sets(|specific| {
        specific.tool_config = Some(ToolConfig {
            mode,
            allowed_function_names: tools,
        });
    })
}

fn tools(outcome: &Outcome) -> Option<(Option<ToolMode>, Option<Vec<&str>>)> {
    let config = outcome.specific.tool_config.as_ref()?;
    let names = config.allowed_function_names.as_ref();
    Some((
        config.mode,
        names.map(|names| names.iter().map(String::as_str).collect()),
    ))
}

rows! {
    rules_to_remember_are_put_together_in_order:
        on(PermissionRequest).at_once([remembers(allow(""), "/a"), allow(""), remembers(allow(""), "/b")]),
        |o| remembered(o) => Some(2);
    no_rules_to_remember_are_none:
        on(PermissionRequest).at_once([allow("")]), |o| remembered(o) => None;
    a_refused_request_changes_no_rules:
        on(PermissionRequest).at_once([remembers(allow(""), "/a"), deny("no")]),
        |o| (remembered(o), oddities(o)) => (None, vec![("", "no_effect")]);
    one_interrupt_is_enough:
        on(PermissionRequest).at_once([
            deny("no").saying(|output| output.specific.interrupt = Some(false)),
            deny("no").saying(|output| output.specific.interrupt = Some(true)),
            allow(""),
        ]),
        |o| o.specific.interrupt => Some(true);
    nobody_who_interrupts_is_no_interrupt:
        on(PermissionRequest).at_once([deny("no")]), |o| o.specific.interrupt => None;

    the_first_worktree_counts:
        on(WorktreeCreate).at_once([no_opinion(), worktree("/1"), worktree("/2")]),
        |o| o.specific.worktree_path.as_deref() => Some("/1");
    the_other_worktrees_are_named:
        on(WorktreeCreate).in_turn([worktree("/1"), worktree("/2"), worktree("/1")]),
        |o| oddities(o) => [("b", "conflict")];
    any_failure_fails_the_worktree:
        on(WorktreeCreate).at_once([worktree("/1"), broken()]),
        |o| (o.is_denied(), decider(o)) => (true, Some(("b", "failure_policy")));
    any_failure_fails_the_removal:
        on(WorktreeRemove).at_once([no_opinion(), broken()]), |o| (o.decision, o.is_denied()) => (Deny, true);

    the_last_display_counts_and_the_others_are_named:
        on(MessageDisplay).at_once([shows("1"), no_opinion(), shows("2")]),
        |o| (o.specific.display_content.as_deref(), oddities(o)) => (Some("2"), vec![("a", "conflict")]);
    displays_conflict_even_in_a_sequence:
        on(MessageDisplay).in_turn([shows("1"), shows("2")]), |o| oddities(o) => [("a", "conflict")];
    the_last_title_counts_and_the_others_are_named:
        on(UserPromptSubmit).in_turn([title("1"), title("2"), no_opinion()]),
        |o| (o.specific.session_title.as_deref(), oddities(o)) => (Some("2"), vec![("a", "conflict")]);
    the_same_title_twice_is_no_conflict:
        on(SessionStart).at_once([title("1"), title("1")]), |o| oddities(o) => [];
    the_last_first_message_counts_and_the_others_are_named:
        on(SessionStart).at_once([begins("1"), begins("2")]),
        |o| (o.specific.initial_user_message.as_deref(), oddities(o)) => (Some("2"), vec![("a", "conflict")]);

    cancel_beats_decline:
        on(Elicitation).at_once([replies(Cancel, None), replies(Decline, None)]), |o| reply(o) => Some((Cancel, None));
    decline_beats_accept:
        on(Elicitation).at_once([replies(Decline, None), replies(Accept, Some("me"))]),
        |o| (reply(o), oddities(o)) => (Some((Decline, None)), vec![]);
    the_last_of_equal_replies_counts_and_the_others_are_named:
        on(ElicitationResult).in_turn([replies(Accept, Some("1")), replies(Accept, Some("2"))]),
        |o| (reply(o), oddities(o)) => (Some((Accept, Some("2"))), vec![("a", "conflict")]);
    replies_that_lost_to_a_stricter_one_are_no_conflict:
        on(Elicitation).at_once([replies(Accept, Some("1")), replies(Accept, Some("2")), replies(Cancel, None)]),
        |o| (reply(o), oddities(o)) => (Some((Cancel, None)), vec![]);
    a_block_stands_beside_an_accept:
        on(Elicitation).at_once([replies(Accept, Some("me")), deny("no")]), |o| o.is_denied() => true;

    watched_paths_are_put_together_each_once:
        on(CwdChanged).at_once([watches(&["/a", "/b"]), watches(&["/b", "/c"])]),
        |o| o.specific.watch_paths.clone() => Some(vec!["/a".to_owned(), "/b".to_owned(), "/c".to_owned()]);
    an_empty_list_of_paths_is_an_answer:
        on(CwdChanged).at_once([no_opinion(), watches(&[])]), |o| o.specific.watch_paths.clone() => Some(vec![]);
    no_list_of_paths_is_none:
        on(CwdChanged).at_once([no_opinion()]), |o| o.specific.watch_paths.clone() => None;
    one_retry_is_enough:
        on(PermissionDenied).at_once([retries(true), retries(false)]), |o| o.specific.retry => Some(true);
    one_reload_of_skills_is_enough:
        on(SessionStart).at_once([sets(|specific| specific.reload_skills = Some(true)), no_opinion()]),
        |o| o.specific.reload_skills => Some(true);
    one_wish_to_hide_the_prompt_is_enough:
        on(UserPromptSubmit).at_once([deny("no"), sets(|specific| specific.suppress_original_prompt = Some(true))]),
        |o| o.specific.suppress_original_prompt => Some(true);

    lines_to_export_are_put_together_in_order:
        on(SessionStart).at_once([exports("A=1"), no_opinion(), exports(""), exports("A=2")]),
        |o| o.specific.exports.as_deref() => Some("A=1\nA=2");

    no_tools_beats_one_tool_at_least:
        on(PreToolSelection).at_once([chooses(Some(ToolMode::None), None), chooses(Some(ToolMode::Any), None)]),
        |o| tools(o) => Some((Some(ToolMode::None), None));
    one_tool_at_least_beats_any_number:
        on(PreToolSelection).at_once([chooses(Some(ToolMode::Any), None), chooses(Some(ToolMode::Auto), None)]),
        |o| tools(o) => Some((Some(ToolMode::Any), None));
    lists_of_tools_are_put_together_each_once:
        on(PreToolSelection).at_once([chooses(None, Some(&["Read"])), chooses(None, None), chooses(None, Some(&["Grep", "Read"]))]),
        |o| tools(o) => Some((None, Some(vec!["Read", "Grep"])));

    a_part_that_the_event_does_not_have_is_reported_and_ignored:
        on(PreToolUse).at_once([retries(true), worktree("/1")]),
        |o| (o.specific.clone(), oddities(o))
            => (Specific::default(), vec![("a", "not_honoured"), ("b", "not_honoured")]);
}
