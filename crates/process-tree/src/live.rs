//! A command that lasts: the runtime serves its pipes and hears of its end.

use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use tokio::time::{sleep, sleep_until};

use crate::{
    Captured, Control, Ending, Force,
    command::{FOREVER, Limits},
    control::Urgency,
    deadline::Deadline,
    exit::Exit,
    kill::Tree,
    parting,
    pipes::{PlainPipes, Ticks, WatchedPipes},
    run::Done,
    shift::{Lasting, Outcome, Shift, exits_now},
    sweep,
};

/// How long until a command that could not be reaped is looked at again.
const AGAIN: Duration = Duration::from_millis(5);

/// Why a command is no longer awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Deadline,
    Cancelled,
}

impl Reason {
    pub(crate) fn ending(self, by: Force) -> Ending {
        match self {
            Self::Deadline => Ending::TimedOut { by },
            Self::Cancelled => Ending::Cancelled { by },
        }
    }
}

/// What ends a run from outside.
pub(crate) struct Limit<'a, C> {
    cancelled: Pin<&'a mut C>,
    deadline: Deadline,
    /// A cancellation is told once, but holds for good.
    is_cancelled: bool,
}

impl<'a, C: Future<Output = ()>> Limit<'a, C> {
    pub(crate) fn new(cancelled: Pin<&'a mut C>, end: Instant) -> Self {
        Self {
            cancelled,
            deadline: Deadline::new(end),
            is_cancelled: false,
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Reason> {
        self.is_cancelled = self.is_cancelled || self.cancelled.as_mut().poll(cx).is_ready();
        if self.is_cancelled {
            return Poll::Ready(Reason::Cancelled);
        }
        self.deadline.poll(cx).map(|()| Reason::Deadline)
    }
}

/// A command that is running, or whose pipes are held by what it left.
pub(crate) struct Live {
    tree: Tree,
    exit: Exit,
    pipes: WatchedPipes,
    drain_until: Option<Instant>,
    launch: Duration,
}

impl Live {
    /// Hands a command to the runtime. When that cannot watch it, tree and outputs come back.
    pub(crate) fn new(lasting: Lasting) -> Result<Self, Box<Unwatched>> {
        let Lasting {
            tree,
            pipes,
            drain_until,
            launch,
        } = lasting;
        let exit = tree
            .leader()
            .map_or_else(|| Err(io::ErrorKind::NotFound.into()), Exit::of);
        let (pipes, registered) = pipes.register();
        match registered.and(exit) {
            Ok(exit) => Ok(Self {
                tree,
                exit,
                pipes,
                drain_until,
                launch,
            }),
            Err(error) => {
                tracing::warn!(%error, "a command cannot be watched and is ended");
                let outputs = Outputs::Watched(Box::new(pipes));
                Err(Box::new(Unwatched {
                    tree,
                    outputs,
                    launch,
                }))
            }
        }
    }

    pub(crate) async fn until_done(
        mut self,
        control: &Control,
        limits: &Limits,
        clock: Instant,
        mut limit: Limit<'_, impl Future<Output = ()>>,
    ) -> Done {
        let exited = self.exits(control, &mut limit).await;
        let parted = match exited {
            Ok(()) => self.part(limits.drain, clock, &mut limit).await,
            Err(reason) => Err(reason),
        };
        let (tree, pipes, launch) = (self.tree, self.pipes, self.launch);
        match parted {
            Ok(parted) => Done::parted(parted, pipes.finish(), launch),
            Err(reason) => {
                let outputs = Outputs::Watched(Box::new(pipes));
                let (by, output) = end(tree, outputs, control, limits.grace).await;
                Done::new(reason.ending(by), output, launch)
            }
        }
    }

    /// Feeds and reads until the command exits or must end.
    async fn exits(
        &mut self,
        control: &Control,
        limit: &mut Limit<'_, impl Future<Output = ()>>,
    ) -> Result<(), Reason> {
        let mut ticks = Ticks::new(control);
        poll_fn(|cx| {
            // The pipes come last: a flood of output must not hide the rest.
            if self.exit.poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            if let Poll::Ready(reason) = limit.poll(cx) {
                return Poll::Ready(Err(reason));
            }
            ticks.poll(cx, &mut self.tree, &mut self.pipes, control);
            self.pipes.poll(cx);
            // They end a moment before it does: to look once more costs less than to sleep.
            if !self.pipes.outputs_open() && self.tree.leader().is_some_and(exits_now) {
                return Poll::Ready(Ok(()));
            }
            Poll::Pending
        })
        .await
    }

    /// The command exited by itself: what it wrote is read, what it left is noted.
    async fn part(
        &mut self,
        drain: Duration,
        clock: Instant,
        limit: &mut Limit<'_, impl Future<Output = ()>>,
    ) -> Result<parting::Parted, Reason> {
        self.pipes.close_stdin();
        let drained = Instant::now() + drain.min(FOREVER);
        let drained = self.drain_until.unwrap_or(drained);
        if !self.pipes.drain() {
            self.drain(drained, limit).await?;
        }
        loop {
            let tree = std::mem::replace(&mut self.tree, Tree::none());
            let held = self.pipes.outputs_open();
            match parting::part(tree, held, clock.elapsed()).await {
                Ok(parted) => return Ok(parted),
                Err(tree) => self.tree = tree,
            }
            let mut pause = pin!(sleep(AGAIN));
            poll_fn(|cx| match pause.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(Ok(())),
                Poll::Pending => limit.poll(cx).map(Err),
            })
            .await?;
        }
    }

    /// Reads what others may still write. The deadline ends that too; the answer is there.
    async fn drain(
        &mut self,
        until: Instant,
        limit: &mut Limit<'_, impl Future<Output = ()>>,
    ) -> Result<(), Reason> {
        let mut drained = pin!(sleep_until(until.into()));
        poll_fn(|cx| {
            match limit.poll(cx) {
                Poll::Ready(Reason::Cancelled) => return Poll::Ready(Err(Reason::Cancelled)),
                Poll::Ready(Reason::Deadline) => return Poll::Ready(Ok(())),
                Poll::Pending => {}
            }
            if drained.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            self.pipes.poll_outputs(cx).map(Ok)
        })
        .await
    }
}

/// A command that runs, but whose end nobody would hear of.
pub(crate) struct Unwatched {
    pub(crate) tree: Tree,
    pub(crate) outputs: Outputs,
    pub(crate) launch: Duration,
}

/// Where the outputs of a command are while it is being ended.
pub(crate) enum Outputs {
    /// With a thread, which hands them over soon.
    Served(Shift),
    Watched(Box<WatchedPipes>),
}

impl Outputs {
    fn of(mut pipes: PlainPipes) -> Self {
        pipes.close_stdin();
        Self::Watched(Box::new(pipes.register().0))
    }

