//! Commands on a terminal: nothing that a project says is obeyed by it.

use serde_json::json;

use crate::hostile::{Hostile, TEXT, text};
use crate::support::stream::Stream;
use crate::support::terminal::{CTRL_D, Terminal};

const ENTER: &str = "\r";

/// Nothing of the hostile text was sent as it is. The screen itself needs sequences of its own, so that
/// each of theirs is looked for.
fn assert_not_obeyed(terminal: &Terminal) {
    let raw = terminal.raw();
    for sequence in [
        "\u{1b}]",
        "\u{7}",
        "\u{1b}[8m",
        "\u{1b}c",
        "\u{1b}[2J\u{1b}[H\u{9b}",
        "\u{9b}",
        "\u{9d}",
        "\u{90}",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{e0041}",
        "\u{61c}",
        "\u{2028}",
        "\rOWNED",
        "\u{7f}",
    ] {
        let at = raw.find(sequence);
        let near = at.map(|at| {
            &raw[raw.floor_char_boundary(at.saturating_sub(60))..raw.ceil_char_boundary(at + 60)]
        });
        assert_eq!(near, None, "{sequence:?} was sent");
    }
}

#[test]
fn a_question_about_trust_shows_what_is_hostile_and_obeys_none_of_it() {
    let hostile = Hostile::new();
    let mut terminal = hostile
        .scratch
        .terminal(&["trust", "--project", hostile.root()]);
    terminal.see("approve it?");
    let forged = terminal
        .screen()
        .lines()
        .any(|line| line.starts_with("FORGED"));
    assert!(!forged, "{}", terminal.screen());
    terminal.see("\\u{9b}2J").press("a\n").see("approved");
    assert_eq!(terminal.wait(), Some(0));
    assert_not_obeyed(&terminal);
}

#[test]
fn the_menu_shows_what_is_hostile_and_obeys_none_of_it() {
    let hostile = Hostile::new();
    let arguments = ["hooks", "--trust", "--project", hostile.root()];
    let mut terminal = hostile.scratch.terminal_of(&arguments, (30, 120));
    terminal.see("\\u{1b}]0;OWNED").press(ENTER).see("It runs");
    terminal.press("t").see("OWNED");
    assert_not_obeyed(&terminal);
}

#[test]
fn the_live_view_shows_what_is_hostile_and_obeys_none_of_it() {
    let hostile = Hostile::new();
    let mut stream = Stream::default();
    stream.started("1", TEXT);
    stream.response("1", TEXT, 2, (TEXT, TEXT));
    stream.verdict(TEXT, Some((TEXT, TEXT)), &[("1", TEXT, TEXT, 5)]);
    let watched = hostile.write("watched.jsonl", &stream.text());
    let mut terminal = hostile.scratch.terminal(&["watch", text(&watched)]);
    terminal
        .see("OWNED")
        .press(ENTER)
        .see("\\u{9b}2J")
        .press("q");
    assert_eq!(terminal.wait(), Some(0));
    assert_not_obeyed(&terminal);
}

#[test]
fn a_session_shows_what_is_hostile_and_obeys_none_of_it() {
    let hostile = Hostile::new();
    let script = json!([
        {"say": TEXT, "calls": [{"name": "Bash", "input": {"command": format!("true {TEXT}")}},
                                {"name": "Read", "input": {"file_path": "loud.txt"}}]},
        {"say": "The end."},
    ]);
    let script = hostile.write("script.json", &script.to_string());
    // A guard that refuses or is broken would have nobody asked.
    hostile.write(".claude/settings.json", "{}");
    hostile.write(".hookline/hooks.json", &json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "statusMessage": TEXT,
            "command": "cat \"$CLAUDE_PROJECT_DIR\"/says.json"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "cd \"$CLAUDE_PROJECT_DIR\"; cat says.json; cat loud.txt >&2; exit 1"}]}]}})
        .to_string());
    let says = json!({"systemMessage": TEXT, "hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "ask", "permissionDecisionReason": TEXT}});
    hostile.write("says.json", &says.to_string());
    let model = format!("scripted:{}", text(&script));
    let arguments = [
        "run",
        "--trust",
        "--project",
        hostile.root(),
        "--model",
        &model,
        "go",
    ];
    let mut terminal = hostile.scratch.terminal(&arguments);
    terminal
        .see("May Bash run?")
        .press("y")
        .see("May Read run?")
        .press("y");
    terminal.see("The end.").press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
    assert_not_obeyed(&terminal);
}
