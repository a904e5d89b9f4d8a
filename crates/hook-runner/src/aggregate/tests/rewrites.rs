//! Hooks that change what others see: the tool's input and output, the request and the reply.

use hook_types::Decision::{Allow, Ask, Deny, Pass};
use hook_types::EventName::{
    PermissionRequest, PostModelResponse, PostToolUse, PreModelRequest, PreToolUse,
};
use serde_json::{Value, json};

use super::firing::{
    Firing, Given, allow, ask, decider, deny, no_opinion, oddities, of, on, rewrites, rows, says,
};

/// What the tool is called with in the end.
fn input(outcome: &hook_types::Outcome) -> Option<&str> {
    outcome.updated_input.as_ref()?.as_str()
}

/// What the model sees in the end.
fn output(outcome: &hook_types::Outcome) -> Option<&str> {
    outcome.updated_output.as_ref()?.as_str()
}

fn replaces(output: &str) -> Given {
    let output = Value::from(output);
    says(|answer| answer.updated_output = Some(output))
}

fn replaces_mcp(output: &str) -> Given {
    let output = Value::from(output);
    says(|answer| answer.updated_mcp_output = Some(output))
}

fn requests(request: &str) -> Given {
    let request = Value::from(request);
    says(|answer| answer.specific.llm_request = Some(request))
}

fn responds(response: &str) -> Given {
    let response = Value::from(response);
    says(|answer| answer.specific.llm_response = Some(response))
}

fn on_mcp_tool() -> Firing {
    of(hook_types::PostToolUse::new(
        "mcp__db__query",
        json!({}),
        json!("rows"),
    ))
}

rows! {
    at_once_the_last_in_order_wins:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2")]), |o| input(o) => Some("2");
    at_once_every_loser_is_named:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2"), rewrites("3")]),
        |o| oddities(o) => [("a", "conflict"), ("b", "conflict")];
    the_conflict_says_who_won:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2")]),
        |o| o.diagnostics[0].diagnostic.message
            => "`updatedInput` of hook `a` is not used: `b` comes later in the order";
    hooks_that_agree_are_no_conflict:
        on(PreToolUse).at_once([rewrites("1"), rewrites("1")]),
        |o| (input(o), oddities(o)) => (Some("1"), vec![]);
    a_hook_that_sets_none_erases_nothing:
        on(PreToolUse).at_once([no_opinion(), rewrites("1"), allow(""), no_opinion()]),
        |o| (input(o), oddities(o)) => (Some("1"), vec![]);
    a_sequence_is_a_chain_and_no_conflict:
        on(PreToolUse).in_turn([rewrites("1"), no_opinion(), rewrites("12")]),
        |o| (input(o), oddities(o)) => (Some("12"), vec![]);
    the_ends_of_two_chains_conflict:
        on(PreToolUse).in_turn([rewrites("1"), rewrites("12")]).in_turn([rewrites("3"), rewrites("34")]),
        |o| (input(o), oddities(o)) => (Some("34"), vec![("b", "conflict")]);
    inputs_of_a_permission_request_merge_the_same_way:
        on(PermissionRequest).at_once([rewrites("1"), rewrites("2")]),
        |o| (input(o), oddities(o)) => (Some("2"), vec![("a", "conflict")]);

    a_conflict_is_no_decision_unless_the_policy_says_so:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2")]), |o| o.decision => Pass;
    by_policy_a_conflict_is_asked_about:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2")]).asking_about_conflicts(),
        |o| (o.decision, input(o)) => (Ask, Some("2"));
    the_question_is_not_the_one_of_a_hook_that_allowed:
        on(PreToolUse).at_once([allow("fine").saying(|answer| answer.updated_input = Some(json!(1))), rewrites("2")])
            .asking_about_conflicts(),
        |o| (decider(o), o.reason.as_deref())
            => (None, Some("hooks that ran at once want different inputs: `a`, `b`; the last one's is used"));
    a_conflict_takes_no_deny_back:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2"), deny("no")]).asking_about_conflicts(),
        |o| (o.decision, o.reason.as_deref()) => (Deny, Some("no"));
    a_conflict_leaves_the_reasons_of_who_asked:
        on(PreToolUse).at_once([rewrites("1"), rewrites("2"), ask("sure?")]).asking_about_conflicts(),
        |o| (decider(o), o.reason.as_deref()) => (Some(("c", "answer")), Some("sure?"));
    without_a_conflict_nobody_is_asked:
        on(PreToolUse).in_turn([rewrites("1"), rewrites("2"), allow("")]).asking_about_conflicts(),
        |o| o.decision => Allow;
    nobody_is_asked_about_what_has_happened:
        on(PostToolUse).at_once([replaces("1"), replaces("2")]).asking_about_conflicts(),
        |o| (o.decision, oddities(o)) => (Pass, vec![("a", "conflict")]);

    the_last_output_wins_and_the_losers_are_named:
        on(PostToolUse).at_once([replaces("1"), no_opinion(), replaces("2")]),
        |o| (output(o), oddities(o)) => (Some("2"), vec![("a", "conflict")]);
    outputs_are_chained_in_a_sequence:
        on(PostToolUse).in_turn([replaces("1"), replaces("12")]),
        |o| (output(o), oddities(o)) => (Some("12"), vec![]);
    the_older_form_counts_for_mcp_tools:
        on_mcp_tool().at_once([replaces_mcp("1")]), |o| (output(o), oddities(o)) => (Some("1"), vec![]);
    the_older_form_is_reported_and_ignored_for_other_tools:
        on(PostToolUse).at_once([replaces_mcp("1")]), |o| (output(o), oddities(o)) => (None, vec![("a", "not_mcp")]);
    the_newer_form_counts_where_a_hook_has_both:
        on_mcp_tool().at_once([replaces("new").saying(|answer| answer.updated_mcp_output = Some(json!("old")))]),
        |o| output(o) => Some("new");
    the_two_forms_are_one_value:
        on_mcp_tool().at_once([replaces("1"), replaces_mcp("2")]),
        |o| (output(o), oddities(o)) => (Some("2"), vec![("a", "conflict")]);

    requests_are_chained_in_a_sequence:
        on(PreModelRequest).in_turn([requests("1"), requests("12")]),
        |o| (o.specific.llm_request.clone(), oddities(o)) => (Some(json!("12")), vec![]);
    at_once_the_last_request_wins:
        on(PreModelRequest).at_once([requests("1"), requests("2")]),
        |o| (o.specific.llm_request.clone(), oddities(o)) => (Some(json!("2")), vec![("a", "conflict")]);
    replies_of_the_model_are_chained_in_a_sequence:
        on(PostModelResponse).in_turn([responds("1"), responds("12")]),
        |o| (o.specific.llm_response.clone(), oddities(o)) => (Some(json!("12")), vec![]);
    replies_in_the_models_place_conflict_even_in_a_sequence:
        on(PreModelRequest).in_turn([responds("1"), responds("2")]),
        |o| (o.specific.llm_response.clone(), oddities(o)) => (Some(json!("2")), vec![("a", "conflict")]);
    a_rewrite_that_the_event_does_not_have_is_reported_and_ignored:
        on(PostToolUse).at_once([rewrites("1")]), |o| (input(o), oddities(o)) => (None, vec![("a", "not_honoured")]);
}
