//! The thread that hunts trees down.
//!
//! It exists only while there is something to kill, needs no runtime, so that a dropped future
//! or a dropped runtime can rely on it, and reads `/proc` once for all trees in hand. What does
//! not die even of KILL (a process in an uninterruptible system call) stays with it; the run is
//! told and does not wait.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use tokio::sync::oneshot;

use crate::{
    Force,
    command::FOREVER,
    descend::Snapshot,
    kill::{Quarry, Status},
};

/// After this long under KILL a process is held to be stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(3);
/// Pauses between looks, from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
const STUCK_PAUSE: Duration = Duration::from_millis(500);

/// What became of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caught {
    pub(crate) force: Force,
    /// How the leader ended; nothing when there was none, or when it does not die.
    pub(crate) status: Option<Status>,
}

impl Caught {
    const STUCK: Self = Self {
        force: Force::Kill,
        status: None,
    };
}

/// A tree to be ended.
#[derive(Debug)]
pub(crate) struct Job {
    quarry: Quarry,
    phase: Phase,
    answer: Option<oneshot::Sender<Caught>>,
    hurry: Arc<AtomicBool>,
    pause: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// TERM is still to go out.
    Ask {
        until: Instant,
    },
    /// They have been asked; they may end until then.
    Wait {
        until: Instant,
    },
    Kill {
        since: Instant,
    },
}

/// The other end of a job that somebody waits for.
#[derive(Debug)]
pub(crate) struct Hunt {
    answer: oneshot::Receiver<Caught>,
    hurry: Arc<AtomicBool>,
}

impl Hunt {
    /// Waits for the end.
    pub(crate) async fn caught(mut self) -> Caught {
        poll_fn(|cx| self.poll(cx)).await
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Caught> {
        let answer = Pin::new(&mut self.answer).poll(cx);
        answer.map(|caught| caught.unwrap_or(Caught::STUCK))
    }

    /// No more grace.
    pub(crate) fn hurry(&self) {
        self.hurry.store(true, Ordering::Release);
        sweeper().news.notify_all();
    }
}

/// Nobody waits any more, so there is no reason to be gentle.
impl Drop for Hunt {
    fn drop(&mut self) {
        self.hurry();
    }
}

impl Job {
    /// Kills now.
    pub(crate) fn kill(quarry: Quarry, answer: Option<oneshot::Sender<Caught>>) -> Self {
        let phase = Phase::Kill {
            since: Instant::now(),
        };
        let hurry = Arc::new(AtomicBool::new(false));
        Self {
            quarry,
            phase,
            answer,
            hurry,
            pause: FIRST_PAUSE,
        }
    }

    /// Gives the tree `grace` to end by itself after TERM.
    fn ask(quarry: Quarry, grace: Duration, answer: oneshot::Sender<Caught>) -> Self {
        let until = Instant::now() + grace.min(FOREVER);
        Self {
            phase: Phase::Ask { until },
            ..Self::kill(quarry, Some(answer))
        }
    }

    /// Whether this step needs to see who is running.
    fn looks(&self) -> bool {
        match self.phase {
            Phase::Ask { .. } | Phase::Kill { .. } => true,
            Phase::Wait { .. } => self.quarry.leader_has_exited(),
        }
    }

    /// Does what is due; true when the tree is gone.
    fn step(&mut self, snapshot: &mut Option<Snapshot>) -> bool {
        if self.looks() {
            let snapshot = snapshot.get_or_insert_with(Snapshot::take);
            let members = self.quarry.members(snapshot);
            let exited = self.quarry.leader_has_exited();
            if exited && members.is_empty() && self.quarry.is_gone(snapshot) {
                self.gone();
                return true;
            }
            match self.phase {
                Phase::Ask { until } => {
                    // Only now that its descendants are known: they lose their parent by this.
                    self.quarry.signal_group(Signal::TERM);
                    self.quarry.signal_strays(&members, Signal::TERM);
                    // A stopped process would sleep through the grace without seeing TERM.
                    self.quarry.signal_group(Signal::CONT);
                    self.phase = Phase::Wait { until };
                }
                Phase::Wait { .. } => {}
                Phase::Kill { since } => {
                    self.quarry.strike(snapshot);
                    self.give_up_waiting(since);
                }
            }
        }
        self.escalate();
        self.pause = (self.pause * 2).min(self.longest_pause());
        false
    }

