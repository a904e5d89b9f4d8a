//! `hookline demo`: what it shows has happened, and nothing is left of it.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests wait for all of the output: who still holds the pipes would be a finding"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Somewhere for the demonstration to make its directory, and programs to put in others' places.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a script in the place of a program.
    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookline"));
        let path = std::env::join_paths([
            self.path("bin"),
            "/usr/local/bin".into(),
            "/usr/bin".into(),
            "/bin".into(),
        ]);
        command
            .arg("demo")
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .envs(crate::support::measured::measured())
            .env("PATH", path.unwrap())
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What the demonstration has left on disk.
    fn left(&self) -> Vec<PathBuf> {
        let left = fs::read_dir(self.path("tmp")).unwrap();
        left.map(|entry| entry.unwrap().path()).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

#[test]
fn a_newcomer_sees_what_was_wanted_which_hook_said_what_and_what_happened_instead() {
    let stage = Stage::new();
    let ran = stage.run(&[]);
    let shown = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{shown}");
    let in_order = [
        "you    Clear out the old data, then deploy the shop.",
        "hook adds context: \"Releases are frozen",
        ".hookline/hooks.json:5, command",
        "agent  wants to run `rm -rf data`",
        "x hook denies: \"rm -rf is not allowed here",
        ".hookline/hooks.json:10, command",
        "> not run; the model is told why",
        "agent  wants to run `sh deploy.sh`",
        "hook rewrites it to `sh deploy.sh --dry-run`",
        "demo/story.rs:",
        "hook masks the output: the model sees \"token=***\"",
        "> ran `sh deploy.sh --dry-run`",
        "hook goes on in the background",
        "hook hangs: ended after 300 ms",
        "agent  says \"All done.\", and wants to stop",
        "hook holds it back: \"run the tests first: sh test.sh\"",
        "agent  wants to run `sh test.sh`",
        "no hook objects: it stops",
        "later  the hook in the background is done",
        "you    Did CI pass?",
        "agent  says \"Yes, CI is green.\"",
        "+ data/orders.csv is still there",
        "What next:",
        "hookline init",
    ];
    let mut rest = shown.as_str();
    for line in in_order {
        let at = rest.find(line);
        assert!(
            at.is_some(),
            "`{line}` is not where it should be in\n{shown}"
        );
        rest = &rest[at.unwrap() + line.len()..];
    }
    assert!(!shown.contains("not so"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colour off a terminal");
    assert!(shown.lines().all(|line| line.chars().count() <= 100));
    assert_eq!(text(&ran.stderr), "");
}

#[test]
fn nothing_is_left_on_disk() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["--fast"]).status.code(), Some(0));
    assert!(stage.left().is_empty());
    let beside: Vec<_> = fs::read_dir(stage.folder.path()).unwrap().collect();
    assert_eq!(beside.len(), 2, "only what the test has made: {beside:?}");
}

#[test]
fn programs_get_every_event_and_every_claim() {
    let stage = Stage::new();
    let ran = stage.run(&["--json"]);
    let value: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let events = value["events"].as_array().unwrap();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((of("prompt"), of("late"), of("says")), (2, 1, 3));
    let denied = events
        .iter()
        .find(|event| event["outcome"]["decision"] == "deny");
    assert_eq!(denied.unwrap()["hooks"][0]["source"]["line"], 10);
    let claims = value["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 7);
    assert!(
        claims.iter().all(|claim| claim["holds"] == true),
        "{claims:?}"
    );
    assert_eq!(value["directory"], Value::Null);
}

#[test]
fn a_directory_that_is_kept_can_be_looked_at() {
    let stage = Stage::new();
    let shown = text(&stage.run(&["--keep"]).stdout);
    let left = stage.left();
    assert_eq!(left.len(), 1);
    let name = left[0].file_name().unwrap().to_str().unwrap();
    assert!(shown.contains("Kept: ") && shown.contains(name), "{shown}");
    assert!(left[0].join(".hookline/hooks.json").is_file());
    assert!(left[0].join("data/orders.csv").is_file());
    assert!(!left[0].join("deployed").exists());
    let check = Command::new(env!("CARGO_BIN_EXE_hookline"))
        .args(["check", "--no-user", "--project"])
        .arg(&left[0])
        .output()
        .unwrap();
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
}

#[test]
fn a_demonstration_that_does_not_go_as_it_should_says_so_and_fails() {
    let stage = Stage::new();
    // The guard cannot look at the command, so it lets it pass: the data goes.
    stage.program("grep", "exit 1");
    let ran = stage.run(&[]);
    let shown = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("x not so: data/orders.csv is still there"),
        "{shown}"
    );
    assert!(text(&ran.stderr).contains("did not go as it should"));
    assert!(stage.left().is_empty());
}

#[test]
fn where_no_directory_can_be_made_that_is_said_with_a_remedy() {
    let stage = Stage::new();
    fs::remove_dir(stage.path("tmp")).unwrap();
    let ran = stage.run(&[]);
    assert_eq!(ran.status.code(), Some(1));
    let said = text(&ran.stderr);
    assert!(said.contains("cannot make a scratch directory"), "{said}");
    assert!(said.contains("help: TMPDIR"), "{said}");
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_nothing_is_left() {
    let stage = Stage::new();
    let mut child = stage.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(stage.left().is_empty());
}

#[test]
fn an_interruption_ends_everything_and_leaves_nothing() {
    let stage = Stage::new();
    let pid = stage.path("pid");
    stage.program(
        "grep",
        &format!(
            "echo $$ > '{0}.new'; mv '{0}.new' '{0}'; sleep 600",
            pid.display()
        ),
    );
    let child = stage.command(&[]).stdout(Stdio::null()).spawn().unwrap();
    until(|| pid.exists());
    let hook = fs::read_to_string(&pid).unwrap().trim().to_owned();
    interrupt(&child);
    let code = wait(child);
    assert_eq!(code, Some(130));
    until(|| !is_alive(&hook));
    assert!(stage.left().is_empty());
}

#[test]
fn colour_can_be_had_off_a_terminal() {
    let stage = Stage::new();
    let shown = text(&stage.run(&["--color", "always"]).stdout);
    assert!(shown.contains("\u{1b}[31m"), "{shown}");
}

#[test]
fn the_scripts_of_the_demonstration_have_nothing_that_a_bare_machine_lacks() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    for script in fs::read_dir(scripts).unwrap() {
        let text = fs::read_to_string(script.unwrap().path()).unwrap();
        for program in ["jq ", "python", "node ", "git ", "curl ", "bash "] {
            assert!(!text.contains(program), "{program} in\n{text}");
        }
    }
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn wait(mut child: Child) -> Option<i32> {
    until(|| child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

fn until(mut so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !so() {
        assert!(Instant::now() < end, "it took too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
