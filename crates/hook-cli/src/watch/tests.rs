//! Lines to firings: by tables, by properties, and a hundred thousand of them.

#[path = "../../tests/support/stream.rs"]
pub(super) mod stream;

use proptest::prelude::*;
use serde_json::json;

use self::stream::{BEGINS, Stream, session};
use super::counts::{Change, Limits};
use super::filter::Filter;
use super::firing::Firing;
use super::keep;
use super::line::{self, Line, moment};
use super::model::Model;

fn model_of(stream: &Stream) -> Model {
    let mut model = Model::new(Limits::default());
    for line in stream.text().lines() {
        if let Some(line) = line::read(line.as_bytes()) {
            model.take(line, None);
        }
    }
    model
}

fn told(model: &Model) -> Vec<(String, usize, String)> {
    let tell = |firing: &Firing| {
        (
            super::row::title(firing),
            firing.runs.len(),
            firing.word().to_owned(),
        )
    };
    model.firings().map(tell).collect()
}

fn firing(name: &str, hooks: usize, word: &str) -> (String, usize, String) {
    (name.to_owned(), hooks, word.to_owned())
}

#[test]
fn a_session_is_its_firings_with_their_hooks_and_verdicts() {
    let model = model_of(&session());
    assert_eq!(
        told(&model),
        [
            firing("SessionStart:startup", 1, "none"),
            firing("PreToolUse:Bash", 2, "deny"),
            firing("PostToolUse:Write", 1, "none"),
            firing("Stop", 1, "none"),
            firing("UserPromptSubmit", 1, "running"),
        ]
    );
    let counts = model.counts();
    assert_eq!(
        (
            counts.messages,
            counts.firings,
            counts.failed,
            counts.other,
            counts.unreadable,
            counts.dropped
        ),
        (16, 5, 1, 3, 1, 0)
    );
    assert_eq!(model.running(), 1);
    assert_eq!(model.epoch(), Some(BEGINS));
    let denied = model.firing(2).unwrap();
    assert_eq!(
        denied.took(),
        Some(120_000),
        "from its first message to its verdict"
    );
    assert_eq!(
        denied.runs[0].hook.as_deref(),
        Some(".hookline/hooks.json:5")
    );
    assert!(denied.input.as_deref().unwrap().contains("sudo rm -rf /"));
    let background = &model.firing(4).unwrap().runs[0];
    assert_eq!(
        (background.word(), background.took),
        ("success", Some(2_000_000))
    );
}

