//! macOS and the BSDs: a thread waits for each command, and only its group can be found.
//!
//! kqueue would spare the thread, but the runtime offers no way to register a process with it.

use std::{
    os::fd::{AsFd, AsRawFd, OwnedFd},
    sync::{Arc, OnceLock},
};

use rustix::{
    io::{Errno, FdFlags},
    process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid},
};

use crate::{descend, kill::Status};

/// The command itself. Until it is reaped its number cannot be given to another process.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: Pid,
    /// Ends when the waiting thread has seen the command end; both are made when it is first
    /// waited for.
    ended: OnceLock<Arc<OwnedFd>>,
}

impl Leader {
    /// Takes charge of a child that has not been waited for.
    pub(crate) fn open(pid: Pid) -> Result<Self, Errno> {
        let leader = Self {
            pid,
            ended: OnceLock::new(),
        };
        match leader.peek() {
            Err(Errno::CHILD) => Err(Errno::SRCH),
            Ok(_) | Err(_) => Ok(leader),
        }
    }

    fn watch(pid: Pid) -> Result<OwnedFd, Errno> {
        let (ended, held) = pipe()?;
        rustix::io::ioctl_fionbio(&ended, true)?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
            drop(held);
        };
        std::thread::Builder::new()
            .name("process-tree-wait".into())
            .spawn(wait)
            .map_err(|_| Errno::AGAIN)?;
        Ok(ended)
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to the whole group; a group that is gone is no error.
    pub(crate) fn signal_group(&self, signal: Signal) {
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

    /// What becomes readable when it has ended; nothing when there is no thread or descriptor.
    pub(crate) fn handle(&self) -> Option<Arc<OwnedFd>> {
        if self.ended.get().is_none() {
            let opened = Self::watch(self.pid).ok()?;
            let _ = self.ended.set(Arc::new(opened));
        }
        self.ended.get().cloned()
    }
}

fn read(status: &WaitIdStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signalled(signal),
        (None, None) => Status::Lost,
    }
}

/// A pipe. It is closed on exec a moment after it is made, so a child that another thread forks
/// in between inherits it; our own children do not (`POSIX_SPAWN_CLOEXEC_DEFAULT`).
pub(crate) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (reader, writer) = rustix::pipe::pipe()?;
    for end in [&reader, &writer] {
        rustix::io::fcntl_setfd(end, FdFlags::CLOEXEC)?;
    }
    Ok((reader, writer))
}

/// Moves a descriptor out of the way of stdin, stdout and stderr, in a host that closed its own.
pub(crate) fn above_stdio(fd: OwnedFd) -> Result<OwnedFd, Errno> {
    if fd.as_raw_fd() > 2 {
        Ok(fd)
    } else {
        rustix::io::fcntl_dupfd_cloexec(fd, 3)
    }
}

/// Pipes grow by themselves here.
pub(crate) fn grow_pipe(_pipe: impl AsFd) {}

/// Without `/proc` nobody outside the group is ever found.
pub(crate) fn signal_one(_process: &descend::Process, _signal: Signal) {}

/// Nothing here is asked after every command.
pub(crate) fn keep(_open: bool) {}

/// Not known here.
pub(crate) fn newest_pid() -> Option<i32> {
    None
}

/// Whether a path is on a file system of this machine: not asked here, so everything is started
/// by a thread that may block.
pub(crate) fn is_local(_: &std::path::Path) -> bool {
    false
}

/// What children have from this process. Nothing is started ahead here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inherited;

impl Inherited {
    pub(crate) fn now() -> Option<Self> {
        None
    }
}
