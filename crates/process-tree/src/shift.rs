//! The first moments of a run, on a thread that may block. For most commands they are all.
//!
//! Starting blocks for as long as the kernel takes to load the program, so it must not happen on
//! a thread that others wait for. The thread then stays with the command for a while: plain
//! `poll` on four descriptors costs less than making them known to the runtime, and a short
//! command needs one way to the thread and one back. What lasts longer goes to the runtime.

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::sync::oneshot;

use crate::{
    LaunchError, LaunchErrorKind,
    command::Spec,
    kill::Tree,
    marker::Marker,
    parting::{self, Parted},
    pipes::PlainPipes,
    pool,
    start::{Started, start},
};

/// How long a thread stays with one command.
const SHIFT: Duration = Duration::from_millis(100);

/// What a shift hands over.
#[derive(Debug)]
pub(crate) enum Outcome {
    NotStarted(LaunchError),
    /// It exited by itself, and everything is done.
    Over(Parted, PlainPipes, Duration),
    /// It goes on, or its pipes are held.
    Lasting(Lasting),
    /// The tree was taken away meanwhile.
    Robbed(PlainPipes, Duration),
}

/// A command that lasts.
#[derive(Debug)]
pub(crate) struct Lasting {
    pub(crate) tree: Tree,
    pub(crate) pipes: PlainPipes,
    /// It has exited, and its pipes are held: until when output is awaited.
    pub(crate) drain_until: Option<Instant>,
    /// How long it took to start.
    pub(crate) launch: Duration,
}

/// Where the tree is while a thread serves it, so that it can be killed from outside.
#[derive(Debug)]
enum Slot {
    Starting,
    /// With the time it took to start.
    Running(Tree, Duration),
    /// It has exited and is being reaped.
    Parting,
    /// Nobody waits for it any more.
    Deserted,
}

/// The other end of a shift. Dropping it kills the command.
#[derive(Debug)]
pub(crate) struct Shift {
    slot: Arc<Mutex<Slot>>,
    answer: oneshot::Receiver<Outcome>,
    spec: Arc<Spec>,
}

/// What there was to take away.
#[derive(Debug)]
pub(crate) enum Taken {
    NotStarted,
    /// With the time it took to start.
    Running(Tree, Duration),
    /// Its outcome is on its way.
    Over,
}

impl Shift {
    /// Begins with a command that is to be over at `end`.
    pub(crate) fn begin(spec: &Arc<Spec>, marker: Marker, clock: Instant, end: Instant) -> Self {
        let (sender, answer) = oneshot::channel();
        let slot = Arc::new(Mutex::new(Slot::Starting));
        let worker = Worker {
            slot: Arc::clone(&slot),
            spec: Arc::clone(spec),
            clock,
            end,
        };
        pool::submit(Box::new(move || {
            if let Some(outcome) = worker.work(marker) {
                // When nobody waits any more, what is handed over dies with it.
                let _ = sender.send(outcome);
            }
        }));
        Self {
            slot,
            answer,
            spec: Arc::clone(spec),
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let answer = std::pin::Pin::new(&mut self.answer).poll(cx);
        answer.map(|outcome| {
            outcome.unwrap_or_else(|_| {
                let message = "the thread that looked after it has ended".to_owned();
                let kind = LaunchErrorKind::Other { message };
                Outcome::NotStarted(self.spec.failed(kind))
            })
        })
    }

    /// Takes the tree away from the thread, which goes on reading its pipes.
    pub(crate) fn take(&self) -> Taken {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut *slot, Slot::Deserted) {
            Slot::Running(tree, launch) => Taken::Running(tree, launch),
            Slot::Starting => Taken::NotStarted,
            before @ (Slot::Parting | Slot::Deserted) => {
                *slot = before;
                Taken::Over
            }
        }
    }
}

