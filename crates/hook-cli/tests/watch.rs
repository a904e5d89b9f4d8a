//! `hookline watch` off a terminal: lines and rows, files that grow, and what it costs.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it watch::` writes the snapshots anew.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};

use crate::support::Scratch;
use crate::support::stream::{Stream, session};

/// A stream that is watched while it grows.
struct Following {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Following {
    fn start(scratch: &Scratch, file: &str) -> Self {
        let mut child = scratch
            .command(&["watch", file, "--follow", "--json"])
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The event and subject of the next firing that is over; waits for it.
    fn next(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let row: serde_json::Value = serde_json::from_str(&line).unwrap();
        format!(
            "{} {}",
            row["event"].as_str().unwrap(),
            row["verdict"].as_str().unwrap()
        )
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_line_for_each_firing() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &session().text());
    let printed = scratch.run(&["watch", "s.jsonl"]);
    assert_eq!(printed.code, Some(0));
    insta::assert_snapshot!(printed.stdout);
}

#[test]
fn a_row_for_each_firing_for_programs() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &session().text());
    let printed = scratch.run(&["watch", "s.jsonl", "--json"]);
    let rows = printed.lines();
    let numbers: Vec<u64> = rows
        .iter()
        .map(|row| row["number"].as_u64().unwrap())
        .collect();
    assert_eq!(
        numbers,
        [1, 2, 3, 4, 4, 5],
        "one of them again when its background hook has ended"
    );
    insta::assert_json_snapshot!(rows[1]);
}

#[test]
fn a_recording_is_shown_like_a_stream() {
    let scratch = Scratch::new();
    scratch.write("demo.jsonl", include_str!("golden/demo.jsonl"));
    let printed = scratch.run(&["watch", "demo.jsonl"]);
    assert_eq!(printed.code, Some(0));
    insta::assert_snapshot!(printed.stdout);
}

#[test]
fn only_what_fits_is_printed() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &session().text());
    let printed = scratch.run(&["watch", "s.jsonl", "--json", "--filter", "verdict:deny"]);
    let rows = printed.lines();
    assert_eq!(rows.len(), 1, "{printed:?}");
    assert_eq!(rows[0]["verdict"], "deny");
}

#[test]
fn nothing_that_a_hook_printed_is_obeyed() {
    let scratch = Scratch::new();
    let printed = scratch.run_with(&["watch", "-", "--color", "always"], &session().text());
    assert_eq!(printed.code, Some(0));
    assert!(!printed.stdout.contains("\u{1b}]") && !printed.stdout.contains("\u{1b}[2J"));
}

#[test]
fn the_end_of_stdin_is_the_end_and_a_last_line_needs_no_newline() {
    let scratch = Scratch::new();
    let mut stream = Stream::default();
    stream.firing("r", "Stop", None);
    let printed = scratch.run_with(&["watch", "-"], stream.text().trim_end());
    assert!(printed.stdout.contains("1 firing"), "{printed:?}");
}

#[test]
fn a_file_that_is_not_there_is_an_error_unless_somebody_waits_for_it() {
    let scratch = Scratch::new();
    let printed = scratch.run(&["watch", "nowhere.jsonl"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("nowhere.jsonl"), "{printed:?}");
    assert_eq!(scratch.run(&["watch", "."]).code, Some(1));

    let mut following = Following::start(&scratch, "later.jsonl");
    let mut stream = Stream::default();
    stream.firing("r", "Stop", None);
    scratch.write("later.jsonl", &stream.text());
    assert_eq!(following.next(), "Stop none");
}

#[test]
fn a_file_is_followed_when_it_grows_is_cut_and_is_replaced() {
    let scratch = Scratch::new();
    let path = scratch.project().join("s.jsonl");
    let mut stream = Stream::default();
    stream.firing("r1", "Stop", None);
    scratch.write("s.jsonl", &stream.text());
    let mut following = Following::start(&scratch, "s.jsonl");
    assert_eq!(following.next(), "Stop none");

    // It grows, in the middle of a line.
    let mut more = Stream::default();
    more.firing("r2", "PreToolUse:Bash", Some(("deny", "no")));
    let text = more.text();
    let (first, rest) = text.split_at(text.len() - 20);
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(first.as_bytes()).unwrap();
    file.write_all(rest.as_bytes()).unwrap();
    assert_eq!(following.next(), "PreToolUse deny");

    // It is cut, and written anew.
    let mut anew = Stream::default();
    anew.firing("r3", "SessionStart:clear", None);
    fs::write(&path, "").unwrap();
    fs::write(&path, anew.text()).unwrap();
    assert_eq!(following.next(), "SessionStart none");

    // Another takes its place.
    let mut other = Stream::default();
    other.firing("r4", "PostToolUse:Edit", Some(("block", "lint")));
    scratch.write("other.jsonl", &other.text());
    fs::rename(scratch.project().join("other.jsonl"), &path).unwrap();
    assert_eq!(following.next(), "PostToolUse block");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &session().text().repeat(200));
    let mut child = scratch.command(&["watch", "s.jsonl"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
