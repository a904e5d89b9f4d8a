//! Hooks of type `prompt` and `agent` at the command line: fired, explained, listed, checked, and in a
//! session. The model is a script.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use crate::support::{Printed, Scratch};
use serde_json::{Value, json};

/// A project with one entry, and a judge that finds fault once.
fn scratch(event: &str, entry: &Value) -> Scratch {
    let scratch = Scratch::new();
    let settings = json!({"hooks": {event: [{"hooks": [entry]}]}});
    scratch.write(".claude/settings.json", &settings.to_string());
    let judge = json!([{"say": r#"{"ok": false, "reason": "that deletes the backups"}"#,
                        "usage": {"input_tokens": 90, "output_tokens": 12}}]);
    scratch.write("judge.json", &judge.to_string());
    scratch
}

fn question() -> Value {
    json!({"type": "prompt", "prompt": "Is $ARGUMENTS harmless?"})
}

fn fire(scratch: &Scratch, more: &[&str]) -> Printed {
    let fire = [
        "fire",
        "PreToolUse",
        "--trust",
        "--command",
        "rm -rf backups",
    ];
    scratch.run(&[&fire, more].concat())
}

const JUDGE: [&str; 2] = ["--hook-model", "scripted:judge.json"];

#[test]
fn fire_asks_and_shows_the_answer_the_model_and_what_it_took() {
    let printed = fire(&scratch("PreToolUse", &question()), &JUDGE);
    assert_eq!(printed.code, Some(2), "{printed:?}");
    let shown = [
        "permissionDecision: deny",
        "that deletes the backups",
        "model | scripted",
        "tokens | 90 read, 12 written",
        "question | Is <hook_input>",
        "verdict: the agent stops",
    ];
    for text in shown {
        assert!(printed.stdout.contains(text), "{text}: {printed:?}");
    }
}

#[test]
fn fire_tells_programs_the_same() {
    let entry =
        json!({"type": "prompt", "prompt": "Harmless?", "model": "haiku", "continueOnBlock": true});
    let json = fire(
        &scratch("PreToolUse", &entry),
        &["--model", "scripted:judge.json", "--json"],
    )
    .json();
    assert_eq!(json["outcome"]["decision"], "deny");
    assert_eq!(json["outcome"]["continue"], true);
    let hook = &json["hooks"][0];
    assert_eq!(
        (&hook["kind"], &hook["status"]),
        (&json!("prompt"), &json!("answered"))
    );
    assert_eq!(hook["facts"]["model"], "scripted");
    assert_eq!(hook["facts"]["requests"], "1");
}

