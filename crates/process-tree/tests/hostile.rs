//! Commands that make it hard on purpose, and hosts that look at the wrong moment.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use process_tree::{Command, Control, Ending, Force, LaunchErrorKind, Limits};
use support::{AMPLE, Fixture, run, within};

mod support;

/// The number that a command wrote into a file.
async fn number_in(file: &Path) -> i32 {
    let clock = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Ok(number) = text.trim().parse() {
            return number;
        }
        assert!(clock.elapsed() < AMPLE, "nothing was written");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn ends(pid: i32) -> bool {
    let is_running = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let clock = Instant::now();
    while is_running() && clock.elapsed() < AMPLE {
        std::thread::sleep(Duration::from_millis(10));
    }
    !is_running()
}

#[tokio::test]
async fn a_run_that_is_dropped_takes_along_who_has_neither_its_session_nor_its_variables() {
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pid");
    // Once its parent is dead nothing tells it from a stranger.
    let script = "env -i setsid sleep 300 & echo $! > \"$FILE\"; sleep 300";
    let task = tokio::spawn({
        let command = fixture.shell(script).env("FILE", &file);
        async move { command.run(&Control::new()).await }
    });
    let stray = number_in(&file).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    task.abort();
    let _ = task.await;
    assert!(ends(stray), "it lives");
}

#[tokio::test]
async fn the_deadline_ends_the_wait_for_output_of_descendants_too() {
    let fixture = Fixture::new();
    let limits = Limits {
        drain: AMPLE * 3,
        ..within(500)
    };
    let done = run(&fixture.shell("sleep 300 & echo hi").limits(limits)).await;
    assert!(done.timing.total < AMPLE, "{:?}", done.timing);
    assert_eq!(
        (done.ending, &*done.stdout.text()),
        (Ending::Exited(0), "hi\n")
    );
    done.left.kill().await;
}

#[tokio::test]
async fn cancelling_ends_the_wait_for_output_of_descendants_and_kills_them() {
    let fixture = Fixture::new();
    let control = Control::new();
    let limits = Limits {
        drain: AMPLE * 3,
        ..Limits::default()
    };
    let command = fixture.shell("sleep 300 & echo hi").limits(limits);
    let (done, ()) = tokio::join!(command.run(&control), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        control.cancel();
    });
    assert!(done.timing.total < AMPLE, "{:?}", done.timing);
    assert!(
        matches!(done.ending, Ending::Cancelled { .. }),
        "{:?}",
        done.ending
    );
    assert_eq!(done.stdout.text(), "hi\n");
    assert_eq!(fixture.strays(), [0; 0]);
}

/// Holds on to a process as a debugger does: its end is the debugger's to see first.
const TRACER: &str = "
import ctypes, os, sys, time
pid = int(sys.argv[1])
trace = ctypes.CDLL(None).ptrace
trace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
seized = trace(0x4206, pid, None, None) == 0
open(sys.argv[2], 'w').write('1' if seized else '0')
time.sleep(1)
while seized:
    _, status = os.waitpid(pid, 0x40000000)
    seized = not (os.WIFEXITED(status) or os.WIFSIGNALED(status))
";

#[tokio::test]
async fn a_command_under_a_debugger_has_its_exit_code_and_is_reaped() {
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("seized");
    // A signal, such as that of a child's end, would stop it until the debugger lets it go on.
    let script = "mkfifo \"$FILE\"; python3 -c \"$TRACER\" $$ \"$FILE\" >/dev/null 2>&1 & \
                  read -r seized < \"$FILE\"; echo $$ $seized; exit 5";
    let command = fixture.shell(script).env("TRACER", TRACER);
    let done = run(&command.env("FILE", &file)).await;
    assert_eq!(done.ending, Ending::Exited(5));
    let text = done.stdout.text();
    let (pid, seized) = text.trim().split_once(' ').unwrap();
    if seized == "0" {
        println!("tracing is not allowed here");
    }
    let stat = format!("/proc/{pid}/stat");
    assert_eq!(fs::read_to_string(stat).unwrap_or_default(), "", "a zombie");
    done.left.kill().await;
}

fn script_in(home: &Path) -> (std::path::PathBuf, File) {
    let path = home.join("hook");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"#!/bin/sh\necho ran\n").unwrap();
    file.set_permissions(fs::Permissions::from_mode(0o755))
        .unwrap();
    (path, file)
}

#[tokio::test]
async fn a_script_that_is_still_being_written_is_tried_again() {
    let home = tempfile::tempdir().unwrap();
    let (path, file) = script_in(home.path());
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(file);
    });
    let done = run(&Command::new(&path)).await;
    assert_eq!(done.stdout.text(), "ran\n", "{:?}", done.ending);
    writer.join().unwrap();
}

#[tokio::test]
async fn a_script_that_stays_open_for_writing_says_so() {
    let home = tempfile::tempdir().unwrap();
    let (path, file) = script_in(home.path());
    let Ending::NeverStarted(error) = run(&Command::new(&path)).await.ending else {
        panic!("it ran")
    };
    assert_eq!(error.kind(), &LaunchErrorKind::Busy);
    assert!(error.to_string().contains("ETXTBSY"), "{error}");
    drop(file);
}

#[tokio::test]
async fn the_deadline_does_not_wait_for_a_start_that_hangs() {
    let home = tempfile::tempdir().unwrap();
    // It is tried again and again, as long as it is open for writing.
    let (path, file) = script_in(home.path());
    let done = run(&Command::new(&path).limits(within(20))).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Exit });
    drop(file);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let done = run(&Command::new(&path)).await;
    assert_eq!(done.stdout.text(), "ran\n");
}

#[tokio::test]
async fn a_program_whose_loader_is_missing_names_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("program");
    let mut program = fs::read("/bin/true").unwrap();
    let place = program
        .windows(5)
        .position(|bytes| bytes == b"/lib6" || bytes == b"/lib/")
        .unwrap();
    program[place..place + 4].copy_from_slice(b"/nil");
    fs::write(&path, program).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let Ending::NeverStarted(error) = run(&Command::new(&path)).await.ending else {
        panic!("it ran")
    };
    let LaunchErrorKind::BadInterpreter { interpreter } = error.kind() else {
        panic!("{error}")
    };
    assert!(interpreter.starts_with("/nil"), "{interpreter}");
}

#[tokio::test]
async fn a_descriptor_that_the_host_left_open_for_children_stays_with_the_host() {
    let planted = tempfile::NamedTempFile::new().unwrap();
    let name = planted.path().file_name().unwrap().to_str().unwrap();
    rustix::io::fcntl_setfd(&planted, rustix::io::FdFlags::empty()).unwrap();
    // A child of the standard library does get it, so it is planted well.
    let list = format!("ls -l /proc/$$/fd | grep -cF -e {name}");
    let mut other = std::process::Command::new("/bin/sh");
    let other = other.args(["-c", &list]).stdout(Stdio::piped()).spawn();
    let (mut other, mut seen) = (other.unwrap(), String::new());
    let mut stdout = other.stdout.take().unwrap();
    stdout.read_to_string(&mut seen).unwrap();
    other.wait().unwrap();
    assert_eq!(seen, "1\n");

    assert_eq!(run(&Command::shell(&list)).await.stdout.text(), "0\n");
    let server = Command::shell(&list).spawn_lines(&Control::new()).await;
    let line = server.unwrap().next_line().await.unwrap();
    assert_eq!(line.text, "0");
}
