//! `hookline replay`: what was recorded, at today's hooks.

use std::path::Path;

use crate::support::{Printed, Scratch};
use serde_json::{Value, json};

const GUARD: &str = "\
grep -q 'rm -rf' || exit 0
echo 'rm is not for agents' >&2
exit 2
";

fn bash(command: &str) -> Value {
    json!({"name": "Bash", "input": {"command": command}})
}

/// A project with a guard in a file of its own, and a session that was recorded there.
fn recorded() -> Scratch {
    let scratch = Scratch::new();
    let script =
        json!([{"calls": [bash("ls")]}, {"calls": [bash("rm -rf build")]}, {"say": "I did not."}]);
    scratch.write("script.json", &script.to_string());
    scratch.write("guard.sh", GUARD);
    scratch.hooks(&[
        ("PreToolUse", "Bash", "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"),
        ("UserPromptSubmit", "", "echo 'the build is red'"),
    ]);
    record(&scratch, "s.jsonl", &[]);
    scratch
}

fn record(scratch: &Scratch, file: &str, more: &[&str]) {
    let session = ["--", "run", "--trust", "--model", "scripted:script.json"];
    let mode = ["--permission-mode", "bypassPermissions", "-p", "Tidy up."];
    let printed = scratch.run(&[&["record", file], more, &session, &mode].concat());
    assert_eq!(printed.code, Some(0), "{printed:?}");
}

fn replay(scratch: &Scratch, more: &[&str]) -> Printed {
    scratch.run(&[&["replay", "s.jsonl", "--trust"], more].concat())
}

