//! One command from start to answer, under one deadline.

use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use crate::{
    Captured, Control, Ending, Finished, Force, Leftovers, Timing,
    command::{FOREVER, Spec},
    control::Urgency,
    kill::Status,
    live::{self, Limit, Live, Outputs},
    parting::Parted,
    pipes::PlainPipes,
    quick,
    shift::{Lasting, Outcome, Shift, Taken},
    start::{Started, start_at_once},
};

pub(crate) async fn run(spec: Arc<Spec>, control: &Control) -> Finished {
    let clock = Instant::now();
    let end = clock + spec.limits.timeout.min(FOREVER);
    let done = match control.urgency() {
        Urgency::None => attend(&spec, control, clock, end).await,
        Urgency::Ask | Urgency::Now => {
            Done::without_running(Ending::Cancelled { by: Force::Exit }, clock)
        }
    };
    control.registry.remember(&done.left);
    if spec.ahead > 0 {
        control.registry.start_ahead(&spec);
    }
    Finished {
        ending: done.ending,
        stdout: done.stdout,
        stderr: done.stderr,
        left: done.left,
        timing: Timing {
            launch: done.launch,
            total: clock.elapsed(),
        },
    }
}

/// Starts the command and stays with it: by itself where the start cannot hang, else at first through
/// a thread that serves it.
async fn attend(spec: &Arc<Spec>, control: &Control, clock: Instant, end: Instant) -> Done {
    let cancelled = pin!(control.reaches(Urgency::Ask));
    let mut limit = Limit::new(cancelled, end);
    if spec.ahead > 0
        && let Some((tree, pipes)) = control.registry.take_waiting(spec)
    {
        let lasting = Lasting {
            tree,
            pipes,
            drain_until: None,
            launch: clock.elapsed(),
        };
        return watch(lasting, spec, control, clock, limit).await;
    }
    if quick::may_start_here(spec)
        && let Some(lasting) = start_here(spec, control, clock)
    {
        return watch(lasting, spec, control, clock, limit).await;
    }
    let mut shift = Shift::begin(spec, control.registry.new_run(), clock, end);
    let outcome = poll_fn(|cx| match shift.poll(cx) {
        Poll::Ready(outcome) => Poll::Ready(Ok(outcome)),
        Poll::Pending => limit.poll(cx).map(Err),
    });
    let outcome = match outcome.await {
        Ok(outcome) => outcome,
        Err(reason) => match shift.take().await {
            Taken::NotStarted => {
                return Done::without_running(reason.ending(Force::Exit), clock);
            }
            Taken::Running(tree, launch) => {
                let outputs = Outputs::Served(shift);
                let (by, output) = live::end(tree, outputs, control, spec.limits.grace).await;
                return Done::new(reason.ending(by), output, launch);
            }
            Taken::Over(outcome) => *outcome,
        },
    };
    match outcome {
        Outcome::NotStarted(error) => Done::without_running(Ending::NeverStarted(error), clock),
        Outcome::Over(parted, pipes, launch) => Done::parted(parted, pipes.finish(), launch),
        Outcome::Robbed(pipes, launch) => Done::new(Ending::Lost, pipes.finish(), launch),
        Outcome::Lasting(lasting) => watch(lasting, spec, control, clock, limit).await,
    }
}

/// Starts a command on this thread; nothing where that fails, which another thread looks into.
fn start_here(spec: &Spec, control: &Control, clock: Instant) -> Option<Lasting> {
    let started = start_at_once(spec, control.registry.new_run());
    quick::started_here();
    let Started {
        tree,
        stdin,
        stdout,
        stderr,
    } = started?;
    Some(Lasting {
        tree,
        pipes: PlainPipes::new(stdin, stdout, stderr, &spec.limits),
        drain_until: None,
        launch: clock.elapsed(),
    })
}

/// Has the runtime stay with a command until it is done.
async fn watch(
    lasting: Lasting,
    spec: &Spec,
    control: &Control,
    clock: Instant,
    limit: Limit<'_, impl Future<Output = ()>>,
) -> Done {
    match Live::new(lasting) {
        Ok(live) => live.until_done(control, &spec.limits, clock, limit).await,
        Err(unwatched) => {
            let (tree, outputs) = (unwatched.tree, unwatched.outputs);
            let (_, output) = live::end(tree, outputs, control, Duration::ZERO).await;
            Done::new(Ending::Lost, output, unwatched.launch)
        }
    }
}

/// A run that is over, but for the time it took.
pub(crate) struct Done {
    ending: Ending,
    stdout: Captured,
    stderr: Captured,
    left: Leftovers,
    launch: Duration,
}

impl Done {
    pub(crate) fn new(ending: Ending, output: (Captured, Captured), launch: Duration) -> Self {
        let (stdout, stderr) = output;
        Self {
            ending,
            stdout,
            stderr,
            left: Leftovers::default(),
            launch,
        }
    }

    /// It exited by itself.
    pub(crate) fn parted(parted: Parted, output: (Captured, Captured), launch: Duration) -> Self {
        let (status, left) = parted.take();
        let ending = match status {
            Status::Exited(code) => Ending::Exited(code),
            Status::Signalled(signal) => Ending::Signalled(signal),
            Status::Lost => Ending::Lost,
        };
        Self {
            left,
            ..Self::new(ending, output, launch)
        }
    }

    fn without_running(ending: Ending, clock: Instant) -> Self {
        Self::new(ending, <(Captured, Captured)>::default(), clock.elapsed())
    }
}
