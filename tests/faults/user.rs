//! Runs a test once more, in a process of its own, as a user whom limits and modes bind.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A user who owns nothing, on every system.
const NOBODY: u32 = 65_534;

const AMPLE: Duration = Duration::from_mins(2);

/// How a process knows that it is the one with the fault, and where its files are.
const TOLD: &str = "HOOKLINE_FAULT_DIRECTORY";

/// Runs `fault` as an unprivileged user, in a process of its own and in an empty directory. `name` is the
/// whole name of the test that calls this.
pub(crate) fn alone(name: &str, fault: impl FnOnce(&Path)) {
    #[expect(clippy::disallowed_methods, reason = "how the test tells its child")]
    let told = std::env::var_os(TOLD);
    if let Some(directory) = told {
        assert!(
            !rustix::process::geteuid().is_root(),
            "limits do not bind root"
        );
        return fault(Path::new(&directory));
    }
    let directory = tempfile::tempdir().unwrap();
    let (program, said, files) = (
        directory.path().join("faults"),
        directory.path().join("said"),
        directory.path().join("files"),
    );
    // The program may lie where nobody else can reach it.
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::create_dir(&files).unwrap();
    let output = File::create(&said).unwrap();
    // A write beyond the limit on files is an error then, as on a full disk, and not a signal.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(&program).args([name, "--exact", "--nocapture"]);
    command
        .env(TOLD, &files)
        .env("TMPDIR", &files)
        .env("HOME", &files);
    command
        .current_dir(&files)
        .stdout(output.try_clone().unwrap())
        .stderr(output);
    if rustix::process::geteuid().is_root() {
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        chown(&files, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > AMPLE {
            child.kill().unwrap();
            break child.wait().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap()).into_owned();
    assert!(status.success(), "{status}: {said}");
    assert!(said.contains("1 passed"), "nothing was tested: {said}");
}

/// Sets a limit for as long as `during` runs, and then what it was before.
pub(crate) fn limited<T>(resource: Resource, limit: u64, during: impl FnOnce() -> T) -> T {
    let before = getrlimit(resource);
    let set = |current| {
        let maximum = before.maximum;
        setrlimit(resource, Rlimit { current, maximum }).unwrap();
    };
    set(Some(limit));
    let done = during();
    set(before.current);
    done
}

/// A runtime without threads of its own.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// The descriptors that are open.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The names of what is in a directory, sorted.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