    fn poll(&mut self, cx: &mut Context<'_>) {
        if let Self::Served(shift) = self
            && let Poll::Ready(Outcome::Robbed(pipes, _)) = shift.poll(cx)
        {
            *self = Self::of(pipes);
        }
        if let Self::Watched(pipes) = self {
            let _ = pipes.poll_outputs(cx);
        }
    }

    async fn finish(self) -> (Captured, Captured) {
        match self {
            Self::Served(mut shift) => match poll_fn(|cx| shift.poll(cx)).await {
                Outcome::Robbed(mut pipes, _) => {
                    pipes.drain();
                    pipes.finish()
                }
                Outcome::NotStarted(_) | Outcome::Over(..) | Outcome::Lasting(_) => {
                    <(Captured, Captured)>::default()
                }
            },
            Self::Watched(mut pipes) => {
                pipes.drain();
                pipes.finish()
            }
        }
    }
}

/// Ends a tree; output is read meanwhile.
pub(crate) async fn end(
    mut tree: Tree,
    mut outputs: Outputs,
    control: &Control,
    grace: Duration,
) -> (Force, (Captured, Captured)) {
    let Some(quarry) = tree.take() else {
        return (Force::Exit, outputs.finish().await);
    };
    if let Outputs::Watched(pipes) = &mut outputs {
        pipes.close_stdin();
    }
    let mut hunt = sweep::end(quarry, grace);
    let mut hurried = pin!(control.reaches(Urgency::Now));
    let mut told = false;
    let by = poll_fn(|cx| {
        if let Poll::Ready(caught) = hunt.poll(cx) {
            return Poll::Ready(caught.force);
        }
        if !told && hurried.as_mut().poll(cx).is_ready() {
            told = true;
            hunt.hurry();
        }
        outputs.poll(cx);
        Poll::Pending
    })
    .await;
    (by, outputs.finish().await)
}