#[test]
fn lines_that_are_about_something_else_are_counted_and_no_more() {
    let table: &[(&str, &str)] = &[
        ("", "nothing"),
        ("   \r", "nothing"),
        ("no JSON", "unreadable"),
        ("[1, 2]", "unreadable"),
        ("{\"type\": \"system\"", "unreadable"),
        ("{}", "other"),
        (r#"{"type": "result", "subtype": "success"}"#, "other"),
        (
            r#"{"type": "system", "subtype": "hook_of_tomorrow"}"#,
            "other",
        ),
        (r#"{"type": "system", "subtype": "hook_started"}"#, "other"),
        (
            r#"{"type": "assistant", "message": {"content": "text"}}"#,
            "other",
        ),
        (r#"{"type": "assistant", "message": null}"#, "other"),
        (r#"{"type": "hookline_recording", "version": 1}"#, "other"),
        (r#"{"type": "firing", "event": "Stop"}"#, "other"),
        (r#"{"type": "late"}"#, "other"),
    ];
    for (text, expected) in table {
        let found = match line::read(text.as_bytes()) {
            None => "nothing",
            Some(Line::Other) => "other",
            Some(Line::Unreadable) => "unreadable",
            Some(Line::Message(_) | Line::Calls(_) | Line::Recorded(_) | Line::TooLong) => {
                "something"
            }
        };
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn only_ids_of_version_7_say_when_they_were_made() {
    assert_eq!(
        moment("018bcfe5-6800-7000-8000-000000000001"),
        Some(1_700_000_000_000)
    );
    assert_eq!(moment("018bcfe5-6800-4000-8000-000000000001"), None);
    assert_eq!(moment("m-1"), None);
    assert_eq!(moment(""), None);
    assert_eq!(moment(&"é".repeat(16)), None);
}

#[test]
fn two_firings_of_one_name_at_once_are_parted_by_their_verdicts() {
    let name = "PreToolUse:Bash";
    let mut stream = Stream::default();
    stream
        .started("a1", name)
        .started("b1", name)
        .response("b1", name, 2, ("", "no"))
        .verdict(
            name,
            Some(("deny", "no")),
            &[("b1", "guard", "blocked", 10)],
        )
        .response("a1", name, 0, ("", ""))
        .started("a2", name)
        .response("a2", name, 0, ("", ""))
        .verdict(
            name,
            None,
            &[
                ("a1", "guard", "no_opinion", 10),
                ("a2", "log", "no_opinion", 10),
            ],
        );
    let model = model_of(&stream);
    assert_eq!(
        told(&model),
        [firing(name, 1, "deny"), firing(name, 2, "none")]
    );
    assert_eq!(model.running(), 0);
    assert_eq!(model.firing(2).unwrap().runs[1].name(1), "log");
}

#[test]
fn the_hooks_of_another_agent_end_without_a_verdict() {
    use Change::{Firing, Over};
    let mut model = Model::new(Limits::default());
    let line = |subtype: &str, run: &str| {
        let text = json!({"type": "system", "subtype": subtype, "uuid": "m", "session_id": "s",
            "hook_id": run, "hook_name": "PreToolUse:Bash", "hook_event": "PreToolUse",
            "stdout": "", "stderr": "", "output": "", "outcome": "success"});
        line::read(text.to_string().as_bytes()).unwrap()
    };
    let mut changes = Vec::new();
    for (subtype, run) in [
        ("hook_started", "1"),
        ("hook_started", "2"),
        ("hook_response", "1"),
        ("hook_response", "2"),
        ("hook_started", "3"),
        ("hook_response", "3"),
    ] {
        changes.push(model.take(line(subtype, run), None));
    }
    assert_eq!(
        changes,
        [Firing(1), Firing(1), Firing(1), Over(1), Firing(2), Over(2)]
    );
    assert_eq!(
        told(&model),
        [
            firing("PreToolUse:Bash", 2, "none"),
            firing("PreToolUse:Bash", 1, "none")
        ]
    );
}

#[test]
fn a_verdict_or_a_response_whose_start_nobody_saw_is_shown_as_well() {
    let mut stream = Stream::default();
    stream.response("r1", "Stop", 0, ("out", "")).verdict(
        "Stop",
        None,
        &[("r1", "h", "answered", 7)],
    );
    stream.verdict("PreToolUse:Bash", Some(("ask", "sure?")), &[]);
    let model = model_of(&stream);
    assert_eq!(
        told(&model),
        [
            firing("Stop", 1, "none"),
            firing("PreToolUse:Bash", 0, "ask")
        ]
    );
}

#[test]
fn filters_are_words_that_all_must_fit() {
    let model = model_of(&session());
    let table: &[(&str, &[u64])] = &[
        ("", &[1, 2, 3, 4, 5]),
        ("event:pre", &[2]),
        ("event:TOOLUSE", &[2, 3]),
        ("event:bash", &[2]),
        ("verdict:deny", &[2]),
        ("verdict:none", &[1, 3, 4]),
        ("verdict:failed", &[3]),
        ("verdict:running", &[5]),
        ("hook:settings", &[1, 3]),
        ("text:sudo", &[2]),
        ("text:prettier", &[3]),
        ("backlog", &[5]),
        ("!event:tool", &[1, 4, 5]),
        ("event:tool !deny", &[3]),
        ("event: verdict:", &[1, 2, 3, 4, 5]),
        ("nowhere", &[]),
    ];
    for (typed, expected) in table {
        let filter = Filter::parse(typed);
        let fits = model.firings().filter(|firing| filter.fits(firing));
        assert_eq!(
            fits.map(|firing| firing.number).collect::<Vec<_>>(),
            *expected,
            "{typed}"
        );
    }
}

#[test]
fn a_hundred_thousand_messages_are_counted_and_ten_thousand_firings_kept() {
    let mut model = Model::new(Limits::default());
    let mut stream = Stream::default();
    stream
        .started("r", "PreToolUse:Bash")
        .progress("r", "PreToolUse:Bash", &"x".repeat(6_000))
        .response("r", "PreToolUse:Bash", 2, (&"y".repeat(6_000), "no"))
        .verdict(
            "PreToolUse:Bash",
            Some(("deny", "no")),
            &[("r", "guard", "blocked", 10)],
        );
    let text = stream.text();
    let lines: Vec<Line> = text
        .lines()
        .filter_map(|line| line::read(line.as_bytes()))
        .collect();
    for _ in 0..25_000 {
        for line in &lines {
            model.take(line.clone(), None);
        }
        assert!(model.text() <= keep::TEXT);
    }
    let kept = model.firings().count();
    let counts = model.counts();
    assert_eq!((counts.messages, counts.firings), (100_000, 25_000));
    assert_eq!(
        counts.verdicts.get("deny"),
        Some(&25_000),
        "what is dropped stays counted"
    );
    assert_eq!(counts.dropped, 25_000 - kept as u64);
    assert!(kept < keep::FIRINGS, "so much text does not fit: {kept}");
    assert!(kept > 1_000, "{kept}");
    assert_eq!(model.running(), 0);
}

#[test]
fn what_is_too_long_keeps_its_ends_and_says_so() {
    let text = format!("begin{}end", "é".repeat(20_000));
    let kept = keep::keep(&text, keep::OUTPUT);
    assert!(kept.len() < keep::OUTPUT + 100);
    assert!(kept.starts_with("begin") && kept.ends_with("end"));
    assert!(kept.contains("bytes are not kept"));
    assert_eq!(keep::keep("short", keep::OUTPUT), "short");
}

#[test]
fn of_a_call_no_more_is_remembered_than_is_shown() {
    let long = "x".repeat(4 << 20);
    let text = json!({"type": "assistant", "message": {"content": [
        {"type": "tool_use", "id": long, "name": long, "input": {"content": long}}]}});
    let Some(Line::Calls(calls)) = line::read(text.to_string().as_bytes()) else {
        panic!("a call");
    };
    for text in [&calls[0].id, &calls[0].tool, &calls[0].input] {
        assert!(text.len() < keep::WORDS + 100, "{}", text.len());
    }
}

/// Any messages in any order.
fn anything() -> impl Strategy<Value = Vec<(u8, u8, u8, bool)>> {
    prop::collection::vec((0u8..4, 0u8..12, 0u8..3, any::<bool>()), 0..200)
}

proptest! {
    #[test]
    fn whatever_comes_in_whatever_order_the_books_balance(messages in anything(), firings in 1usize..20) {
        let limits = Limits { firings, text: 200_000 };
        let mut model = Model::new(limits);
        for (kind, run, name, told) in messages {
            let mut stream = Stream::default();
            let run = format!("r{run}");
            let name = ["PreToolUse:Bash", "Stop", "Notification"][usize::from(name)];
            match kind {
                0 => stream.started(&run, name),
                1 => stream.progress(&run, name, &"x".repeat(9_000)),
                2 => stream.response(&run, name, 1, ("out", "err")),
                _ if told => stream.verdict(name, None, &[(&run, "hook", "failed", 1)]),
                _ => stream.verdict(name, Some(("deny", "why")), &[]),
            };
            for line in stream.text().lines() {
                model.take(line::read(line.as_bytes()).unwrap(), None);
            }
            let kept: Vec<&Firing> = model.firings().collect();
            prop_assert!(kept.len() <= firings);
            prop_assert!(model.text() <= limits.text);
            prop_assert_eq!(kept.iter().map(|firing| firing.weight()).sum::<usize>(), model.text());
            prop_assert_eq!(model.counts().firings, model.counts().dropped + kept.len() as u64);
            let running = kept.iter().flat_map(|firing| &firing.runs).filter(|run| run.outcome.is_none());
            prop_assert_eq!(running.count(), model.running());
        }
    }

    #[test]
    fn no_line_makes_a_reader_stumble(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut model = Model::new(Limits::default());
        if let Some(line) = line::read(&line) {
            model.take(line, Some(1));
        }
    }
}
