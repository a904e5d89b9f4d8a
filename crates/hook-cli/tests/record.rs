//! `hookline record`: sessions and lines become files.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::support::{Printed, Scratch};
use serde_json::{Value, json};

const NO_RM: &str = "grep -q 'rm -rf' || exit 0; echo 'rm is not for agents' >&2; exit 2";

/// A project with a guard, and a script for the model.
fn project(script: &Value) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("script.json", &script.to_string());
    scratch.hooks(&[
        ("PreToolUse", "Bash", NO_RM),
        ("UserPromptSubmit", "", "echo 'the build is red'"),
    ]);
    scratch
}

fn bash(command: &str) -> Value {
    json!({"name": "Bash", "input": {"command": command}})
}

/// Records a session of the script.
fn record(scratch: &Scratch, more: &[&str]) -> Printed {
    let file = ["record", "s.jsonl"];
    let session = ["--", "run", "--trust", "--model", "scripted:script.json"];
    let mode = ["--permission-mode", "bypassPermissions", "-p", "Tidy up."];
    scratch.run(&[&file, more, &session, &mode].concat())
}

fn lines(scratch: &Scratch, name: &str) -> Vec<Value> {
    let text = scratch.read(name);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The events of a recording.
fn events(lines: &[Value]) -> Vec<&str> {
    let fired = lines.iter().filter(|line| line["type"] == "firing");
    fired.map(|line| line["event"].as_str().unwrap()).collect()
}

fn tidy() -> Value {
    json!([{"calls": [bash("rm -rf build")]}, {"say": "I did not."}])
}

#[test]
fn a_session_becomes_a_file_of_its_firings_in_order() {
    let scratch = project(&tidy());
    let printed = record(&scratch, &[]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("I did not.\n", Some(0)),
        "{printed:?}"
    );
    assert_eq!(printed.stderr, "recorded 6 firings in s.jsonl\n");
    let lines = lines(&scratch, "s.jsonl");
    assert_eq!(
        events(&lines),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolBatch",
            "Stop",
            "SessionEnd"
        ]
    );
    assert_eq!(lines[0]["made_from"], "run");
    let mode = fs::metadata(scratch.project().join("s.jsonl")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o077, 0, "it is for its owner");
}

#[test]
fn a_firing_has_its_input_its_verdict_and_what_each_hook_answered() {
    let scratch = project(&tidy());
    record(&scratch, &[]);
    let lines = lines(&scratch, "s.jsonl");
    let refused = &lines[3];
    assert_eq!(
        refused["input"]["tool_input"],
        json!({"command": "rm -rf build"})
    );
    assert_eq!(refused["outcome"]["decision"], "deny");
    assert_eq!(refused["outcome"]["decided_by"], ".claude/settings.json:1");
    assert_eq!(refused["hooks"][0]["stderr"], "rm is not for agents\n");
    assert_eq!(refused["hooks"][0]["runs"], NO_RM);
}

#[test]
fn nothing_of_the_machine_or_the_moment_is_in_the_file() {
    let scratch = project(&tidy());
    record(&scratch, &[]);
    let first = scratch.read("s.jsonl");
    record(&scratch, &["--force"]);
    assert_eq!(scratch.read("s.jsonl"), first);
    let root = scratch.project();
    assert!(
        !first.contains(root.parent().unwrap().to_str().unwrap()),
        "{first}"
    );
    for placeholder in [
        "<project>",
        "<session>",
        "<transcript>",
        "<call>",
        "<prompt>",
    ] {
        assert!(first.contains(placeholder), "{placeholder}");
    }
}

#[test]
fn a_file_that_is_there_is_not_replaced_unless_that_is_asked_for() {
    let scratch = project(&tidy());
    scratch.write("s.jsonl", "mine\n");
    let printed = record(&scratch, &[]);
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(printed.stderr.contains("--force"), "{printed:?}");
    assert_eq!(scratch.read("s.jsonl"), "mine\n");
}

