//! The rules for reading answers, one row a test.

use hook_types::wire::{Extent, Form, Problem, Reading, read, read_value};
use hook_types::{Decision, EventName, HookOutput};
use serde_json::json;

fn whole(event: EventName, output: &str) -> Reading {
    read(event, output, Extent::Whole)
}

fn codes(reading: &Reading) -> Vec<&'static str> {
    reading
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.as_str())
        .collect()
}

/// What kind of output it is: the contract's rules for telling JSON from text.
macro_rules! detects {
    ($($name:ident: $event:ident, $output:expr => $form:pat,)*) => {
        mod detection {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let reading = whole(EventName::$event, $output);
                    assert!(matches!(reading.form, $form), "{reading:?}");
                }
            )*
        }
    };
}

detects! {
    blanks_are_nothing: PreToolUse, " \r\n\t" => Form::Nothing,
    a_byte_order_mark_alone_is_nothing: PreToolUse, "\u{feff}\n" => Form::Nothing,
    an_empty_object_is_an_answer: PreToolUse, "{}" => Form::Answer(_),
    an_object_in_blanks_is_an_answer: PreToolUse, "\n  {\"continue\": true}\r\n" => Form::Answer(_),
    an_object_over_several_lines_is_an_answer: Stop, "{\n\"reason\":\n\"x\"\n}" => Form::Answer(_),
    a_byte_order_mark_does_no_harm: Stop, "\u{feff}{\"decision\":\"block\"}" => Form::Answer(_),
    braces_that_do_not_parse_are_bad: Stop, "{not json}" => Form::Bad(Problem::NotJson(_)),
    a_log_line_in_brackets_is_text: PreToolUse, "[10:54] hello" => Form::Text(_),
    an_array_is_text: PreToolUse, "[1, 2]" => Form::Text(_),
    a_number_is_text: PreToolUse, "42" => Form::Text(_),
    null_is_text: PreToolUse, "null" => Form::Text(_),
    a_quoted_string_is_text: PreToolUse, "\"{\\\"decision\\\":\\\"block\\\"}\"" => Form::Text(_),
    a_brace_that_does_not_end_is_text: Stop, "{\"decision\":\"block\"} and more" => Form::Text(_),
    text_before_a_brace_is_text: Stop, "hi {\"decision\":\"block\"}" => Form::Text(_),
    lines_of_json_that_answer_nothing_are_text: Stop, "{\"level\":\"info\"}\n{\"level\":\"warn\"}" => Form::Text(_),
    lines_of_json_one_of_which_answers_are_bad: Stop,
        "{\"level\":\"info\"}\n{\"decision\":\"block\"}" => Form::Bad(Problem::SeveralDocuments),
    async_is_a_promise: PostToolUse, "{\"async\":true,\"asyncTimeout\":1500}" => Form::Answer(HookOutput::Async(_)),
    async_false_is_an_answer: PostToolUse, "{\"async\":false}" => Form::Answer(HookOutput::Sync(_)),
    async_that_is_not_literally_true_is_bad: PostToolUse, "{\"async\":\"true\"}" => Form::Bad(_),
}

/// What is decided, and what is said about it.
macro_rules! decides {
    ($($name:ident: $event:ident, $output:expr => $decision:ident, [$($code:literal),*];)*) => {
        mod decisions {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let reading = whole(EventName::$event, $output);
                    assert_eq!(reading.decision(), Decision::$decision, "{reading:?}");
                    let expected: &[&str] = &[$($code),*];
                    assert_eq!(codes(&reading), expected, "{reading:?}");
                }
            )*
        }
    };
}

