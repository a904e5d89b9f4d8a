use proptest::prelude::*;

use super::*;

const GUARD: EventName = EventName::PreToolUse;
const STOP: EventName = EventName::Stop;

fn verdict(event: EventName, text: &str) -> Verdict {
    read(event, text, Extent::Whole).verdict
}

fn not_ok(reason: &str) -> Verdict {
    Verdict::NotOk {
        reason: Some(reason.to_owned()),
        impossible: false,
    }
}

fn is_unreadable(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unreadable(_))
}

#[test]
fn an_answer_is_read_however_it_is_wrapped() {
    let answers = [
        r#"{"ok": false, "reason": "no tests"}"#,
        "  {\"ok\":false,\"reason\":\"no tests\"}\n",
        "```json\n{\"ok\": false, \"reason\": \"no tests\"}\n```",
        "```\n{\n  \"ok\": false,\n  \"reason\": \"no tests\"\n}\n```\n",
        "I looked at {the command} closely.\n\n{\"ok\": false, \"reason\": \"no tests\"}\n\nThat is all.",
        "Answer: {\"ok\": false, \"reason\": \"no tests\"}.",
        r#"{"thinking": {"a": [1, {}]}, "ok": false, "reason": "no tests"}"#,
        r#"{"OK": false, "Reason": "no tests"}"#,
        r#"{"ok": "false", "reason": "no tests"}"#,
        "{\"ok\": false, \"reason\": \"no\ntests\"}",
    ];
    for answer in answers {
        for event in [GUARD, STOP] {
            assert_eq!(verdict(event, answer), not_ok("no tests"), "{answer}");
        }
    }
    for answer in [
        r#"{"ok": true}"#,
        "```json\n{\"ok\": true}\n```",
        "Fine. {\"ok\": true, \"reason\": \"it only reads\"}",
        "{\"ok\": true, \"reason\": \"two\nlines\"}",
    ] {
        assert_eq!(verdict(GUARD, answer), Verdict::Ok, "{answer}");
        assert_eq!(verdict(STOP, answer), Verdict::Ok, "{answer}");
    }
}

#[test]
fn what_is_no_answer_is_none_anywhere() {
    let texts = [
        "",
        "  \n",
        "ok",
        "true",
        "No, that is dangerous.",
        "ok: false",
        "[false]",
        "{}",
        r#"{"reason": "no"}"#,
        r#"{"ok": null}"#,
        r#"{"ok": "true"}"#,
        r#"{"ok": 0}"#,
        r#"{"okay": false}"#,
        r#"{"ok": true"#,
    ];
    for text in texts {
        for event in [GUARD, STOP] {
            assert!(is_unreadable(&verdict(event, text)), "{event}: {text}");
        }
    }
}

#[test]
fn of_two_answers_a_guard_hears_the_refusal_and_nobody_else_hears_any() {
    let texts = [
        r#"{"ok": true} {"ok": false, "reason": "no"}"#,
        r#"{"ok": false, "reason": "no"} or rather {"ok": true}"#,
        r#"{"ok": "perhaps"} {"ok": false, "reason": "no"}"#,
    ];
    for text in texts {
        let reading = read(GUARD, text, Extent::Whole);
        assert_eq!(reading.verdict, not_ok("no"), "{text}");
        assert_eq!(reading.diagnostics[0].code, Code::SeveralDocuments);
        assert!(is_unreadable(&verdict(STOP, text)), "{text}");
    }
    let twice = r#"{"ok": false, "reason": "a"} {"ok": false, "reason": "b"}"#;
    assert_eq!(verdict(STOP, twice), not_ok("a"));
    let both = r#"{"ok": true} {"ok": "perhaps"}"#;
    assert!(is_unreadable(&verdict(GUARD, both)));
}

#[test]
fn of_two_equal_keys_the_stricter_counts() {
    let texts = [
        r#"{"ok": false, "ok": true, "reason": "no"}"#,
        r#"{"ok": true, "ok": false, "reason": "no"}"#,
    ];
    for text in texts {
        assert_eq!(verdict(GUARD, text), not_ok("no"));
        assert_eq!(verdict(STOP, text), not_ok("no"));
    }
}

#[test]
fn on_a_guard_a_refusal_counts_that_is_no_json() {
    let texts = [
        "{'ok': False, 'reason': 'no'}",
        "{ok: false, reason: no}",
        r#"{"ok": false, "reason": "no",}"#,
        r#"{"ok": no, "reason": "no"}"#,
        r#"{"reason": "no", "ok": false, "score": NaN}"#,
        r#"{"answer": {"ok": false, "reason": "no"}}"#,
    ];
    for text in texts {
        let reading = read(GUARD, text, Extent::Whole);
        let Verdict::NotOk { reason, .. } = &reading.verdict else {
            panic!("{text}: {reading:?}");
        };
        assert_eq!(reason.as_deref(), Some("no"), "{text}");
        assert_eq!(reading.diagnostics[0].code, Code::BrokenJson, "{text}");
        assert!(is_unreadable(&verdict(STOP, text)), "{text}");
    }
}

