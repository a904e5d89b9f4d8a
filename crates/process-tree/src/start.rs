//! From a command's description to a running process with three pipes.

use std::{
    ffi::{CStr, CString, OsStr},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    thread,
    time::Duration,
};

use rustix::{io::Errno, process::Pid};

use crate::{
    Environment, LaunchError, LaunchErrorKind,
    command::Spec,
    environment::Change,
    feed::Feed,
    kill::{Quarry, Tree},
    launch_error::diagnose,
    lookup,
    marker::{MARKER, Marker},
    os::{self, Leader},
    unsafe_calls::{Image, spawn},
};

/// A command that runs, and our ends of its pipes.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) tree: Tree,
    /// Nothing when all of stdin fitted into the pipe.
    pub(crate) stdin: Option<Feed>,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Starts a command. Blocks for as long as the kernel takes to load the program.
///
/// With `open`, stdin stays open for more than the command's own input.
pub(crate) fn start(spec: &Spec, marker: Marker, open: bool) -> Result<Started, LaunchError> {
    launch(spec, marker, open, patiently).map_err(|kind| spec.failed(kind))
}

/// Starts a command that is known to start at once. Where it does not, [`start`] tells why.
pub(crate) fn start_at_once(spec: &Spec, marker: Marker) -> Option<Started> {
    launch(spec, marker, false, spawn).ok()
}

fn launch(
    spec: &Spec,
    marker: Marker,
    open: bool,
    begin: impl FnOnce(&Image<'_>) -> Result<Pid, Errno>,
) -> Result<Started, LaunchErrorKind> {
    let inherited;
    let environment = if let Some(given) = &spec.environment {
        given
    } else {
        inherited = Environment::inherited();
        &inherited
    };
    let path = environment.effective(&spec.changes, "PATH");
    let program = lookup::find(&spec.program, path, spec.cwd.as_deref())?;
    let failed = |error: Errno| diagnose(error, &program, spec.cwd.as_deref());

    let (child_in, stdin) = os::pipe().map_err(failed)?;
    let (stdout, child_out) = os::pipe().map_err(failed)?;
    let (stderr, child_err) = os::pipe().map_err(failed)?;
    let child_in = os::above_stdio(child_in).map_err(failed)?;
    let child_out = os::above_stdio(child_out).map_err(failed)?;
    let child_err = os::above_stdio(child_err).map_err(failed)?;
    let stdio = [child_in.as_fd(), child_out.as_fd(), child_err.as_fd()];
    let pid = with_strings(spec, environment, &marker, &program, |strings| {
        let Strings {
            program,
            args,
            environment,
            cwd,
        } = strings;
        begin(&Image {
            program,
            args,
            environment,
            cwd,
            stdio,
        })
    })?;
    let pid = pid.map_err(failed)?;
    let leader = Leader::open(pid).map_err(failed)?;
    let tree = Tree::new(Quarry::of_run(leader, marker));
    // From here on the command runs, and all this costs it nothing.
    for ours in [&stdin, &stdout, &stderr] {
        rustix::io::ioctl_fionbio(ours, true).map_err(failed)?;
    }
    let stdin = Feed::fill(stdin, spec.stdin.clone(), open);
    Ok(Started {
        tree,
        stdin,
        stdout,
        stderr,
    })
}

/// Starts it; a file that is open for writing is tried again, for a quarter of a second.
///
/// Whoever wrote a script may have closed it and be told that it is busy all the same: a child
/// that another thread started meanwhile holds a copy of the descriptor until it executes.
fn patiently(image: &Image<'_>) -> Result<Pid, Errno> {
    let mut pause = Duration::from_millis(1);
    loop {
        match spawn(image) {
            Err(Errno::TXTBSY) if pause < Duration::from_millis(200) => thread::sleep(pause),
            result => return result,
        }
        pause *= 2;
    }
}

/// Everything a start takes as C strings.
struct Strings<'a> {
    program: &'a CStr,
    args: &'a [&'a CStr],
    environment: &'a [&'a CStr],
    cwd: Option<&'a CStr>,
}

fn with_strings<T>(
    spec: &Spec,
    environment: &Environment,
    marker: &Marker,
    program: &std::path::Path,
    body: impl FnOnce(Strings<'_>) -> T,
) -> Result<T, LaunchErrorKind> {
    let owned_program = c_string(program.as_os_str(), "the program's path")?;
    let cwd = spec.cwd.as_deref();
    let cwd = cwd
        .map(|cwd| c_string(cwd.as_os_str(), "the working directory"))
        .transpose()?;
    let name = c_string(&spec.program, "the program's name")?;
    let args: Vec<CString> = spec
        .args
        .iter()
        .map(|arg| c_string(arg, "an argument"))
        .collect::<Result<_, _>>()?;
    let args: Vec<&CStr> = std::iter::once(name.as_c_str())
        .chain(args.iter().map(CString::as_c_str))
        .collect();

    let outer = environment.effective(&spec.changes, MARKER);
    let marked = [Change::Set(MARKER.into(), marker.value(outer))];
    let call = |environment: &[&CStr]| {
        let (program, args) = (owned_program.as_c_str(), args.as_slice());
        body(Strings {
            program,
            args,
            environment,
            cwd: cwd.as_deref(),
        })
    };
    environment
        .assemble(&[&spec.changes, &marked], call)
        .map_err(|variable| LaunchErrorKind::NulByte {
            place: format!("the variable `{}`", variable.0.display()),
        })
}

fn c_string(text: &OsStr, place: &str) -> Result<CString, LaunchErrorKind> {
    CString::new(text.as_bytes()).map_err(|_| LaunchErrorKind::NulByte {
        place: place.to_owned(),
    })
}
