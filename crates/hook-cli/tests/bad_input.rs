//! Whatever is no good, for every command: a message that says what it is about, the right exit code, no
//! panic.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it bad_input::` writes the snapshots anew.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write;
use std::fs::{self, File};
use std::process::Stdio;

use crate::support::{Printed, Scratch};

/// What is no good about a file; `unreadable` is one that nobody can read, not even root.
const FILES: [(&str, &str); 6] = [
    ("gone", "gone.json"),
    ("a directory", "folder"),
    ("unreadable", "/proc/self/mem"),
    ("not JSON", "half.json"),
    ("not text", "bytes.json"),
    ("empty", "empty.json"),
];

/// Commands that read a file, in the place of FILE.
const READERS: [&[&str]; 17] = [
    &["fire", "Stop", "--input", "@FILE"],
    &["fire", "PreToolUse", "--tool-input", "@FILE"],
    &["fire", "Stop", "--hook-model", "scripted:FILE"],
    &["fire", "Stop", "--settings", "FILE"],
    &["explain", "Stop", "--settings", "FILE"],
    &["list", "--settings", "FILE"],
    &["bench", "--rounds", "1", "--settings", "FILE"],
    &["trust", "--list", "--settings", "FILE"],
    &["check", "FILE"],
    &["check", "--probe", "FILE"],
    &["convert", "FILE", "--to", "claude"],
    &["record", "made.jsonl", "--from", "FILE"],
    &["replay", "FILE"],
    &["watch", "FILE"],
    &["run", "--model", "scripted:FILE", "hello"],
    &["run", "--resume", "FILE", "hello"],
    &["list", "--project", "FILE"],
];

/// Commands that write a file, in the place of FILE.
const WRITERS: [&[&str]; 6] = [
    &["convert", "hooks.json", "--to", "opta", "--output", "FILE"],
    &["record", "FILE", "--from", "told.jsonl"],
    &["record", "FILE", "--", "demo", "--fast"],
    &["init", "guard-commands", "--project", "FILE"],
    &["man", "--out", "FILE"],
    &["replay", "FILE", "--update"],
];

/// A project with one guard, and with everything that is no good.
fn scene() -> Scratch {
    let scratch = Scratch::new();
    let hooks = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "grep -q sudo && { echo no sudo >&2; exit 2; }; exit 0"}
]}]}}"#;
    let told = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo ls"}}"#;
    scratch
        .write(".hookline/hooks.json", hooks)
        .write("hooks.json", hooks)
        .write("typo.json", &hooks.replace("PreToolUse", "PreTolUse"))
        .write("told.jsonl", &format!("{told}\n"))
        .write("folder/notes.md", "")
        .write("half.json", "{\"hooks\": ")
        .write("empty.json", "");
    fs::write(scratch.project().join("bytes.json"), b"\xff\xfe{}").unwrap();
    assert_eq!(scratch.run(&["trust", "--all"]).code, Some(0));
    scratch
}

fn with(file: &str, arguments: &[&str]) -> Vec<String> {
    let put = |argument: &&str| argument.replace("FILE", file);
    arguments.iter().map(put).collect()
}

fn run(scratch: &Scratch, arguments: &[String]) -> Printed {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = scratch.run(&arguments);
    let said = format!("{}{}", printed.stdout, printed.stderr);
    for word in ["panicked", "backtrace", "RUST_BACKTRACE", "unwrap"] {
        assert!(!said.contains(word), "{arguments:?}: {said}");
    }
    printed
}

/// How a command ended, and the first that it said: the error, or else the result.
fn told(scratch: &Scratch, printed: &Printed) -> String {
    let all = format!("{}\n{}", printed.stderr, printed.stdout);
    let line = all.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("nothing");
    let project = scratch.project().display().to_string();
    let times = regex::Regex::new(r"\b[0-9.]+ (ms|s)\b").unwrap();
    let line = line.replace(&project, "[project]");
    let line = times.replace_all(&line, "[time]");
    format!("{} {line}", printed.code.unwrap_or(-1))
}

