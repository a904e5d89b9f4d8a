//! What a command finds when it starts, and why it may not.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt, path::Path};

use process_tree::{Command, Ending, Environment, LaunchError, LaunchErrorKind, MARKER};
use support::{Fixture, run};

mod support;

async fn refused(command: Command) -> LaunchError {
    let ending = run(&command).await.ending;
    let Ending::NeverStarted(error) = ending else {
        panic!("it was not refused: {ending:?}")
    };
    error
}

fn script(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn an_exit_code_is_passed_on() {
    let fixture = Fixture::new();
    for code in [0, 1, 2, 126, 127, 255] {
        let done = run(&fixture.shell(&format!("exit {code}"))).await;
        assert_eq!(done.ending, Ending::Exited(code));
    }
}

#[tokio::test]
async fn what_the_shell_cannot_find_or_execute_is_an_ordinary_exit() {
    let fixture = Fixture::new();
    assert_eq!(
        run(&fixture.shell("/no/such/program")).await.ending,
        Ending::Exited(127)
    );
    assert_eq!(
        run(&fixture.shell("/etc/passwd")).await.ending,
        Ending::Exited(126)
    );
}

#[tokio::test]
async fn death_by_a_signal_is_never_an_exit() {
    let fixture = Fixture::new();
    for signal in [1, 9, 11, 13, 15] {
        let done = run(&fixture.shell(&format!("kill -{signal} $$"))).await;
        assert_eq!(done.ending, Ending::Signalled(signal));
        assert!(!done.ending.is_success());
    }
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let error = refused(Command::new("/no/such/program").cwd("/tmp")).await;
    assert_eq!(error.kind(), &LaunchErrorKind::ProgramMissing);
    assert_eq!(
        error.to_string(),
        "cannot start `/no/such/program` in `/tmp`: the program does not exist"
    );
}

#[tokio::test]
async fn a_name_that_no_directory_of_path_holds_is_refused() {
    let environment: Environment = [("PATH", "/nowhere")].into_iter().collect();
    let error = refused(Command::new("sh").environment(environment)).await;
    assert_eq!(error.kind(), &LaunchErrorKind::NotOnPath);
}

#[tokio::test]
async fn a_name_is_looked_up_in_the_path_of_the_command() {
    let home = tempfile::tempdir().unwrap();
    script(
        &home.path().join("greet"),
        "#!/bin/sh\necho from the given path\n",
        0o755,
    );
    let done = run(&Command::new("greet").env("PATH", home.path())).await;
    assert_eq!(done.stdout.text(), "from the given path\n");
}

#[tokio::test]
async fn a_relative_program_is_relative_to_the_working_directory() {
    let home = tempfile::tempdir().unwrap();
    script(&home.path().join("greet"), "#!/bin/sh\necho here\n", 0o755);
    let done = run(&Command::new("./greet").cwd(home.path())).await;
    assert_eq!(done.stdout.text(), "here\n");
}

#[tokio::test]
async fn a_directory_is_not_a_program() {
    let error = refused(Command::new("/tmp")).await;
    assert_eq!(error.kind(), &LaunchErrorKind::IsDirectory);
}

#[tokio::test]
async fn a_file_that_is_not_executable_says_how_to_make_it_so() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hook");
    script(&path, "#!/bin/sh\n", 0o644);
    let error = refused(Command::new(&path)).await;
    assert_eq!(error.kind(), &LaunchErrorKind::NotExecutable);
    assert!(error.remedy().contains("chmod +x"));
}

#[tokio::test]
async fn a_bad_interpreter_is_named() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hook");
    script(&path, "#! /no/such/python3 -u\n", 0o755);
    let error = refused(Command::new(&path)).await;
    let interpreter = "/no/such/python3".to_owned();
    assert_eq!(
        error.kind(),
        &LaunchErrorKind::BadInterpreter { interpreter }
    );
}

#[tokio::test]
async fn an_interpreter_with_a_carriage_return_behind_it_is_named_with_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hook");
    script(&path, "#!/bin/sh\r\necho hi\r\n", 0o755);
    let error = refused(Command::new(&path)).await;
    let interpreter = "/bin/sh\r".to_owned();
    assert_eq!(
        error.kind(),
        &LaunchErrorKind::BadInterpreter { interpreter }
    );
}

#[tokio::test]
async fn a_script_without_a_first_line_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hook");
    script(&path, "echo hello\n", 0o755);
    assert_eq!(
        refused(Command::new(&path)).await.kind(),
        &LaunchErrorKind::BadFormat
    );
}

#[tokio::test]
async fn a_working_directory_that_was_deleted_is_named() {
    let home = tempfile::tempdir().unwrap();
    let gone = home.path().join("gone");
    let error = refused(Command::shell("true").cwd(&gone)).await;
    assert_eq!(error.kind(), &LaunchErrorKind::CwdMissing);
    assert_eq!(error.cwd(), Some(gone.as_path()));
}

#[tokio::test]
async fn a_working_directory_that_is_a_file_is_refused() {
    let error = refused(Command::shell("true").cwd("/etc/passwd")).await;
    assert_eq!(error.kind(), &LaunchErrorKind::CwdNotDirectory);
}

