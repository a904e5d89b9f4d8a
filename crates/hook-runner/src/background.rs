//! Hooks that the agent does not wait for: counted, limited, and ended with the session.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use hook_types::{AgentId, Attempt, EventName, Reply, Status};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::cancel::Cancellation;
use crate::context::HookContext;
use crate::invoke::panic_message;
use crate::run::Run;

/// How many answers are kept for an agent that does not take them.
const KEPT: usize = 256;

/// A future that is a reply.
pub(crate) type Work = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// An answer that came after its firing was over.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LateAnswer {
    /// What became of the hook.
    pub attempt: Attempt,
    /// The subagent it belongs to; none: the main agent.
    pub agent_id: Option<AgentId>,
    /// Whether it wakes an agent that has nothing to do: the hook asked for it, with exit code 2.
    pub wakes: bool,
}

/// There are as many hooks in the background as there may be, or the runner is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("{0} hooks run in the background already; this one was not started")]
    Full(usize),
    #[error("the runner is closed; nothing more is started in the background")]
    Closed,
    #[error("there is no tokio runtime here to run in the background of")]
    NoRuntime,
}

/// The hooks of one session that the agent does not wait for.
#[derive(Debug)]
pub(crate) struct Background {
    slots: usize,
    tasks: TaskTracker,
    /// Held while a hook is started: no slot is taken twice, and none after the end.
    starting: Mutex<()>,
    /// Ends hooks of every event but `SessionEnd`.
    ordinary: Cancellation,
    /// Ends all of them.
    everything: Cancellation,
    finished: Mutex<VecDeque<LateAnswer>>,
    /// How many answers nobody took before there were too many.
    dropped: AtomicU64,
    arrived: Notify,
}

impl Background {
    pub(crate) fn new(slots: usize) -> Self {
        let everything = Cancellation::new();
        Self {
            slots,
            tasks: TaskTracker::new(),
            starting: Mutex::default(),
            ordinary: everything.child(),
            everything,
            finished: Mutex::default(),
            dropped: AtomicU64::new(0),
            arrived: Notify::new(),
        }
    }

    /// What ends the background hooks of an event.
    fn cancellation(&self, event: EventName) -> &Cancellation {
        if event == EventName::SessionEnd {
            &self.everything
        } else {
            &self.ordinary
        }
    }

    fn starting(&self) -> MutexGuard<'_, ()> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` to its end, its limit or the session's, whichever comes first. The context is told
    /// of that.
    pub(crate) fn start(
        self: &Arc<Self>,
        context: HookContext,
        event: EventName,
        limit: Duration,
        work: Work,
    ) -> Result<(), Refused> {
        let _starting = self.starting();
        if self.tasks.is_closed() {
            return Err(Refused::Closed);
        }
        if self.tasks.len() >= self.slots {
            return Err(Refused::Full(self.slots));
        }
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| Refused::NoRuntime)?;
        let cancellation = self.cancellation(event).clone();
        // Whoever heard of the hook's start hears of its end.
        let progress = context.run().and_then(Run::progress);
        let this = Arc::clone(self);
        self.tasks.spawn_on(
            async move {
                let started = Instant::now();
                let reply = finish(work, limit, &cancellation).await;
                // One that goes on by other work answers when that does.
                if reply.status != Status::Background {
                    context.end();
                    let spent = started.elapsed();
                    if let Some(run) = context.run() {
                        this.keep(run.ended_late(reply, spent, progress.as_ref()));
                    }
                }
            },
            &runtime,
        );
        Ok(())
    }

    fn keep(&self, answer: LateAnswer) {
        let mut finished = self.finished();
        if finished.len() >= KEPT {
            let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::warn!(
                kept = KEPT,
                dropped,
                "nobody takes late answers; the oldest is dropped"
            );
            finished.pop_front();
        }
        finished.push_back(answer);
        drop(finished);
        self.arrived.notify_one();
    }

    fn finished(&self) -> MutexGuard<'_, VecDeque<LateAnswer>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take_finished(&self) -> Vec<LateAnswer> {
        self.finished().drain(..).collect()
    }

    /// None once the runner is closed and everything has been taken.
    pub(crate) async fn late(&self) -> Option<LateAnswer> {
        loop {
            let woken = self.arrived.notified();
            let over = self.tasks.is_closed() && self.tasks.is_empty();
            let next = self.finished().pop_front();
            if next.is_some() || over {
                // Whoever else waits must see the end too.
                self.arrived.notify_one();
                return next;
            }
            woken.await;
        }
    }

    /// How many answers were dropped because nobody took them.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// How many run now.
    pub(crate) fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Starts nothing more, gives what runs its time, and then ends it. Nothing outlives this.
    pub(crate) async fn close(&self, grace: Duration) {
        {
            let _starting = self.starting();
            self.tasks.close();
        }
        if tokio::time::timeout(grace, self.tasks.wait())
            .await
            .is_err()
        {
            self.ordinary.cancel();
            // What is left belongs to SessionEnd and ends at its own deadline.
            self.tasks.wait().await;
        }
        self.everything.cancel();
        self.arrived.notify_one();
    }

    /// Ends everything at once, without waiting for it.
    pub(crate) fn end(&self) {
        self.everything.cancel();
    }
}

async fn finish(work: Work, limit: Duration, cancellation: &Cancellation) -> Reply {
    let work = AssertUnwindSafe(work).catch_unwind();
    tokio::select! {
        biased;
        () = cancellation.cancelled() => Reply::with_status(Status::Cancelled),
        done = tokio::time::timeout(limit, work) => match done {
            Ok(Ok(reply)) => reply,
            Ok(Err(panic)) => Reply::failed(panic_message(&*panic)),
            Err(_) => Reply::with_status(Status::TimedOut { limit }),
        },
    }
}
