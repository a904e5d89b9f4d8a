//! OpenCode's templates, and the scripts and samples of its wireframes.

use hook_types::{
    PostToolUse, PostToolUseFailure, PreToolUse, SessionEnd, SessionStart, UserPromptSubmit,
};
use serde_json::json;

use crate::bench::Bench;
use crate::scene::{bash, call, denied, done, only, printed, ran, reason};

fn wrote(path: &str) -> PostToolUse {
    PostToolUse::new(
        "Write",
        json!({ "file_path": path }),
        json!({ "file_path": path }),
    )
}

#[tokio::test]
async fn log_all_logs_every_event() {
    let bench = Bench::new("log_all");
    bench.fire(SessionStart::new("startup")).await;
    bench.fire(bash("ls")).await;
    bench.fire(UserPromptSubmit::new("hello")).await;
    let log = bench.scene.read("home/.opencode/events.log");
    let events: Vec<&str> = log
        .lines()
        .map(|line| line.split("] ").nth(1).unwrap())
        .collect();
    assert_eq!(
        events,
        ["session:start", "tool:pre_execute", "user:prompt_submit"]
    );
}

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing() {
    for template in ["log_all", "logging"] {
        let bench = Bench::new(template).with("HOME", "/dev/null");
        assert!(!denied(&bench.fire(bash("ls")).await), "{template}");
    }
}

#[tokio::test]
async fn notifications_are_sent_where_there_is_a_desktop() {
    let bench = Bench::new("notify_session_start").has("notify-send");
    bench.fire(SessionStart::new("startup")).await;
    bench.fire(SessionEnd::new("other")).await;
    assert_eq!(bench.called(), ["notify-send OpenCode Session started"]);
    let bench = Bench::new("notify_session_end").has("notify-send");
    bench.fire(SessionStart::new("startup")).await;
    bench.fire(SessionEnd::new("other")).await;
    assert_eq!(bench.called(), ["notify-send OpenCode Session ended"]);
    let bench = Bench::new("notify_errors").has("notify-send");
    bench.fire(done("Bash")).await;
    bench
        .fire(PostToolUseFailure::new("Bash", json!({}), "no such file"))
        .await;
    assert_eq!(bench.called(), ["notify-send OpenCode Error no such file"]);
    let bench = Bench::new("notify_session_start");
    assert!(only(&bench.fire(SessionStart::new("startup")).await).success());
}

#[tokio::test]
async fn git_auto_commit_commits_when_a_file_was_written() {
    let bench = Bench::new("git_auto_commit").repository();
    bench.scene.write("project/new.txt", "x");
    bench.fire(done("Read")).await;
    assert_eq!(bench.commits(), ["first"]);
    bench.fire(wrote("new.txt")).await;
    assert_eq!(bench.commits(), ["Auto-save: write", "first"]);
    bench.fire(wrote("new.txt")).await;
    assert_eq!(bench.commits().len(), 2, "nothing has changed");
    let nowhere = Bench::new("git_auto_commit");
    assert!(only(&nowhere.fire(wrote("a")).await).success());
}

#[tokio::test]
async fn block_sudo_refuses_sudo() {
    let bench = Bench::new("block_sudo");
    let fired = bench.fire(bash("cd /; sudo ls")).await;
    assert!(denied(&fired));
    assert_eq!(reason(&fired), "Blocked: sudo not allowed");
    assert!(denied(&bench.fire(bash("ls\nsudo ls")).await));
    assert!(!denied(&bench.fire(bash("ls")).await));
    assert!(!denied(&bench.fire(call("Read")).await));
}

#[tokio::test]
async fn load_local_env_refuses_while_the_file_cannot_be_loaded() {
    let bench = Bench::new("load_local_env");
    assert!(!denied(&bench.fire(bash("ls")).await));
    bench.scene.write("project/.env.local", "A=1\n");
    assert!(!denied(&bench.fire(bash("ls")).await));
    bench.scene.write("project/.env.local", "A='1\n");
    assert!(denied(&bench.fire(bash("ls")).await));
}

#[tokio::test]
async fn logging_writes_a_line_with_the_tool() {
    let bench = Bench::new("logging");
    bench.fire(bash("ls")).await;
    bench.fire(SessionEnd::new("other")).await;
    let log = bench.scene.read("home/.opencode/events.log");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with("[20") && lines[0].ends_with("] tool:pre_execute tool=bash"));
    assert!(lines[1].ends_with("] session:end tool="), "{log}");
}

#[tokio::test]
async fn validation_tells_of_files_that_are_not_what_their_name_says() {
    let bench = Bench::new("validation");
    for (name, good, bad) in [("a.py", "x = 1\n", "x = (\n"), ("b.json", "{}", "{\"a\":")] {
        bench.scene.write(&format!("project/{name}"), good);
        assert!(only(&bench.fire(wrote(name)).await).success(), "{name}");
        bench.scene.write(&format!("project/{name}"), bad);
        let fired = bench.fire(wrote(name)).await;
        assert!(!only(&fired).success(), "{name}");
        assert!(printed(&fired)[0].starts_with(name), "{fired:?}");
    }
    assert!(only(&bench.fire(wrote("c.txt")).await).success());
    assert!(ran(&bench.fire(done("Read")).await).is_empty());
    let bare = Bench::without("validation", &["python3"]);
    assert!(only(&bare.fire(wrote("a.py")).await).success());
}

#[tokio::test]
async fn security_refuses_commands_that_destroy_a_machine() {
    let bench = Bench::new("security");
    for (command, pattern) in [
        ("rm -rf /", "rm -rf /"),
        ("true &&\nrm   -fr\t/home", "rm -fr /"),
        ("dd if=/dev/zero of=/dev/sda", "dd if="),
        ("mkfs.ext4 /dev/sda1", "mkfs"),
        ("echo x >/dev/sda", ">/dev/sd"),
        (":(){ :|:& };:", ":(){:|:&};:"),
    ] {
        let fired = bench.fire(bash(command)).await;
        let expected = format!("BLOCKED: Dangerous command pattern detected: {pattern}");
        assert_eq!(reason(&fired), expected, "{command}");
    }
    for command in ["ls", "rm -rf build", "make >/dev/null 2>&1"] {
        assert!(!denied(&bench.fire(bash(command)).await), "{command}");
    }
}

#[tokio::test]
async fn security_refuses_what_it_cannot_read() {
    let bench = Bench::new("security");
    let fired = bench
        .fire(PreToolUse::new("Bash", json!({"command": ["ls"]})))
        .await;
    assert!(reason(&fired).contains("cannot read"), "{}", reason(&fired));
    for program in ["awk", "tr"] {
        let bench = Bench::without("security", &[program]);
        assert!(denied(&bench.fire(bash("ls")).await), "without {program}");
    }
}

#[tokio::test]
async fn git_commit_file_commits_that_file_and_no_other() {
    let bench = Bench::new("git_commit_file").repository();
    bench.scene.write("project/mine.txt", "x");
    bench.scene.write("project/other.txt", "x");
    bench.git(&["add", "other.txt"]);
    bench.fire(wrote("mine.txt")).await;
    assert_eq!(bench.commits(), ["Auto-save: mine.txt", "first"]);
    bench.git(&[
        "diff",
        "--cached",
        "--exit-code",
        "--quiet",
        "--",
        "mine.txt",
    ]);
    bench.fire(wrote("mine.txt")).await;
    assert_eq!(bench.commits().len(), 2, "nothing has changed");
    let nowhere = Bench::new("git_commit_file");
    assert!(only(&nowhere.fire(wrote("a")).await).success());
}
