//! `hookline watch` on a terminal: its screens, its keys, and that the terminal is given back.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it watch_terminal::` writes the snapshots anew.

#![cfg(feature = "tui")]

use std::fs;
use std::io::Write;

use crate::support::Scratch;
use crate::support::stream::{Stream, session};
use crate::support::terminal::{CTRL_C, Terminal};

const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";
const HOME: &str = "\x1b[H";
const DOWN: &str = "\x1b[B";

/// A session that is over: nothing moves on the screen.
fn quiet() -> String {
    let text = session().text();
    let over = text
        .lines()
        .filter(|line| !line.contains("UserPromptSubmit"));
    over.collect::<Vec<_>>().join("\n") + "\n"
}

fn watching(scratch: &Scratch, columns: u16) -> Terminal {
    scratch.write("s.jsonl", &quiet());
    let mut terminal = scratch.terminal_of(&["watch", "s.jsonl"], (24, columns));
    terminal.see("following").see("4 firings");
    terminal
}

fn screen(terminal: &mut Terminal) -> String {
    let screen = terminal.whole_screen();
    let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
    rows.join("\n")
}

#[test]
fn the_screens_at_80_columns() {
    let scratch = Scratch::new();
    let mut terminal = watching(&scratch, 80);
    insta::assert_snapshot!("list_at_80", screen(&mut terminal));
    terminal
        .press(HOME)
        .press(DOWN)
        .press(ENTER)
        .see("#2")
        .see("Enter its output");
    insta::assert_snapshot!("firing_at_80", screen(&mut terminal));
    terminal.press(ENTER).see("exit code");
    insta::assert_snapshot!("hook_at_80", screen(&mut terminal));
    terminal.press("q");
    assert_eq!(terminal.wait(), Some(0));
    assert!(terminal.is_given_back());
}

#[test]
fn the_screens_at_200_columns() {
    let scratch = Scratch::new();
    let mut terminal = watching(&scratch, 200);
    insta::assert_snapshot!("list_at_200", screen(&mut terminal));
    terminal
        .press(HOME)
        .press(DOWN)
        .press(ENTER)
        .see("#2")
        .see("Enter its output");
    insta::assert_snapshot!("firing_at_200", screen(&mut terminal));
}

#[test]
fn a_filter_leaves_what_fits() {
    let scratch = Scratch::new();
    let mut terminal = watching(&scratch, 80);
    terminal
        .press("/")
        .see("Enter keeps it")
        .press("verdict:deny");
    terminal
        .see_no_more("SessionStart")
        .press(ENTER)
        .see("1 fit");
    terminal.press(ESCAPE).see("SessionStart");
}

#[test]
fn what_hooks_print_reaches_no_terminal_raw() {
    let scratch = Scratch::new();
    let mut terminal = watching(&scratch, 80);
    terminal.press(HOME).press(DOWN).press(ENTER).see("#2");
    terminal.press(DOWN).press(ENTER).see("\\u{1b}]0;owned");
    assert!(!terminal.raw().contains("\u{1b}]0;"));
}

#[test]
fn a_hook_that_runs_is_seen_to_run_and_to_end() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &quiet());
    let mut terminal = scratch.terminal_of(&["watch", "s.jsonl"], (24, 80));
    terminal.see("following");
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(scratch.project().join("s.jsonl"))
        .unwrap();
    let mut stream = Stream::default();
    stream
        .at(70_000)
        .started("r9", "PreCompact:auto")
        .started("r8", "PreToolUse:Edit");
    file.write_all(stream.text().as_bytes()).unwrap();
    terminal.see("2 running").see("PreToolUse          Edit");
    let mut stream = Stream::default();
    stream
        .at(71_000)
        .response("r8", "PreToolUse:Edit", 2, ("", "not now"));
    stream.verdict(
        "PreToolUse:Edit",
        Some(("deny", "not now")),
        &[("r8", "guard", "blocked", 900_000)],
    );
    file.write_all(stream.text().as_bytes()).unwrap();
    terminal.see("1 running").see("2 deny").see("not now");
}

#[test]
fn the_terminal_is_given_back_however_it_ends() {
    let scratch = Scratch::new();
    let mut terminal = watching(&scratch, 80);
    terminal.press(CTRL_C);
    assert_eq!(terminal.wait(), Some(130));
    assert!(terminal.is_given_back(), "after Ctrl-C");

    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::HUP] {
        let mut terminal = watching(&scratch, 80);
        let id = rustix::process::Pid::from_raw(terminal.id().cast_signed()).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
        assert_eq!(terminal.wait(), Some(130));
        assert!(terminal.is_given_back(), "after {signal:?}");
    }
}

#[test]
fn it_waits_for_the_file_and_fits_itself_to_the_terminal() {
    let scratch = Scratch::new();
    let mut terminal = scratch.terminal_of(&["watch", "later.jsonl"], (24, 80));
    terminal.see("waiting for the file");
    scratch.write("later.jsonl", &quiet());
    terminal.see("4 firings").see("following");
    terminal.resize(12, 120);
    terminal.until("a wider row", |screen| {
        screen.contains("prettier: not found")
    });
    terminal.press("q");
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn a_stream_on_stdin_leaves_the_keyboard_to_the_user() {
    let scratch = Scratch::new();
    scratch.write("s.jsonl", &quiet());
    let command = format!(
        "cat s.jsonl | {} watch -",
        crate::support::binary().display()
    );
    let mut terminal = Terminal::start(
        "/bin/sh".as_ref(),
        &["-c", &command],
        &scratch.project(),
        &scratch.environment(),
        (24, 80),
    );
    terminal.see("end reached").press("q");
    assert_eq!(terminal.wait(), Some(0));
    assert!(terminal.is_given_back());
}

#[test]
fn a_hundred_thousand_messages_are_scrolled_through_in_bounded_memory() {
    let scratch = Scratch::new();
    let name = "PreToolUse:Bash";
    let mut text = String::new();
    for number in 0..25_000_u32 {
        let mut stream = Stream::default();
        let run = format!("run-{number}");
        stream
            .at(u64::from(number))
            .started(&run, name)
            .progress(&run, name, "looking\n");
        stream.response(
            &run,
            name,
            0,
            ("looked, and found nothing to object to\n", ""),
        );
        stream.verdict(name, None, &[(&run, "guard", "no_opinion", 1_000)]);
        text.push_str(&stream.text());
    }
    scratch.write("s.jsonl", &text);
    let mut terminal = scratch.terminal_of(&["watch", "s.jsonl"], (24, 80));
    terminal
        .see_at_last("25000 firings")
        .see("15000 no longer kept")
        .see("following");
    terminal
        .press(HOME)
        .see("0:15.0")
        .press(ENTER)
        .see("#15001")
        .see("Enter its output");
    terminal
        .press(ESCAPE)
        .see("choose")
        .press("G")
        .see("0:24.9");
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").trim().parse().unwrap();
    assert!(peak < 256 << 10, "it took {peak} KiB");
    terminal.press("q");
    assert_eq!(terminal.wait(), Some(0));
}
