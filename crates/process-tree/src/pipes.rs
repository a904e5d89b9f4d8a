//! The three pipes of a running command, served together, and the clock of its listeners.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    task::{Context, Poll},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::{
    Captured, Control, Limits, Progress,
    collect::{Collector, or_note},
    feed::{Feed, Feeder},
    kill::Tree,
    unsafe_calls::Watched,
};

/// How often listeners hear of output, and after what time a command counts as lasting.
const TICK: Duration = Duration::from_millis(100);

/// As they are while a thread serves them.
pub(crate) type PlainPipes = Pipes<Feed, OwnedFd>;
/// As they are while the runtime does.
pub(crate) type WatchedPipes = Pipes<Feeder, Watched>;

#[derive(Debug)]
pub(crate) struct Pipes<I, O> {
    stdin: Option<I>,
    stdout: Collector<O>,
    stderr: Collector<O>,
    /// How many bytes the listener has heard of.
    heard: u64,
}

impl PlainPipes {
    pub(crate) fn new(
        stdin: Option<Feed>,
        stdout: OwnedFd,
        stderr: OwnedFd,
        limits: &Limits,
    ) -> Self {
        Self {
            stdin,
            stdout: Collector::new(stdout, limits.stdout, limits.tail),
            stderr: Collector::new(stderr, limits.stderr, limits.tail),
            heard: 0,
        }
    }

    /// Moves what can be moved now, in both directions; whether both outputs have ended.
    pub(crate) fn pump(&mut self) -> bool {
        if self.stdin.as_mut().is_some_and(Feed::pump) {
            self.stdin = None;
        }
        self.drain()
    }

    /// What can be waited for.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = PollFd<'_>> {
        let outputs = self.stdout.pipe().into_iter().chain(self.stderr.pipe());
        let outputs = outputs.map(|pipe| PollFd::new(pipe, PollFlags::IN));
        let stdin = self.stdin.as_ref().map(Feed::pipe);
        outputs.chain(stdin.map(|pipe| PollFd::new(pipe, PollFlags::OUT)))
    }

    /// Lets the runtime serve them from now on; whether it can. Nothing that was read is lost.
    pub(crate) fn register(self) -> (WatchedPipes, io::Result<()>) {
        let mut trouble = Ok(());
        let stdin = self.stdin.map(Feed::register);
        let pipes = Pipes {
            stdin: stdin.and_then(|stdin| or_note(stdin, &mut trouble)),
            stdout: self.stdout.register(&mut trouble),
            stderr: self.stderr.register(&mut trouble),
            heard: self.heard,
        };
        (pipes, trouble)
    }
}

impl WatchedPipes {
    /// Moves what can be moved, in both directions.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) {
        let _ = self.poll_outputs(cx);
        if self
            .stdin
            .as_mut()
            .is_some_and(|stdin| stdin.poll(cx).is_ready())
        {
            self.stdin = None;
        }
    }

    /// Reads both outputs; ready when both have ended.
    pub(crate) fn poll_outputs(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (stdout, stderr) = (self.stdout.poll(cx), self.stderr.poll(cx));
        if stdout.is_ready() && stderr.is_ready() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl<I, O: AsFd> Pipes<I, O> {
    /// Reads what is there now; whether both outputs have ended.
    pub(crate) fn drain(&mut self) -> bool {
        let (stdout, stderr) = (self.stdout.drain(), self.stderr.drain());
        stdout && stderr
    }

    pub(crate) fn outputs_open(&self) -> bool {
        self.stdout.is_open() || self.stderr.is_open()
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Stdout and stderr, decoded.
    pub(crate) fn finish(self) -> (Captured, Captured) {
        (self.stdout.finish(), self.stderr.finish())
    }

    fn report(&mut self, control: &Control) {
        let Some(listener) = &control.listener else {
            return;
        };
        let progress = Progress {
            stdout: self.stdout.so_far(),
            stderr: self.stderr.so_far(),
        };
        let total = progress.stdout_total() + progress.stderr_total();
        if total > self.heard {
            listener.hear(&progress);
            self.heard = total;
        }
    }
}

/// What happens every now and then while a command runs; nothing at all for most commands.
#[derive(Debug)]
pub(crate) struct Ticks(Option<Interval>);

impl Ticks {
    pub(crate) fn new(control: &Control) -> Self {
        let wanted = control.listener.is_some() || control.registry.watchdog().is_some();
        Self(wanted.then(|| {
            let mut ticks = interval_at(Instant::now() + TICK, TICK);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        }))
    }

    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        tree: &mut Tree,
        pipes: &mut WatchedPipes,
        control: &Control,
    ) {
        let Some(ticks) = &mut self.0 else { return };
        while ticks.poll_tick(cx).is_ready() {
            tree.make_known(control.registry.watchdog());
            pipes.report(control);
        }
    }
}