#[test]
fn on_a_guard_a_refusal_in_the_words_of_the_contract_counts() {
    let texts = [
        r#"{"decision": "block", "reason": "no"}"#,
        "```json\n{\"decision\": \"deny\", \"reason\": \"no\"}\n```",
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}"#,
    ];
    for text in texts {
        let reading = read(GUARD, text, Extent::Whole);
        assert_eq!(reading.verdict, not_ok("no"), "{text}");
        assert_eq!(reading.diagnostics[0].code, Code::OddDeny);
        assert!(is_unreadable(&verdict(STOP, text)), "{text}");
    }
    let approves = r#"{"decision": "approve"}"#;
    assert!(
        is_unreadable(&verdict(GUARD, approves)),
        "an approval is no answer"
    );
}

#[test]
fn what_was_cut_refuses_where_it_can_be_read_and_on_a_guard_where_it_cannot() {
    let cut = |event, text| read(event, text, Extent::Cut).verdict;
    let whole = r#"{"ok": false, "reason": "no"} and then"#;
    assert_eq!(cut(GUARD, whole), not_ok("no"));
    assert_eq!(cut(STOP, whole), not_ok("no"));
    assert!(is_unreadable(&cut(GUARD, r#"Fine: {"ok": true} and then"#)));
    let open = r#"{"reason": "I think that"#;
    assert!(matches!(cut(GUARD, open), Verdict::NotOk { .. }));
    assert!(is_unreadable(&cut(STOP, open)));
    assert!(is_unreadable(&cut(GUARD, "I think that")));
}

#[test]
fn a_reason_is_said_or_missing_and_never_endless() {
    let reason = |text: &str| match verdict(GUARD, text) {
        Verdict::NotOk { reason, .. } => reason,
        other @ (Verdict::Ok | Verdict::Unreadable(_)) => panic!("{other:?}"),
    };
    assert_eq!(reason(r#"{"ok": false}"#), None);
    assert_eq!(reason(r#"{"ok": false, "reason": "  "}"#), None);
    assert_eq!(reason(r#"{"ok": false, "reason": 7}"#), None);
    let long = format!(r#"{{"ok": false, "reason": "{}"}}"#, "x".repeat(20_000));
    let long = reason(&long).unwrap();
    assert!(
        long.ends_with("[cut]") && long.len() < 10_100,
        "{}",
        long.len()
    );
}

#[test]
fn impossible_is_the_word_true_and_nothing_else() {
    let impossible = |text: &str| {
        matches!(
            verdict(STOP, text),
            Verdict::NotOk {
                impossible: true,
                ..
            }
        )
    };
    assert!(impossible(
        r#"{"ok": false, "reason": "a", "impossible": true}"#
    ));
    assert!(!impossible(
        r#"{"ok": false, "reason": "a", "impossible": "true"}"#
    ));
    assert!(!impossible(r#"{"ok": false, "reason": "a"}"#));
}

proptest! {
    #[test]
    fn no_text_is_too_odd_to_be_read(text in ".{0,200}", cut: bool) {
        let extent = if cut { Extent::Cut } else { Extent::Whole };
        read(GUARD, &text, extent);
        read(STOP, &text, extent);
    }

    #[test]
    fn no_noise_hides_a_refusal_from_a_guard(
        before in "[a-z{}\\[\\]\":, \n]{0,40}",
        after in "[a-z{}\\[\\]\":, \n]{0,40}",
    ) {
        let text = format!("{before}\n{{\"ok\": false, \"reason\": \"no\"}}\n{after}");
        let refuses = matches!(verdict(GUARD, &text), Verdict::NotOk { .. });
        prop_assert!(refuses, "{}", text);
    }
}

#[test]
fn among_many_braces_a_guard_still_sees_a_refusal() {
    let noise = "{".repeat(10_000);
    for text in [
        format!("{NO}{noise}"),
        format!("{noise}{NO}"),
        format!("{noise}{NO}{noise}"),
    ] {
        assert_eq!(verdict(GUARD, &text), not_ok("no"));
    }
}

const NO: &str = r#"{"ok": false, "reason": "no"}"#;

#[test]
fn a_text_of_many_braces_is_read_in_good_time() {
    for piece in ["{", "{\"a\":", "{\"a\":[", "{\"a\":[{},", "{\"ok\""] {
        let text = piece.repeat(64 * 1024 / piece.len());
        read(GUARD, &text, Extent::Whole);
    }
}
