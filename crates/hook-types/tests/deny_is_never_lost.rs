//! Properties of the reader of answers: it never panics, it loses no refusal, it invents none.
//!
//! Answers are built as text, so that they can be what no serialiser would write.

use hook_types::wire::{Extent, read};
use hook_types::{Decision, Effect, EventName, Field, Spelling};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn events(fits: impl Fn(EventName) -> bool) -> Vec<EventName> {
    EventName::ALL
        .iter()
        .copied()
        .filter(|event| fits(*event))
        .collect()
}

fn guards() -> Vec<EventName> {
    events(|event| event.row().guard)
}

fn deniable_without_guard() -> Vec<EventName> {
    events(|event| !event.row().guard && event.row().spelling != Spelling::Unspoken)
}

/// Every way to spell a refusal that a reader would take for one.
fn refusals(event: EventName) -> Vec<String> {
    let mut members = Vec::new();
    let words = [
        "deny",
        "block",
        "denied",
        "blocked",
        "DENY",
        "Block",
        " deny ",
        "\\u0064eny",
    ];
    let keys = [
        "decision",
        "permissionDecision",
        "permission_decision",
        "permisionDecision",
        "Decision",
        "permission",
    ];
    for key in keys {
        for word in words {
            let member = format!(r#""{key}":"{word}""#);
            members.push(format!(
                r#""hookSpecificOutput":{{"hookEventName":"{event}",{member}}}"#
            ));
            members.push(format!(
                r#""hookSpecificOutput":{{{member},"hookEventName":"SessionEnd"}}"#
            ));
            members.push(format!(r#""hookSpecificOutput":{{{member}}}"#));
            members.push(format!(r#""hook_specific_output":{{{member}}}"#));
            members.push(member);
        }
    }
    members.push(format!(r#""hookSpecificOutput":{{"hookEventName":"{event}","decision":{{"behavior":"deny","message":"m"}}}}"#));
    members.push(
        r#""hookSpecificOutput":{"decision":{"behavior":"deny","interrupt":"soon"}}"#.to_owned(),
    );
    members.push(r#""decision":{"behavior":"deny"}"#.to_owned());
    members.push(r#""decision": block"#.to_owned());
    members.push("decision:block".to_owned());
    members.push("hookSpecificOutput:{permissionDecision:deny}".to_owned());
    if event.row().honours(Field::Action) {
        for word in ["declined", "Cancelled", "deny"] {
            members.push(format!(r#""hookSpecificOutput":{{"action":"{word}"}}"#));
        }
    }
    members
}

/// Members beside the refusal: right, wrongly typed, and what strict JSON refuses or overwrites.
/// None of them is a refusal, though some speak of one.
fn neighbours() -> Vec<String> {
    let deep = format!(r#""deep":{}{}"#, "[".repeat(500), "]".repeat(500));
    let deep_objects = format!(
        r#""deeper":{}1{}"#,
        r#"{"decision":"#.repeat(500),
        "}".repeat(500)
    );
    [
        r#""reason":"because""#,
        r#""reason":42"#,
        r#""reason":"a } in { a \" text, decision: block""#,
        r#""reason":"it's""#,
        r#""decision":"approve""#,
        r#""decision":7"#,
        r#""decision":null"#,
        r#""decision":"denial""#,
        r#""permissionDecision":"allow""#,
        r#""continue":true"#,
        r#""continue":"no""#,
        r#""suppressOutput":true"#,
        r#""suppressOutput":"yes""#,
        r#""systemMessage":["deny"]"#,
        r#""systemMessage":"deny""#,
        r#""hookSpecificOutput":"oops""#,
        r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}"#,
        r#""hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"block"}"#,
        r#""hookSpecificOutput":{"permissionDecisionReason":"deny","updatedInput":{"decision":"deny"}}"#,
        r#""hookSpecificOutput":{"decision":{"behavior":"allow","message":"deny"}}"#,
        r#""updatedInput":{"decision":"block","permissionDecision":"deny"}"#,
        r#""modifiedToolInput":[{"decision":"block"}]"#,
        r#""terminalSequence":"\u001b[2J""#,
        r#""revision":"blocked""#,
        r#""hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecision":"allow"}"#,
        r#""number":NaN"#,
        r#""number":-Infinity"#,
        r#""number":1e999"#,
        r#""text":"\ud800""#,
        r#""text":"\q""#,
        r#""":"""#,
        r#""key with spaces":{}"#,
        deep.as_str(),
        deep_objects.as_str(),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Lines around the answer. None of them is a refusal.
fn noise() -> Vec<&'static str> {
    vec![
        "",
        "loading profile",
        "[10:54] hello",
        "[INFO",
        "]",
        "{debug",
        "}",
        "{it's}",
        r#"{"a":1}"#,
        r#"{"decision":"approve"}"#,
        r#"["decision","block"]"#,
        r#"[{"decision":"block"}]"#,
        r#"the hook says {"decision":"block"}"#,
        r#""{\"decision\":\"block\"}""#,
        "decision: block",
        "\u{1b}[32mdone\u{1b}[0m",
        "日本語",
    ]
}

/// An object of these members, on one line or over several.
fn object(members: &[String], pretty: bool, newline: &str) -> String {
    if pretty {
        format!(
            "{{{newline}  {}{newline}}}",
            members.join(&format!(",{newline}  "))
        )
    } else {
        format!("{{{}}}", members.join(","))
    }
}

#[derive(Clone, Debug)]
struct Around {
    bom: bool,
    pretty: bool,
    newline: &'static str,
    banner: Vec<&'static str>,
    trailer: Vec<&'static str>,
}

impl Around {
    fn wrap(&self, members: &[String]) -> String {
        let mut lines: Vec<String> = self.banner.iter().map(|line| (*line).to_owned()).collect();
        lines.push(object(members, self.pretty, self.newline));
        lines.extend(self.trailer.iter().map(|line| (*line).to_owned()));
        format!(
            "{}{}",
            if self.bom { "\u{feff}" } else { "" },
            lines.join(self.newline)
        )
    }
}

fn around() -> impl Strategy<Value = Around> {
    let lines = || prop_oneof![2 => Just(Vec::new()), 3 => vec(select(noise()), 1..4)];
    (
        any::<bool>(),
        any::<bool>(),
        select(vec!["\n", "\r\n"]),
        lines(),
        lines(),
    )
        .prop_map(|(bom, pretty, newline, banner, trailer)| Around {
            bom,
            pretty,
            newline,
            banner,
            trailer,
        })
}

/// Some neighbours, with the refusal somewhere among them.
fn with_refusal(refusal: String, beside: Vec<String>) -> impl Strategy<Value = Vec<String>> {
    let mut members = beside;
    members.push(refusal);
    Just(members).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn on_a_guard_a_deny_in_is_a_deny_out(
        (event, members) in select(guards()).prop_flat_map(|event| {
            (select(refusals(event)), vec(select(neighbours()), 0..5))
                .prop_flat_map(move |(refusal, beside)| (Just(event), with_refusal(refusal, beside)))
        }),
        around in around(),
        cut in any::<bool>(),
    ) {
        let text = around.wrap(&members);
        let extent = if cut { Extent::Cut } else { Extent::Whole };
        let reading = read(event, &text, extent);
        prop_assert_eq!(reading.decision(), Decision::Deny, "{}: {}\n{:?}", event, text, reading);
    }

    #[test]
    fn an_answer_that_is_async_as_well_still_denies_on_a_guard(
        (event, refusal) in select(guards()).prop_flat_map(|event| (Just(event), select(refusals(event)))),
        timeout in select(vec!["1000", "\"soon\"", "null"]),
    ) {
        let text = format!(r#"{{"async":true,"asyncTimeout":{timeout},{refusal}}}"#);
        prop_assert_eq!(read(event, &text, Extent::Whole).decision(), Decision::Deny, "{}", text);
    }

    #[test]
    fn off_guards_a_block_survives_wrongly_typed_neighbours_and_equal_keys(
        event in select(deniable_without_guard()),
        beside in vec(select(neighbours()), 0..5),
        word in select(vec!["block", "deny", "Block"]),
        bom in any::<bool>(),
        pretty in any::<bool>(),
    ) {
        // Off guards strict JSON decides what an answer is.
        let refusal = format!(r#""decision":"{word}""#);
        let mut members: Vec<String> = beside
            .into_iter()
            .filter(|member| serde_json::from_str::<serde_json::Value>(&format!("{{{member}}}")).is_ok())
            .collect();
        members.insert(members.len() / 2, refusal);
        let text = format!("{}{}", if bom { "\u{feff}" } else { "" }, object(&members, pretty, "\n"));
        let reading = read(event, &text, Extent::Whole);
        prop_assert_eq!(reading.decision(), Decision::Deny, "{}: {}\n{:?}", event, text, reading);
    }

    #[test]
    fn no_answer_without_a_deny_becomes_one(
        event in select(EventName::ALL),
        members in vec(select(neighbours()), 0..6),
        around in around(),
        promise in any::<bool>(),
        cut in any::<bool>(),
    ) {
        let mut members = members;
        if promise {
            members.push(r#""async":true"#.to_owned());
        }
        let text = around.wrap(&members);
        let reading = read(event, &text, if cut { Extent::Cut } else { Extent::Whole });
        prop_assert_ne!(reading.decision(), Decision::Deny, "{}: {}\n{:?}", event, text, reading);
    }

    #[test]
    fn an_event_that_ignores_blocks_is_never_denied(
        (event, refusal) in select(events(|event| event.row().effect == Effect::Ignore))
            .prop_flat_map(|event| (Just(event), select(refusals(event)))),
        around in around(),
    ) {
        let text = around.wrap(&[refusal]);
        prop_assert_ne!(read(event, &text, Extent::Whole).decision(), Decision::Deny, "{}", text);
    }

    #[test]
    fn the_reader_never_panics_on_any_text(event in select(EventName::ALL), text in any::<String>(), cut in any::<bool>()) {
        let _ = read(event, &text, if cut { Extent::Cut } else { Extent::Whole });
    }

    #[test]
    fn the_reader_never_panics_on_anything_that_looks_like_json(
        event in select(EventName::ALL),
        tokens in vec(select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "'", "\\", "\\u", "\\ud83d", "\n", " ", "\u{feff}", "é", "null", "NaN",
            "\"decision\"", "\"block\"", "\"hookSpecificOutput\"", "\"hookEventName\"", "\"PreToolUse\"", "true", "1e999",
        ]), 0..40),
    ) {
        let text = tokens.concat();
        let _ = read(event, &text, Extent::Whole);
        let _ = read(event, &format!("{{{text}}}"), Extent::Whole);
    }
}