    /// From asking to killing, when the grace is over or nobody waits for the answer any more.
    fn escalate(&mut self) {
        let until = match self.phase {
            Phase::Ask { until } | Phase::Wait { until } => until,
            Phase::Kill { .. } => return,
        };
        let deserted = self.answer.as_ref().is_none_or(oneshot::Sender::is_closed);
        if deserted || self.hurry.load(Ordering::Acquire) || Instant::now() >= until {
            self.phase = Phase::Kill {
                since: Instant::now(),
            };
            self.pause = Duration::ZERO;
        }
    }

    fn give_up_waiting(&mut self, since: Instant) {
        if since.elapsed() > PATIENCE
            && let Some(answer) = self.answer.take()
        {
            tracing::warn!(
                tree = self.quarry.marker().as_str(),
                "a process does not die of KILL"
            );
            let _ = answer.send(Caught::STUCK);
        }
    }

    fn gone(&mut self) {
        // The watchdog forgets the group before its number is free.
        self.quarry.watched = None;
        let status = self.quarry.leader.take().and_then(|leader| leader.reap());
        let force = match (self.phase, status) {
            (Phase::Kill { .. }, _) => Force::Kill,
            (_, Some(Status::Signalled(_))) => Force::Term,
            (_, Some(Status::Exited(_) | Status::Lost) | None) => Force::Exit,
        };
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(Caught { force, status });
        }
    }

    fn longest_pause(&self) -> Duration {
        match self.phase {
            Phase::Kill { since } if since.elapsed() > PATIENCE => STUCK_PAUSE,
            Phase::Ask { .. } | Phase::Wait { .. } | Phase::Kill { .. } => LONGEST_PAUSE,
        }
    }
}

/// Asks a tree to end, and kills it after the grace.
pub(crate) fn end(quarry: Quarry, grace: Duration) -> Hunt {
    if grace.is_zero() {
        return kill(quarry);
    }
    let (sender, answer) = oneshot::channel();
    hunt(Job::ask(quarry, grace, sender), answer)
}

/// Kills a tree.
pub(crate) fn kill(quarry: Quarry) -> Hunt {
    let (sender, answer) = oneshot::channel();
    hunt(Job::kill(quarry, Some(sender)), answer)
}

fn hunt(job: Job, answer: oneshot::Receiver<Caught>) -> Hunt {
    let hurry = Arc::clone(&job.hurry);
    submit(job);
    Hunt { answer, hurry }
}

#[derive(Debug, Default)]
struct Sweeper {
    inbox: Mutex<Inbox>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Inbox {
    jobs: Vec<Job>,
    running: bool,
}

fn sweeper() -> &'static Sweeper {
    static SWEEPER: Sweeper = Sweeper {
        inbox: Mutex::new(Inbox {
            jobs: Vec::new(),
            running: false,
        }),
        news: Condvar::new(),
    };
    &SWEEPER
}

fn inbox() -> MutexGuard<'static, Inbox> {
    sweeper()
        .inbox
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Hands a job to the thread, which is started if it is not there.
pub(crate) fn submit(job: Job) {
    let mut inbox = inbox();
    inbox.jobs.push(job);
    if inbox.running {
        sweeper().news.notify_all();
        return;
    }
    inbox.running = true;
    drop(inbox);
    let started = thread::Builder::new()
        .name("process-tree".into())
        .spawn(work);
    if started.is_err() {
        // No thread to be had: the caller does the work.
        work();
    }
}

/// Works until nothing is left to kill.
fn work() {
    let mut jobs: Vec<Job> = Vec::new();
    loop {
        let mut inbox = inbox();
        if jobs.is_empty() && inbox.jobs.is_empty() {
            inbox.running = false;
            return;
        }
        if inbox.jobs.is_empty() {
            let pause = jobs
                .iter()
                .map(|job| job.pause)
                .min()
                .unwrap_or(FIRST_PAUSE);
            let waited = sweeper().news.wait_timeout(inbox, pause);
            inbox = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        jobs.append(&mut inbox.jobs);
        drop(inbox);
        let mut snapshot = None;
        jobs.retain_mut(|job| !job.step(&mut snapshot));
    }
}