decides! {
    permission_deny: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"# => Deny, [];
    permission_allow: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"# => Allow, [];
    permission_ask: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"# => Ask, [];
    permission_defer: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"# => Defer, [];
    defer_goes_with_nothing_else: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","updatedInput":{}}}"# => Defer, ["no_effect"];
    the_older_block_denies_a_tool: PreToolUse, r#"{"decision":"block"}"# => Deny, [];
    the_older_approve_allows_a_tool: PreToolUse, r#"{"decision":"approve"}"# => Allow, [];
    approve_beside_deny_is_deny: PreToolUse,
        r#"{"decision":"approve","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"# => Deny, [];
    approve_means_nothing_elsewhere: Stop, r#"{"decision":"approve"}"# => Pass, [];
    block_keeps_the_agent_going: Stop, r#"{"decision":"block","reason":"more"}"# => Deny, [];
    a_block_that_the_event_ignores_is_reported: SessionStart, r#"{"decision":"block"}"# => Pass, ["not_honoured"];
    behavior_denies_a_permission_request: PermissionRequest,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"# => Deny, [];
    behavior_allows_a_permission_request: PermissionRequest,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"# => Allow, [];
    a_model_switch_cannot_be_deferred: PreModelSwitch,
        r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"defer"}}"# => Pass, ["wrong_value"];
    an_unknown_decision_is_no_decision: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}"# => Pass, ["wrong_value"];
    allow_in_the_place_of_block_allows_nothing: PreToolUse, r#"{"decision":"allow"}"# => Pass, ["wrong_value"];
    an_unknown_key_does_not_lose_a_deny: PreToolUse, r#"{"decision":"block","colour":"red"}"# => Deny, ["unknown_key"];
    suppress_output_does_not_lose_a_deny: PreToolUse, r#"{"decision":"block","suppressOutput":true}"# => Deny, [];
    a_wrong_type_does_not_lose_a_deny: PreToolUse, r#"{"decision":"block","reason":42}"# => Deny, ["wrong_type"];
    an_allow_beside_a_wrong_type_is_not_taken: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":"ls"}}"# => Pass, ["wrong_type"];
    the_stronger_of_two_equal_keys_counts: PreToolUse,
        r#"{"decision":"block","decision":"approve"}"# => Deny, ["duplicate_key"];
    another_events_shape_still_denies: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"# => Deny, ["other_event", "odd_deny"];
    another_events_shape_allows_nothing: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow"}}"# => Pass, ["other_event"];
    a_shape_without_a_name_allows_nothing: PreToolUse,
        r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"# => Pass, ["missing_event_name"];
    a_banner_does_not_lose_a_deny: PreToolUse, "hello\n{\"decision\":\"block\"}" => Deny, ["noise"];
    a_trailer_does_not_lose_a_deny: PreToolUse, "{\"decision\":\"block\"}\nbye" => Deny, ["noise"];
    a_banner_loses_an_allow: PreToolUse, "hello\n{\"decision\":\"approve\"}" => Pass, [];
    a_banner_loses_a_block_off_guards: Stop, "hello\n{\"decision\":\"block\"}" => Pass, [];
    a_deny_inside_a_line_is_text: PreToolUse, "say {\"decision\":\"block\"}" => Pass, [];
    a_deny_inside_an_array_is_text: PreToolUse, "[\n{\"decision\":\"block\"}\n]" => Pass, [];
    two_documents_do_not_lose_a_deny: PreToolUse, "{\"continue\":true}\n{\"decision\":\"block\"}" => Deny, ["noise"];
    nan_does_not_hide_a_deny: PreToolUse, r#"{"score":NaN,"decision":"block"}"# => Deny, ["broken_json"];
    a_python_dictionary_does_not_hide_a_deny: PreToolUse, "{'decision': 'block', 'reason': \"it's\"}" => Deny, ["broken_json"];
    a_misplaced_deny_counts_on_a_guard: PreToolUse, r#"{"permissionDecision":"deny"}"# => Deny, ["misplaced", "odd_deny"];
    a_misspelt_deny_counts_on_a_guard: PreToolUse, r#"{"desicion":"block"}"# => Deny, ["unknown_key", "odd_deny"];
    a_misspelt_block_does_not_keep_the_agent_going: Stop, r#"{"desicion":"block"}"# => Pass, ["unknown_key"];
}

#[test]
fn the_reason_beside_a_deny_is_kept_through_noise() {
    let reading = whole(
        EventName::PreToolUse,
        "hi\n{\"decision\":\"block\",\"reason\":\"no é\"}\nbye",
    );
    assert_eq!(reading.answer().unwrap().reason.as_deref(), Some("no é"));
}

#[test]
fn in_noise_nothing_but_the_deny_counts() {
    let noisy = "hi\n{\"decision\":\"block\",\"systemMessage\":\"m\",\"continue\":false}";
    let reading = whole(EventName::PreToolUse, noisy);
    let answer = reading.answer().unwrap();
    assert_eq!(answer.system_message, None);
    assert!(!answer.stops());
}

#[test]
fn an_order_to_stop_survives_a_wrong_type() {
    let reading = whole(
        EventName::PreToolUse,
        r#"{"continue":false,"stopReason":"late","systemMessage":1}"#,
    );
    let answer = reading.answer().unwrap();
    assert!(answer.stops());
    assert_eq!(answer.stop_reason.as_deref(), Some("late"));
}

