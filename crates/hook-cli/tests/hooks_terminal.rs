//! `hookline hooks` on a terminal: its screens, and that it writes what it shows, where it says, and no more.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it hooks_terminal::` writes the snapshots anew.

#![cfg(feature = "tui")]

use crate::support::Scratch;
use crate::support::terminal::{CTRL_C, Terminal};

const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";
const DOWN: &str = "\x1b[B";

const OWN: &str = r#"{
  // what our project minds
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "grep -q sudo && { echo no sudo here >&2; exit 2; }; exit 0", "description": "no sudo" }
      ] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "exit 0", "enabled": false }] }]
  }
}
"#;

const CLAUDE: &str = r#"{"hooks": {"PostToolUse": [{"matcher": "Write|Edit", "hooks": [
  {"type": "command", "command": "prettier --check ."}
]}]}}
"#;

/// A project with hooks of two formats, one of them switched off.
fn project() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(".hookline/hooks.json", OWN);
    scratch.write(".claude/settings.json", CLAUDE);
    scratch
}

fn menu(scratch: &Scratch, columns: u16) -> Terminal {
    let mut terminal = scratch.terminal_of(&["hooks", "--trust"], (24, columns));
    terminal.see("3 hooks");
    terminal
}

/// The screen without its title, which has the scratch directory in it.
fn screen(terminal: &mut Terminal) -> String {
    let screen = terminal.whole_screen();
    let rows: Vec<&str> = screen.lines().skip(1).map(str::trim_end).collect();
    rows.join("\n")
}

#[test]
fn the_screens_at_80_columns() {
    let scratch = project();
    let mut terminal = menu(&scratch, 80);
    insta::assert_snapshot!("menu_at_80", screen(&mut terminal));
    terminal
        .press("e")
        .see("event and tool")
        .press("PreToolUse Edit")
        .press(ENTER)
        .see("at PreToolUse:Edit");
    insta::assert_snapshot!("event_at_80", screen(&mut terminal));
    terminal
        .press(ESCAPE)
        .see_no_more("at PreToolUse")
        .press("a")
        .see("guard-commands");
    insta::assert_snapshot!("templates_at_80", screen(&mut terminal));
    terminal
        .press(ESCAPE)
        .see("Enter more")
        .press("?")
        .see("Switching off");
    insta::assert_snapshot!("help_at_80", screen(&mut terminal));
    terminal.press("q");
    assert_eq!(terminal.wait(), Some(0));
    assert!(terminal.is_given_back());
}

#[test]
fn the_screens_at_200_columns() {
    let scratch = project();
    let mut terminal = menu(&scratch, 200);
    insta::assert_snapshot!("menu_at_200", screen(&mut terminal));
    terminal.press(ENTER).see("It runs");
    insta::assert_snapshot!("details_at_200", screen(&mut terminal));
}

#[test]
fn a_hook_is_switched_off_in_its_own_file_and_on_again() {
    let scratch = project();
    let mut terminal = menu(&scratch, 120);
    terminal
        .see("no sudo")
        .press("d")
        .see("Switch it off")
        .see(".hookline/hooks.json")
        .see("\"enabled\": false");
    terminal.press("n").see("nothing was changed");
    assert_eq!(scratch.read(".hookline/hooks.json"), OWN);

    terminal
        .press("d")
        .see("Switch it off")
        .press("y")
        .see("written:")
        .see("disabled");
    let changed = scratch.read(".hookline/hooks.json");
    assert_eq!(
        changed.matches("\"enabled\": false").count(),
        2,
        "{changed}"
    );
    assert!(changed.contains("// what our project minds"), "{changed}");
    let fired = scratch.run(&["fire", "PreToolUse", "--command", "sudo ls", "--trust"]);
    assert_eq!(fired.code, Some(0), "{fired:?}");

    terminal
        .press("d")
        .see("Switch it on")
        .press("y")
        .see("written:");
    let fired = scratch.run(&["fire", "PreToolUse", "--command", "sudo ls", "--trust"]);
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert_eq!(
        scratch.read(".claude/settings.json"),
        CLAUDE,
        "no other file was touched"
    );
}

