//! What is said to the model, to the user and to the terminal.

use hook_types::EventName::{PostToolUse, PreCompact, PreToolUse};
use serde_json::json;

use super::firing::{Given, deny, no_opinion, oddities, on, rows, said, says};

fn adds(text: &str) -> Given {
    let text = text.to_owned();
    says(|output| output.additional_context = Some(text))
}

fn tells(text: &str) -> Given {
    let text = text.to_owned();
    says(|output| output.system_message = Some(text))
}

fn rings(sequence: &str) -> Given {
    let sequence = sequence.to_owned();
    says(|output| output.terminal_sequence = Some(sequence))
}

fn quiet() -> Given {
    says(|output| output.suppress_output = true)
}

fn classifies(text: &str) -> Given {
    let text = text.to_owned();
    says(|output| output.specific.classifier_context = Some(text))
}

rows! {
    all_context_is_kept_in_order_with_its_hook:
        on(PreToolUse).at_once([adds("1"), no_opinion(), adds("2")]).in_turn([adds("1")]),
        |o| said(&o.additional_context) => [("a", "1"), ("c", "2"), ("d", "1")];
    all_messages_are_kept_in_order_with_their_hook:
        on(PreToolUse).at_once([tells("1")]).in_turn([tells("2"), tells("3")]),
        |o| said(&o.system_messages) => [("a", "1"), ("b", "2"), ("c", "3")];
    all_terminal_sequences_are_kept_in_order_with_their_hook:
        on(PreToolUse).at_once([rings("\u{7}"), rings("\u{1b}]0;t\u{7}")]),
        |o| o.terminal_sequences.len() => 2;
    blank_texts_are_left_out:
        on(PreToolUse).at_once([adds(""), tells(" \n"), adds("1")]),
        |o| (said(&o.additional_context), said(&o.system_messages)) => (vec![("c", "1")], vec![]);
    a_deny_leaves_the_context_of_others:
        on(PreToolUse).at_once([adds("1"), deny("no")]), |o| said(&o.additional_context) => [("a", "1")];
    context_that_the_event_does_not_have_is_reported_and_ignored:
        on(PreCompact).at_once([adds("1")]),
        |o| (said(&o.additional_context), oddities(o)) => (vec![], vec![("a", "not_honoured")]);
    one_hook_that_wants_quiet_is_enough:
        on(PreToolUse).at_once([no_opinion(), quiet(), adds("1")]), |o| o.suppress_output => true;
    nobody_who_wants_quiet_is_no_quiet:
        on(PreToolUse).at_once([no_opinion(), adds("1")]), |o| o.suppress_output => false;

    notes_for_the_classifier_are_joined_in_order:
        on(PostToolUse).at_once([classifies("1"), classifies("2")]),
        |o| o.specific.classifier_context.as_deref() => Some("1\n2");
    a_note_about_an_output_that_lost_is_left_out:
        on(PostToolUse).at_once([
            classifies("1").saying(|output| output.updated_output = Some(json!("x"))),
            classifies("2").saying(|output| output.updated_output = Some(json!("y"))),
            classifies("3"),
        ]),
        |o| (o.specific.classifier_context.as_deref(), oddities(o))
            => (Some("2\n3"), vec![("a", "conflict"), ("a", "no_effect")]);
}
