//! The only unsafe code of this crate: `posix_spawn`, registering a descriptor with tokio, and
//! `getsid`, and the signal mask around a write.
//!
//! A descriptor that the host left open for its children, on purpose or because a library forgot
//! to mark it, is not for ours: the child closes everything but its three, by a call that younger
//! C libraries have, or else one by one.
//!
//! Why not the standard library: it can put a child into a group but not into a session of its
//! own, short of `pre_exec`, and that forks. A fork copies the page tables of the host, which at
//! a gigabyte of heap costs fifty milliseconds; `posix_spawn` borrows the address space instead.
//!
//! What is unsafe are calls into the C library with pointers made in this file. The types below
//! own what the library allocates and give it back when dropped, and [`spawn`] takes only
//! borrowed Rust values, so a caller cannot misuse it. [`watch`] takes a descriptor that is owned,
//! which is what tokio has to take our word for.
#![expect(
    unsafe_code,
    reason = "none of these calls has a safe wrapper that does what is needed here"
)]

use std::{
    ffi::{CStr, c_char, c_int, c_short, c_void},
    fs, io,
    mem::{self, MaybeUninit},
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    ptr,
    sync::{Arc, OnceLock},
};

use rustix::{io::Errno, process::Pid};
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

/// A new session, in which the child also leads a group of its own.
#[cfg(not(target_vendor = "apple"))]
const SETSID: c_int = libc::POSIX_SPAWN_SETSID as c_int;
/// The same on macOS; the constant is in `<spawn.h>` but not in the `libc` crate.
#[cfg(target_vendor = "apple")]
const SETSID: c_int = 0x0400;

/// On macOS, close every descriptor we did not place: pipes there are born without CLOEXEC.
#[cfg(target_vendor = "apple")]
const CLOSE_OTHERS: c_int = libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
#[cfg(not(target_vendor = "apple"))]
const CLOSE_OTHERS: c_int = 0;

/// Writes without ever raising SIGPIPE, which ends a host that has not set it aside: when nobody
/// reads any more the error says so.
pub(crate) fn write_quietly(pipe: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
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
    let written = rustix::io::write(pipe, bytes);
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

/// Starts `image` in a session of its own, with no signal blocked and none ignored.
///
/// Blocks until the child has executed its program or failed to; a failure of any step in the
/// child comes back as its error number.
pub(crate) fn spawn(image: &Image<'_>) -> Result<Pid, Errno> {
    let attributes = Attributes::new()?;
    let mut actions = Actions::new()?;
    for (fd, target) in image.stdio.iter().zip(0..) {
        actions.place(*fd, target)?;
    }
    if cfg!(not(target_vendor = "apple")) {
        actions.close_others(close_from())?;
    }
    if let Some(cwd) = image.cwd {
        actions.change_directory(cwd)?;
    }
    let args = pointers(image.args);
    let environment = pointers(image.environment);
    let mut pid: libc::pid_t = 0;
    // SAFETY: `pid` is writable; `program` ends in NUL; `actions` and `attributes` are
    // initialised and live until after the call; both arrays end in a null pointer and point at
    // strings that end in NUL and outlive the call, for `image` borrows them. `posix_spawn` does
    // not write through the arrays: the missing `const` is a C convention.
    let code = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            image.program.as_ptr(),
            actions.raw(),
            attributes.raw(),
            args.as_ptr().cast(),
            environment.as_ptr().cast(),
        )
    };
    checked(code)?;
    Pid::from_raw(pid).ok_or(Errno::SRCH)
}

/// An array as C wants it: pointers, then a null pointer.
fn pointers(strings: &[&CStr]) -> Vec<*const c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr())
        .chain([ptr::null()])
        .collect()
}

/// These functions return the error number instead of setting `errno`.
fn checked(code: c_int) -> Result<(), Errno> {
    if code == 0 {
        Ok(())
    } else {
        Err(Errno::from_raw_os_error(code))
    }
}

/// What the child changes about itself; owns what `posix_spawnattr_init` allocated.
struct Attributes(Box<MaybeUninit<libc::posix_spawnattr_t>>);