#[test]
fn a_session_that_is_killed_leaves_a_file_that_can_be_replayed() {
    let scratch = Scratch::new();
    scratch.write("script.json", &json!([{"calls": [bash("ls")]}]).to_string());
    scratch.hooks(&[
        ("PreToolUse", "Bash", NO_RM),
        ("PostToolUse", "Bash", "echo here > reached; sleep 600"),
    ]);
    let session = [
        "record",
        "s.jsonl",
        "--",
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
    ];
    let mode = ["--permission-mode", "bypassPermissions", "-p", "go"];
    let mut child = scratch
        .command(&[&session[..], &mode].concat())
        .spawn()
        .unwrap();
    scratch.wait_for("reached");
    child.kill().unwrap();
    child.wait().unwrap();
    let recorded = lines(&scratch, "s.jsonl");
    assert!(events(&recorded).contains(&"PreToolUse"), "{recorded:?}");
    // As if it had been killed while it wrote.
    let text = scratch.read("s.jsonl");
    scratch.write("s.jsonl", &format!("{text}{{\"type\":\"firi"));
    let printed = scratch.run(&["replay", "s.jsonl", "--trust"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let cut = format!(
        "note: s.jsonl:{}: the line is cut, and is left out\n",
        recorded.len() + 1
    );
    assert_eq!(printed.stderr, cut);
}

#[test]
fn what_hooks_were_told_is_fired_at_the_hooks_there_are() {
    let scratch = project(&json!([]));
    let call = |command: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": "other-1", "cwd": "/elsewhere/shop",
               "transcript_path": "/elsewhere/t.jsonl", "tool_name": "Bash", "tool_use_id": "t",
               "tool_input": {"command": command}})
    };
    let stdin = format!("{}\n{}\n", call("ls"), call("rm -rf /elsewhere/shop/build"));
    let printed = scratch.run_with(&["record", "s.jsonl", "--trust"], &stdin);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(printed.stderr, "recorded 2 firings in s.jsonl\n");
    let lines = lines(&scratch, "s.jsonl");
    assert_eq!(lines[0]["made_from"], "inputs");
    assert_eq!(lines[1]["outcome"]["decision"], Value::Null);
    assert_eq!(lines[2]["outcome"]["decision"], "deny");
    assert_eq!(lines[2]["input"]["cwd"], "<project>");
    assert_eq!(
        lines[2]["input"]["tool_input"]["command"],
        "rm -rf <project>/build"
    );
}