#[test]
fn of_two_orders_the_one_to_stop_counts() {
    let reading = whole(EventName::Stop, r#"{"continue":false,"continue":true}"#);
    assert!(reading.answer().unwrap().stops());
}

#[test]
fn what_people_write_instead_is_told_what_to_write() {
    for (written, meant) in [
        ("modifiedToolInput", "updatedInput"),
        ("modifiedArgs", "updatedInput"),
        ("updated_input", "updatedInput"),
        ("sytemMessage", "systemMessage"),
        ("stop_reason", "stopReason"),
        ("supressOutput", "suppressOutput"),
        ("hookSpecificOuput", "hookSpecificOutput"),
        ("context", "additionalContext"),
    ] {
        let reading = read_value(EventName::PreToolUse, &json!({ written: {} }));
        assert_eq!(codes(&reading), ["unknown_key"], "{written}");
        assert_eq!(reading.diagnostics[0].key.as_deref(), Some(written));
        assert_eq!(
            reading.diagnostics[0].suggestion.as_deref(),
            Some(meant),
            "{written}"
        );
    }
}

#[test]
fn a_key_in_the_wrong_place_is_told_the_right_one() {
    let reading = read_value(EventName::PreToolUse, &json!({"additionalContext": "x"}));
    assert_eq!(codes(&reading), ["misplaced"]);
    assert_eq!(
        reading.diagnostics[0].to_string(),
        "misplaced: `additionalContext` is ignored: it belongs elsewhere in the answer; did you mean `hookSpecificOutput.additionalContext`?"
    );
}

#[test]
fn a_field_that_the_event_does_not_honour_is_ignored_and_reported() {
    let stop = json!({"hookSpecificOutput": {"hookEventName": "Stop", "updatedInput": {"a": 1}}});
    let reading = read_value(EventName::Stop, &stop);
    assert_eq!(codes(&reading), ["not_honoured"]);
    assert_eq!(reading.answer().unwrap().updated_input, None);
}

#[test]
fn a_terminal_sequence_that_could_do_harm_is_ignored() {
    let reading = read_value(EventName::Stop, &json!({"terminalSequence": "\u{1b}[2J"}));
    assert_eq!(codes(&reading), ["terminal_sequence"]);
    assert_eq!(reading.answer().unwrap().terminal_sequence, None);
}

#[test]
fn null_is_absent() {
    let answer = json!({"decision": null, "systemMessage": null, "hookSpecificOutput": null});
    let reading = read_value(EventName::PreToolUse, &answer);
    assert_eq!(reading.diagnostics, []);
    assert!(reading.answer().unwrap().is_empty());
}

#[test]
fn output_that_was_cut_blocks_on_a_guard_and_only_there() {
    let cut = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"text":"lor"#;
    let guard = read(EventName::PreToolUse, cut, Extent::Cut);
    assert_eq!(guard.form, Form::Bad(Problem::Cut));
    assert!(Problem::Cut.blocks(EventName::PreToolUse));
    assert!(!Problem::Cut.blocks(EventName::Stop));
    assert!(!Problem::SeveralDocuments.blocks(EventName::PreToolUse));
}

#[test]
fn output_that_was_cut_after_a_deny_is_a_deny() {
    let cut = "{\"decision\":\"block\"}\n{\"more\":\"lor";
    assert_eq!(
        read(EventName::PreToolUse, cut, Extent::Cut).decision(),
        Decision::Deny
    );
}

#[test]
fn an_async_timeout_is_in_milliseconds() {
    let reading = whole(
        EventName::PostToolUse,
        r#"{"async":true,"asyncTimeout":1500}"#,
    );
    let Form::Answer(HookOutput::Async(promise)) = reading.form else {
        panic!("{reading:?}")
    };
    assert_eq!(
        promise.timeout,
        Some(std::time::Duration::from_millis(1500))
    );
}

#[test]
fn a_value_that_is_no_object_is_a_bad_answer() {
    let reading = read_value(EventName::Stop, &json!([1]));
    assert!(matches!(reading.form, Form::Bad(Problem::WrongShape(_))));
    assert_eq!(
        reading.diagnostics[0].message,
        "the answer does not fit the contract: expected an object, found an array"
    );
}

#[test]
fn a_permission_update_that_nobody_knows_is_not_taken() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {
        "behavior": "allow", "updatedPermissions": [{"type": "becomeRoot"}]}}});
    let reading = read_value(EventName::PermissionRequest, &answer);
    assert_eq!(codes(&reading), ["wrong_value"]);
    assert_eq!(reading.decision(), Decision::Pass);
}

#[test]
fn an_input_beside_the_decision_of_a_permission_request_is_told_where_it_belongs() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"}, "updatedInput": {"command": "ls"}}});
    let reading = read_value(EventName::PermissionRequest, &answer);
    assert_eq!(codes(&reading), ["misplaced"]);
    assert_eq!(
        reading.diagnostics[0].suggestion.as_deref(),
        Some("hookSpecificOutput.decision.updatedInput")
    );
    assert_eq!(reading.answer().unwrap().updated_input, None);
}

#[test]
fn a_reason_is_reported_where_nothing_can_be_decided() {
    let reading = read_value(EventName::SessionStart, &json!({"reason": "because"}));
    assert_eq!(codes(&reading), ["not_honoured"]);
}
