//! Starting a program on Linux, in a child that borrows this process's memory until it executes.
//!
//! `posix_spawn` does the same, and more that is not wanted here: it maps and unmaps a stack for
//! every child. On a stack that is there already a command of a millisecond takes two per cent
//! less.
//!
//! The rules for such a child are strict, because what it writes, its host has written. So it runs
//! one function, on a stack of its own, which makes system calls, allocates nothing, takes no lock
//! and does not return; the thread that started it sleeps in the kernel until the child has
//! executed its program or is gone, and every signal is held back from both meanwhile.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    io,
    mem::MaybeUninit,
    os::fd::AsRawFd,
    ptr,
    sync::OnceLock,
};

use rustix::{
    io::Errno,
    process::{Pid, WaitOptions, waitpid},
};

#[cfg(target_arch = "x86_64")]
use super::clone3;
use super::{Image, inheritable, pointers, signals};

/// Ten times what the child needs.
const STACK: usize = 16 << 10;

/// Signals are numbered from one; a set of them is 64 bits.
pub(super) const SIGNALS: c_int = 64;

/// The place of a signal in a set of them.
pub(super) const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The default action of a signal, in the kernel's own form: nothing but zeros.
static DEFAULT: [u64; 8] = [0; 8];

/// The child's stack. It lies in the frame of the thread that starts it, which sleeps.
#[repr(C, align(16))]
pub(super) struct Stack([MaybeUninit<u8>; STACK]);

/// What the child does before it executes the program, and where it says what went wrong.
struct Steps {
    program: *const c_char,
    args: *const *const c_char,
    environment: *const *const c_char,
    /// Null to stay where the host is.
    cwd: *const c_char,
    stdio: [c_int; 3],
    /// What to close one by one, where the kernel cannot close a range.
    others: *const c_int,
    others_len: usize,
    ranges: bool,
    no_signals: libc::sigset_t,
    /// The signals that get their default action, a bit each.
    resets: u64,
    /// An error number, from the child.
    failed: c_int,
}

/// Starts `image` in a session of its own, with no signal blocked and none ignored.
///
/// Blocks until the child has executed its program or failed to; a failure of any step in the
/// child comes back as its error number.
pub(crate) fn spawn(image: &Image<'_>) -> Result<Pid, Errno> {
    spawn_by(image, at_best)
}

/// As [`spawn`], where the younger call is not to be had.
#[cfg(test)]
pub(super) fn spawn_by_clone(image: &Image<'_>) -> Result<Pid, Errno> {
    spawn_by(image, by_clone)
}

fn spawn_by(image: &Image<'_>, begin: Begin) -> Result<Pid, Errno> {
    let (args, environment) = (pointers(image.args), pointers(image.environment));
    let ranges = closes_ranges();
    let others = if ranges { Vec::new() } else { inheritable() };
    let mut steps = Steps {
        program: image.program.as_ptr(),
        args: args.as_ptr(),
        environment: environment.as_ptr(),
        cwd: image.cwd.map_or(ptr::null(), CStr::as_ptr),
        stdio: image.stdio.map(|fd| fd.as_raw_fd()),
        others: others.as_ptr(),
        others_len: others.len(),
        ranges,
        no_signals: signals(libc::sigemptyset),
        resets: u64::MAX,
        failed: 0,
    };
    let started = start(&mut steps, begin);
    let pid = started.and_then(|pid| Pid::from_raw(pid).ok_or(Errno::SRCH))?;
    if steps.failed == 0 {
        return Ok(pid);
    }
    // It is gone already, or about to be.
    while matches!(waitpid(Some(pid), WaitOptions::empty()), Err(Errno::INTR)) {}
    Err(Errno::from_raw_os_error(steps.failed))
}

/// Has a child carry out `steps`, with every signal held back until it has.
fn start(steps: &mut Steps, begin: Begin) -> Result<libc::pid_t, Errno> {
    let (all, mut before) = (signals(libc::sigfillset), signals(libc::sigemptyset));
    let mut stack = Stack([MaybeUninit::uninit(); STACK]);
    // SAFETY: the sets are live locals, and the mask of this thread is put back before anything
    // else happens. `stack`, `steps` and all that `steps` points at outlive the child's use of
    // them, for this thread does not run while the child has not executed or exited.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let begun = begin(&mut stack, steps);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
        begun
    }
}

