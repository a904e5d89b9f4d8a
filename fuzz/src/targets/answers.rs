//! The reader of answers: `hook_types::wire`.
//!
//! An input is a byte that picks the event, a byte that picks the extent, and what a command printed.

use hook_types::wire::{Extent, Form, Reading, read, read_value, write, write_async};
use hook_types::{Decision, EventName, HookOutput, Spelling, SyncOutput};
use serde_json::{Deserializer, Value};

use super::{Target, pick};
use crate::trace::Trace;

pub(super) const TARGET: Target = Target {
    name: "answers",
    about: "what a command prints, as an answer to an event",
    words: WORDS,
    seeds,
    check,
};

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\n",
    "\r",
    "\\u0064",
    "\\ud800",
    "\u{feff}",
    "\u{1b}[0m",
    "//",
    "/*",
    "*/",
    "'",
    "null",
    "true",
    "false",
    "NaN",
    "1e999",
    "\"decision\"",
    "\"block\"",
    "\"approve\"",
    "\"reason\":\"why\"",
    "\"hookSpecificOutput\":{",
    "\"hookEventName\":\"PreToolUse\"",
    "\"permissionDecision\"",
    "\"deny\"",
    "\"ask\"",
    "\"allow\"",
    "\"defer\"",
    "\"behavior\"",
    "\"continue\":false",
    "\"async\":true",
    "\"asyncTimeout\":5",
    "\"updatedInput\":{}",
    "\"additionalContext\":\"c\"",
    "\"action\":\"decline\"",
    "\"permissionDecisionReason\"",
    "\"systemMessage\":\"m\"",
    "\"suppressOutput\":true",
    "\"updatedPermissions\":[]",
    "\"interrupt\":true",
    "\"terminalSequence\":\"\\u0007\"",
    "decision:block",
    "{\"decision\":\"block\"}",
    "permission",
    "denied",
];

/// The recorded answers, each for its event, and some that are odd.
fn seeds() -> Vec<Vec<u8>> {
    let samples = include_str!("../../../crates/hook-types/samples/answers.json");
    let samples: Value = serde_json::from_str(samples).unwrap_or_default();
    let mut seeds = Vec::new();
    for (name, answers) in samples.as_object().into_iter().flatten() {
        let at = EventName::ALL
            .iter()
            .position(|event| event.as_str() == name);
        let at = at.and_then(|at| u8::try_from(at).ok()).unwrap_or_default();
        for answer in answers.as_array().into_iter().flatten() {
            seeds.push([&[at, 0], answer.to_string().as_bytes()].concat());
        }
    }
    let odd = [
        "loading\n{\"decision\":\"block\",\"reason\":\"no\"}\nbye",
        "{\"decision\":\"approve\",\"decision\":\"block\"}",
        "{'permission_decision': 'deny', \"n\": NaN}",
        "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}{",
        "[{\"decision\":\"block\"}]\n{it's} // {\n",
    ];
    for (at, _) in EventName::ALL.iter().enumerate().step_by(3) {
        let at = u8::try_from(at).unwrap_or_default();
        seeds.extend(odd.map(|text| [&[at, at % 2], text.as_bytes()].concat()));
    }
    seeds
}

fn check(input: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let Some((event, rest)) = pick(EventName::ALL, input) else {
        return trace;
    };
    let Some((extent, text)) = pick(&[Extent::Whole, Extent::Cut], rest) else {
        return trace;
    };
    let text = String::from_utf8_lossy(text);
    let reading = read(event, &text, extent);
    trace.saw((event, reading.decision()));
    trace.saw(std::mem::discriminant(&reading.form));
    for diagnostic in &reading.diagnostics {
        assert!(!diagnostic.message.is_empty());
        trace.saw(diagnostic.code.as_str());
    }
    assert!(reading.diagnostics.len() <= 33, "too many to read");
    no_refusal_is_lost(event, &text, extent, &reading);
    if reading.decision() == Decision::Deny {
        no_refusal_is_made_up(event, &text, &reading);
        noise_hides_nothing(event, &text, extent);
    }
    if let Form::Answer(output) = &reading.form {
        is_read_back(event, output);
    }
    trace
}

fn no_refusal_is_lost(event: EventName, text: &str, extent: Extent, reading: &Reading) {
    let half = event.row().guard && extent == Extent::Cut && is_cut_answer(text);
    if half || refuses_plainly(event, text, extent) {
        assert!(
            blocks(event, &reading.form),
            "{event}: a refusal is lost, or half an answer counts: {reading:?}"
        );
    }
}

fn no_refusal_is_made_up(event: EventName, text: &str, reading: &Reading) {
    let row = event.row();
    assert!(
        row.spelling != Spelling::Unspoken,
        "{event} cannot be refused"
    );
    assert!(
        may_refuse(text),
        "{event}: a refusal is made up: {reading:?}"
    );
}

