//! The only unsafe code of this crate: starting a program, registering a descriptor with tokio,
//! `getsid`, and the signal mask around a write.
//!
//! A descriptor that the host left open for its children, on purpose or because a library forgot
//! to mark it, is not for ours: the child closes everything but its three, by a call that younger
//! C libraries have, or else one by one.
//!
//! Why not the standard library: it can put a child into a group but not into a session of its
//! own, short of `pre_exec`, and that forks. A fork copies the page tables of the host, which at
//! a gigabyte of heap costs fifty milliseconds; both ways here borrow the address space instead:
//! `posix_spawn` everywhere, and on Linux [`borrow`], which costs less.
//!
//! What is unsafe are calls into the C library with pointers made in this file. The types below
//! own what the library allocates and give it back when dropped, and [`spawn`] takes only
//! borrowed Rust values, so a caller cannot misuse it. [`watch`] takes a descriptor that is owned,
//! which is what tokio has to take our word for.
#![expect(
    unsafe_code,
    reason = "none of these calls has a safe wrapper that does what is needed here"
)]

#[cfg(target_os = "linux")]
mod borrow;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod clone3;
#[cfg(any(not(target_os = "linux"), test))]
mod posix;

use std::{
    ffi::{CStr, c_char, c_int},
    fs, io,
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    ptr,
    sync::Arc,
};

#[cfg(target_os = "linux")]
pub(crate) use borrow::spawn;
#[cfg(not(target_os = "linux"))]
pub(crate) use posix::spawn;

use rustix::io::Errno;
use tokio::io::{Interest, unix::AsyncFd};

/// A descriptor whose readiness the runtime reports.
pub(crate) type Watched = AsyncFd<Arc<OwnedFd>>;

/// Registers a descriptor with the runtime.
pub(crate) fn watch(fd: impl Into<Arc<OwnedFd>>, interest: Interest) -> io::Result<Watched> {
    // SAFETY: tokio asks that the descriptor stays open and the same until the result is dropped.
    // The result owns a share of it, so it stays open; an `OwnedFd` behind an `Arc` cannot be
    // exchanged for another, and this crate never calls `get_mut`, by which the share itself
    // could be.
    Ok(unsafe { AsyncFd::register_with_interest(fd.into(), interest) }?)
}

/// Writes without ever raising SIGPIPE, which ends a host that has not set it aside: when nobody
/// reads any more the error says so.
pub(crate) fn write_quietly(pipe: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    quietly(|| rustix::io::write(pipe, bytes))
}

/// The same for another way to write.
pub(crate) fn quietly(write: impl FnOnce() -> Result<usize, Errno>) -> Result<usize, Errno> {
    let mut pipe_signal = signals(libc::sigemptyset);
    let (mut before, mut waiting) = (signals(libc::sigemptyset), signals(libc::sigemptyset));
    // SAFETY: the sets are live locals that the calls read or fill; only the mask of this thread
    // is changed, and it is put back below.
    let was_waiting = unsafe {
        libc::sigaddset(&raw mut pipe_signal, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe_signal, &raw mut before);
        libc::sigpending(&raw mut waiting);
        libc::sigismember(&raw const waiting, libc::SIGPIPE) == 1
    };
    let written = write();
    // SAFETY: as above. `sigwait` returns at once, for the write has left the signal waiting for
    // this thread, unless it was ignored, which the second look tells.
    unsafe {
        libc::sigpending(&raw mut waiting);
        let is_waiting = libc::sigismember(&raw const waiting, libc::SIGPIPE) == 1;
        if written == Err(Errno::PIPE) && is_waiting && !was_waiting {
            let mut taken = 0;
            libc::sigwait(&raw const pipe_signal, &raw mut taken);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
    }
    written
}

/// The session of any process; 0 for one of the kernel's own.
///
/// The safe wrapper takes 0 for impossible.
pub(crate) fn session_of(pid: i32) -> Option<i32> {
    // SAFETY: the call takes a number and returns a number.
    let session = unsafe { libc::getsid(pid) };
    (session >= 0).then_some(session)
}

/// What to start.
#[derive(Debug)]
pub(crate) struct Image<'a> {
    pub(crate) program: &'a CStr,
    pub(crate) args: &'a [&'a CStr],
    pub(crate) environment: &'a [&'a CStr],
    pub(crate) cwd: Option<&'a CStr>,
    /// The child's stdin, stdout and stderr; none of them may be descriptor 0, 1 or 2.
    pub(crate) stdio: [BorrowedFd<'a>; 3],
}

/// An array as C wants it: pointers, then a null pointer.
fn pointers(strings: &[&CStr]) -> Vec<*const c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr())
        .chain([ptr::null()])
        .collect()
}

/// A signal set filled by `fill`, which is `sigemptyset` or `sigfillset`.
fn signals(fill: unsafe extern "C" fn(*mut libc::sigset_t) -> c_int) -> libc::sigset_t {
    let mut set = MaybeUninit::zeroed();
    // SAFETY: `set` is writable memory of the right size, which is all both functions ask for.
    unsafe { fill(set.as_mut_ptr()) };
    // SAFETY: `fill` initialised the set; a signal set is plain integers, valid even all zero.
    unsafe { set.assume_init() }
}

/// The descriptors of this process that a child would inherit, stdin, stdout and stderr apart.
fn inheritable() -> Vec<c_int> {
    let listed = fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let stays_open = |fd: &c_int| {
        // SAFETY: the call takes numbers, returns flags or -1, and changes nothing.
        let flags = unsafe { libc::fcntl(*fd, libc::F_GETFD) };
        *fd > 2 && flags >= 0 && flags & libc::FD_CLOEXEC == 0
    };
    numbers.filter(stays_open).collect()
}

#[cfg(test)]
mod tests;
