//! The hook: how a server is described, and when it is started and ended.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::{HookKind, Reply, Status};
use process_tree::{Command, Control, Limits};
use tokio::time::Instant;

use super::desk::{Desk, Fate};
use super::life::{Life, Start};
use super::request::Request;
use super::{FIRST_PAUSE, GRACE, LONGEST_PAUSE, STDERR};
use crate::environment::Plugin;
use crate::host::Host;
use crate::{environment, placeholders};

/// A hook that is one long-lived process. It is started by the first firing, started again by the
/// next one after it died, and ended with the session or when the hook is dropped.
///
/// ```
/// use std::time::Duration;
/// use hook_shell::ServerHook;
///
/// let hook = ServerHook::new("python3 -u .hooks/guard.py").timeout(Duration::from_secs(5));
/// # let _ = hook;
/// ```
#[derive(Debug)]
pub struct ServerHook {
    pub(super) command: String,
    pub(super) host: Host,
    pub(super) timeout: Option<Duration>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) scrubbed: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) plugin: Option<Arc<Plugin>>,
    pub(super) state: Mutex<Server>,
    pub(super) next_id: AtomicU64,
}

/// The server as it stands.
#[derive(Debug, Default)]
pub(super) struct Server {
    pub(super) current: Option<Life>,
    /// Those that take no more requests and still owe answers.
    pub(super) retired: Vec<Life>,
    /// How often in a row it died without an answer, and when it may be started again.
    pub(super) failures: u32,
    pub(super) not_before: Option<Instant>,
    /// What it said last.
    pub(super) words: Option<String>,
}

impl ServerHook {
    /// A server that `/bin/sh` starts.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            host: Host::new(),
            timeout: None,
            variables: Vec::new(),
            scrubbed: Vec::new(),
            cwd: None,
            plugin: None,
            state: Mutex::default(),
            next_id: AtomicU64::new(1),
        }
    }

    /// What the server shares with the commands of its session.
    #[must_use]
    pub fn host(mut self, host: &Host) -> Self {
        self.host = host.clone();
        self
    }

    /// How long it may take over one event.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Sets a variable for it.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Keeps a variable from it.
    #[must_use]
    pub fn without_env(mut self, name: impl Into<String>) -> Self {
        self.scrubbed.push(name.into());
        self
    }

    /// Where it runs; else in the project's root.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The plugin that it belongs to.
    #[must_use]
    pub fn plugin(mut self, plugin: Plugin) -> Self {
        self.plugin = Some(Arc::new(plugin));
        self
    }

    pub(super) fn server(&self) -> MutexGuard<'_, Server> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a request on the desk of the server that is there, else of a new one.
    pub(super) fn request(
        &self,
        input: &Arc<Input>,
        context: &HookContext,
    ) -> Result<Request, Status> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut server = self.server();
        let desk = server.current.as_ref().map(|life| &life.desk);
        if let Some(request) = desk.and_then(|desk| desk.ask(id, input)) {
            return Ok(request);
        }
        server.bury();
        let now = Instant::now();
        let begins = server.not_before.map_or(now, |moment| moment.max(now));
        let pause = begins - now;
        if pause >= context.time_left() {
            return Err(server.is_paused(pause));
        }
        let start = self.start(input, context).map_err(Status::LaunchFailed)?;
        let desk = Arc::new(Desk::new(begins));
        let no_more = || Status::Failed("a new server takes no requests".to_owned());
        let request = desk.ask(id, input).ok_or_else(no_more)?;
        server.current = Some(Life::begin(desk, start));
        Ok(request)
    }

    /// How the server is started.
    pub(super) fn start(&self, input: &Input, context: &HookContext) -> Result<Start, String> {
        if placeholders::asks_the_shell_for_settings(&self.command) {
            return Err(
                "`${user_config.…}` in a shell command could run as code; use the variable \
                 CLAUDE_PLUGIN_OPTION_…"
                    .to_owned(),
            );
        }
        let session = context.session();
        // The effort is one event's; a server outlives it, and finds it in every input.
        let known = environment::variables(input.event(), session, self.plugin.as_deref())
            .into_iter()
            .filter(|(name, _)| name != "CLAUDE_EFFORT");
        let mut command = Command::shell(self.command.as_str())
            .environment(self.host.environment.clone())
            .envs(known)
            .envs(
                self.variables
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            )
            .limits(Limits {
                grace: GRACE,
                stderr: STDERR,
                ..Limits::default()
            });
        for name in &self.scrubbed {
            command = command.env_remove(name);
        }
        let project = Some(&session.project_dir);
        let known = project.into_iter().chain(&session.home);
        let places = known
            .filter(|place| !place.is_empty())
            .map(PathBuf::from)
            .chain([std::env::temp_dir()]);
        Ok(Start {
            command,
            places: self.cwd.iter().cloned().chain(places).collect(),
            control: Control::new().with_registry(&self.host.registry),
        })
    }
}

