//! The hook: how a server is described, and when it is started and ended.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input, Session};
use hook_types::{HookKind, Reply, Status};
use process_tree::{Control, Limits};
use tokio::time::Instant;

use super::desk::{Desk, Fate};
use super::life::{Life, Start};
use super::request::Request;
use super::{FIRST_PAUSE, GRACE, LONGEST_PAUSE, STDERR};
use crate::environment;
use crate::program::{Program, program_setters};

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
    program: Program,
    timeout: Option<Duration>,
    state: Arc<Mutex<Server>>,
    next_id: AtomicU64,
}

/// The server as it stands.
#[derive(Debug, Default)]
pub(crate) struct Server {
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
        Self::of(Program::shell(command))
    }

    /// A program with its arguments, started without a shell, as with
    /// [`ShellHook::exec`](crate::ShellHook::exec).
    pub fn exec<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::of(Program::exec(program, arguments))
    }

    fn of(program: Program) -> Self {
        Self {
            program,
            timeout: None,
            state: Arc::default(),
            next_id: AtomicU64::new(1),
        }
    }

    program_setters!();

    /// Where it runs, relative to the project's root; else in that root. Where it is not there, the
    /// server does not run.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.program.cwd = Some(cwd.into());
        self
    }

    /// How long it may take over one event.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    pub(super) fn server(&self) -> MutexGuard<'_, Server> {
        lock(&self.state)
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
        self.program.host.has_started(&self.state);
        server.current = Some(Life::begin(desk, start));
        Ok(request)
    }

    /// How the server is started.
    fn start(&self, input: &Input, context: &HookContext) -> Result<Start, String> {
        let session = context.session();
        let plugin = self.program.plugin.as_deref();
        // The effort is one event's; a server outlives it, and finds it in every input.
        let known = environment::variables(input.event(), session, plugin)
            .into_iter()
            .filter(|(name, _)| name != "CLAUDE_EFFORT");
        let command = self.program.command(session, known)?.limits(Limits {
            grace: GRACE,
            stderr: STDERR,
            ..Limits::default()
        });
        Ok(Start {
            command,
            places: self.program.places(session, &[&session.project_dir]),
            control: Control::new().with_registry(&self.program.host.registry),
        })
    }
}

fn lock(server: &Mutex<Server>) -> MutexGuard<'_, Server> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends servers, all at once: each has its grace.
pub(crate) async fn end(servers: Vec<Arc<Mutex<Server>>>) {
    let lives: Vec<Life> = servers
        .iter()
        .flat_map(|server| lock(server).take_lives())
        .collect();
    for life in &lives {
        life.desk.end();
    }
    for life in lives {
        // A task that panicked or was dropped with its runtime has ended too.
        let _ = life.task.await;
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

    fn variables(&self, input: &Input, session: &Session) -> Vec<String> {
        let known = environment::variables(input.event(), session, self.program.plugin.as_deref());
        let known = known.into_iter().map(|(name, _)| name);
        let known = known.filter(|name| name != "CLAUDE_EFFORT");
        known
            .chain(self.program.names().map(str::to_owned))
            .collect()
    }

    fn describe(&self) -> Description {
        self.program.describe(HookKind::Other("server".to_owned()))
    }

    fn identity(&self) -> Option<String> {
        Some(format!("server {}", self.program.identity()))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    async fn close(&self) {
        self.program.host.close().await;
    }
}
