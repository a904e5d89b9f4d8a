//! What every command prints where nobody sees colour, and how it ends.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --test it commands::` writes the snapshots anew.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the command leaves nobody behind who holds the pipes"
)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project, and a home that is not yours.
struct Scene {
    root: tempfile::TempDir,
}

/// What a command did.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Scene {
    fn empty() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["project", "home"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    /// A project with two guards, one for commands and one for files, and a hook that talks.
    fn guarded() -> Self {
        let scene = Self::empty();
        scene.write(
            ".hookline/hooks.json",
            r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.hookline/no-sudo.sh",
          "timeout": 5, "description": "no sudo" }
      ] },
      { "matcher": "Write|Edit", "hooks": [
        { "type": "command", "command": "exit 0", "if": "Edit(src/**)" }
      ] }
    ],
    "UserPromptSubmit": [
      { "hooks": [{ "type": "command", "command": "echo the build is red" }] }
    ]
  }
}
"#,
        );
        scene.script(
            ".hookline/no-sudo.sh",
            "#!/bin/sh\nif grep -q sudo; then\n  echo 'no sudo here' >&2\n  exit 2\nfi\n",
        );
        scene
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn script(&self, path: &str, text: &str) {
        self.write(path, text);
        let path = self.project().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookline"));
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .envs(crate::support::measured::measured())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.path().join("home"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        self.ran(&output)
    }

    fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        self.ran(&output)
    }

    fn ran(&self, output: &std::process::Output) -> Ran {
        let text = |bytes: &[u8]| self.plain(&String::from_utf8_lossy(bytes));
        Ran {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Without what differs from run to run: paths and times.
    fn plain(&self, text: &str) -> String {
        let root = fs::canonicalize(self.root.path()).unwrap();
        let mut text = text.to_owned();
        for folder in [root.as_path(), self.root.path()] {
            text = text.replace(&folder.display().to_string(), "[dir]");
        }
        let times = regex::Regex::new(r"\b[0-9.]+ (ms|s)\b|(duration_ms.: )[0-9.]+").unwrap();
        let lines = text.lines().map(|line| {
            // Deadlines are no durations.
            if line.contains("at most") || line.contains("deadline") {
                line.to_owned()
            } else {
                times.replace_all(line, "${2}[time]").into_owned()
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit code: {}", self.code.unwrap_or(-1))?;
        writeln!(f, "--- stdout\n{}", self.stdout)?;
        write!(f, "--- stderr\n{}", self.stderr)
    }
}

macro_rules! printed {
    ($($name:ident: $scene:expr, $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!($scene.run(&$arguments));
        }
    )*};
}

fn trusted() -> Scene {
    let scene = Scene::guarded();
    assert_eq!(scene.run(&["trust", "--all"]).code, Some(0));
    scene
}

printed! {
    list_shows_every_hook: trusted(), ["list"];
    list_of_one_event: trusted(), ["list", "UserPromptSubmit"];
    list_says_what_is_not_approved: Scene::guarded(), ["list", "PreToolUse"];
    list_without_hooks_says_where_it_looked: Scene::empty(), ["list"];
    list_for_programs: trusted(), ["list", "UserPromptSubmit", "--json"];
    explain_says_what_would_run_and_why_not: trusted(), ["explain", "PreToolUse", "--command", "ls"];
    explain_for_programs: trusted(), ["explain", "UserPromptSubmit", "--json"];
    fire_shows_who_denied_and_why: trusted(), ["fire", "PreToolUse", "--command", "sudo reboot"];
    fire_lets_things_take_their_course: trusted(), ["fire", "PreToolUse", "--command", "ls"];
    fire_where_nobody_listens: trusted(), ["fire", "Stop"];
    fire_adds_context: trusted(), ["fire", "UserPromptSubmit"];
    fire_runs_nothing_that_is_not_approved: Scene::guarded(), ["fire", "PreToolUse", "--command", "sudo ls"];
    fire_for_programs: trusted(), ["fire", "PreToolUse", "--command", "sudo ls", "--json"];
    trust_lists_what_waits: Scene::guarded(), ["trust", "--list"];
    trust_without_a_terminal_approves_nothing: Scene::guarded(), ["trust"];
    trust_of_a_place_that_is_not_there: Scene::guarded(), ["trust", "nowhere.json:7"];
    untrust_takes_approvals_back: trusted(), ["untrust", "--all"];
    init_writes_a_template: Scene::empty(), ["init", "guard-commands"];
    init_lists_what_there_is: Scene::empty(), ["init", "--list"];
    init_does_not_know_every_name: Scene::empty(), ["init", "guard-comands"];
    init_without_a_terminal_needs_a_name: Scene::empty(), ["init"];
    check_is_silent_where_all_is_well: trusted(), ["check"];
    check_probes: trusted(), ["check", "--probe"];
    schema_lists_the_events: Scene::empty(), ["schema"];
    schema_of_an_answer: Scene::empty(), ["schema", "PreCompact", "--answer"];
    help_of_all: Scene::empty(), ["--help"];
    help_of_demo: Scene::empty(), ["demo", "--help"];
    help_of_fire: Scene::empty(), ["fire", "--help"];
    help_of_run: Scene::empty(), ["run", "--help"];
    help_of_explain: Scene::empty(), ["explain", "--help"];
    help_of_list: Scene::empty(), ["list", "--help"];
    help_of_hooks: Scene::empty(), ["hooks", "--help"];
    help_of_watch: Scene::empty(), ["watch", "--help"];
    help_of_check: Scene::empty(), ["check", "--help"];
    help_of_bench: Scene::empty(), ["bench", "--help"];
    help_of_convert: Scene::empty(), ["convert", "--help"];
    help_of_init: Scene::empty(), ["init", "--help"];
    help_of_trust: Scene::empty(), ["trust", "--help"];
    help_of_untrust: Scene::empty(), ["untrust", "--help"];
    help_of_record: Scene::empty(), ["record", "--help"];
    help_of_replay: Scene::empty(), ["replay", "--help"];
    help_of_schema: Scene::empty(), ["schema", "--help"];
    help_of_completions: Scene::empty(), ["completions", "--help"];
    help_of_man: Scene::empty(), ["man", "--help"];
    no_command_at_all_shows_the_help: Scene::empty(), [];
    a_command_that_is_none: Scene::empty(), ["frie"];
    an_event_that_is_none: Scene::empty(), ["fire", "preToolUse"];
    a_tool_that_is_none: trusted(), ["fire", "PreToolUse", "--tool", "Bsah"];
    a_tool_where_there_is_none: Scene::empty(), ["fire", "Stop", "--tool", "Bash"];
    a_settings_file_that_is_not_there: Scene::empty(), ["list", "--settings", "none.json"];
    a_settings_file_that_is_a_directory: Scene::empty(), ["list", "--settings", "."];
    a_project_that_is_not_there: Scene::empty(), ["list", "--project", "nowhere"];
    an_input_that_is_not_json: Scene::empty(), ["fire", "Stop", "--input", "{"];
    an_input_that_is_no_object: Scene::empty(), ["fire", "Stop", "--input", "[1]"];
    an_input_file_that_is_not_there: Scene::empty(), ["fire", "Stop", "--input", "@none.json"];
    an_input_that_lacks_a_field: Scene::empty(), ["fire", "PreToolUse", "--input", "{}"];
    an_input_of_another_event: Scene::empty(), ["fire", "Stop", "--input", r#"{"hook_event_name": "PreToolUse"}"#];
}

#[test]
fn check_says_what_is_wrong_with_a_file() {
    let scene = Scene::empty();
    scene.write(
        "broken.json",
        "{\"hooks\": {\"preToolUse\": [],\n \"PreToolUse\": [{\"matcher\": \"Bsah\", \"hooks\": [{\"type\": \"command\", \"command\": \"./gone.sh\"}]}]}}\n",
    );
    insta::assert_snapshot!(scene.run(&["check", "broken.json"]));
    insta::assert_snapshot!(
        "check_for_programs",
        scene.run(&["check", "broken.json", "--json"])
    );
}

#[test]
fn list_shows_an_entry_that_cannot_be_used() {
    let scene = Scene::empty();
    scene.write(
        ".hookline/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "comand", "command": "true"}]}]}}"#,
    );
    insta::assert_snapshot!(scene.run(&["list", "--trust"]));
}

#[test]
fn a_changed_script_is_shown_as_a_difference_and_closes_its_guard() {
    let scene = trusted();
    scene.script(".hookline/no-sudo.sh", "#!/bin/sh\nexit 0\n");
    insta::assert_snapshot!(scene.run(&["trust", "--list", ".hookline/hooks.json:5"]));
    let fired = scene.run(&["fire", "PreToolUse", "--command", "ls"]);
    assert_eq!(fired.code, Some(2), "{fired}");
}

#[test]
fn an_input_comes_from_stdin_or_from_a_file() {
    let scene = trusted();
    let call = r#"{"tool_name": "Bash", "tool_input": {"command": "sudo ls"}}"#;
    let ran = scene.run_with_input(&["fire", "PreToolUse", "--input", "-"], call.as_bytes());
    assert_eq!(ran.code, Some(2), "{ran}");
    scene.write("call.json", call);
    let ran = scene.run(&["fire", "PreToolUse", "--input", "@call.json"]);
    assert_eq!(ran.code, Some(2), "{ran}");
}

#[test]
fn an_empty_stdin_is_an_error_that_says_so() {
    let ran = Scene::empty().run_with_input(&["fire", "Stop", "--input", "-"], b" \n");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("stdin is empty"), "{ran}");
}

#[test]
fn stdin_that_is_no_text_is_an_error_that_says_so() {
    let ran = Scene::empty().run_with_input(&["fire", "Stop", "--input", "-"], b"\xff\xfe\x00");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("not UTF-8"), "{ran}");
}

#[test]
fn a_settings_file_that_cannot_be_read_is_an_error_and_no_panic() {
    let scene = Scene::empty();
    scene.write("file", "");
    let ran = scene.run(&["list", "--settings", "file/below.json"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("cannot read"), "{ran}");
}

/// The reader goes away before anything is printed.
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scene = Scene::empty();
    for arguments in [
        &["schema", "--all"][..],
        &["--help"],
        &["man"],
        &["init", "--list"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = scene
            .command(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
        assert_eq!(
            child.wait().unwrap().code(),
            Some(0),
            "{arguments:?} {stderr}"
        );
        assert_eq!(stderr, "", "{arguments:?}");
    }
}

#[test]
fn a_hook_s_escape_sequences_never_reach_the_terminal_raw() {
    let scene = Scene::empty();
    scene.write(
        "loud.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command",
            "command": "printf '\\033]0;owned\\007\\033[2Jbad' >&2; exit 2"}]}]}}"#,
    );
    let arguments = [
        "fire",
        "PreToolUse",
        "--command",
        "ls",
        "--settings",
        "loud.json",
        "--color",
        "always",
    ];
    let ran = scene.run(&arguments);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stdout.contains("owned"));
    for hostile in ["\u{1b}]0", "\u{7}", "\u{1b}[2J"] {
        assert!(!ran.stdout.contains(hostile), "{ran}");
    }
}

