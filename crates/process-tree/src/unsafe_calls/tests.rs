//! What the unsafe calls do, seen from outside.

use std::{ffi::CString, os::fd::AsRawFd};

use rustix::process::{Pid, WaitOptions, waitpid};

use super::*;

type Way = fn(&Image<'_>) -> Result<Pid, Errno>;

/// Every way to start a program there is here.
#[cfg(target_os = "linux")]
const WAYS: [Way; 3] = [spawn, borrow::spawn_by_clone, posix::spawn];
#[cfg(not(target_os = "linux"))]
const WAYS: [Way; 1] = [spawn];

fn image<'a>(args: &'a [&'a CStr], cwd: Option<&'a CStr>, null: &'a fs::File) -> Image<'a> {
    let stdio = [null.as_fd(), null.as_fd(), null.as_fd()];
    Image {
        program: c"/bin/sh",
        args,
        environment: &[c"WORD=blue"],
        cwd,
        stdio,
    }
}

/// How a program ends that was started in one way.
fn code_of(way: Way, args: &[&CStr], cwd: Option<&CStr>) -> Result<Option<i32>, Errno> {
    let null = fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
        .unwrap();
    let pid = way(&image(args, cwd, &null))?;
    let (_, status) = waitpid(Some(pid), WaitOptions::empty())?.unwrap();
    Ok(status.exit_status())
}

/// How a program ends that was started in every way.
fn code(args: &[&CStr], cwd: Option<&CStr>) -> Result<Option<i32>, Errno> {
    let codes = WAYS.map(|way| code_of(way, args, cwd));
    assert!(codes.iter().all(|code| *code == codes[0]), "{codes:?}");
    codes[0]
}

#[test]
fn a_program_runs_with_its_arguments_and_exits() {
    assert_eq!(
        code(&[c"sh", c"-c", c"exit $1", c"x", c"7"], None),
        Ok(Some(7))
    );
}

#[test]
fn the_environment_is_the_given_one_and_no_other() {
    let script = c"test \"$WORD\" = blue && test -z \"$HOME\"";
    assert_eq!(code(&[c"sh", c"-c", script], None), Ok(Some(0)));
}

#[test]
fn the_directory_is_the_given_one() {
    assert_eq!(
        code(&[c"sh", c"-c", c"test $(pwd) = /usr"], Some(c"/usr")),
        Ok(Some(0))
    );
}

#[test]
fn a_failure_in_the_child_comes_back() {
    assert_eq!(code(&[c"sh"], Some(c"/no/such/place")), Err(Errno::NOENT));
}

#[test]
fn the_session_of_any_process_can_be_asked_for() {
    assert!(session_of(0).is_some_and(|own| own >= 0));
    assert_eq!(session_of(i32::MAX), None);
    // The second process of Linux is the kernel's; in a container it may not be there.
    assert!(session_of(2).is_none_or(|session| session >= 0));
}

#[test]
fn writing_where_nobody_reads_does_not_end_a_host_that_minds_the_signal() {
    let write = || {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        assert_eq!(write_quietly(&writer, b"x"), Ok(1));
        drop(reader);
        assert_eq!(write_quietly(&writer, b"x"), Err(Errno::PIPE));
    };
    write(); // ignored, as a Rust program starts
    // SAFETY: no other thread of this process writes to a pipe without a reader.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    write();
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGPIPE, before) };
}

#[test]
fn what_a_child_would_inherit_is_found_where_the_c_library_does_not_help() {
    let kept = fs::File::open("/dev/null").unwrap();
    let planted = fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&planted, rustix::io::FdFlags::empty()).unwrap();
    let found = inheritable();
    assert!(found.contains(&planted.as_raw_fd()), "{found:?}");
    assert!(!found.contains(&kept.as_raw_fd()), "{found:?}");
    assert!(found.iter().all(|fd| *fd > 2), "{found:?}");
    assert_eq!(posix::close_one_by_one(), Ok(()));
}

#[test]
fn the_child_leads_a_session_of_its_own() {
    let script = c"read -r _ _ _ _ group session _ < /proc/$$/stat; \
                   test $group = $$ && test $session = $$";
    if cfg!(target_os = "linux") {
        assert_eq!(code(&[c"sh", c"-c", script], None), Ok(Some(0)));
    }
}

#[test]
fn the_child_holds_no_descriptor_that_the_host_forgot_to_mark() {
    let null = fs::File::open("/dev/null").unwrap();
    let planted = rustix::io::dup(&null).unwrap(); // without CLOEXEC
    let number = CString::new(planted.as_raw_fd().to_string()).unwrap();
    let script = c"test -e /proc/$$/fd/0 && test ! -e /proc/$$/fd/$1";
    if cfg!(target_os = "linux") {
        assert_eq!(
            code(&[c"sh", c"-c", script, c"x", &number], None),
            Ok(Some(0))
        );
    }
}

#[test]
fn no_signal_is_blocked_or_ignored_in_the_child() {
    // A Rust program ignores SIGPIPE from its start. `posix_spawn` of the GNU C library makes its
    // children ignore two signals of its own, so this process may have inherited that.
    let script = c"while read -r name value; do case $name in \
                   SigBlk:|SigIgn:) test $value = 0000000000000000 || exit 1;; \
                   esac; done < /proc/$$/status";
    if cfg!(target_os = "linux") {
        for way in &WAYS[..2] {
            assert_eq!(code_of(*way, &[c"sh", c"-c", script], None), Ok(Some(0)));
        }
    }
}

#[test]
fn what_the_host_has_come_to_ignore_since_the_last_start_its_child_does_not() {
    let script = c"kill -USR1 $$; exit 3"; // ends a shell that does not ignore it
    for way in WAYS {
        assert_eq!(code_of(way, &[c"sh", c"-c", script], None), Ok(None));
        // SAFETY: nothing in this process sends or awaits this signal.
        let before = unsafe { libc::signal(libc::SIGUSR1, libc::SIG_IGN) };
        let code = code_of(way, &[c"sh", c"-c", script], None);
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGUSR1, before) };
        assert_eq!(code, Ok(None));
    }
}

#[test]
fn the_host_keeps_its_own_mask_and_handlers() {
    // SAFETY: the sets are live locals; the calls fill them and change nothing.
    let seen = || unsafe {
        let mut mask = signals(libc::sigemptyset);
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut mask);
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        libc::sigaction(libc::SIGPIPE, ptr::null(), &raw mut action);
        let blocked =
            (1..=libc::SIGRTMAX()).map(|signal| libc::sigismember(&raw const mask, signal));
        (blocked.collect::<Vec<_>>(), action.sa_sigaction)
    };
    let before = seen();
    assert_eq!(code(&[c"sh", c"-c", c"exit 3"], None), Ok(Some(3)));
    assert_eq!(code(&[c"sh"], Some(c"/no/such/place")), Err(Errno::NOENT));
    assert_eq!(seen(), before);
}

#[test]
fn a_program_that_does_not_exist_leaves_no_child() {
    let null = fs::File::open("/dev/null").unwrap();
    let missing = Image {
        program: c"/no/such/program",
        ..image(&[c"x"], None, &null)
    };
    for way in WAYS {
        assert_eq!(way(&missing), Err(Errno::NOENT));
    }
    let children = fs::read_to_string("/proc/thread-self/children");
    if cfg!(target_os = "linux") {
        assert_eq!(children.unwrap(), "");
    }
}
