//! `posix_spawn`, for systems without a way of their own.

use std::{
    ffi::{CStr, c_int, c_short, c_void},
    mem::{self, MaybeUninit},
    os::fd::{AsRawFd, BorrowedFd},
    sync::OnceLock,
};

use rustix::{io::Errno, process::Pid};

use super::{Image, inheritable, pointers, signals};

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

/// What a child closes where the C library does not help.
#[cfg(test)]
pub(super) fn close_one_by_one() -> Result<(), Errno> {
    Actions::new()?.close_others(None)
}