#[test]
fn a_line_that_is_not_understood_is_told_of_and_counted() {
    let scratch = project(&json!([]));
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
    let text = format!("{stop}\n{{\"hook_event_name\": \"Stoop\"}}\nhello\n{stop}\n{{\"hook_ev");
    scratch.write("inputs.jsonl", &text);
    let printed = scratch.run(&["record", "s.jsonl", "--trust", "--from", "inputs.jsonl"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    insta::assert_snapshot!(printed.stderr, @r"
    note: line 2: no event is called `Stoop`; did you mean `Stop`?
    note: line 3: it is not JSON: expected value at line 1 column 1
    note: line 5: it is not JSON: EOF while parsing a string at line 1 column 9
    note: 3 lines were not understood, and are left out
    recorded 2 firings in s.jsonl
    ");
    let arguments = [
        "record",
        "s.jsonl",
        "--force",
        "--from",
        "inputs.jsonl",
        "--json",
    ];
    let told = scratch.run(&arguments).json();
    assert_eq!(
        (&told["firings"], &told["skipped"][1]["line"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(told["skipped"].as_array().unwrap().len(), 3);
}

#[test]
fn a_transcript_and_a_stream_become_the_firings_that_can_be_told_from_them() {
    let scratch = project(&json!([{"calls": [bash("ls"), bash("rm -rf x")]}, {"say": "Done."}]));
    let session = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "-p",
        "Tidy up.",
    ];
    let stream = [
        "--output-format",
        "stream-json",
        "--permission-mode",
        "bypassPermissions",
    ];
    let printed = scratch.run(&[&session[..], &stream, &["--include-hook-events"]].concat());
    scratch.write("stream.jsonl", &printed.stdout);
    let sessions = scratch.home().join("state/hookline/sessions");
    let folder = fs::read_dir(sessions)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let transcript = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    for (from, kind) in [
        ("stream.jsonl", "stream-json"),
        (transcript.to_str().unwrap(), "transcript"),
    ] {
        let printed = scratch.run(&["record", "s.jsonl", "--force", "--trust", "--from", from]);
        assert_eq!(printed.code, Some(0), "{printed:?}");
        assert_eq!(printed.stderr, "recorded 6 firings in s.jsonl\n", "{kind}");
        let lines = lines(&scratch, "s.jsonl");
        assert_eq!(lines[0]["made_from"], kind);
        assert_eq!(
            events(&lines),
            [
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PreToolUse",
                "PostToolUse",
                "Stop"
            ],
            "{kind}"
        );
        assert_eq!(lines[4]["outcome"]["decision"], "deny", "{kind}");
        let printed = scratch.run(&["replay", "s.jsonl", "--trust"]);
        assert_eq!(
            printed.stdout, "6 firings: no difference\n",
            "{kind}: {printed:?}"
        );
    }
}

#[test]
fn what_is_secret_can_be_kept_out() {
    let key = format!("sk-{}", "a1".repeat(12));
    let scratch =
        project(&json!([{"calls": [bash(&format!("echo {key} hunter2"))]}, {"say": "Done."}]));
    record(
        &scratch,
        &["--redact", "secrets", "--redact", "hunter[0-9]"],
    );
    let text = scratch.read("s.jsonl");
    assert!(text.contains("echo <redacted> <redacted>"), "{text}");
    assert!(!text.contains(&key) && !text.contains("hunter2"), "{text}");
}

#[test]
fn what_was_kept_out_stays_out_when_the_recording_is_brought_up_to_date() {
    let scratch = project(&json!([{"calls": [bash("ls")]}, {"say": "Done."}]));
    let hooks = |word: &str| {
        let says = format!("echo '{word} hunter2' >&2; exit 2");
        let later = "echo '{\"async\": true}'; echo '{\"systemMessage\": \"hunter3\"}'";
        scratch.hooks(&[
            ("PreToolUse", "Bash", &says),
            ("UserPromptSubmit", "", later),
        ]);
    };
    hooks("no");
    record(
        &scratch,
        &["--redact", "hunter[0-9]", "--redact", "secrets"],
    );
    let first = scratch.read("s.jsonl");
    assert!(first.contains("no <redacted>"), "{first}");
    let header = &lines(&scratch, "s.jsonl")[0];
    assert_eq!(header["redact"], json!(["hunter[0-9]", "secrets"]));
    let same = scratch.run(&["replay", "s.jsonl", "--trust", "--strict"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    hooks("never");
    let printed = scratch.run(&["replay", "s.jsonl", "--trust", "--update"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let text = scratch.read("s.jsonl");
    assert!(text.contains("never <redacted>"), "{text}");
    assert!(
        !text.contains("hunter2") && !text.contains("hunter3"),
        "{text}"
    );
    assert!(!printed.stdout.contains("hunter2"), "{printed:?}");
}

#[test]
fn a_secret_that_was_spelled_out_is_not_in_the_file_and_nothing_is_updated_without_it() {
    let scratch = project(&json!([{"calls": [bash("echo hunter2")]}, {"say": "Done."}]));
    record(&scratch, &["--redact", "hunter2"]);
    let first = scratch.read("s.jsonl");
    assert!(!first.contains("hunter2"), "{first}");
    scratch.hooks(&[("PreToolUse", "Bash", "echo hunter2 >&2; exit 2")]);
    let printed = scratch.run(&["replay", "s.jsonl", "--trust", "--update"]);
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(printed.stderr.contains("--update might"), "{printed:?}");
    assert_eq!(scratch.read("s.jsonl"), first);
}

#[test]
fn a_file_is_replaced_when_there_is_something_to_write_and_is_then_for_its_owner() {
    let scratch = project(&tidy());
    let path = scratch.project().join("s.jsonl");
    scratch.write("s.jsonl", &"an old recording\n".repeat(10_000));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let model = "scripted:nowhere.json";
    let session = ["--", "run", "--trust", "--model", model, "-p", "Tidy up."];
    let printed = scratch.run(&[&["record", "s.jsonl", "--force"][..], &session].concat());
    assert_ne!(printed.code, Some(0), "{printed:?}");
    assert!(scratch.read("s.jsonl").starts_with("an old"), "{printed:?}");
    let printed = record(&scratch, &["--force"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(!scratch.read("s.jsonl").contains("an old"));
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn what_cannot_be_recorded_is_an_error_that_helps() {
    let scratch = project(&tidy());
    for (arguments, words) in [
        (
            &["record", "s.jsonl", "--from", "none.jsonl"][..],
            "cannot read none.jsonl",
        ),
        (
            &["record", "s.jsonl", "--from", "script.json"],
            "nothing in these lines",
        ),
        (
            &["record", "script.json/s.jsonl", "--from", "stop.jsonl"],
            "cannot write script.json/s.jsonl",
        ),
        (
            &["record", "s.jsonl", "--from", "stop.jsonl", "--redact", "("],
            "--redact",
        ),
        (
            &["record", "s.jsonl", "--", "list"],
            "only sessions of `run` and `demo`",
        ),
        (
            &["record", "s.jsonl", "--", "rnu"],
            "unrecognized subcommand",
        ),
        (
            &["record", "s.jsonl", "--trust", "--", "run"],
            "cannot be used with",
        ),
    ] {
        scratch.write(
            "stop.jsonl",
            "{\"hook_event_name\": \"Stop\", \"stop_hook_active\": false}\n",
        );
        let printed = scratch.run(arguments);
        assert_eq!(printed.code, Some(1), "{arguments:?}: {printed:?}");
        assert!(printed.stderr.contains(words), "{arguments:?}: {printed:?}");
        assert_eq!(scratch.read("s.jsonl"), "", "{arguments:?}");
    }
}

#[test]
fn a_session_that_writes_no_more_is_an_error_and_the_agent_does_its_work_all_the_same() {
    let scratch = project(&tidy());
    let start = Instant::now();
    let session = ["record", "/dev/full", "--force", "--", "run", "--trust"];
    let model = ["--model", "scripted:script.json", "-p", "Tidy up."];
    let printed = scratch.run(&[&session[..], &model].concat());
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("I did not.\n", Some(1)),
        "{printed:?}"
    );
    assert!(
        printed.stderr.contains("cannot write /dev/full"),
        "{printed:?}"
    );
    assert!(start.elapsed() < Duration::from_mins(5));
}