/// Whether what was read keeps the event from going on.
fn blocks(event: EventName, form: &Form) -> bool {
    match form {
        Form::Answer(HookOutput::Sync(output)) => output.decision == Decision::Deny,
        Form::Bad(problem) => problem.blocks(event),
        Form::Answer(HookOutput::Async(_)) | Form::Nothing | Form::Text(_) => false,
    }
}

/// Whether strict JSON sees a refusal by the book: on guards in any object that starts a line, else in
/// the whole of the output. A judgement of its own, which shares no code with the reader.
fn refuses_plainly(event: EventName, text: &str, extent: Extent) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !event.row().guard {
        let whole = serde_json::from_str::<Value>(text).ok();
        let whole = whole.filter(|answer| extent == Extent::Whole && answer["async"] != true);
        return whole.is_some_and(|answer| is_refusal(event, &answer));
    }
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.trim_start();
        let end = match line.chars().next() {
            Some('{' | '[') => {
                let mut values = Deserializer::from_str(line).into_iter::<Value>();
                let Some(Ok(value)) = values.next() else {
                    // Nobody can say by the book what is at the top from here on.
                    return false;
                };
                if is_refusal(event, &value) {
                    return true;
                }
                values.byte_offset()
            }
            _ => 0,
        };
        rest = line[end..].split_once('\n').map_or("", |(_, rest)| rest);
    }
    false
}

/// A refusal as the contract spells it.
fn is_refusal(event: EventName, answer: &Value) -> bool {
    let specific = &answer["hookSpecificOutput"];
    let own = specific["hookEventName"] == event.as_str();
    match event.row().spelling {
        Spelling::PermissionDecision => {
            answer["decision"] == "block" || (own && specific["permissionDecision"] == "deny")
        }
        Spelling::Behavior => own && specific["decision"]["behavior"] == "deny",
        Spelling::Decision => answer["decision"] == "block",
        Spelling::Unspoken => false,
    }
}

/// Whether there is a word in it, escaped or not, that could be a refusal.
fn may_refuse(text: &str) -> bool {
    // What folds to a word: signs between its letters do not count.
    let letters: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let letters = letters.to_lowercase();
    let words = ["deny", "denied", "block", "declin", "cancel"];
    text.contains('\\') || words.iter().any(|word| letters.contains(word))
}

/// Whether the output begins like an answer. (Output that is blank to its cut is nothing at all.)
fn is_cut_answer(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().starts_with('{')
}

/// A line of text before or after a refusal does not hide it.
fn noise_hides_nothing(event: EventName, text: &str, extent: Extent) {
    if !event.row().guard {
        return;
    }
    let text = text.trim_start_matches('\u{feff}');
    for noisy in [format!("loading\n{text}"), format!("{text}\ndone")] {
        let reading = read(event, &noisy, extent);
        assert!(
            blocks(event, &reading.form),
            "{event}: noise hides a refusal: {noisy:?}: {reading:?}"
        );
    }
}

/// What is written is read back as the same, and nothing is odd about it.
fn is_read_back(event: EventName, output: &HookOutput) {
    let written = match output {
        HookOutput::Sync(output) => write(event, output),
        HookOutput::Async(promise) => write_async(*promise),
    };
    let again = read_value(event, &written);
    let text = read(event, &written.to_string(), Extent::Whole);
    assert_eq!(again, text, "{event}: as a value and as text: {written}");
    match (&again.form, output) {
        (Form::Answer(HookOutput::Sync(again)), HookOutput::Sync(output)) => {
            assert_eq!(**again, as_written(event, output), "{event}: {written}");
        }
        (Form::Answer(HookOutput::Async(again)), HookOutput::Async(promise)) => {
            let whole =
                |limit: &hook_types::AsyncOutput| limit.timeout.map(|limit| limit.as_millis());
            let shorter = whole(promise).map(|limit| limit.min(u128::from(u64::MAX)));
            let near = whole(again)
                .unwrap_or_default()
                .abs_diff(shorter.unwrap_or_default());
            // Milliseconds go through a floating point number.
            assert!(
                near <= shorter.unwrap_or_default() / 1_000_000 + 1,
                "{event}: {written}"
            );
        }
        (form, _) => panic!("{event}: {written} was read as {form:?}"),
    }
}

/// What of an output the wire can carry for this event.
fn as_written(event: EventName, output: &SyncOutput) -> SyncOutput {
    let mut output = output.clone();
    let blank = |reason: &mut Option<String>| {
        if reason.as_deref() == Some("") {
            *reason = None;
        }
    };
    let beside_no_decision = match event.row().spelling {
        Spelling::Decision => output.decision != Decision::Deny,
        Spelling::Behavior => output.decision == Decision::Pass,
        Spelling::PermissionDecision | Spelling::Unspoken => false,
    };
    if !beside_no_decision {
        blank(&mut output.reason);
    }
    output
}