#[test]
fn a_hook_of_claude_settings_is_switched_off_in_the_users_own_file() {
    let scratch = project();
    let mut terminal = menu(&scratch, 120);
    terminal.press(DOWN).see("settings.json:2").press("d");
    terminal
        .see("config/hookline/hooks.json")
        .see("disabledHooks")
        .see("other agents")
        .press("y")
        .see("written:");
    assert_eq!(
        scratch.read(".claude/settings.json"),
        CLAUDE,
        "other agents read it as before"
    );
    assert_eq!(scratch.read(".hookline/hooks.json"), OWN);
    let listed = scratch
        .run(&["list", "PostToolUse", "--trust", "--json"])
        .json();
    let off = listed["hooks"][0]["off"].as_str();
    assert!(
        off.is_some_and(|why| why.contains("disabledHooks")),
        "{listed}"
    );

    terminal
        .press("d")
        .see("Switch it on")
        .press("y")
        .see("written:");
    let listed = scratch
        .run(&["list", "PostToolUse", "--trust", "--json"])
        .json();
    assert!(listed["hooks"][0]["off"].is_null(), "{listed}");
}

#[test]
fn what_is_approved_is_shown_first_and_then_runs() {
    let scratch = project();
    let mut terminal = scratch.terminal_of(&["hooks"], (40, 120));
    terminal
        .see("untrusted")
        .press("t")
        .see("Approve it")
        .see("grep -q sudo")
        .see("state/hookline");
    terminal.press("y").see("✓ PreToolUse").see("approved");
    let fired = scratch.run(&["fire", "PreToolUse", "--command", "sudo ls"]);
    assert_eq!(fired.code, Some(2), "{fired:?}");
    terminal.press("t").see("it is approved as it is");

    // What changes afterwards is shown as a difference.
    scratch.write(
        ".hookline/hooks.json",
        &OWN.replace("no sudo here", "not at all"),
    );
    terminal
        .press("l")
        .see("changed")
        .press("t")
        .see("the entry has changed")
        .see("not at all")
        .press("n");
    terminal.see("nothing was changed").press(CTRL_C);
    assert_eq!(terminal.wait(), Some(130));
    assert!(terminal.is_given_back());
}

#[test]
fn a_hook_is_tried_on_a_sample_when_somebody_says_yes() {
    let scratch = project();
    scratch.write(
        ".hookline/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "touch \"$CLAUDE_PROJECT_DIR/ran\"; echo not today >&2; exit 2"}]}]}}"#,
    );
    let mut terminal = scratch.terminal_of(&["hooks", "--trust"], (40, 100));
    terminal
        .see("2 hooks")
        .press("r")
        .see("Run it once")
        .see("tool_name");
    assert!(
        !scratch.project().join("ran").exists(),
        "nobody has said yes"
    );
    terminal.press("y").see("verdict: deny").see("not today");
    assert!(scratch.project().join("ran").exists());
    terminal.press(ESCAPE).see("Enter more");
}

#[test]
fn a_hook_that_takes_long_is_ended_with_escape() {
    let scratch = project();
    scratch.write(
        ".hookline/hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch begun; sleep 1000"}]}]}}"#,
    );
    let mut terminal = scratch.terminal_of(&["hooks", "--trust"], (24, 100));
    terminal
        .see("2 hooks")
        .press(DOWN)
        .see("hooks.json:1")
        .press("r")
        .see("Run it once")
        .press("y");
    terminal
        .see("Esc ends it")
        .press(ESCAPE)
        .see("It was ended");
    terminal.press("q");
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn a_template_is_shown_and_added() {
    let scratch = Scratch::new();
    let mut terminal = scratch.terminal_of(&["hooks"], (40, 100));
    terminal
        .see("no hooks yet")
        .press("a")
        .see("guard-commands")
        .press(ENTER);
    terminal.see("This is written to").see("a new file");
    assert!(
        !scratch.project().join(".hookline").exists(),
        "nothing is written before"
    );
    terminal.press("y").see("untrusted");
    assert!(scratch.read(".hookline/hooks.json").contains(".sh"));
}

#[test]
fn what_a_file_says_is_not_obeyed() {
    let scratch = Scratch::new();
    scratch.write(
        ".hookline/hooks.json",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\", \"description\": \"\\u001b]0;owned\\u0007\"}]}]}}",
    );
    let mut terminal = scratch.terminal_of(&["hooks", "--trust"], (24, 100));
    terminal.see("\\u{1b}]0;owned").press(ENTER).see("It runs");
    assert!(!terminal.raw().contains("\u{1b}]0;"));
}

#[test]
fn off_a_terminal_it_says_what_to_use() {
    let printed = project().run(&["hooks"]);
    assert_eq!(printed.code, Some(1));
    for word in ["list", "trust", "init"] {
        assert!(
            printed.stderr.contains(&format!("hookline {word}")),
            "{printed:?}"
        );
    }
}
