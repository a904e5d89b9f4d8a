//! What commands print is obeyed by no terminal: with colour, without, and as JSON.

use serde_json::json;

use crate::hostile::{Hostile, NAME, TEXT, assert_harmless, assert_plain, text};
use crate::support::stream::Stream;

/// Runs a command with colour, without, and for programs; both streams of each must be harmless. Something
/// of the hostile text must be there, in a form that does no harm: else nothing was tried.
fn try_all(hostile: &Hostile, arguments: &[&str]) {
    try_some(
        hostile,
        arguments,
        "",
        &[&["--color", "always"], &["--color", "never"], &["--json"]],
    );
}

fn try_some(hostile: &Hostile, arguments: &[&str], stdin: &str, forms: &[&[&str]]) {
    for form in forms {
        let all = [arguments, *form].concat();
        let printed = hostile.scratch.run_with(&all, stdin);
        let what = format!("{:?}", &all);
        // What the model answers is the output of `run` itself, and every other line is ours.
        if all.contains(&"run") {
            assert_plain(&what, &printed.stdout);
        } else {
            assert_harmless(&what, &printed.stdout);
        }
        assert_harmless(&what, &printed.stderr);
        let shown = format!("{}{}", printed.stdout, printed.stderr);
        assert!(
            shown.contains("OWNED") || shown.contains("FORGED"),
            "{what} says nothing of it: {printed:?}"
        );
        if *form == ["--json"] && printed.code != Some(1) {
            printed.json();
        }
    }
}

#[test]
fn what_is_fired_explained_listed_and_checked_is_obeyed_by_no_terminal() {
    let hostile = Hostile::new();
    let project = ["--project", hostile.root(), "--trust"];
    let tool = json!({"command": TEXT, TEXT: TEXT}).to_string();
    for words in [
        &["fire", "PreToolUse", "--tool", TEXT, "--tool-input", &tool][..],
        &["fire", "PreToolUse", "--command", TEXT],
        &["fire", "PostToolUse", "--command", TEXT],
        &["fire", "UserPromptSubmit"],
        &["explain", "PreToolUse", "--tool", TEXT],
        &["list"],
        &["check"],
        &["check", "--probe"],
        &["bench", "--rounds", "1"],
    ] {
        try_all(&hostile, &[words, &project].concat());
    }
}

#[test]
fn what_waits_for_an_approval_is_shown_and_not_obeyed() {
    let hostile = Hostile::new();
    let project = ["--project", hostile.root()];
    try_all(&hostile, &[&["trust", "--list"][..], &project].concat());
    let coloured: &[&str] = &["--color", "always"];
    for words in [&["trust"][..], &["trust", "--all"]] {
        let asked = [words, &project].concat();
        try_some(&hostile, &asked, "", &[coloured]);
    }
    // What was approved differs by now, and the difference is shown.
    hostile.write("answer.json", &format!("{TEXT}changed"));
    hostile.write("loud.txt", &format!("{TEXT}{TEXT}"));
    try_all(&hostile, &[&["trust", "--list"][..], &project].concat());
    try_all(&hostile, &[&["list"][..], &project].concat());
}

#[test]
fn mistakes_that_are_told_are_obeyed_by_no_terminal() {
    let hostile = Hostile::new();
    for words in [
        &["fire", NAME][..],
        &["list", NAME],
        &["list", "--settings", NAME],
        &["list", "--project", NAME],
        &["init", NAME],
        &["schema", NAME],
        &["trust", NAME],
        &["untrust", NAME],
        &["replay", NAME],
        &["record", "r.jsonl", "--from", NAME],
        &["record", "r.jsonl", "--redact", "(\u{9b}2J\u{202e}OWNED"],
        &["convert", NAME, "--to", "claude"],
        &["run", "--resume", NAME, "hello"],
        &["run", "--model", NAME, "hello"],
    ] {
        try_some(
            &hostile,
            words,
            "",
            &[&["--color", "always"], &["--color", "never"]],
        );
    }
}

#[test]
fn recordings_streams_and_conversions_are_obeyed_by_no_terminal() {
    let hostile = Hostile::new();
    let project = ["--project", hostile.root(), "--trust"];
    let inputs = json!({"hook_event_name": "PreToolUse", "tool_name": TEXT, "tool_input": {"command": TEXT},
        "session_id": "s", "cwd": "/", "transcript_path": "/t"});
    let odd = json!({"hook_event_name": TEXT, TEXT: TEXT});
    let recording = hostile.root.join("kept.jsonl");
    let recording = text(&recording);
    let lines = format!("{inputs}\n{odd}\n{TEXT}\n");
    for form in [&["--color", "always"][..], &["--json"]] {
        let record = [&["record", recording, "--force"][..], &project].concat();
        try_some(&hostile, &record, &lines, &[form]);
    }
    // Hooks say something else by now.
    hostile.write(
        "answer.json",
        &json!({"systemMessage": format!("{TEXT}now")}).to_string(),
    );
    try_all(&hostile, &[&["replay", recording][..], &project].concat());
    try_all(&hostile, &["watch", recording]);

    let mut stream = Stream::default();
    stream.started("1", TEXT);
    stream.response("1", TEXT, 2, (TEXT, TEXT));
    stream.verdict(TEXT, Some((TEXT, TEXT)), &[("1", TEXT, TEXT, 5)]);
    let watched = hostile.write("watched.jsonl", &stream.text());
    try_all(&hostile, &["watch", text(&watched)]);

    let own = hostile.root.join(".hookline/hooks.json");
    for target in ["claude", "opta", "opencode"] {
        try_all(
            &hostile,
            &["convert", text(&own), "--to", target, "--partial"],
        );
    }
}

#[test]
fn what_a_model_a_tool_and_a_hook_say_in_a_run_is_obeyed_by_no_terminal() {
    let hostile = Hostile::new();
    let script = json!([
        {"say": TEXT, "calls": [
            {"name": "Bash", "input": {"command": "cat loud.txt", "description": TEXT}},
            {"name": TEXT, "input": {TEXT: TEXT}},
            {"name": "Read", "input": {"file_path": "loud.txt"}}]},
        {"say": TEXT},
    ]);
    let script = hostile.write("script.json", &script.to_string());
    let model = format!("scripted:{}", text(&script));
    let run = [
        "run",
        "--trust",
        "--project",
        hostile.root(),
        "--model",
        &model,
    ];
    for form in [
        &["--color", "always"][..],
        &["--output-format", "json"],
        &["--output-format", "stream-json", "--include-hook-events"],
    ] {
        try_some(&hostile, &run, TEXT, &[form]);
    }
}

#[test]
fn json_is_plain_and_means_what_was_said() {
    let hostile = Hostile::new();
    let fired = hostile.scratch.run(&[
        "fire",
        "PreToolUse",
        "--command",
        "ls",
        "--project",
        hostile.root(),
        "--trust",
        "--json",
    ]);
    let said = fired.json();
    let messages = said["outcome"]["system_messages"].as_array().unwrap();
    assert!(
        messages.iter().any(|message| message["text"] == TEXT),
        "{said}"
    );
    let mut hooks = said["hooks"].as_array().unwrap().iter();
    assert!(hooks.any(|hook| hook["stderr"] == TEXT), "{said}");
}