#[test]
fn a_file_that_is_no_good_is_named_with_what_is_wrong() {
    let scratch = scene();
    let mut table = String::new();
    for arguments in READERS {
        writeln!(table, "hookline {}", arguments.join(" ")).unwrap();
        for (kind, file) in FILES {
            let printed = run(&scratch, &with(file, arguments));
            let _ = fs::remove_file(scratch.project().join("made.jsonl"));
            writeln!(table, "  {kind:<11} {}", told(&scratch, &printed)).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_nothing_else_is_touched() {
    let scratch = scene();
    let mut table = String::new();
    for arguments in WRITERS {
        writeln!(table, "hookline {}", arguments.join(" ")).unwrap();
        for file in ["folder", "half.json/below", "/proc/none/x"] {
            // A directory is just what these take.
            if file == "folder" && ["init", "man"].contains(&arguments[0]) {
                continue;
            }
            let printed = run(&scratch, &with(file, arguments));
            assert_ne!(printed.stderr, "", "{arguments:?} on {file}");
            writeln!(table, "  {file:<15} {}", told(&scratch, &printed)).unwrap();
            assert_eq!(scratch.read("half.json"), "{\"hooks\": ");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn nothing_on_stdin_is_an_error_wherever_something_is_read_from_it() {
    let scratch = scene();
    let mut table = String::new();
    for arguments in [
        &["fire", "Stop", "--input", "-"][..],
        &["fire", "PreToolUse", "--tool-input", "-"],
        &["bench", "PreToolUse", "--tool-input", "-"],
        &["convert", "-", "--to", "claude"],
        &["record", "made.jsonl"],
        &["run"],
        &["run", "-"],
        &["watch", "-"],
    ] {
        let words: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let printed = run(&scratch, &words);
        let told = told(&scratch, &printed);
        writeln!(table, "hookline {:<36} {told}", arguments.join(" ")).unwrap();
    }
    insta::assert_snapshot!(table);
    assert!(!scratch.project().join("made.jsonl").exists());
}

#[test]
fn a_word_that_is_none_is_told_with_the_nearest_one() {
    let scratch = scene();
    let mut table = String::new();
    for arguments in [
        &["fire", "PreToolUs"][..],
        &["explain", "pretooluse"],
        &["list", "Stopp"],
        &["schema", "Nonsense"],
        &["bench", "PreTolUse"],
        &["fire", "PreToolUse", "--tool", "Bsah"],
        &["explain", "PreToolUse", "--tool", "Rite"],
        &["fire", "Stop", "--tool", "Bash"],
        &["init", "gard-commands"],
        &["trust", "hooks.json:99"],
        &["untrust", "hooks.json:99"],
        &["man", "fier"],
        &["completions", "bsh"],
        &["convert", "hooks.json", "--to", "cluade"],
        &["run", "--model", "scriptd:x", "hello"],
        &["run", "--permission-mode", "yolo", "hello"],
        &["run", "--deny", "Bash(", "hello"],
        &["record", "made.jsonl", "--", "list"],
        &["replay", "."],
        &["fier"],
        &["list", "--jsno"],
    ] {
        let words: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let printed = run(&scratch, &words);
        writeln!(table, "hookline {}", arguments.join(" ")).unwrap();
        let said = printed
            .stderr
            .lines()
            .filter(|line| !line.trim().is_empty());
        for line in said.take(3) {
            let project = scratch.project().display().to_string();
            writeln!(table, "  {}", line.replace(&project, "[project]")).unwrap();
        }
        writeln!(table, "  exit code {}", printed.code.unwrap_or(-1)).unwrap();
    }
    insta::assert_snapshot!(table);
}

/// The reader goes away before anything is printed: what a script is told stays the same.
#[test]
fn a_reader_that_goes_away_changes_nothing_of_how_a_command_ends() {
    let scratch = scene();
    assert_eq!(
        scratch
            .run(&["record", "golden.jsonl", "--from", "told.jsonl"])
            .code,
        Some(0)
    );
    let sudo = ["fire", "PreToolUse", "--command", "sudo ls"];
    let loose = r#"{"hooks": {"PreToolUse": []}}"#;
    scratch.write("loose/.hookline/hooks.json", loose);
    for (arguments, code) in [
        (&sudo[..], 2),
        (&[&sudo[..], &["--json"]].concat(), 2),
        (&["fire", "Stop"], 0),
        (&["explain", "Stop"], 0),
        (&["list"], 0),
        (&["check"], 0),
        (&["check", "typo.json"], 1),
        (&["check", "--probe"], 0),
        (&["trust", "--list"], 0),
        (&["init", "--list"], 0),
        (&["schema", "--all"], 0),
        (&["convert", "hooks.json", "--to", "claude"], 0),
        (&["replay", "golden.jsonl"], 0),
        (&["replay", "golden.jsonl", "--project", "loose"], 1),
        (&["watch", "golden.jsonl"], 0),
        (&["bench", "--rounds", "1"], 0),
        (
            &["record", "made.jsonl", "--from", "told.jsonl", "--json"],
            0,
        ),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["--help"], 0),
        (&["run", "hello"], 0),
        (&["untrust", "--all"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code_now, said) = ended(&scratch, arguments, writer.into());
        assert_eq!(code_now, Some(code), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert!(!said.contains("error"), "{arguments:?}: {said}");
    }
}

/// A disk that is full is no reader who has seen enough.
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let scratch = scene();
    for arguments in [&["list"][..], &["--help"], &["fire", "Stop", "--json"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, said) = ended(&scratch, arguments, full.into());
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        assert!(said.contains("cannot write the output"), "{said}");
    }
}

/// How a command ends that prints there, and what it says beside it.
fn ended(scratch: &Scratch, arguments: &[&str], stdout: Stdio) -> (Option<i32>, String) {
    let mut child = scratch.command(arguments).stdout(stdout).spawn().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// A project whose path has whatever a path may have.
#[test]
fn a_project_may_have_blanks_quotes_and_dollars_in_its_path() {
    let scratch = scene();
    let odd = "it's a \"$HOME\" `x`; rm *";
    scratch.write(
        &format!("{odd}/.hookline/guard.sh"),
        "#!/bin/sh\necho no >&2\nexit 2\n",
    );
    scratch.write(
        &format!("{odd}/.hookline/hooks.json"),
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/.hookline/guard.sh"}]}]}}"#,
    );
    for arguments in [
        &["trust", "--all"][..],
        &["list"],
        &["check"],
        &["explain", "PreToolUse", "--command", "ls"],
    ] {
        let printed = scratch.run(&[arguments, &["--project", odd]].concat());
        assert_eq!(printed.code, Some(0), "{printed:?}");
    }
    let fired = scratch.run(&["fire", "PreToolUse", "--command", "ls", "--project", odd]);
    assert_eq!(fired.code, Some(2), "{fired:?}");
}