impl Server {
    /// Notes how the last life went, which takes no more requests.
    pub(super) fn bury(&mut self) {
        self.retired.retain(|life| !life.task.is_finished());
        let Some(life) = self.current.take() else {
            return;
        };
        let (fate, words) = life.desk.fate();
        self.words = words;
        match fate {
            Fate::Failed => {
                let pause = FIRST_PAUSE
                    .saturating_mul(1 << self.failures.min(10))
                    .min(LONGEST_PAUSE);
                self.failures = self.failures.saturating_add(1);
                self.not_before = Some(life.desk.begins + pause);
            }
            Fate::Served => {
                self.failures = 0;
                self.not_before = None;
            }
            Fate::Ended => {}
        }
        if !life.task.is_finished() {
            self.retired.push(life);
        }
    }

    pub(super) fn is_paused(&self, pause: Duration) -> Status {
        let times = self.failures;
        let said = self.words.as_ref();
        let said = said.map_or_else(String::new, |words| format!("; it said last: {words}"));
        Status::Failed(format!(
            "the server died {times} times in a row without an answer, and is started again in \
             {pause:.1?}{said}"
        ))
    }

    pub(super) fn take_lives(&mut self) -> Vec<Life> {
        let mut lives = std::mem::take(&mut self.retired);
        lives.extend(self.current.take());
        lives
    }
}

impl Drop for ServerHook {
    fn drop(&mut self) {
        for life in self.server().take_lives() {
            life.work.stop();
            life.task.abort();
        }
    }
}

#[async_trait]
impl Handler for ServerHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let mut again = true;
        loop {
            let mut request = match self.request(&input, context) {
                Ok(request) => request,
                Err(status) => return Reply::with_status(status),
            };
            match context.in_time(request.answer()).await {
                Some(Some(reply)) => return reply,
                // Another may see it, once.
                Some(None) if again && request.was_never_seen() => again = false,
                Some(None) => return request.died(),
                None => return request.took_too_long(context.limit()),
            }
        }
    }

    fn describe(&self) -> Description {
        let mut description =
            Description::new(HookKind::Other("server".to_owned()), self.command.clone());
        let names: Vec<&str> = self
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        if !names.is_empty() {
            description
                .details
                .push(("environment".to_owned(), names.join(" ")));
        }
        description
    }

    fn identity(&self) -> Option<String> {
        let plugin = self.plugin.as_ref().map(|plugin| &plugin.root);
        let Self {
            command,
            cwd,
            variables,
            scrubbed,
            ..
        } = self;
        Some(format!(
            "server {command:?} {cwd:?} {variables:?} {scrubbed:?} {plugin:?}"
        ))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    async fn close(&self) {
        let lives = self.server().take_lives();
        for life in &lives {
            life.desk.end();
        }
        for life in lives {
            // A task that panicked or was dropped with its runtime has ended too.
            let _ = life.task.await;
        }
        self.host.close().await;
    }
}
