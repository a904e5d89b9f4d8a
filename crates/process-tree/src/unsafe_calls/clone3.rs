//! Making a child whose handlers of signals are gone from its first instruction on.
//!
//! The C library's `clone` cannot ask for that: its flags have 32 bits, and it has no other way to
//! the younger system call. Where this one is not known, or a sandbox forbids it, there is `clone`,
//! and the child takes every signal back by itself: 64 calls in place of 29, which is one per cent
//! of a command that takes a millisecond.

use std::{
    arch::asm,
    ffi::{c_int, c_void},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::io::Errno;

use super::borrow::{SIGNALS, Stack, bit};

/// In the kernel's words: no handler of the host is one of the child's. What is ignored stays so.
const CLEAR_SIGHAND: u64 = 0x1_0000_0000;

/// The action of a signal that is ignored.
const IGNORED: u64 = 1;

/// Set once the kernel, or who stands before it, has turned the call down.
static TURNED_DOWN: AtomicBool = AtomicBool::new(false);

/// Has a child call `life` with `life_arg` on `stack`. Nothing where this cannot be had.
///
/// # Safety
///
/// As for `clone` with `CLONE_VM` and `CLONE_VFORK`: `life` does not return, and keeps the rules of
/// a child that borrows memory; `stack` and what `life_arg` points at are its own meanwhile.
pub(super) unsafe fn begin(
    stack: &mut Stack,
    life: extern "C" fn(*mut c_void) -> c_int,
    life_arg: *mut c_void,
) -> Option<Result<libc::pid_t, Errno>> {
    if TURNED_DOWN.load(Ordering::Relaxed) {
        return None;
    }
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    // In the order of the kernel's `struct clone_args`, in its first and shortest form.
    let args: [u64; 8] = [
        u64::from(flags.unsigned_abs()) | CLEAR_SIGHAND,
        0, // no handle: most commands end without one
        0,
        0,
        u64::from(libc::SIGCHLD.unsigned_abs()),
        (&raw mut *stack).expose_provenance() as u64,
        size_of::<Stack>() as u64,
        0,
    ];
    let result: i64;
    // SAFETY: the kernel reads `args`, which is as long as is said. The child begins after
    // `syscall` with the same registers, but `rax`, which is 0, and `rsp`, which is the end of
    // `stack` and aligned to 16, as a function expects it at a call. It never leaves these lines,
    // for `life` does not return, so what the compiler knows of this thread holds. This thread goes
    // on once the child has executed or is gone; the kernel has changed `rcx` and `r11`, and the
    // child no register of this thread.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp", // where a backtrace ends
            "mov rdi, r8",
            "call r9",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") args.as_ptr(),
            in("rsi") size_of_val(&args),
            in("r8") life_arg,
            in("r9") life,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    let number = c_int::try_from(result).unwrap_or(-libc::EAGAIN);
    if number >= 0 {
        return Some(Ok(number));
    }
    match Errno::from_raw_os_error(-number) {
        Errno::NOSYS | Errno::INVAL | Errno::PERM => {
            TURNED_DOWN.store(true, Ordering::Relaxed);
            None
        }
        error => Some(Err(error)),
    }
}

/// The signals that a child without the host's handlers takes back: those that a program may have
/// been told to ignore at any time, and of the real-time ones, which nobody ignores by chance, those
/// that were ignored when a command was first started.
pub(super) fn ignorable() -> u64 {
    static SEEN: OnceLock<u64> = OnceLock::new();
    const REAL_TIME: c_int = 32;
    let standard = (1..REAL_TIME).filter(|it| ![libc::SIGKILL, libc::SIGSTOP].contains(it));
    let standard = standard.fold(0, |set, signal| set | bit(signal));
    standard
        | SEEN.get_or_init(|| {
            let ignored = (REAL_TIME..=SIGNALS).filter(|signal| is_ignored(*signal));
            ignored.fold(0, |set, signal| set | bit(signal))
        })
}

fn is_ignored(signal: c_int) -> bool {
    let mut action = [0_u64; 8];
    let (new, old) = (std::ptr::null::<u64>(), action.as_mut_ptr());
    // SAFETY: `action` is longer than the kernel's form of an action, which begins with the
    // handler; nothing is changed.
    let code = unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, new, old, size_of::<u64>()) };
    code == 0 && action[0] == IGNORED
}