#[test]
fn a_recorded_demonstration_replays_without_a_difference_twenty_times_of_twenty() {
    let scratch = Scratch::new();
    let printed = scratch.run(&["record", "demo.jsonl", "--", "demo", "--fast"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    for round in 1..=20 {
        let printed = scratch.run(&["replay", "demo.jsonl"]);
        let told = (
            printed.stdout.as_str(),
            printed.stderr.as_str(),
            printed.code,
        );
        assert_eq!(
            told,
            ("27 firings: no difference\n", "", Some(0)),
            "round {round}"
        );
    }
    let first = scratch.read("demo.jsonl");
    scratch.run(&["record", "demo.jsonl", "--force", "--", "demo", "--fast"]);
    assert_eq!(
        scratch.read("demo.jsonl"),
        first,
        "two recordings are the same"
    );
}

/// As a project does it in CI. `hookline replay crates/hook-cli/tests/golden --update` takes over what has changed.
#[test]
fn the_golden_session_of_this_repository_comes_to_the_same() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let printed = Scratch::new().run(&["replay", golden.to_str().unwrap(), "--no-user"]);
    assert_eq!(
        printed.code,
        Some(0),
        "{}{}",
        printed.stdout,
        printed.stderr
    );
}

#[test]
fn a_changed_hook_shows_exactly_that_change() {
    let scratch = recorded();
    let same = replay(&scratch, &[]);
    assert_eq!(
        (same.stdout.as_str(), same.code),
        ("11 firings: no difference\n", Some(0)),
        "{same:?}"
    );
    scratch.write("guard.sh", &GUARD.replace("for agents", "for you"));
    let changed = replay(&scratch, &[]);
    assert_eq!(changed.code, Some(1));
    insta::assert_snapshot!(changed.stdout, @r"
    s.jsonl
      x 8 PreToolUse:Bash  rm -rf build
          the verdict
            reason: rm is not for agents -> rm is not for you
          .claude/settings.json:1
            output.hookSpecificOutput.permissionDecisionReason: rm is not for agents -> rm is not for you
    11 firings: one comes to something else
    ");
}

#[test]
fn a_guard_that_lets_go_is_seen() {
    let scratch = recorded();
    scratch.write("guard.sh", "exit 0\n");
    let changed = replay(&scratch, &[]);
    assert_eq!(changed.code, Some(1));
    insta::assert_snapshot!(changed.stdout);
    let told = replay(&scratch, &["--json"]).json();
    assert_eq!(told["same"], false);
    let difference = &told["files"][0]["differences"][0];
    assert_eq!(
        (&difference["n"], &difference["name"]),
        (&json!(8), &json!("PreToolUse:Bash"))
    );
    let decision = json!({"hook": null, "what": "changed", "field": "decision", "wanted": "deny", "now": null});
    assert_eq!(difference["changes"][0], decision);
}

#[test]
fn update_takes_over_what_has_changed_and_leaves_the_rest_byte_for_byte() {
    let scratch = recorded();
    // Somebody has laid it out by hand.
    let before = scratch
        .read("s.jsonl")
        .replace("\"type\":\"firing\"", "\"type\":  \"firing\"");
    scratch.write("s.jsonl", &before);
    scratch.write("guard.sh", &GUARD.replace("agents", "you"));
    let printed = replay(&scratch, &["--update"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(
        printed
            .stdout
            .ends_with("11 firings: one difference, taken over\n"),
        "{printed:?}"
    );
    let after = scratch.read("s.jsonl");
    let lines = before.lines().zip(after.lines()).enumerate();
    let changed: Vec<usize> = lines
        .filter(|(_, (old, new))| old != new)
        .map(|(line, _)| line)
        .collect();
    assert_eq!(
        (changed, before.lines().count()),
        (vec![8], after.lines().count())
    );
    assert_eq!(replay(&scratch, &[]).code, Some(0));
    assert_eq!(replay(&scratch, &["--update"]).code, Some(0));
    assert_eq!(scratch.read("s.jsonl"), after);
}

#[test]
fn hooks_that_are_gone_and_hooks_that_are_new_are_told_and_lines_that_moved_are_not() {
    let scratch = recorded();
    scratch.write(
        ".claude/settings.json",
        r#"{"hooks": {
  "SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}],
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"}]}
  ]}}"#,
    );
    let changed = replay(&scratch, &[]);
    assert_eq!(changed.code, Some(1));
    insta::assert_snapshot!(changed.stdout);
}

#[test]
fn a_session_is_replayed_as_one_with_what_its_hooks_remember() {
    let scratch = Scratch::new();
    scratch.write(
        "script.json",
        &json!([{"calls": [bash("ls"), bash("ls")]}, {"say": "Done."}]).to_string(),
    );
    scratch.write(
        ".hookline/hooks.json",
        r#"{"hooks": {
  "SessionStart": [{"hooks": [{"type": "command", "command": "echo export MOOD=calm >> \"$CLAUDE_ENV_FILE\""}]}],
  "PreToolUse": [{"hooks": [
    {"type": "command", "command": "echo first only >&2; exit 1", "once": true},
    {"type": "command", "command": "echo \"{\\\"systemMessage\\\": \\\"$(date +%T) session $MOOD\\\"}\""},
    {"type": "command", "command": "echo '{\"systemMessage\": \"once\"}'", "once": true}
  ]}]}}"#,
    );
    record(&scratch, "s.jsonl", &[]);
    let text = scratch.read("s.jsonl");
    assert!(text.contains("it was to run once, and has"), "{text}");
    for _ in 0..2 {
        let printed = replay(&scratch, &[]);
        assert_eq!(printed.code, Some(0), "{printed:?}");
    }
}

#[test]
fn files_that_tools_made_are_put_in_place_and_taken_away_again() {
    let scratch = Scratch::new();
    let script =
        json!([{"say": "Done."}, {"calls": [bash("touch tests-passed")]}, {"say": "Now I am."}]);
    scratch.write("script.json", &script.to_string());
    scratch.hooks(&[(
        "Stop",
        "",
        "[ -e tests-passed ] && exit 0; echo 'run the tests' >&2; exit 2",
    )]);
    record(&scratch, "s.jsonl", &["--with-file", "tests-passed"]);
    let printed = replay(&scratch, &[]);
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(
        printed.stderr.contains("tests-passed is in the way"),
        "{printed:?}"
    );
    let made = scratch.project().join("tests-passed");
    std::fs::remove_file(&made).unwrap();
    for _ in 0..2 {
        let printed = replay(&scratch, &[]);
        assert_eq!(printed.code, Some(0), "{printed:?}");
        assert!(!made.exists());
    }
}