impl Attributes {
    fn new() -> Result<Self, Errno> {
        let mut memory = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is to writable memory of the right size; the call initialises it.
        checked(unsafe { libc::posix_spawnattr_init(memory.as_mut_ptr()) })?;
        // From here on the value is initialised, and dropping `made` destroys it once.
        let mut made = Self(memory);
        let (none, all) = (signals(libc::sigemptyset), signals(libc::sigfillset));
        let flags =
            SETSID | CLOSE_OTHERS | libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = c_short::try_from(flags).map_err(|_| Errno::INVAL)?;
        let raw = made.0.as_mut_ptr();
        // SAFETY: `raw` points at the initialised attributes; the call copies the flags.
        checked(unsafe { libc::posix_spawnattr_setflags(raw, flags) })?;
        // SAFETY: as above; the set is initialised and copied.
        checked(unsafe { libc::posix_spawnattr_setsigmask(raw, &raw const none) })?;
        // SAFETY: as above; the set is initialised and copied.
        checked(unsafe { libc::posix_spawnattr_setsigdefault(raw, &raw const all) })?;
        Ok(made)
    }

    fn raw(&self) -> *const libc::posix_spawnattr_t {
        self.0.as_ptr()
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: `new` initialised the value, and nothing uses it after this.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// A signal set filled by `fill`, which is `sigemptyset` or `sigfillset`.
fn signals(fill: unsafe extern "C" fn(*mut libc::sigset_t) -> c_int) -> libc::sigset_t {
    let mut set = MaybeUninit::zeroed();
    // SAFETY: `set` is writable memory of the right size, which is all both functions ask for.
    unsafe { fill(set.as_mut_ptr()) };
    // SAFETY: `fill` initialised the set; a signal set is plain integers, valid even all zero.
    unsafe { set.assume_init() }
}

/// Adds "close this descriptor and all above it" to what a child does.
type CloseFrom = unsafe extern "C" fn(*mut libc::posix_spawn_file_actions_t, c_int) -> c_int;

/// Looked up, for a program that names it would not start with an older C library.
fn close_from() -> Option<CloseFrom> {
    static FOUND: OnceLock<Option<CloseFrom>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let name = c"posix_spawn_file_actions_addclosefrom_np";
        // SAFETY: the name ends in NUL; the call searches what is loaded and changes nothing.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        // SAFETY: a null pointer is `None` in this type. Any other is the function of that name,
        // which has this signature in every C library that has it.
        unsafe { mem::transmute::<*mut c_void, Option<CloseFrom>>(found) }
    })
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

/// What the child does with descriptors and its directory before it executes the program; owns
/// what `posix_spawn_file_actions_init` and the `add` functions allocated.
struct Actions(Box<MaybeUninit<libc::posix_spawn_file_actions_t>>);

impl Actions {
    fn new() -> Result<Self, Errno> {
        let mut memory = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is to writable memory of the right size; the call initialises it.
        checked(unsafe { libc::posix_spawn_file_actions_init(memory.as_mut_ptr()) })?;
        Ok(Self(memory))
    }

    /// Makes `fd` the child's descriptor `target`, without CLOEXEC.
    fn place(&mut self, fd: BorrowedFd<'_>, target: c_int) -> Result<(), Errno> {
        let raw = self.0.as_mut_ptr();
        // SAFETY: `raw` points at initialised actions; the call copies two numbers.
        checked(unsafe { libc::posix_spawn_file_actions_adddup2(raw, fd.as_raw_fd(), target) })
    }

    /// Closes everything above stderr; without a call for that, what would stay open. One that
    /// another thread has closed meanwhile is no error.
    fn close_others(&mut self, close_from: Option<CloseFrom>) -> Result<(), Errno> {
        let raw = self.0.as_mut_ptr();
        if let Some(add) = close_from {
            // SAFETY: `raw` points at initialised actions; the call copies a number.
            return checked(unsafe { add(raw, 3) });
        }
        inheritable().into_iter().try_for_each(|fd| {
            // SAFETY: as above.
            checked(unsafe { libc::posix_spawn_file_actions_addclose(raw, fd) })
        })
    }

    fn change_directory(&mut self, cwd: &CStr) -> Result<(), Errno> {
        let raw = self.0.as_mut_ptr();
        // SAFETY: `raw` points at initialised actions; the call copies the string.
        checked(unsafe { libc::posix_spawn_file_actions_addchdir_np(raw, cwd.as_ptr()) })
    }

    fn raw(&self) -> *const libc::posix_spawn_file_actions_t {
        self.0.as_ptr()
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: `new` initialised the value, and nothing uses it after this.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

#[cfg(test)]
mod tests;