#[tokio::test]
async fn an_argument_or_environment_that_is_too_large_names_e2big() {
    let huge = "x".repeat(8 << 20);
    for command in [
        Command::shell("true").arg(&huge),
        Command::shell("true").env("HUGE", &huge),
    ] {
        let error = refused(command).await;
        assert_eq!(error.kind(), &LaunchErrorKind::TooLarge);
        assert!(error.to_string().contains("E2BIG"));
    }
}

#[tokio::test]
async fn a_nul_byte_is_refused_with_its_place() {
    let cases = [
        (Command::new("/bin/sh").arg("a\0b"), "an argument"),
        (
            Command::new("/bin/sh").env("NAME", "a\0b"),
            "the variable `NAME`",
        ),
        (Command::new("/bin/sh\0"), "the program's path"),
        (Command::new("/bin/sh").cwd("/\0"), "the working directory"),
    ];
    for (command, place) in cases {
        let error = refused(command).await;
        assert_eq!(
            error.kind(),
            &LaunchErrorKind::NulByte {
                place: place.to_owned()
            }
        );
    }
}

#[tokio::test]
async fn a_path_with_blanks_quotes_dollars_and_line_breaks_works() {
    let home = tempfile::tempdir().unwrap();
    let strange = home.path().join("a b 'c' \"d\" $HOME `e` \\ \n f;g");
    fs::create_dir(&strange).unwrap();
    script(
        &strange.join("run me"),
        "#!/bin/sh\npwd\nprintf %s \"$1\"\n",
        0o755,
    );
    let argument = "$(touch x) 'y' \"z\"\n*";

    let done = run(&Command::new(strange.join("run me"))
        .arg(argument)
        .cwd(&strange))
    .await;

    let wanted = format!("{}\n{argument}", strange.to_str().unwrap());
    assert_eq!(done.stdout.text(), wanted);
}

#[tokio::test]
async fn the_environment_is_the_snapshot_and_the_additions_and_the_marker() {
    let base: Environment = [("A", "1"), ("B", "2"), ("C", "3")].into_iter().collect();
    let command = Command::new("/usr/bin/env")
        .environment(base)
        .env("B", "two")
        .env_remove("C");
    let done = run(&command.envs([("D", "4"), ("E", "x=y")])).await;
    let text = done.stdout.text();
    let mut lines: Vec<&str> = text.lines().collect();
    let marker = lines.pop().unwrap();
    assert_eq!(lines, ["A=1", "B=two", "D=4", "E=x=y"]);
    assert!(marker.starts_with(&format!("{MARKER}=")));
}

#[tokio::test]
async fn a_nested_run_keeps_the_marker_of_the_outer_one() {
    let done = run(&Command::shell(format!("echo ${MARKER}")).env(MARKER, "outer.7.")).await;
    let text = done.stdout.text();
    let value = text.trim();
    assert!(value.starts_with("outer.7./"), "{value}");
}

#[tokio::test]
async fn no_signal_is_blocked_or_ignored() {
    // This process ignores SIGPIPE, as Rust programs do.
    let done = run(&Command::new("grep").args(["-E", "SigBlk|SigIgn", "/proc/self/status"])).await;
    let text = done.stdout.text();
    let masks = text.split_whitespace().skip(1).step_by(2);
    let masks: Vec<u64> = masks
        .map(|mask| u64::from_str_radix(mask, 16).unwrap())
        .collect();
    // The C library ignores 32 and 33 in every child of posix_spawn: they are its own.
    let reserved = (1 << 31) | (1 << 32);
    assert_eq!((masks[0], masks[1] & !reserved), (0, 0));
}

#[tokio::test]
async fn a_command_leads_a_session_and_a_group_of_its_own() {
    let script = "read -r _ _ _ _ group session rest < /proc/$$/stat; echo $$ $group $session";
    let done = run(&Command::shell(script)).await;
    let text = done.stdout.text();
    let ids: Vec<&str> = text.split_whitespace().collect();
    assert_eq!((ids[0], ids[0]), (ids[1], ids[2]));
}

#[tokio::test]
async fn no_descriptor_but_the_three_is_inherited() {
    let held: Vec<fs::File> = (0..32)
        .map(|_| fs::File::open("/dev/null").unwrap())
        .collect();
    let done = run(&Command::shell("ls /proc/$$/fd")).await;
    // Some shells keep one of their own at 10.
    let text = done.stdout.text();
    let inherited = text.lines().filter(|fd| fd.parse::<u32>().unwrap() < 10);
    assert_eq!(inherited.collect::<Vec<_>>(), ["0", "1", "2"]);
    drop(held);
}

#[tokio::test]
async fn one_command_runs_many_times() {
    let command = Command::shell("cat; echo \"$1\"")
        .arg("x")
        .arg("end")
        .stdin("in ");
    for _ in 0..3 {
        assert_eq!(run(&command).await.stdout.text(), "in end\n");
    }
    assert_eq!(command.program(), OsString::from("/bin/sh"));
}