#[test]
fn colour_is_off_where_nobody_sees_it_and_on_where_it_is_asked_for() {
    let scene = trusted();
    assert!(!scene.run(&["list"]).stdout.contains('\u{1b}'));
    assert!(
        scene
            .run(&["list", "--color", "always"])
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn completions_and_manual_pages_are_made_for_every_command() {
    let scene = Scene::empty();
    for shell in ["bash", "zsh", "fish"] {
        let ran = scene.run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("explain"), "{shell}");
    }
    let ran = scene.run(&["man", "--out", "man"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let page = |name: &str| fs::read_to_string(scene.project().join("man").join(name));
    for name in [
        "hookline.1",
        "hookline-fire.1",
        "hookline-convert.1",
        "hookline-bench.1",
    ] {
        assert!(page(name).unwrap().contains(".SH"), "{name}");
    }
}

#[test]
fn nothing_is_written_where_nothing_was_asked_for() {
    let scene = Scene::guarded();
    let before = files(&scene.project());
    for arguments in [
        &["list"][..],
        &["explain", "Stop"],
        &["check"],
        &["fire", "Stop"],
        &["trust", "--list"],
    ] {
        scene.run(arguments);
    }
    assert_eq!(files(&scene.project()), before);
    assert_eq!(files(&scene.root.path().join("home")), [""; 0]);
}

fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() {
            names.extend(files(&path));
        }
    }
    names.sort();
    names
}

#[test]
fn only_the_hooks_of_the_files_that_were_named_are_probed() {
    let scene = trusted();
    scene.write(
        "other.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}"#,
    );
    let ran = scene.run(&["check", "--probe", "other.json", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let probes = told["probes"].as_array().unwrap();
    let hooks: Vec<_> = probes.iter().map(|probe| &probe["hook"]).collect();
    assert_eq!(hooks, ["other.json:1"], "{ran}");
}

#[test]
fn what_a_guard_says_to_a_call_that_many_refuse_is_checked() {
    let scene = Scene::empty();
    scene.write(
        "guard.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
            "command": "grep -q sudo && echo '{\"permissionDecision\": \"denied\"}'; exit 0"}]}]}}"#,
    );
    let ran = scene.run(&["check", "--probe", "guard.json", "--strict"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.contains("`sudo rm -rf /`"), "{ran}");
    assert!(ran.stdout.contains("permissionDecision"), "{ran}");
}

