//! Linux 5.4 and later: pidfds, `pipe2`, growing pipes.

use std::{
    ffi::CStr,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    pipe::PipeFlags,
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitIdStatus, getrlimit,
        kill_process_group, pidfd_open, pidfd_send_signal, waitid,
    },
};

use crate::{descend, kill::Status};

/// The command itself: our child, and the leader of its session and group.
///
/// While it has not been reaped its number cannot be given to another process, so waiting for it
/// and signals to its group are safe.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: Pid,
    /// Made when it is first waited for: a short command ends sooner than this pays.
    fd: OnceLock<Arc<OwnedFd>>,
}

impl Leader {
    /// Takes charge of a child that has not been waited for.
    pub(crate) fn open(pid: Pid) -> Result<Self, Errno> {
        let leader = Self {
            pid,
            fd: OnceLock::new(),
        };
        // When somebody else has reaped it, the number may already be another's.
        match leader.peek() {
            Err(Errno::CHILD) => Err(Errno::SRCH),
            Ok(_) | Err(_) => Ok(leader),
        }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to the whole group; a group that is gone is no error.
    pub(crate) fn signal_group(&self, signal: Signal) {
        // Where somebody else reaps our children, the number may already be another's.
        if self.peek() != Err(Errno::CHILD) {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Whether it has ended. It stays a zombie.
    pub(crate) fn has_exited(&self) -> bool {
        !matches!(self.peek(), Ok(false) | Err(Errno::INTR))
    }

    fn peek(&self) -> Result<bool, Errno> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid), options).map(|status| status.is_some())
    }

    /// Reaps it if it has ended: its number is free from now on.
    pub(crate) fn reap(&self) -> Option<Status> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        loop {
            match waitid(WaitId::Pid(self.pid), options) {
                Ok(None) => return None,
                Ok(Some(status)) => return Some(read(&status)),
                Err(Errno::INTR) => {}
                Err(_) => return Some(Status::Lost),
            }
        }
    }

    /// What becomes readable when it has ended; nothing when no descriptor is left.
    pub(crate) fn handle(&self) -> Option<Arc<OwnedFd>> {
        if self.fd.get().is_none() {
            let opened = pidfd_open(self.pid, PidfdFlags::empty()).ok()?;
            let _ = self.fd.set(Arc::new(opened));
        }
        self.fd.get().cloned()
    }
}

fn read(status: &WaitIdStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signalled(signal),
        (None, None) => Status::Lost,
    }
}

/// A pipe that no other child of this process inherits: its reading end and its writing end.
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    rustix::pipe::pipe_with(PipeFlags::CLOEXEC)
}

/// Moves a descriptor out of the way of stdin, stdout and stderr, in a host that closed its own.
pub(crate) fn above_stdio(fd: OwnedFd) -> Result<OwnedFd, Errno> {
    if fd.as_raw_fd() > 2 {
        Ok(fd)
    } else {
        rustix::io::fcntl_dupfd_cloexec(fd, 3)
    }
}

/// Makes a pipe hold a megabyte, if the user's quota for pipes allows; if not, it stays.
pub(crate) fn grow_pipe(pipe: impl AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
}

/// Sends a signal to one process found in `/proc`, unless its number has passed to another.
pub(crate) fn signal_one(process: &descend::Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return;
    };
    let Ok(fd) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    // The handle is fixed now: if the process is still the one we saw, so is the handle's.
    let same = descend::look_at(process.pid).is_some_and(|now| now.start == process.start);
    if same {
        let _ = pidfd_send_signal(&fd, signal);
    }
}

/// The process number given out last in this namespace: the last word of `/proc/loadavg`.
///
/// Asked after every command, and to open the file takes longer than to read it. Where somebody
/// has closed the descriptor that is [kept](keep), or put another file in its place, that shows.
pub(crate) fn newest_pid() -> Option<i32> {
    let mut text = [0; 128];
    let kept = kept().clone();
    let length = kept.and_then(|kept| rustix::io::pread(kept, &mut text, 0).ok());
    let number = length.and_then(|length| last_number(&text[..length]));
    number.or_else(|| last_number(start_of(LOAD, &mut text)?))
}

