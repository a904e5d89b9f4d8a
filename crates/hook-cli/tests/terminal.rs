//! The commands on a terminal: what the screen shows, with symbols and colour, and keys that answer.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it terminal::` writes the snapshots anew.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::fmt::Write;

use crate::support::terminal::Terminal;
use crate::support::{Scratch, binary};

const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "grep -q sudo && { echo no sudo here >&2; exit 2; }; exit 0", "timeout": 5}
]}]}}"#;

/// As narrow as a terminal usually is, and so long that nothing scrolls away.
const SIZE: (u16, u16) = (400, 80);

/// A project with a guard, a file with a mistake, and what a hook was told.
fn guarded() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write(".hookline/hooks.json", HOOKS)
        .write("typo.json", &HOOKS.replace("\"timeout\"", "\"timeuot\""))
        .write(
            "told.jsonl",
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo ls"}}"#,
        );
    scratch
}

/// The screen once the command has ended, without what differs from run to run.
fn screen(scratch: &Scratch, arguments: &[&str]) -> String {
    let mut terminal = scratch.terminal_of(arguments, SIZE);
    let code = terminal.wait();
    let text = plain(scratch, &terminal.screen());
    format!("{text}\nexit code: {}", code.unwrap_or(-1))
}

fn plain(scratch: &Scratch, screen: &str) -> String {
    let times = regex::Regex::new(r"\b[0-9.]+ (ms|s)\b").unwrap();
    let places = [(scratch.project(), "[project]"), (scratch.home(), "[home]")];
    let lines = screen.trim_end().lines().map(|line| {
        let mut line = line.trim_end().to_owned();
        for (place, name) in &places {
            line = line.replace(&place.display().to_string(), name);
        }
        // Deadlines are no durations.
        if line.contains("at most") {
            return line;
        }
        times.replace(&line, "[time]").into_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

macro_rules! shown {
    ($($name:ident: $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(screen(&guarded(), &$arguments));
        }
    )*};
}

shown! {
    fire_on_a_terminal: ["fire", "PreToolUse", "--command", "sudo ls", "--trust"];
    explain_on_a_terminal: ["explain", "PreToolUse", "--command", "ls", "--trust"];
    list_on_a_terminal: ["list", "--trust"];
    check_on_a_terminal: ["check"];
    trust_list_on_a_terminal: ["trust", "--list"];
    schema_on_a_terminal: ["schema", "Setup", "--answer"];
    short_help_on_a_terminal: ["-h"];
    fire_with_everything_on_a_terminal: ["fire", "PreToolUse", "--command", "ls", "--trust", "-v"];
    a_hook_that_would_not_run_on_a_terminal: ["explain", "PreToolUse", "--tool", "Write", "--trust"];
    a_finding_on_a_terminal: ["check", "typo.json"];
    probes_on_a_terminal: ["check", "--probe", "--trust"];
    untrust_on_a_terminal: ["untrust", "--all"];
    templates_on_a_terminal: ["init", "--list"];
    init_on_a_terminal: ["init", "guard-commands"];
    schemas_on_a_terminal: ["schema"];
    a_conversion_on_a_terminal: ["convert", ".hookline/hooks.json", "--to", "opencode"];
    a_recording_on_a_terminal: ["record", "made.jsonl", "--from", "told.jsonl", "--trust"];
    the_demonstration_on_a_terminal: ["demo", "--fast"];
    an_error_on_a_terminal: ["fire", "PreToolUs"];
}

/// Every command there is, as the help lists them.
fn commands(scratch: &Scratch) -> Vec<String> {
    let help = scratch.run(&["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_fits_a_terminal_and_has_examples() {
    let scratch = Scratch::new();
    let commands = commands(&scratch);
    assert!(commands.len() > 15, "{commands:?}");
    let mut all = String::new();
    for command in commands {
        let help = screen(&scratch, &[&command, "--help"]);
        assert!(help.contains("Examples:\n  hookline "), "{help}");
        assert!(help.ends_with("exit code: 0"), "{help}");
        let head = format!("== {command} ");
        writeln!(all, "{head:=<80}\n{help}").unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_recorded_session_that_is_replayed_on_a_terminal() {
    let scratch = guarded();
    scratch.run(&["record", "golden.jsonl", "--from", "told.jsonl", "--trust"]);
    scratch.write(
        ".hookline/hooks.json",
        &HOOKS.replace("no sudo here", "no sudo for anybody"),
    );
    insta::assert_snapshot!(screen(&scratch, &["replay", "golden.jsonl", "--trust"]));
}

/// Whether a command that shows a refusal colours it, with these variables.
fn is_coloured(scratch: &Scratch, more: &[&str], variables: &[(&str, &str)]) -> bool {
    let arguments = ["fire", "PreToolUse", "--command", "sudo ls", "--trust"];
    let arguments = [&arguments, more].concat();
    let mut environment = scratch.environment();
    let more = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    environment.extend(more);
    let mut terminal =
        Terminal::start(binary(), &arguments, &scratch.project(), &environment, SIZE);
    terminal.wait();
    terminal
        .see("verdict")
        .raw()
        .contains("\u{1b}[1m\u{1b}[31m")
}

#[test]
fn colour_is_on_where_a_person_looks_and_off_with_no_color() {
    let scratch = guarded();
    for (more, variables, coloured) in [
        (&[][..], &[][..], true),
        (&[], &[("NO_COLOR", "1")], false),
        (&[], &[("NO_COLOR", "")], true),
        (&[], &[("TERM", "dumb")], false),
        (&["--color", "never"], &[], false),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
    ] {
        let seen = is_coloured(&scratch, more, variables);
        assert_eq!(seen, coloured, "{more:?} {variables:?}");
    }
}

#[test]
fn what_color_says_counts_for_the_help_too() {
    let scratch = guarded();
    let mut with = scratch.terminal(&["fire", "--help"]);
    let mut without = scratch.terminal(&["fire", "--help", "--color=never"]);
    with.wait();
    without.wait();
    assert!(with.raw().contains("\u{1b}["), "{}", with.raw());
    assert!(!without.raw().contains("\u{1b}["), "{}", without.raw());
}

#[test]
fn trust_shows_each_hook_and_asks() {
    let scratch = guarded();
    let mut terminal = scratch.terminal(&["trust"]);
    terminal
        .see("grep -q sudo")
        .see("approve it?")
        .press("maybe\n");
    terminal.see("please say").press("n\n");
    assert_eq!(terminal.wait(), Some(0));
    let denied = scratch.run(&["fire", "PreToolUse", "--command", "sudo ls"]);
    assert_eq!(
        denied.code,
        Some(0),
        "nobody has approved the guard: {denied:?}"
    );

    let mut terminal = scratch.terminal(&["trust"]);
    terminal
        .see("approve it?")
        .press("y\n")
        .see("approved one hook");
    assert_eq!(terminal.wait(), Some(0));
    let denied = scratch.run(&["fire", "PreToolUse", "--command", "sudo ls"]);
    assert_eq!(denied.code, Some(2), "{denied:?}");
}

#[test]
fn init_offers_a_list_and_writes_what_was_chosen() {
    let scratch = Scratch::new();
    let mut terminal = scratch.terminal(&["init"]);
    terminal
        .see("guard-commands")
        .see("which ones?")
        .press("99\n");
    terminal
        .see("the numbers go from 1")
        .press("1 git-context\n");
    terminal.see("hookline trust");
    assert_eq!(terminal.wait(), Some(0));
    let written = scratch.read(".hookline/hooks.json");
    assert!(
        written.contains("guard-commands.sh") && written.contains("git-context.sh"),
        "{written}"
    );
}

#[test]
fn a_hook_s_status_message_is_shown_while_it_runs_and_then_no_more() {
    let scratch = Scratch::new();
    scratch.write(
        "slow.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "statusMessage": "looking closely",
            "command": "while [ ! -e go ]; do sleep 0.05; done"}]}]}}"#,
    );
    let mut terminal = scratch.terminal(&["fire", "Stop", "--settings", "slow.json"]);
    terminal.see("looking closely");
    scratch.write("go", "");
    terminal.see("verdict");
    assert_eq!(terminal.wait(), Some(0));
    assert!(
        !terminal.screen().contains("looking closely"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn a_bar_shows_how_far_the_probes_are() {
    let scratch = guarded();
    let mut terminal = scratch.terminal(&["check", "--probe", "--trust"]);
    assert_eq!(terminal.wait(), Some(0));
    assert!(
        terminal.raw().contains("0/1 .hookline/hooks.json:2"),
        "{}",
        terminal.raw()
    );
    assert!(!terminal.screen().contains("0/1"), "{}", terminal.screen());
}

/// Whether a process is there, and more than a name that nobody has asked for yet.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// A command that runs a hook which would go on for ten minutes; how it ended, and the hook's number.
fn interrupted(arguments: &[&str], end: impl FnOnce(&mut Terminal)) -> Option<i32> {
    let scratch = Scratch::new();
    scratch.write(
        "slow.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command",
            "command": "echo $$ > \"$CLAUDE_PROJECT_DIR\"/began; sleep 600"}]}]}}"#,
    );
    let mut terminal = scratch.terminal(arguments);
    let pid = scratch.wait_for("began").trim().to_owned();
    assert!(is_alive(&pid), "{pid}");
    end(&mut terminal);
    let code = terminal.wait();
    let start = std::time::Instant::now();
    while is_alive(&pid) && start.elapsed() < crate::support::terminal::LIMIT {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!is_alive(&pid), "the hook outlived the command");
    code
}

fn ctrl_c(terminal: &mut Terminal) {
    terminal.press(crate::support::terminal::CTRL_C);
}

#[test]
fn ctrl_c_ends_a_firing_and_what_it_started() {
    let arguments = ["fire", "Stop", "--settings", "slow.json"];
    assert_eq!(interrupted(&arguments, ctrl_c), Some(130));
}

#[test]
fn ctrl_c_ends_a_probe_and_what_it_started() {
    let arguments = ["check", "--probe", "slow.json"];
    assert_eq!(interrupted(&arguments, ctrl_c), Some(130));
}

#[test]
fn what_a_firing_or_a_probe_started_dies_with_a_command_that_is_killed() {
    for arguments in [
        &["fire", "Stop", "--settings", "slow.json"][..],
        &["check", "--probe", "slow.json"],
    ] {
        interrupted(arguments, Terminal::kill);
    }
}