#[test]
fn a_file_of_the_project_that_is_not_json_is_warned_of_by_name() {
    let scene = Scene::empty();
    scene.write(".hookline/hooks.json", "{\"hooks\": ");
    for arguments in [&["fire", "Stop"][..], &["explain", "Stop"], &["list"]] {
        let ran = scene.run(arguments);
        assert_eq!(ran.code, Some(0), "{ran}");
        let warning = "warning: no hook of [dir]/project/.hookline/hooks.json runs: it is not JSON";
        assert!(ran.stderr.contains(warning), "{ran}");
    }
}

/// The commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = Scene::empty().run(&["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn every_command_its_json_and_every_exit_code_are_documented() {
    let page = include_str!("../../../docs/cli.md");
    let (commands_table, json) = page.split_once("\n## JSON\n").unwrap();
    for name in commands() {
        let row = |text: &str| {
            let mut rows = text.lines().filter(|line| line.starts_with("| `"));
            rows.any(|line| line.contains(&format!("`{name}")))
        };
        // The JSON of `fire` has a section of its own.
        assert!(name == "fire" || row(json), "the JSON of {name}");
        let is_about_the_page = ["completions", "man"].contains(&name.as_str());
        assert!(is_about_the_page || row(commands_table), "{name}");
    }
    for exit in hook_cli::Exit::ALL {
        assert!(
            page.contains(&format!("\n| {} | ", exit.code())),
            "{exit:?}"
        );
    }
}