#[test]
fn without_a_model_the_hook_fails_and_things_take_their_course() {
    let printed = fire(&scratch("PreToolUse", &question()), &["--json"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let json = printed.json();
    assert_eq!(json["hooks"][0]["status"], "launch_failed");
    let detail = json["hooks"][0]["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("--hook-model"), "{detail}");
}

#[test]
fn a_model_that_cannot_be_opened_is_an_error() {
    let printed = fire(
        &scratch("PreToolUse", &question()),
        &["--hook-model", "scripted:none.json"],
    );
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(printed.stderr.contains("none.json"), "{printed:?}");
}

#[test]
fn a_verifier_looks_at_the_project_when_it_is_fired() {
    let scratch = scratch(
        "Stop",
        &json!({"type": "agent", "prompt": "Is the change tested?"}),
    );
    scratch.write("src/lib.rs", "fn untested() {}\n");
    let judge = json!([
        {"calls": [{"name": "Grep", "input": {"pattern": "untested"}}]},
        {"say": r#"{"ok": false, "reason": "nothing tests it"}"#, "expect": {"contains": ["src/lib.rs"]}},
    ]);
    scratch.write("judge.json", &judge.to_string());
    let fire = ["fire", "Stop", "--trust", "--json"];
    let printed = scratch.run(&[&fire[..], &JUDGE].concat());
    assert_eq!(printed.code, Some(2), "{printed:?}");
    let json = printed.json();
    assert_eq!(json["outcome"]["reason"], "nothing tests it", "{json}");
    assert_eq!(json["hooks"][0]["facts"]["requests"], "2");
}

#[test]
fn explain_and_list_say_what_would_be_asked_of_whom_and_for_how_long() {
    let entry = json!({"type": "prompt", "prompt": "Is $ARGUMENTS harmless?", "model": "haiku"});
    let scratch = scratch("PreToolUse", &entry);
    let printed = scratch.run(&["explain", "PreToolUse", "--trust", "--command", "ls"]);
    for text in [
        "Is $ARGUMENTS harmless?",
        "prompt, at most 30 s",
        "model haiku",
        "1 would run",
    ] {
        assert!(printed.stdout.contains(text), "{text}: {printed:?}");
    }
    let listed = scratch.run(&["list", "--trust", "--json"]).json();
    let hook = &listed["hooks"][0];
    assert_eq!(
        (&hook["kind"], &hook["timeout_ms"]),
        (&json!("prompt"), &json!(30_000))
    );
    assert_eq!(hook["off"], Value::Null, "{hook}");
}

#[test]
fn check_has_nothing_to_say_of_a_good_one_and_warns_where_nobody_heeds_it() {
    let check = |scratch: &Scratch| scratch.run(&["check", "--no-user", "--json"]).json();
    let fine = check(&scratch("PreToolUse", &question()));
    assert_eq!(fine["diagnostics"], json!([]));
    let vain = check(&scratch("PermissionRequest", &question()));
    assert_eq!(vain["diagnostics"][0]["code"], "not-heeded", "{vain}");
}

#[test]
fn trust_shows_the_words_and_the_model_that_are_approved() {
    let entry = json!({"type": "prompt", "prompt": "Is $ARGUMENTS harmless?", "model": "haiku"});
    let printed = scratch("PreToolUse", &entry).run(&["trust", "--list"]);
    for text in ["Is $ARGUMENTS harmless?", "model: \"haiku\""] {
        assert!(printed.stdout.contains(text), "{text}: {printed:?}");
    }
}

/// The script of a session that deletes, and says what it was told.
fn session() -> Value {
    json!([
        {"calls": [{"name": "Bash", "input": {"command": "touch deleted"}}]},
        {"say": "Then not.", "expect": {"contains": ["that deletes the backups"]}},
    ])
}

#[test]
fn in_a_session_the_hook_asks_a_model_of_its_own() {
    let entry = json!({"type": "prompt", "prompt": "Harmless?", "continueOnBlock": true});
    let scratch = scratch("PreToolUse", &entry);
    scratch.write("script.json", &session().to_string());
    let run = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "Make room.",
    ];
    let printed = scratch.run(&[&run[..], &JUDGE].concat());
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("Then not.\n", Some(0)),
        "{printed:?}"
    );
    assert_eq!(scratch.read("deleted"), "");
}

#[test]
fn in_a_session_the_hook_asks_the_sessions_model_where_none_is_named() {
    let scratch = scratch("PreToolUse", &question());
    let script = json!([
        {"calls": [{"name": "Bash", "input": {"command": "touch deleted"}}]},
        {"say": r#"{"ok": false, "reason": "that deletes the backups"}"#,
         "when": {"contains": ["<hook_input>"]}},
    ]);
    scratch.write("script.json", &script.to_string());
    let printed = scratch.run(&[
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "Make room.",
    ]);
    assert_eq!(printed.code, Some(2), "the turn ends: {printed:?}");
    assert!(
        printed.stderr.contains("that deletes the backups"),
        "{printed:?}"
    );
    assert!(!scratch.project().join("deleted").exists());
}

#[test]
fn in_a_session_the_transcript_of_a_verifier_is_kept() {
    let scratch = scratch("Stop", &json!({"type": "agent", "prompt": "Is it tested?"}));
    scratch.write(
        "judge.json",
        &json!([{"say": r#"{"ok": true}"#}]).to_string(),
    );
    scratch.write("script.json", &json!([{"say": "Done."}]).to_string());
    let run = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "Test it.",
    ];
    let printed = scratch.run(&[&run[..], &JUDGE].concat());
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("Done.\n", Some(0)),
        "{printed:?}"
    );
    let kept = kept_transcripts(&scratch);
    assert_eq!(kept.len(), 1);
    assert!(kept[0].contains("Is it tested?"), "{kept:?}");
}

/// The transcripts of verifiers, wherever the session keeps them.
fn kept_transcripts(scratch: &Scratch) -> Vec<String> {
    let sessions = scratch.home().join("state/hookline/sessions");
    let projects = std::fs::read_dir(sessions).unwrap();
    let folders = projects.map(|project| project.unwrap().path().join("verifiers"));
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}