impl Drop for Shift {
    fn drop(&mut self) {
        let before = std::mem::replace(&mut *lock(&self.slot), Slot::Deserted);
        drop(before); // kills, with the lock free
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's side.
struct Worker {
    slot: Arc<Mutex<Slot>>,
    spec: Arc<Spec>,
    clock: Instant,
    end: Instant,
}

impl Worker {
    /// Nothing when nobody waits for it.
    fn work(&self, marker: Marker) -> Option<Outcome> {
        if matches!(*lock(&self.slot), Slot::Deserted) {
            return None;
        }
        let Started {
            mut tree,
            stdin,
            stdout,
            stderr,
        } = match start(&self.spec, marker, false) {
            Ok(started) => started,
            Err(error) => return Some(Outcome::NotStarted(error)),
        };
        let launch = self.clock.elapsed();
        let leader = tree.quarry().and_then(|quarry| quarry.leader.as_ref());
        let leader = leader?.handle();
        if !self.show(tree, launch) {
            return None;
        }
        let limits = &self.spec.limits;
        let mut pipes = PlainPipes::new(stdin, stdout, stderr, limits);
        let until = self.end.min(Instant::now() + SHIFT);
        let served = serve(&mut pipes, &leader, limits.drain, until);
        let Some(tree) = self.part() else {
            return Some(Outcome::Robbed(pipes, launch));
        };
        let (tree, drain_until) = match served {
            Served::Lasting(drain_until) => (tree, drain_until),
            Served::Exited => {
                match parting::let_go(tree, pipes.outputs_open(), self.clock.elapsed()) {
                    Ok(parted) => return Some(Outcome::Over(parted, pipes, launch)),
                    Err(tree) => (tree, Some(Instant::now())),
                }
            }
        };
        Some(Outcome::Lasting(Lasting {
            tree,
            pipes,
            drain_until,
            launch,
        }))
    }

    /// Puts the tree where it can be taken away; false when nobody wants it, and it is killed.
    fn show(&self, tree: Tree, launch: Duration) -> bool {
        let mut slot = lock(&self.slot);
        if matches!(*slot, Slot::Deserted) {
            drop(slot);
            return false;
        }
        *slot = Slot::Running(tree, launch);
        true
    }

    /// Takes the tree out again.
    fn part(&self) -> Option<Tree> {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut *slot, Slot::Parting) {
            Slot::Running(tree, _) => Some(tree),
            before @ (Slot::Starting | Slot::Parting | Slot::Deserted) => {
                *slot = before;
                None
            }
        }
    }
}

enum Served {
    /// The command has exited, and there is nothing more to read or to wait for.
    Exited,
    /// The shift is over; until when output is awaited, if the command has exited.
    Lasting(Option<Instant>),
}

/// Feeds and reads until the command has exited, or the time is up.
fn serve(pipes: &mut PlainPipes, leader: &OwnedFd, drain: Duration, until: Instant) -> Served {
    let mut drain_until: Option<Instant> = None;
    loop {
        let ended = pipes.pump();
        let now = Instant::now();
        match drain_until {
            Some(limit) if ended || now >= limit => return Served::Exited,
            _ if now >= until => return Served::Lasting(drain_until),
            _ => {}
        }
        let limit = drain_until.map_or(until, |limit| limit.min(until));
        let leader = drain_until.is_none().then_some(leader);
        if wait(pipes, leader, limit - now) {
            pipes.close_stdin();
            drain_until = Some(Instant::now() + drain.min(crate::command::FOREVER));
        }
    }
}

/// Sleeps until something can be done; whether the command has exited.
fn wait(pipes: &PlainPipes, leader: Option<&OwnedFd>, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).unwrap_or(Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    });
    let leader = leader.map(|leader| PollFd::from_borrowed_fd(leader.as_fd(), PollFlags::IN));
    let watched = leader.is_some();
    let mut fds: Vec<PollFd<'_>> = leader.into_iter().chain(pipes.waiting()).collect();
    match poll(&mut fds, Some(&limit)) {
        Ok(_) => {
            watched
                && fds
                    .first()
                    .is_some_and(|leader| !leader.revents().is_empty())
        }
        Err(Errno::INTR) => false,
        Err(_) => {
            // No memory: look again soon.
            thread::sleep(Duration::from_millis(1));
            false
        }
    }
}