/// Keeps open what is asked after every command, or closes it.
pub(crate) fn keep(open: bool) {
    let file = open.then(|| self::open(LOAD)).flatten();
    *kept() = file.map(Arc::new);
}

fn kept() -> MutexGuard<'static, Option<Arc<OwnedFd>>> {
    static KEPT: Mutex<Option<Arc<OwnedFd>>> = Mutex::new(None);
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: &CStr) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok()
}

const LOAD: &CStr = c"/proc/loadavg";

/// The last of five words; the fourth says how many of how many run.
fn last_number(text: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let words: Vec<&str> = text.split(' ').collect();
    let [_, _, _, running, number] = words[..] else {
        return None;
    };
    running.split_once('/')?;
    number.parse().ok()
}

/// What one read of a file gives.
fn start_of<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = rustix::io::read(open(path)?, &mut *buffer).ok()?;
    buffer.get(..length)
}

/// What children have from this process, as far as a command can tell and it changes in a life.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inherited {
    umask: Vec<u8>,
    limits: [Rlimit; LIMITS.len()],
}

/// Every limit there is.
const LIMITS: [Resource; 16] = [
    Resource::Cpu,
    Resource::Fsize,
    Resource::Data,
    Resource::Stack,
    Resource::Core,
    Resource::Rss,
    Resource::Nproc,
    Resource::Nofile,
    Resource::Memlock,
    Resource::As,
    Resource::Locks,
    Resource::Sigpending,
    Resource::Msgqueue,
    Resource::Nice,
    Resource::Rtprio,
    Resource::Rttime,
];

impl Inherited {
    /// As it is now. The only call that tells the umask changes it, so it is read.
    pub(crate) fn now() -> Option<Self> {
        let mut text = [0; 4096];
        let text = start_of(c"/proc/self/status", &mut text)?;
        let mut lines = text.split(|&byte| byte == b'\n');
        let umask = lines.find_map(|line| line.strip_prefix(b"Umask:"))?;
        Some(Self {
            umask: umask.to_vec(),
            limits: LIMITS.map(getrlimit),
        })
    }
}

/// File systems that do not wait for another machine or another process.
const LOCAL: [u64; 11] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683E, // btrfs
    0x0102_1994, // tmpfs
    0x8584_58F6, // ramfs
    0x794C_7630, // overlayfs
    0xF2F5_2010, // f2fs
    0x2FC1_2FC1, // zfs
    0xCA45_1A4E, // bcachefs
    0xE0F5_E1E2, // erofs
    0x7371_7368, // squashfs
];

/// Whether a path is on a file system of this machine. Blocks where it is not.
pub(crate) fn is_local(path: &std::path::Path) -> bool {
    rustix::fs::statfs(path)
        .ok()
        .and_then(|found| u64::try_from(found.f_type).ok())
        .is_some_and(|kind| LOCAL.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_number_is_that_of_the_process_started_last_however_often_it_is_asked_for() {
        for kept in [false, true, false, true] {
            let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
            let number = i32::try_from(child.id()).unwrap();
            // Others start processes too; numbers begin anew only after a very long time.
            assert!(newest_pid().is_some_and(|newest| newest >= number));
            child.wait().unwrap();
            keep(!kept);
        }
    }

    #[test]
    fn what_is_no_load_is_not_read_as_one() {
        assert_eq!(last_number(b"0.20 0.18 0.12 1/80 11206\n"), Some(11206));
        for other in [
            "",
            "11206\n",
            "0.20 0.18 0.12 1/80 11206",
            "0.20 0.18 0.12 80 11206\n",
            "0.20 0.18 0.12 1/80 many\n",
            "0.20 0.18 0.12 1/80 7 11206\n",
        ] {
            assert_eq!(last_number(other.as_bytes()), None, "{other:?}");
        }
    }
}