/// The fields of `fire --json` are these, in this order, whatever becomes of a hook.
#[test]
fn what_fire_tells_programs_has_the_documented_fields() {
    let scene = Scene::empty();
    scene.write(
        "all.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [
            {"type": "command", "command": "echo '{\"systemMessage\": \"hi\"}'"},
            {"type": "command", "command": "exit 0"},
            {"type": "command", "command": "exit 2"},
            {"type": "command", "command": "kill -9 $$"},
            {"type": "command", "command": "exit 3"},
            {"type": "command", "command": "echo '{\"continue\": '"},
            {"type": "command", "command": "sleep 60", "timeout": 0.2},
            {"type": "command", "command": "sleep 0.1; true", "async": true},
            {"type": "command", "command": "/nowhere/at/all", "args": []},
            {"type": "command", "command": "true # never", "if": "Bash(git *)"}]}]}}"#,
    );
    let mut command = scene.command(&[
        "fire",
        "PreToolUse",
        "--command",
        "ls",
        "--settings",
        "all.json",
        "--json",
    ]);
    let told = command.output().unwrap().stdout;
    let told: serde_json::Value = serde_json::from_slice(&told).unwrap();
    let keys = |value: &serde_json::Value| {
        let keys = value.as_object().unwrap().keys().cloned();
        keys.collect::<Vec<_>>()
    };
    assert_eq!(keys(&told), ["event", "outcome", "hooks"]);
    assert_eq!(
        keys(&told["outcome"]),
        [
            "decision",
            "reason",
            "decided_by",
            "cause",
            "continue",
            "stop_reason",
            "suppress_output",
            "updated_input",
            "updated_output",
            "specific",
            "additional_context",
            "system_messages",
            "diagnostics",
        ]
    );
    let documented = [
        "id",
        "name",
        "description",
        "kind",
        "source",
        "status",
        "exit_code",
        "stdout",
        "stderr",
        "truncated",
        "duration_ms",
        "output",
        "diagnostics",
    ];
    let mut seen = Vec::new();
    for hook in told["hooks"].as_array().unwrap() {
        // What there is more to say of some stands beside these.
        let mut fields = keys(hook);
        fields.retain(|field| !["detail", "facts"].contains(&field.as_str()));
        assert_eq!(fields, documented, "{hook:#}");
        seen.push(hook["status"].as_str().unwrap().to_owned());
    }
    insta::assert_snapshot!(seen.join("\n"));
}