/// A way to make the child, which carries out its steps on a stack that is its own meanwhile.
type Begin = unsafe fn(&mut Stack, &mut Steps) -> Result<libc::pid_t, Errno>;

/// The way that costs least here.
///
/// # Safety
///
/// Every signal is held back.
unsafe fn at_best(stack: &mut Stack, steps: &mut Steps) -> Result<libc::pid_t, Errno> {
    #[cfg(target_arch = "x86_64")]
    {
        let all = std::mem::replace(&mut steps.resets, clone3::ignorable());
        // SAFETY: `carry_out` keeps the rules that the module's first words give.
        let begun = unsafe { clone3::begin(stack, carry_out, (&raw mut *steps).cast()) };
        if let Some(begun) = begun {
            return begun;
        }
        steps.resets = all;
    }
    // SAFETY: as the caller's.
    unsafe { by_clone(stack, steps) }
}

/// The way that every Linux knows.
///
/// # Safety
///
/// Every signal is held back.
unsafe fn by_clone(stack: &mut Stack, steps: &mut Steps) -> Result<libc::pid_t, Errno> {
    // VFORK: this thread sleeps until the child has executed or is gone. VM: nothing is copied.
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is writable, its end is aligned to 16 as the address of a value of that
    // alignment plus a multiple of it, stacks grow down on every architecture Linux runs Rust on,
    // and `carry_out` needs far less of it, and keeps the rules that the module's first words give.
    let (pid, error) = unsafe {
        let top = (&raw mut *stack).add(1).cast::<c_void>();
        let pid = libc::clone(carry_out, top, flags, (&raw mut *steps).cast());
        (pid, io::Error::last_os_error())
    };
    if pid >= 0 {
        return Ok(pid);
    }
    Err(Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))
}

/// The child's life: never returns.
extern "C" fn carry_out(steps: *mut c_void) -> c_int {
    let steps = steps.cast::<Steps>();
    // SAFETY: `start` passes its `Steps`, which nobody else reads or writes until this child has
    // executed or exited. `errno` is the sleeping thread's. `_exit` runs no handlers.
    unsafe {
        take_steps(&*steps);
        (*steps).failed = *libc::__errno_location();
        libc::_exit(127)
    }
}

/// Returns only when a step fails; `errno` says how.
///
/// # Safety
///
/// Only for a child that borrows its host's memory, with every signal held back.
unsafe fn take_steps(steps: &Steps) {
    // SAFETY: system calls alone. The pointers are those of `spawn`: strings that end in NUL and
    // arrays that end in a null pointer, all alive. The kernel's form of an action is shorter than
    // `DEFAULT`, and all zero it means the default action with no flags. The child's actions are
    // its own, so that no handler of the host runs in it when signals come through again.
    unsafe {
        for signal in (1..=SIGNALS).filter(|signal| steps.resets & bit(*signal) != 0) {
            // The C library would not let its own be changed. Fails for KILL and STOP, which is
            // no harm.
            let (new, old) = (&raw const DEFAULT, ptr::null::<u64>());
            libc::syscall(libc::SYS_rt_sigaction, signal, new, old, size_of::<u64>());
        }
        if libc::setsid() < 0 {
            return;
        }
        for (target, fd) in (0..).zip(steps.stdio) {
            if libc::dup2(fd, target) < 0 {
                return;
            }
        }
        close_others(steps);
        if !steps.cwd.is_null() && libc::chdir(steps.cwd) != 0 {
            return;
        }
        libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const steps.no_signals,
            ptr::null_mut(),
        );
        libc::execve(steps.program, steps.args, steps.environment);
    }
}

/// Closes everything above stderr. One that another thread has closed meanwhile is no error.
///
/// # Safety
///
/// As [`take_steps`].
unsafe fn close_others(steps: &Steps) {
    // SAFETY: the call takes numbers; the array is as long as it is said to be.
    unsafe {
        if steps.ranges {
            libc::syscall(libc::SYS_close_range, 3, c_int::MAX, 0);
        }
        for at in 0..steps.others_len {
            libc::close(*steps.others.add(at));
        }
    }
}

/// Whether the kernel can close a range of descriptors, as it can since 5.9.
fn closes_ranges() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        // SAFETY: the call takes numbers, and no descriptor has the number it is about.
        unsafe { libc::syscall(libc::SYS_close_range, c_int::MAX, c_int::MAX, 0) == 0 }
    })
}
