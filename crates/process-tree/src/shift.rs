//! The first moments of a run, on a thread that may block. For most commands they are all.
//!
//! Starting blocks for as long as the kernel takes to load the program, so it must not happen on
//! a thread that others wait for. The thread then stays with the command for a while: plain
//! `poll` on four descriptors costs less than making them known to the runtime, and a short
//! command needs one way to the thread and one back. What lasts longer goes to the runtime.

use std::{
    future::poll_fn,
    os::fd::{AsFd, OwnedFd},
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::{sync::oneshot, time::sleep};

use crate::{
    LaunchError, LaunchErrorKind,
    command::{FOREVER, Spec},
    kill::Tree,
    marker::Marker,
    os::Leader,
    parting::{self, Parted},
    pipes::PlainPipes,
    pool, quick,
    start::{Started, start},
};

/// How long a thread stays with one command.
const SHIFT: Duration = Duration::from_millis(100);
/// A start that takes so long hangs, and how often one is looked at that may.
const HANGS: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_millis(2);
/// How long it waits for the pipes alone.
const ASK: Duration = Duration::from_millis(3);

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
    /// No thread has come to it yet.
    Waiting,
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
    /// It was over before it could be taken.
    Over(Box<Outcome>),
}

impl Shift {
    /// Begins with a command that is to be over at `end`.
    pub(crate) fn begin(spec: &Arc<Spec>, marker: Marker, clock: Instant, end: Instant) -> Self {
        let (sender, answer) = oneshot::channel();
        let slot = Arc::new(Mutex::new(Slot::Waiting));
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
        let answer = Pin::new(&mut self.answer).poll(cx);
        answer.map(|outcome| {
            outcome.unwrap_or_else(|_| {
                let message = "the thread that looked after it has ended".to_owned();
                let kind = LaunchErrorKind::Other { message };
                Outcome::NotStarted(self.spec.failed(kind))
            })
        })
    }

    /// Takes the tree away from the thread, which goes on reading its pipes.
    ///
    /// A start that is under way is given a moment, so that the tree can be ended in good order
    /// before there is an answer; one that hangs is not waited for.
    pub(crate) async fn take(&mut self) -> Taken {
        let clock = Instant::now();
        loop {
            if let Some(taken) = self.try_take(clock.elapsed() > HANGS) {
                return taken;
            }
            let mut pause = pin!(sleep(LOOK));
            let outcome = poll_fn(|cx| match self.poll(cx) {
                Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
                Poll::Pending => pause.as_mut().poll(cx).map(|()| None),
            });
            if let Some(outcome) = outcome.await {
                return Taken::Over(Box::new(outcome));
            }
        }
    }

