//! The handle by which a run is watched and stopped from outside.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{Registry, ending::whole_characters};

/// Steers one run or many: cancels them, hears of their output, remembers what they leave.
///
/// A clone is the same handle.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control, Ending, Force};
///
/// let control = Control::new();
/// let elsewhere = control.clone();
/// let (done, ()) = tokio::join!(
///     async { Command::shell("sleep 600").run(&control).await },
///     async { elsewhere.cancel() },
/// );
/// assert!(matches!(done.ending, Ending::Cancelled { by: Force::Exit | Force::Term }));
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control {
    signal: Arc<Signal>,
    pub(crate) registry: Registry,
    pub(crate) listener: Option<Listener>,
}

#[derive(Debug, Default)]
struct Signal {
    stage: AtomicU8,
    changed: Notify,
}

/// How urgently a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    None,
    Ask,
    Now,
}

impl Control {
    /// A handle with a registry of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets `registry` remember what the runs leave behind, and its watchdog guard them.
    #[must_use]
    pub fn with_registry(mut self, registry: &Registry) -> Self {
        self.registry = registry.clone();
        self
    }

    /// Calls `listener` with the output so far whenever there is more of it, at most every 100
    /// milliseconds. It runs on the task that runs the command, so it must not block.
    #[must_use]
    pub fn on_output(mut self, listener: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        self.listener = Some(Listener(Arc::new(listener)));
        self
    }

    /// Ends the runs: TERM now, KILL after [`Limits::grace`](crate::Limits::grace). Runs that
    /// begin later with this handle do not start.
    pub fn cancel(&self) {
        self.raise(Urgency::Ask);
    }

    /// Ends the runs with KILL, now; also those that are still in their grace.
    pub fn kill(&self) {
        self.raise(Urgency::Now);
    }

    /// Whether [`cancel`](Self::cancel) or [`kill`](Self::kill) has been called.
    pub fn is_cancelled(&self) -> bool {
        self.urgency() > Urgency::None
    }

    fn raise(&self, to: Urgency) {
        self.signal.stage.fetch_max(to as u8, Ordering::AcqRel);
        self.signal.changed.notify_waiters();
    }

    pub(crate) fn urgency(&self) -> Urgency {
        match self.signal.stage.load(Ordering::Acquire) {
            0 => Urgency::None,
            1 => Urgency::Ask,
            _ => Urgency::Now,
        }
    }

    /// Waits until the runs are to end at least as urgently as `least`.
    pub(crate) async fn reaches(&self, least: Urgency) {
        loop {
            let changed = self.signal.changed.notified();
            if self.urgency() >= least {
                return;
            }
            changed.await;
        }
    }
}

#[derive(Clone)]
pub(crate) struct Listener(Arc<dyn Fn(&Progress<'_>) + Send + Sync>);

impl Listener {
    pub(crate) fn hear(&self, progress: &Progress<'_>) {
        (self.0)(progress);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// The output of a run that is still going on.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub(crate) stdout: (&'a [u8], u64),
    pub(crate) stderr: (&'a [u8], u64),
}

impl<'a> Progress<'a> {
    /// The text on stdout so far, up to the limit; a character still under way is left out.
    pub fn stdout(&self) -> Cow<'a, str> {
        so_far(self.stdout.0)
    }

    /// The text on stderr so far.
    pub fn stderr(&self) -> Cow<'a, str> {
        so_far(self.stderr.0)
    }

    /// How many bytes came on stdout, kept or not.
    pub fn stdout_total(&self) -> u64 {
        self.stdout.1
    }

    /// How many bytes came on stderr, kept or not.
    pub fn stderr_total(&self) -> u64 {
        self.stderr.1
    }
}

fn so_far(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&bytes[..whole_characters(bytes)])
}
