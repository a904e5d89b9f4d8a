//! `hookline run` on a terminal: keys in, screen out.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use crate::support::Scratch;
use crate::support::terminal::{CTRL_C, CTRL_D, LIMIT, Terminal};
use serde_json::{Value, json};

fn scratch(script: &Value) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("script.json", &script.to_string());
    scratch
}

fn start(scratch: &Scratch, more: &[&str]) -> Terminal {
    let model = ["run", "--trust", "--model", "scripted:script.json"];
    scratch.terminal(&[&model, more].concat())
}

fn wants(command: &str) -> Value {
    json!({"say": "I try.", "calls": [{"name": "Bash", "input": {"command": command}}]})
}

#[test]
fn text_is_shown_as_it_comes_and_the_conversation_goes_on_until_the_user_leaves() {
    let scratch = scratch(&json!([
        {"say": "First answer."},
        {"say": ["Second, so far", " and never more"], "delay_ms": 5000},
    ]));
    let mut terminal = start(&scratch, &[]);
    terminal
        .see("> ")
        .press("hello\n")
        .see("> hello")
        .see("First answer.");
    terminal.press("and now?\n").see("> and now?");
    // The rest of it would come seconds later, and is not waited for.
    terminal
        .see("Second, so far")
        .press(CTRL_C)
        .see("interrupted");
    assert!(!terminal.screen().contains("and never more"));
    terminal.press(CTRL_D).see("goes on with this session");
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn a_yes_lets_a_call_run() {
    let scratch = scratch(&json!([wants("echo ran > out"), {"say": "It ran."}]));
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("> go").see("May Bash run?").see("[y] yes");
    assert_eq!(scratch.read("out"), "", "not before the answer");
    terminal.press("y").see("It ran.");
    assert_eq!(scratch.read("out"), "ran\n");
    terminal.see_no_more("[y] yes").press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn a_no_keeps_it_from_running_and_the_agent_goes_on() {
    let told = json!({"last_contains": ["the user does not want Bash"]});
    let scratch =
        scratch(&json!([wants("echo ran > out"), {"say": "As you wish.", "expect": told}]));
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("[n] no").press("xn").see("As you wish.");
    assert_eq!(scratch.read("out"), "");
    terminal.press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn always_asks_once_and_stop_ends_the_turn() {
    let scratch = scratch(&json!([
        wants("echo one >> out"), wants("echo one >> out"), wants("cat out"), {"say": "never"},
    ]));
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("[a] always in this session").press("a");
    terminal
        .see("    cat out")
        .see("[s] no, and stop")
        .press("s");
    terminal.see("the turn ended with a no").press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
    assert_eq!(scratch.read("out"), "one\none\n");
    assert!(!terminal.screen().contains("never"));
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let scratch = scratch(&json!([wants("echo ran > out"), {"say": "The end."}]));
    let waits = "echo here > waiting; while ! test -e go; do sleep 0.05; done";
    scratch.hooks(&[("PreToolUse", "Bash", waits)]);
    let mut terminal = start(&scratch, &["go"]);
    scratch.wait_for("waiting");
    terminal.press("yyyy");
    scratch.write("go", "");
    terminal.see("[n] no").press("n").see("The end.");
    assert_eq!(scratch.read("out"), "");
}

#[test]
fn ctrl_c_ends_the_turn_and_the_session_goes_on() {
    let scratch = scratch(&json!([
        wants("echo > waiting; sleep 300"),
        {"say": "Still here."},
    ]));
    scratch.hooks(&[("UserInterrupt", "", "echo interrupted >> told")]);
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("[y] yes").press("y");
    // The script has been read thus far: what comes next is its second answer.
    scratch.wait_for("waiting");
    terminal
        .press(CTRL_C)
        .see("interrupted")
        .see("press Ctrl-C again");
    terminal.press("on\n").see("Still here.");
    assert_eq!(scratch.read("told"), "interrupted\n");
    terminal.press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn ctrl_c_twice_ends_the_session_after_session_end() {
    let scratch = scratch(&json!([{"say": ["Wait", " for it"], "delay_ms": 300_000}]));
    scratch.hooks(&[("SessionEnd", "", "echo ended >> told")]);
    let mut terminal = start(&scratch, &["go"]);
    terminal
        .see("> go")
        .press(CTRL_C)
        .see("press Ctrl-C again")
        .press(CTRL_C);
    assert_eq!(terminal.wait(), Some(130));
    assert_eq!(scratch.read("told"), "ended\n");
}

#[test]
fn ctrl_c_at_a_question_takes_it_away() {
    let scratch = scratch(&json!([wants("echo ran > out")]));
    let mut terminal = start(&scratch, &["go"]);
    terminal
        .see("[y] yes")
        .press(CTRL_C)
        .see_no_more("[y] yes")
        .see("press Ctrl-C again");
    terminal
        .press("y")
        .see("> y")
        .press(CTRL_C)
        .see_no_more("> y")
        .press(CTRL_C);
    assert_eq!(terminal.wait(), Some(130));
    assert_eq!(scratch.read("out"), "");
}

#[test]
fn hooks_are_shown_as_they_run_and_what_they_decide() {
    let scratch = scratch(&json!([wants("rm -rf build"), {"say": "I did not."}]));
    let slow = "while ! test -e go; do sleep 0.05; done; echo 'rm is not for agents' >&2; exit 2";
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": slow, "statusMessage": "Looking for harm"}]}]}});
    scratch.write(".claude/settings.json", &settings.to_string());
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("rm -rf build").see("Looking for harm");
    scratch.write("go", "");
    terminal
        .see("deny: rm is not for agents")
        .see_no_more("Looking for harm")
        .see("I did not.");
    terminal.press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn a_conversation_as_the_screen_shows_it() {
    let scratch = scratch(&json!([
        wants("sudo rm -rf /srv"), wants("mkdir build"), {"say": "The directory is there."},
    ]));
    scratch.hooks(&[(
        "PreToolUse",
        "Bash",
        "grep -q sudo && { echo no sudo here >&2; exit 2; }; exit 0",
    )]);
    let model = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "Make room.",
    ];
    let mut terminal = scratch.terminal_of(&model, (24, 80));
    terminal
        .see("May Bash run?")
        .see("[a] always in this session");
    let shown = |terminal: &Terminal| {
        let session = regex::Regex::new("[0-9a-f]{8}-[0-9a-f-]{27}").unwrap();
        let screen = terminal.screen();
        let rows: Vec<&str> = screen.trim_end().lines().map(str::trim_end).collect();
        let times = regex::Regex::new(r"\b[0-9.]+ (ms|s)\b").unwrap();
        let screen = rows.join("\n");
        let screen = session.replace_all(&screen, "[session]");
        times.replace_all(&screen, "[time]").into_owned()
    };
    insta::assert_snapshot!("a_question_at_80", shown(&terminal));
    terminal.press("y").see("The directory is there.").see("> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
    insta::assert_snapshot!("a_conversation_at_80", shown(&terminal));
}

#[test]
fn nothing_that_a_model_a_tool_or_a_hook_says_is_obeyed_by_the_terminal() {
    let scratch = scratch(&json!([
        {"say": "Red \u{1b}[31m\u{1b}]0;owned\u{7}text.", "calls": [
            {"name": "Read", "input": {"file_path": "hostile.txt"}}]},
        {"say": "The end."},
    ]));
    scratch.write("hostile.txt", "\u{1b}[2J\u{1b}]0;owned\u{7}file\n");
    let says = json!({"systemMessage": "\u{1b}]0;owned\u{7}hook"});
    scratch.hooks(&[("PreToolUse", "Read", &format!("echo '{says}'"))]);
    let mut terminal = start(&scratch, &["go"]);
    terminal.see("The end.").see("\\u{1b}]0;owned");
    let raw = terminal.raw();
    for hostile in ["\u{1b}]", "\u{1b}[31m\u{1b}", "\u{1b}[2J", "\u{7}"] {
        assert!(!raw.contains(hostile), "{hostile:?} was sent");
    }
}

#[test]
fn hooks_that_change_on_disk_change_in_the_session_unless_a_hook_refuses() {
    let scratch = scratch(&json!([{"say": "One."}, {"say": "Two."}, {"say": "Three."}]));
    let hooks = |stop: &str| {
        let guard = "test ! -e locked || { echo 'settings are locked' >&2; exit 2; }";
        scratch.hooks(&[("ConfigChange", "", guard), ("Stop", "", stop)]);
    };
    hooks("echo first >> told");
    let mut terminal = start(&scratch, &["a"]);
    terminal.see("One.");
    hooks("echo second >> told; true");
    terminal.see("2 hooks now").press("b\n").see("Two.");
    scratch.write("locked", "");
    hooks("echo third >> told; true; true");
    terminal
        .see("a hook refused the change")
        .press("c\n")
        .see("Three.");
    terminal.press(CTRL_D);
    assert_eq!(terminal.wait(), Some(0));
    assert_eq!(scratch.read("told"), "first\nsecond\nsecond\n");
}

#[test]
fn the_line_can_be_edited_and_called_back() {
    let scratch = scratch(&json!([
        {"say": "One.", "expect": {"last_contains": ["tidy up"]}},
        {"say": "Two.", "expect": {"last_contains": ["tidy up now"]}},
    ]));
    let mut terminal = start(&scratch, &[]);
    terminal
        .see("> ")
        .press("tidx\u{7f}y u\u{1b}[D\u{1b}[Dx\u{1b}[3~ \u{5}p\u{15}tidy up\n")
        .see("One.");
    terminal
        .press("\u{1b}[A now\n")
        .see("Two.")
        .press("/nonsense\n")
        .see("there is no /nonsense");
    terminal.press("/exit\n");
    assert_eq!(terminal.wait(), Some(0));
}

#[test]
fn nothing_that_it_started_survives_a_kill() {
    let sleeps = "echo $$ > pid; exec sleep 1000";
    let of_hook = scratch(&json!([{"say": "never"}]));
    of_hook.hooks(&[("UserPromptSubmit", "", sleeps)]);
    let of_tool = scratch(&json!([wants(sleeps)]));
    for scratch in [of_hook, of_tool] {
        let mut terminal = start(&scratch, &["--permission-mode", "bypassPermissions", "go"]);
        let id: i32 = scratch.wait_for("pid").trim().parse().unwrap();
        kill(i32::try_from(terminal.id()).unwrap());
        terminal.wait();
        let start = std::time::Instant::now();
        let alive = || std::path::Path::new(&format!("/proc/{id}")).exists();
        while alive() && start.elapsed() < LIMIT {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(!alive(), "a command outlived its host");
    }
}

fn kill(id: i32) {
    let id = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
}
