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
    a_reason_alone_decides_no_permission_request: PermissionRequest, r#"{"reason":"hm"}"# => Pass, [];
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
    ask_is_stronger_than_the_allow_after_it: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecision":"allow"}}"# => Ask, ["duplicate_key"];
    defer_is_stronger_than_the_allow_after_it: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","permissionDecision":"allow"}}"# => Defer, ["duplicate_key"];
    an_allow_after_a_word_that_is_none_allows_nothing: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe","permissionDecision":"allow"}}"# => Pass, ["duplicate_key"];
    ask_in_the_first_of_two_objects_counts: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"},"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"# => Ask, ["duplicate_key", "duplicate_key", "duplicate_key"];
    ask_beside_a_wrong_type_still_asks: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":7}}"# => Ask, ["wrong_type"];
    an_allow_beside_a_misplaced_input_allows_nothing: PreToolUse,
        r#"{"updatedInput":{"command":"ls"},"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"# => Pass, ["misplaced"];
    an_allow_beside_a_misspelt_input_allows_nothing: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","modifiedToolInput":{}}}"# => Pass, ["unknown_key"];
    a_deny_needs_no_quotes_on_a_guard: PreToolUse, "{decision:block,reason:no}" => Deny, ["broken_json"];
    a_deny_between_comments_is_read: PreToolUse, "{\n// \"decision\": \"approve\"\n\"decision\": \"block\" /* no */\n}" => Deny, ["broken_json"];
    a_deny_after_a_progress_bar_is_read: PreToolUse, "10%\r{\"decision\":\"block\"}" => Deny, ["noise"];
    a_deny_after_a_colour_is_read: PreToolUse, "done\n\u{1b}[0m{\"decision\":\"block\"}" => Deny, ["noise"];
    a_deny_inside_the_input_of_a_broken_answer_is_not_the_answers: PreToolUse,
        "{\n\"updatedInput\" {\"edits\": [\n{\"decision\":\"block\"}\n]},\n\"continue\": true\n}" => Pass, ["broken_json"];
    a_revision_is_not_a_decision: PreToolUse, r#"{"revision":"blocked"}"# => Pass, ["unknown_key"];
    a_declined_question_is_an_answer_of_its_own: Elicitation,
        r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"# => Pass, [];
    a_declined_question_in_other_words_is_a_refusal: Elicitation,
        r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"Declined"}}"# => Deny, ["wrong_value", "odd_deny"];
    a_denied_question_is_a_refusal: Elicitation, r#"{"action":"deny"}"# => Deny, ["misplaced", "odd_deny"];
    a_decision_without_behavior_decides_nothing: PermissionRequest,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{}}}"# => Pass, ["wrong_value"];
    an_interrupt_goes_with_a_refusal_only: PermissionRequest,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","interrupt":true}}}"# => Allow, ["no_effect"];
    a_new_input_beside_a_refusal_means_nothing: PreToolUse,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":{}}}"# => Deny, ["no_effect"];
    a_timeout_without_async_means_nothing: PostToolUse, r#"{"asyncTimeout":5}"# => Pass, ["no_effect"];
    a_timeout_below_zero_is_none: PostToolUse, r#"{"async":true,"asyncTimeout":-5}"# => Pass, ["wrong_value"];
    the_removal_of_a_worktree_takes_no_answer: WorktreeRemove, r#"{"decision":"block"}"# => Pass, ["not_honoured"];
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
    for update in [
        json!({"type": "becomeRoot"}),
        json!({"type": "setMode", "mode": "yolo", "destination": "session"}),
        json!({"type": "setMode", "mode": "plan", "destination": "mars"}),
        json!({"type": "addRules", "rules": [], "behavior": "shrug", "destination": "session"}),
    ] {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedPermissions": [update]}}});
        let reading = read_value(EventName::PermissionRequest, &answer);
        assert_eq!(codes(&reading), ["wrong_value"], "{answer}");
        assert_eq!(reading.decision(), Decision::Pass, "{answer}");
    }
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
    // To allow the old input is not what the hook said.
    assert_eq!(reading.decision(), Decision::Pass);
}

#[test]
fn a_reason_is_reported_where_nothing_can_be_decided() {
    let reading = read_value(EventName::SessionStart, &json!({"reason": "because"}));
    assert_eq!(codes(&reading), ["not_honoured"]);
}

/// A lot of whatever makes a careless reader start over at every line.
#[test]
fn a_lot_of_anything_is_read_in_a_moment() {
    let deny = r#"{"decision":"block"}"#;
    let started = std::time::Instant::now();
    for unit in [
        "{\n",
        "[\n",
        "{\"a\":\n",
        "{x\n",
        "{\"\n",
        "{'\n",
        "[[]\n",
        "{",
        "[",
        "\n",
        "\u{feff}",
        "{\"a\":1}\n",
        "\"a\":1,",
        "'",
        "\\u",
        "/*",
        "\u{1b}[",
        "{}",
    ] {
        let noise = unit.repeat((1 << 17) / unit.len());
        for text in [
            noise.clone(),
            format!("{{{noise}}}"),
            format!("{noise}\n{deny}"),
        ] {
            let reading = whole(EventName::PreToolUse, &text);
            let blocks = matches!(&reading.form, Form::Bad(problem) if problem.blocks(EventName::PreToolUse));
            let ends_in_deny =
                text.ends_with(deny) && !unit.contains(['{', '[', '\'', '"', '*', '\\']);
            assert!(
                !ends_in_deny || blocks || reading.decision() == Decision::Deny,
                "{unit:?}"
            );
        }
    }
    // Seconds in a debug build; hours if any of it were quadratic.
    assert!(
        started.elapsed() < std::time::Duration::from_mins(4),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn output_that_cannot_be_searched_to_its_end_blocks_on_a_guard_and_only_there() {
    let noise = "{\n".repeat(100_000);
    let guard = whole(EventName::PreToolUse, &noise);
    assert_eq!(guard.form, Form::Bad(Problem::TooNoisy));
    assert!(Problem::TooNoisy.blocks(EventName::PreToolUse));
    assert!(matches!(whole(EventName::Stop, &noise).form, Form::Text(_)));
}

#[test]
fn no_more_oddities_are_told_than_somebody_reads() {
    let members: Vec<String> = (0..1000).map(|i| format!("\"k{i}\":{i}")).collect();
    let reading = whole(EventName::PreToolUse, &format!("{{{}}}", members.join(",")));
    assert_eq!(reading.diagnostics.len(), 33);
    assert_eq!(
        reading.diagnostics[32].message,
        "and 968 more oddities of this kind"
    );
}