    /// Nothing as long as the outcome is on its way, or the command is being started.
    fn try_take(&self, hangs: bool) -> Option<Taken> {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut *slot, Slot::Deserted) {
            Slot::Running(tree, launch) => Some(Taken::Running(tree, launch)),
            Slot::Waiting => Some(Taken::NotStarted),
            Slot::Starting if hangs => Some(Taken::NotStarted),
            before @ (Slot::Starting | Slot::Parting | Slot::Deserted) => {
                *slot = before;
                None
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
        if !self.enter(Slot::Starting) {
            return None;
        }
        let Started {
            tree,
            stdin,
            stdout,
            stderr,
        } = match start(&self.spec, marker, false) {
            Ok(started) => started,
            Err(error) => return Some(Outcome::NotStarted(error)),
        };
        let launch = self.clock.elapsed();
        quick::learn(&self.spec);
        if !self.enter(Slot::Running(tree, launch)) {
            return None;
        }
        let limits = &self.spec.limits;
        let mut pipes = PlainPipes::new(stdin, stdout, stderr, limits);
        let until = self.end.min(Instant::now() + SHIFT);
        let served = self.serve(&mut pipes, limits.drain, until);
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

    /// Goes on to the next state; false when nobody waits any more, and the state is dropped.
    fn enter(&self, next: Slot) -> bool {
        let mut slot = lock(&self.slot);
        let deserted = matches!(*slot, Slot::Deserted);
        if !deserted {
            *slot = next;
        }
        !deserted
    }

    /// Feeds and reads until the command has exited, or the time is up.
    fn serve(&self, pipes: &mut PlainPipes, drain: Duration, until: Instant) -> Served {
        let mut end = End::Pipes;
        let mut drain_until: Option<Instant> = None;
        let mut quiet = false;
        loop {
            let ended = pipes.pump();
            let now = Instant::now();
            match drain_until {
                Some(limit) if ended || now >= limit => return Served::Exited,
                _ if now >= until => return Served::Lasting(drain_until),
                _ => {}
            }
            if drain_until.is_none() && self.has_exited(&mut end, ended, quiet) {
                pipes.close_stdin();
                drain_until = Some(Instant::now() + drain.min(FOREVER));
                continue;
            }
            let limit = drain_until.map_or(until, |limit| limit.min(until));
            quiet = wait(pipes, drain_until.is_none().then_some(&end), limit - now);
        }
    }

    /// Whether the command has exited. Its pipes end a moment before it does, so that is when it
    /// is asked. Where they are `quiet` for long, or it goes on without them, its handle tells.
    fn has_exited(&self, end: &mut End, ended: bool, quiet: bool) -> bool {
        let slot = lock(&self.slot);
        let Slot::Running(tree, _) = &*slot else {
            return true;
        };
        let Some(leader) = tree.leader() else {
            return true;
        };
        if matches!(end, End::Told(_)) {
            return leader.has_exited();
        }
        if !ended && !quiet {
            return false;
        }
        if leader.has_exited() || (ended && exits_now(leader)) {
            return true;
        }
        if let Some(handle) = leader.handle() {
            *end = End::Told(handle);
        }
        // It may have exited before there was a handle, which tells that too.
        false
    }

    /// Takes the tree out again.
    fn part(&self) -> Option<Tree> {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut *slot, Slot::Parting) {
            Slot::Running(tree, _) => Some(tree),
            before @ (Slot::Waiting | Slot::Starting | Slot::Parting | Slot::Deserted) => {
                *slot = before;
                None
            }
        }
    }
}

/// How the thread learns that the command has exited.
enum End {
    /// By the end of its pipes, and by asking every now and then.
    Pipes,
    /// By a descriptor that turns readable.
    Told(Arc<OwnedFd>),
}

enum Served {
    /// The command has exited, and there is nothing more to read or to wait for.
    Exited,
    /// The shift is over; until when output is awaited, if the command has exited.
    Lasting(Option<Instant>),
}

/// Whether a command whose outputs have ended exits within a few microseconds, as most do: then
/// a handle for it would cost more than to look again. Not by yielding: on a busy machine that
/// gives the processor away for milliseconds.
pub(crate) fn exits_now(leader: &Leader) -> bool {
    const LOOKS: usize = 16;
    (0..LOOKS).any(|_| {
        std::hint::spin_loop();
        leader.has_exited()
    })
}

/// Sleeps until something can be done; whether nothing could for as long as was asked for.
fn wait(pipes: &PlainPipes, end: Option<&End>, limit: Duration) -> bool {
    let (handle, limit) = match end {
        Some(End::Told(handle)) => (Some(handle), limit),
        Some(End::Pipes) => (None, limit.min(ASK)),
        None => (None, limit),
    };
    let limit = Timespec::try_from(limit).unwrap_or(Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    });
    let handle = handle.map(|handle| PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN));
    let mut fds: Vec<PollFd<'_>> = pipes.waiting().chain(handle).collect();
    match poll(&mut fds, Some(&limit)) {
        Ok(ready) => ready == 0,
        Err(Errno::INTR) => false,
        Err(_) => {
            // No memory: look again soon.
            thread::sleep(Duration::from_millis(1));
            true
        }
    }
}
