//! Hooks that the agent does not wait for: counted, limited, and ended with the session.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use hook_types::{AgentId, Attempt, Decision, EventName, Reply, Status};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::cancel::{Cancellation, Over};
use crate::hook::Wait;
use crate::input::Input;
use crate::invoke::panic_message;
use crate::messages::Progress;
use crate::plan::PlannedHook;

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

    /// Runs `work` to its end, its limit or the session's, whichever comes first. `over` is told
    /// of that.
    fn start(
        self: &Arc<Self>,
        run: Run,
        limit: Duration,
        over: Arc<Over>,
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
        let cancellation = self.cancellation(run.input.name()).clone();
        let this = Arc::clone(self);
        self.tasks.spawn_on(
            async move {
                let started = Instant::now();
                let reply = finish(work, limit, &cancellation).await;
                // One that goes on by other work answers when that does.
                if reply.status != Status::Background {
                    over.end();
                    this.keep(run.ended_late(reply, started.elapsed()));
                }
            },
            &runtime,
        );
        Ok(())
    }

    fn keep(&self, answer: LateAnswer) {
        let mut finished = self.finished();
        if finished.len() >= KEPT {
            tracing::warn!(
                kept = KEPT,
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

/// One run of one hook: what is needed to tell what became of it, now or later.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) input: Arc<Input>,
    pub(crate) name: Arc<str>,
    pub(crate) planned: PlannedHook,
    pub(crate) progress: Option<Progress>,
    pub(crate) background: Arc<Background>,
}

impl Run {
    /// Goes on in the background.
    pub(crate) fn go_on(
        &self,
        limit: Duration,
        over: Arc<Over>,
        work: Work,
    ) -> Result<(), Refused> {
        self.background.start(self.clone(), limit, over, work)
    }

    /// What became of the hook: told to whoever listens, and its turn given back if it failed.
    pub(crate) fn ended(&self, reply: Reply, duration: Duration) -> Attempt {
        let hook = &self.planned.hook;
        let mut attempt = Attempt::new(
            self.input.name(),
            Arc::clone(&self.name),
            Arc::clone(&hook.info),
            reply,
        );
        attempt.order = hook.order;
        attempt.duration = duration;
        attempt.on_failure = self.planned.on_failure;
        if let Some(progress) = &self.progress {
            progress.ended(&attempt);
        }
        if attempt.reply.status != Status::Background {
            self.settle_turn(&attempt);
        }
        attempt
    }

    /// A hook that runs once has had its turn when it succeeds; a refusal is none, whether it is
    /// an exit code or an answer.
    fn settle_turn(&self, attempt: &Attempt) {
        let done = attempt.success() && attempt.reply.output.decision != Decision::Deny;
        match &self.planned.turn {
            Some(turn) if done => turn.keep(),
            Some(turn) => turn.give_back(),
            None => {}
        }
    }

    fn ended_late(&self, reply: Reply, duration: Duration) -> LateAnswer {
        let wakes =
            self.planned.hook.hook.wait == Wait::Rewake && reply.evidence.exit_code == Some(2);
        LateAnswer {
            attempt: self.ended(reply, duration),
            agent_id: self.input.base().agent_id.clone(),
            wakes,
        }
    }
}
