//! One command from start to answer, under one deadline.

use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use tokio::{
    task::spawn_blocking,
    time::{Sleep, sleep_until, timeout},
};

use crate::{
    Captured, Control, Ending, Finished, Force, LaunchError, LaunchErrorKind, Leftovers, Timing,
    command::{FOREVER, Limits, Spec},
    control::Urgency,
    kill::{Status, Tree},
    os::Exit,
    parting,
    pipes::{Pipes, Ticks},
    start::{Started, start},
    sweep,
};

pub(crate) async fn run(spec: Arc<Spec>, control: &Control) -> Finished {
    let clock = Instant::now();
    let limits = spec.limits;
    let end = clock + limits.timeout.min(FOREVER);
    let mut deadline = pin!(sleep_until(end.into()));
    let started = {
        let mut cancelled = pin!(control.reaches(Urgency::Ask));
        let mut starting = pin!(begin(&spec, control));
        poll_fn(|cx| {
            // Asked first, so that a cancelled handle starts nothing.
            if cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(Ending::Cancelled { by: Force::Exit }));
            }
            if let Poll::Ready(started) = starting.as_mut().poll(cx) {
                return Poll::Ready(started.map_err(Ending::NeverStarted));
            }
            deadline
                .as_mut()
                .poll(cx)
                .map(|()| Err(Ending::TimedOut { by: Force::Exit }))
        })
        .await
    };
    let launch = clock.elapsed();
    let done = match started {
        Ok(live) => live.until_done(control, &limits, clock, deadline).await,
        Err(ending) => Done::without_running(ending),
    };
    control.registry.remember(&done.left);
    let Done {
        ending,
        stdout,
        stderr,
        left,
    } = done;
    Finished {
        ending,
        stdout,
        stderr,
        left,
        timing: Timing {
            launch,
            total: clock.elapsed(),
        },
    }
}

/// Starts a command on a thread that may block.
pub(crate) async fn begin(spec: &Arc<Spec>, control: &Control) -> Result<Live, LaunchError> {
    let failed = |kind| LaunchError::new(spec.program.clone(), spec.cwd.as_deref(), kind);
    let marker = control.registry.new_run();
    let held = Arc::clone(spec);
    let started = if spec.on_this_thread {
        start(&held, marker, false)?
    } else {
        // When this future is dropped, the result is too, and with it the tree.
        let started = spawn_blocking(move || start(&held, marker, false)).await;
        started.unwrap_or_else(|_| Err(failed(LaunchErrorKind::RuntimeEnded)))?
    };
    Live::new(started, &spec.limits).map_err(|error| {
        failed(LaunchErrorKind::Other {
            message: error.to_string(),
        })
    })
}

struct Done {
    ending: Ending,
    stdout: Captured,
    stderr: Captured,
    left: Leftovers,
}

impl Done {
    fn new(ending: Ending, left: Leftovers, pipes: Pipes) -> Self {
        let (stdout, stderr) = pipes.finish();
        Self {
            ending,
            stdout,
            stderr,
            left,
        }
    }

    fn without_running(ending: Ending) -> Self {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        Self {
            ending,
            stdout,
            stderr,
            left: Leftovers::default(),
        }
    }
}

/// A command that is running.
pub(crate) struct Live {
    tree: Tree,
    exit: Exit,
    pipes: Pipes,
}

/// Why a command is no longer awaited.
enum Event {
    Exited,
    Deadline,
    Cancelled,
}

impl Live {
    fn new(started: Started, limits: &Limits) -> io::Result<Self> {
        let Started {
            mut tree,
            stdin,
            stdout,
            stderr,
        } = started;
        let leader = tree.quarry().and_then(|quarry| quarry.leader.as_ref());
        let exit = leader
            .ok_or_else(|| io::Error::other("the command has no leader"))?
            .exit()?;
        let pipes = Pipes::new(stdin, (stdout, limits.stdout), (stderr, limits.stderr))?;
        Ok(Self { tree, exit, pipes })
    }

    async fn until_done(
        mut self,
        control: &Control,
        limits: &Limits,
        clock: Instant,
        deadline: Pin<&mut Sleep>,
    ) -> Done {
        match self.watch(control, deadline).await {
            Event::Exited => self.exited(limits.drain, clock).await,
            Event::Deadline => {
                let by = self.end(control, limits.grace).await;
                self.ended(Ending::TimedOut { by })
            }
            Event::Cancelled => {
                let by = self.end(control, limits.grace).await;
                self.ended(Ending::Cancelled { by })
            }
        }
    }

    /// Feeds and reads until the command exits or must end.
    async fn watch(&mut self, control: &Control, mut deadline: Pin<&mut Sleep>) -> Event {
        let mut cancelled = pin!(control.reaches(Urgency::Ask));
        let mut ticks = Ticks::new(control);
        poll_fn(|cx| {
            // The pipes come last: a flood of output must not hide the rest.
            if self.exit.poll(cx).is_ready() {
                return Poll::Ready(Event::Exited);
            }
            if cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Event::Cancelled);
            }
            if deadline.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Event::Deadline);
            }
            ticks.poll(cx, &mut self.tree, &mut self.pipes, control);
            self.pipes.poll(cx);
            Poll::Pending
        })
        .await
    }

    /// The command exited by itself: what it wrote is read, what it left is noted.
    async fn exited(mut self, drain: Duration, clock: Instant) -> Done {
        self.pipes.close_stdin();
        if !self.pipes.drain() {
            let _ = timeout(drain, poll_fn(|cx| self.pipes.poll_outputs(cx))).await;
        }
        let held = self.pipes.outputs_open();
        let (status, left) = parting::let_go(&mut self.tree, held, clock.elapsed()).await;
        let ending = match status {
            Status::Exited(code) => Ending::Exited(code),
            Status::Signalled(signal) => Ending::Signalled(signal),
            Status::Lost => Ending::Lost,
        };
        Done::new(ending, left, self.pipes)
    }

    /// Ends the tree; output is read meanwhile.
    async fn end(&mut self, control: &Control, grace: Duration) -> Force {
        self.pipes.close_stdin();
        let Some(quarry) = self.tree.take() else {
            return Force::Exit;
        };
        let mut hunt = sweep::end(quarry, grace);
        let mut hurried = pin!(control.reaches(Urgency::Now));
        let mut told = false;
        poll_fn(|cx| {
            if let Poll::Ready(caught) = hunt.poll(cx) {
                return Poll::Ready(caught.force);
            }
            if !told && hurried.as_mut().poll(cx).is_ready() {
                told = true;
                hunt.hurry();
            }
            let _ = self.pipes.poll_outputs(cx);
            Poll::Pending
        })
        .await
    }

    fn ended(mut self, ending: Ending) -> Done {
        self.pipes.drain();
        Done::new(ending, Leftovers::default(), self.pipes)
    }
}
