//! Scripts that cannot be run: what is said of each, and where it points.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hook_config::{Options, Places, load};
use hook_shell::Host;

/// What is said of a script that is run in this way: its code, and what it points at.
fn said_of_script(text: &str, command: &str) -> Vec<(&'static str, String)> {
    let project = tempfile::tempdir().unwrap();
    let script = project.path().join("guard");
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    said(project.path(), command)
}

/// What is said of the only hook of a project: its code, and what it points at.
pub(crate) fn said(project: &Path, command: &str) -> Vec<(&'static str, String)> {
    let folder = project.join(".claude");
    fs::create_dir(&folder).unwrap();
    let entry = serde_json::json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}});
    fs::write(folder.join("settings.json"), entry.to_string()).unwrap();
    let places = Places::none().project(project);
    let report = load(&places, &Options::new(Host::new()).lint(true)).report;
    let problems = report.diagnostics.iter();
    problems
        .map(|problem| {
            let place = problem.place.as_ref().unwrap();
            (problem.code.as_str(), place.text().to_owned())
        })
        .collect()
}

macro_rules! first_lines {
    ($($name:ident: $text:literal, $command:literal => $said:expr;)*) => {$(
        #[test]
        fn $name() {
            let said = said_of_script($text, $command);
            let said: Vec<_> = said.iter().map(|(code, at)| (*code, at.as_str())).collect();
            assert_eq!(said, $said as [(&str, &str); _]);
        }
    )*};
}

first_lines! {
    a_script_that_sh_reads_is_fine: "#!/bin/sh\nexit 2\n", "./guard" => [];
    what_env_looks_for_is_not_checked: "#!/usr/bin/env no-such-shell\n", "./guard" => [];
    a_program_that_is_not_there_reads_nothing:
        "#! /no/such/shell -e\n", "./guard" => [("missing-interpreter", "/no/such/shell")];
    a_directory_reads_nothing: "#!/usr/bin\n", "./guard" => [("missing-interpreter", "/usr/bin")];
    a_program_without_its_whole_path_is_not_found:
        "#!bash\n", "./guard" => [("missing-interpreter", "bash")];
    whoever_is_named_by_the_command_reads_a_script: "#!/no/such/shell\n", "sh guard" => [];
    a_line_that_ends_as_on_windows_names_nobody:
        "#!/bin/sh\r\nexit 2\r\n", "./guard" => [("crlf", "#!/bin/sh")];
    a_shell_takes_the_end_of_such_a_line_for_a_word:
        "#!/bin/sh\r\nexit 2\r\n", "sh guard" => [("crlf", "#!/bin/sh")];
    python_reads_such_lines: "#!/usr/bin/python3\r\nexit(2)\r\n", "python3 guard" => [];
    a_script_without_a_first_line_of_that_kind_is_left_alone: "exit 2\n", "./guard" => [];
}

#[test]
fn a_directory_is_not_run() {
    let project = tempfile::tempdir().unwrap();
    let said = said(project.path(), "./.claude");
    assert_eq!(said, [("not-executable", "./.claude".to_owned())]);
}

/// Does something as somebody whom modes bind: of a program of root's this thread alone.
#[cfg(target_os = "linux")]
fn as_nobody<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const NOBODY: u32 = 65_534;
    let work = || {
        if rustix::process::geteuid().is_root() {
            rustix::thread::set_thread_uid(rustix::thread::Uid::from_raw(NOBODY)).unwrap();
        }
        work()
    };
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_that_may_not_be_read_is_said() {
    let cases = [
        ("python3 secret", 0o300, ["unreadable-script"], "secret"),
        ("./secret", 0o311, ["unreadable-script"], "./secret"),
    ];
    for (command, mode, codes, at) in cases {
        let project = tempfile::tempdir().unwrap();
        let all = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let script = project.path().join("secret");
        fs::write(&script, "exit(2)").unwrap();
        all(&script, mode);
        all(project.path(), 0o777);
        let said = as_nobody(|| said(project.path(), command));
        assert_eq!(said, codes.map(|code| (code, at.to_owned())), "{command}");
    }
}
