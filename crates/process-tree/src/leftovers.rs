//! What commands leave running, and the end of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Watchdog, marker::Marker};

#[cfg(unix)]
use crate::{
    command::Spec,
    descend::{Process, Snapshot},
    kill::{Quarry, Tree},
    pipes::PlainPipes,
    shelf::Shelf,
    sweep,
};

/// Processes that a command started and left running when it exited by itself.
///
/// They are not killed: a command may start a server on purpose. They can be killed here, and
/// they are when the [`Registry`] is closed.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control};
///
/// let done = Command::shell("sleep 600 & echo started").run(&Control::new()).await;
/// assert_eq!(done.stdout.text(), "started\n");
/// assert_eq!(done.left.pids().len(), 1);
///
/// done.left.kill().await;
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Leftovers {
    pids: Arc<[u32]>,
    #[cfg(unix)]
    found: Option<Arc<Found>>,
}

#[cfg(unix)]
#[derive(Debug)]
struct Found {
    marker: Marker,
    processes: Vec<Process>,
}

impl Leftovers {
    /// Whether the command left nothing running.
    pub fn is_empty(&self) -> bool {
        self.pids.is_empty()
    }

    /// The numbers of the processes at the moment the command had exited.
    pub fn pids(&self) -> &[u32] {
        &self.pids
    }

    /// Kills them and everything they have started since.
    pub async fn kill(&self) {
        #[cfg(unix)]
        if let Some(found) = &self.found {
            sweep::kill(Quarry::of_marker(found.marker.clone(), &found.processes))
                .caught()
                .await;
        }
    }

    #[cfg(unix)]
    pub(crate) fn new(marker: &Marker, processes: Vec<Process>) -> Self {
        if processes.is_empty() {
            return Self::default();
        }
        let pids = processes
            .iter()
            .filter_map(|process| u32::try_from(process.pid).ok())
            .collect();
        Self {
            pids,
            found: Some(Arc::new(Found {
                marker: marker.clone(),
                processes,
            })),
        }
    }

    /// Kills them without waiting, for nobody will ever hear of them.
    #[cfg(unix)]
    pub(crate) fn forsake(&self) {
        if let Some(found) = &self.found {
            let quarry = Quarry::of_marker(found.marker.clone(), &found.processes);
            sweep::submit(sweep::Job::kill(quarry, None));
        }
    }

    #[cfg(unix)]
    fn is_alive(&self, now: &mut Snapshot) -> bool {
        self.found.as_ref().is_some_and(|found| {
            !Quarry::of_marker(found.marker.clone(), &found.processes)
                .members(now)
                .is_empty()
        })
    }
}

/// Remembers what the runs of a session leave behind.
///
/// A clone is the same registry. Dropping the last one leaves everything running; a session ends
/// with [`close`](Self::close).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control, Registry};
///
/// let session = Registry::new();
/// let control = Control::new().with_registry(&session);
/// Command::shell("sleep 600 &").run(&control).await;
/// assert_eq!(session.leftovers().len(), 1);
///
/// session.close().await;
/// assert!(session.leftovers().is_empty());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    marker: Marker,
    state: Mutex<State>,
    watchdog: Option<Watchdog>,
    /// Shells that wait for commands.
    #[cfg(unix)]
    shelf: Arc<Shelf>,
}

/// Fewer than this are kept without a look.
const FEW: usize = 64;

#[derive(Debug, Default)]
struct State {
    /// Whether anything ran since the last sweep.
    used: bool,
    left: Vec<Leftovers>,
    /// How many there may be before anybody looks which of them still live.
    look_at: usize,
}

impl State {
    #[cfg(unix)]
    fn forget_the_dead(&mut self) {
        if !self.left.is_empty() {
            let mut now = Snapshot::take();
            self.left.retain(|left| left.is_alive(&mut now));
        }
    }

    #[cfg(not(unix))]
    fn forget_the_dead(&mut self) {
        self.left.clear();
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::with(None)
    }
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// A registry whose runs die with this process, even when it is killed.
    pub fn watched(watchdog: Watchdog) -> Self {
        Self::with(Some(watchdog))
    }

    fn with(watchdog: Option<Watchdog>) -> Self {
        let marker = Marker::host().child();
        Self {
            inner: Arc::new(Inner {
                marker,
                state: Mutex::default(),
                watchdog,
                #[cfg(unix)]
                shelf: Arc::default(),
            }),
        }
    }

    /// What the runs so far left behind and is still alive.
    pub fn leftovers(&self) -> Vec<Leftovers> {
        let mut state = self.inner.state();
        state.forget_the_dead();
        state.left.clone()
    }

    /// Kills everything that runs of this registry have started and that still runs, and waits
    /// until it is gone. That includes processes that nobody noticed when their command exited,
    /// and commands that are still running: end those first, or they end as killed by a signal.
    pub async fn close(&self) {
        #[cfg(unix)]
        self.inner.shelf.clear();
        #[cfg(unix)]
        if let Some(quarry) = self.inner.clear() {
            sweep::kill(quarry).caught().await;
        }
    }

    pub(crate) fn new_run(&self) -> Marker {
        self.inner.state().used = true;
        self.inner.marker.child()
    }

    /// A command that has begun in a shell that waited for it.
    #[cfg(unix)]
    pub(crate) fn take_waiting(&self, spec: &Spec) -> Option<(Tree, PlainPipes)> {
        self.inner.shelf.take(spec)
    }

    /// Has shells wait for a command that has run.
    #[cfg(unix)]
    pub(crate) fn start_ahead(&self, spec: &Arc<Spec>) {
        let marker = self.inner.marker.clone();
        self.inner.shelf.refill(spec, move || marker.child());
    }

    pub(crate) fn remember(&self, left: &Leftovers) {
        if left.is_empty() {
            return;
        }
        let mut state = self.inner.state();
        // Each time there are twice as many, those that have ended since are let go.
        if state.left.len() >= state.look_at.max(FEW) {
            state.forget_the_dead();
            state.look_at = 2 * state.left.len();
        }
        state.left.push(left.clone());
    }

    pub(crate) fn watchdog(&self) -> Option<&Watchdog> {
        self.inner.watchdog.as_ref()
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets everything; what there is to kill, if anything ever ran.
    #[cfg(unix)]
    fn clear(&self) -> Option<Quarry> {
        let State { used, left, .. } = std::mem::take(&mut *self.state());
        let found = left.iter().filter_map(|left| left.found.as_deref());
        let known: Vec<_> = found
            .flat_map(|found| found.processes.iter().copied())
            .collect();
        used.then(|| Quarry::of_marker(self.marker.clone(), &known))
    }
}
