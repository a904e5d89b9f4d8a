//! The three pipes of a running command, served together, and the clock of its listeners.

use std::{
    io,
    os::fd::OwnedFd,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::{
    Captured, Control, Progress,
    collect::Collector,
    feed::{Feed, Feeder},
    kill::Tree,
};

/// How often listeners hear of output, and after what time a command counts as lasting.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct Pipes {
    stdin: Option<Feeder>,
    stdout: Collector,
    stderr: Collector,
    /// How many bytes the listener has heard of.
    heard: u64,
}

impl Pipes {
    /// Registers with the runtime; both outputs come with their limit.
    pub(crate) fn new(
        stdin: Option<Feed>,
        stdout: (OwnedFd, usize),
        stderr: (OwnedFd, usize),
    ) -> io::Result<Self> {
        Ok(Self {
            stdin: stdin.map(Feed::register).transpose()?,
            stdout: Collector::new(stdout.0, stdout.1)?,
            stderr: Collector::new(stderr.0, stderr.1)?,
            heard: 0,
        })
    }

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
        pipes: &mut Pipes,
        control: &Control,
    ) {
        let Some(ticks) = &mut self.0 else { return };
        while ticks.poll_tick(cx).is_ready() {
            tree.make_known(control.registry.watchdog());
            pipes.report(control);
        }
    }
}
