//! The task that keeps a server in service.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hook_runner::Admission;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::life::{Failure, Held, Life, Surroundings};
use super::listing::{ToolInfo, list};
use super::status::ServerStatus;
use crate::server::ServerConfig;

/// How far apart the starts of a server are that does not stay, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A server that lived this long died of something else than its start.
const SETTLED: Duration = Duration::from_secs(10);
/// How often a list of tools is asked for anew, at most.
const RELIST: Duration = Duration::from_millis(100);

/// One server, kept in service.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) config: ServerConfig,
    pub(super) around: Surroundings,
    state: Mutex<State>,
    news: Notify,
    /// Another number whenever the tools of any server are not what they were.
    version: Arc<AtomicU64>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    tools: Arc<[ToolInfo]>,
    /// How many lives in a row did not stay.
    failures: u32,
    /// The next start comes no sooner.
    not_before: Instant,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(super) enum Phase {
    Idle,
    Connecting,
    Up(Arc<Life>),
    /// As it was left.
    Down(ServerStatus),
    Closed,
}

impl Link {
    pub(crate) fn new(
        config: ServerConfig,
        around: Surroundings,
        version: Arc<AtomicU64>,
        refused: Option<String>,
    ) -> Arc<Self> {
        let phase = match refused {
            Some(why) => Phase::Down(ServerStatus::NotAllowed(why)),
            None => Phase::Idle,
        };
        Arc::new(Self {
            config,
            around,
            state: Mutex::new(State {
                phase,
                tools: Arc::new([]),
                failures: 0,
                not_before: Instant::now(),
                stop: CancellationToken::new(),
                task: None,
            }),
            news: Notify::new(),
            version,
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let state = self.state();
        match &state.phase {
            Phase::Idle => ServerStatus::Idle,
            Phase::Connecting => ServerStatus::Connecting,
            Phase::Up(_) => ServerStatus::Connected {
                tools: state.tools.len(),
            },
            Phase::Down(status) => status.clone(),
            Phase::Closed => ServerStatus::Closed,
        }
    }

    /// The tools of its last life.
    pub(crate) fn tools(&self) -> Arc<[ToolInfo]> {
        Arc::clone(&self.state().tools)
    }

    /// Starts it, unless it runs, is about to, or may not.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut state = self.state();
        let may = match &state.phase {
            Phase::Idle => true,
            Phase::Down(status) => {
                !matches!(status, ServerStatus::NotAllowed(_)) || self.config.gate.is_some()
            }
            Phase::Connecting | Phase::Up(_) | Phase::Closed => false,
        };
        if !may {
            return;
        }
        state.phase = Phase::Connecting;
        state.stop = CancellationToken::new();
        let keep = Arc::clone(self).keep(state.not_before, state.stop.clone());
        state.task = Some(tokio::spawn(keep));
        drop(state);
        self.news.notify_waiters();
    }

    /// One life, from the pause before it to its end.
    async fn keep(self: Arc<Self>, begins: Instant, stop: CancellationToken) {
        if let Some(why) = self.not_allowed() {
            self.went_down(ServerStatus::NotAllowed(why), None);
            return;
        }
        let held = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            held = async {
                sleep_until(begins).await;
                Held::connect(&self.config, &self.around).await
            } => held,
        };
        match held {
            Ok(held) => self.serve(held, &stop).await,
            Err(Failure::NeedsAuth(why)) => self.went_down(ServerStatus::NeedsAuth(why), None),
            Err(Failure::Other(why)) => self.went_down(ServerStatus::Failed(why), None),
        }
    }

    /// In service, until it is over.
    async fn serve(&self, held: Held, stop: &CancellationToken) {
        let born = Instant::now();
        self.came_up(&held);
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = held.life.fate.sealed() => {}
            () = self.follow(&held) => {}
        }
        let life = Arc::clone(&held.life);
        held.end(&self.around).await;
        self.went_down(ServerStatus::Failed(life.fate.why()), Some(born));
    }

    fn not_allowed(&self) -> Option<String> {
        let why = match self.config.gate.as_ref()?.admit() {
            Admission::Admitted => return None,
            Admission::Untrusted => "it comes with the project, and you have not approved it",
            Admission::Changed => "it is not what you approved",
        };
        Some(format!("{why}; `hookline trust` shows it"))
    }

    /// Asks for the tools whenever they change.
    async fn follow(&self, held: &Held) {
        loop {
            held.tools_changed.notified().await;
            let listed = timeout(
                self.around.limits.start,
                list(&held.life.peer, &self.around.limits),
            )
            .await;
            match listed {
                Ok(Ok(tools)) => self.has_tools(tools),
                Ok(Err(why)) => {
                    tracing::warn!(server = %self.config.name, ?why, "a changed list of tools cannot be read");
                }
                Err(_) => {
                    tracing::warn!(server = %self.config.name, "a changed list of tools took too long");
                }
            }
            tokio::time::sleep(RELIST).await;
        }
    }

    fn came_up(&self, held: &Held) {
        let mut state = self.state();
        if !matches!(state.phase, Phase::Closed) {
            state.phase = Phase::Up(Arc::clone(&held.life));
        }
        drop(state);
        self.has_tools(held.tools.clone());
    }

    fn has_tools(&self, tools: Vec<ToolInfo>) {
        self.state().tools = tools.into();
        self.version.fetch_add(1, Ordering::AcqRel);
        self.news.notify_waiters();
    }

    fn went_down(&self, status: ServerStatus, born: Option<Instant>) {
        let mut state = self.state();
        let stayed = born.is_some_and(|born| born.elapsed() >= SETTLED);
        state.failures = if stayed {
            0
        } else {
            state.failures.saturating_add(1)
        };
        state.not_before = Instant::now() + pause(state.failures);
        if !matches!(state.phase, Phase::Closed) {
            state.phase = Phase::Down(status);
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// Waits until it is known whether it can be used.
    pub(crate) async fn settled(&self) {
        self.until(|state| (!matches!(state.phase, Phase::Connecting)).then_some(()))
            .await;
    }

    pub(super) async fn until<T>(&self, mut says: impl FnMut(&State) -> Option<T>) -> T {
        loop {
            let news = self.news.notified();
            let mut news = std::pin::pin!(news);
            news.as_mut().enable();
            if let Some(value) = says(&self.state()) {
                return value;
            }
            news.await;
        }
    }

    /// Ends it for good, in order.
    pub(crate) async fn close(&self) {
        let task = self.shut();
        self.news.notify_waiters();
        if let Some(task) = task {
            let _ = task.await;
        }
    }

    /// From now on it is closed; the task that may still be ending it.
    fn shut(&self) -> Option<JoinHandle<()>> {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.stop.cancel();
        state.task.take()
    }

    /// Ends it at once.
    pub(crate) fn abort(&self) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        if let Some(task) = state.task.take() {
            task.abort();
        }
    }
}

fn pause(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => FIRST_PAUSE
            .saturating_mul(1 << (failures - 1).min(10))
            .min(LONGEST_PAUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit() {
        let millis: Vec<u128> = [0, 1, 2, 3, 6, 7, 1000]
            .map(|n| pause(n).as_millis())
            .into();
        assert_eq!(millis, [0, 200, 400, 800, 6400, 10_000, 10_000]);
    }
}