#[test]
fn only_what_is_asked_for_is_compared() {
    let scratch = recorded();
    scratch.write("guard.sh", "exit 0\n");
    let code = |only: &str| replay(&scratch, &["--only", only]).code;
    assert_eq!(
        [
            code("PreToolUse"),
            code("guard.sh"),
            code("UserPromptSubmit")
        ],
        [Some(1), Some(1), Some(0)]
    );
    let printed = replay(&scratch, &["--only", "Stoop"]);
    assert_eq!(printed.code, Some(1));
    assert!(
        printed
            .stderr
            .contains("no firing of these recordings fits --only"),
        "{printed:?}"
    );
}

#[test]
fn what_hooks_print_beside_their_answer_counts_only_when_it_is_asked_for() {
    let scratch = recorded();
    scratch.write(
        "guard.sh",
        &format!("echo checking >&2\n{}", GUARD.replace("exit 0", "exit")),
    );
    let quiet = "cat > /dev/null; echo looked >&2\n";
    scratch.write("guard.sh", quiet);
    record(&scratch, "s.jsonl", &["--force"]);
    scratch.write("guard.sh", &quiet.replace("looked", "seen"));
    assert_eq!(replay(&scratch, &[]).code, Some(0));
    let strict = replay(&scratch, &["--strict"]);
    assert_eq!(strict.code, Some(1));
    assert!(strict.stdout.contains("stderr"), "{strict:?}");
}

#[test]
fn hooks_that_nobody_approved_do_not_run_and_that_is_said() {
    let scratch = recorded();
    let printed = scratch.run(&["replay", "s.jsonl"]);
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(
        printed.stderr.contains("2 hooks of this project wait"),
        "{printed:?}"
    );
    assert!(
        printed
            .stdout
            .contains("detail: nothing -> it has not been approved"),
        "{printed:?}"
    );
}

#[test]
fn a_directory_of_recordings_is_replayed_whole() {
    let scratch = recorded();
    scratch.write("golden/b.jsonl", &scratch.read("s.jsonl"));
    scratch.write("golden/a.jsonl", &scratch.read("s.jsonl"));
    scratch.write("golden/notes.md", "not one");
    let printed = scratch.run(&["replay", "golden", "--trust"]);
    assert_eq!(
        printed.stdout,
        "22 firings of 2 recordings: no difference\n"
    );
    scratch.write("guard.sh", "exit 0\n");
    let printed = scratch.run(&["replay", "golden", "--trust", "--json"]);
    let files = &printed.json()["files"];
    let name = |at: usize| files[at]["file"].as_str().unwrap().to_owned();
    assert_eq!(
        (name(0), name(1)),
        ("golden/a.jsonl".to_owned(), "golden/b.jsonl".to_owned())
    );
}

#[test]
fn what_cannot_be_replayed_is_an_error_that_helps() {
    let scratch = Scratch::new();
    let head = r#"{"type":"hookline_recording","version":1}"#;
    let newer = r#"{"type":"hookline_recording","version":2}"#;
    let firing =
        r#"{"type":"firing","n":1,"event":"PreToolUse","input":{},"outcome":{},"hooks":[]}"#;
    std::fs::create_dir(scratch.project().join("empty")).unwrap();
    scratch
        .write("empty.jsonl", "")
        .write("newer.jsonl", newer)
        .write("script.json", "[]\n")
        .write("half.jsonl", &format!("{head}\n{{\"type\": \n{firing}\n"))
        .write("poor.jsonl", &format!("{head}\n{firing}\n"));
    let mut shown = String::new();
    for file in [
        "none.jsonl",
        "empty",
        "empty.jsonl",
        "newer.jsonl",
        "script.json",
        "half.jsonl",
        "poor.jsonl",
    ] {
        let printed = scratch.run(&["replay", file]);
        assert_eq!(
            (printed.stdout.as_str(), printed.code),
            ("", Some(1)),
            "{file}: {printed:?}"
        );
        shown.push_str(&printed.stderr);
    }
    insta::assert_snapshot!(shown);
}
