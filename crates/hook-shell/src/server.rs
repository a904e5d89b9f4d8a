//! A hook that is one long-lived process, so that an interpreter pays its start-up once.
//!
//! One JSON object a line, both ways:
//!
//! ```text
//! to the server    {"id": 7, "input": {"hook_event_name": "PreToolUse", …}}
//! from the server  {"id": 7, "output": {"decision": "block", "reason": "no"}}
//!                  {"id": 8}                     no opinion
//!                  {"id": 9, "error": "…"}       a failure
//! ```
//!
//! Requests overlap; answers come in any order. Otherwise the contract is that of a command.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::wire::{Form, read_value};
use hook_types::{HookKind, HookOutput, Reply, Status};
use process_tree::{Command, Control, Lines};
use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::host::Host;

/// How long a server that died at once is left alone, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A server that lived this long died of something else than its start.
const SETTLED: Duration = Duration::from_secs(10);

/// A hook that is one long-lived process. It is started by the first firing, restarted when it dies,
/// and ended with the session.
///
/// ```
/// use hook_shell::ServerHook;
///
/// let hook = ServerHook::new("python3 -u .hooks/guard.py");
/// # let _ = hook;
/// ```
#[derive(Debug)]
pub struct ServerHook {
    command: String,
    host: Host,
    timeout: Option<Duration>,
    variables: Vec<(String, String)>,
    cwd: Option<String>,
    state: AsyncMutex<Server>,
    next_id: AtomicU64,
}

/// The server as it stands.
#[derive(Debug, Default)]
struct Server {
    connection: Option<Arc<Connection>>,
    /// How often in a row it died soon after its start, and when it may be started again.
    failures: u32,
    not_before: Option<Instant>,
    started: Option<Instant>,
}

/// One life of the server.
#[derive(Debug)]
struct Connection {
    lines: Lines,
    waiting: Mutex<Option<HashMap<u64, oneshot::Sender<Value>>>>,
    listener: OnceLock<AbortHandle>,
}

impl ServerHook {
    /// A server that `/bin/sh` starts.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            host: Host::new(),
            timeout: None,
            variables: Vec::new(),
            cwd: None,
            state: AsyncMutex::default(),
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

    /// Where it runs; else in the project's root.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The server, started if need be. Waits out the pause after a death.
    async fn connection(&self, context: &HookContext) -> Result<Arc<Connection>, String> {
        let mut server = self.state.lock().await;
        if let Some(connection) = server
            .connection
            .as_ref()
            .filter(|connection| connection.is_alive())
        {
            return Ok(Arc::clone(connection));
        }
        server.note_death();
        if let Some(moment) = server.not_before.take() {
            tokio::time::sleep_until(moment).await;
        }
        server.started = Some(Instant::now());
        let started = self.start(context).await;
        let lines = started.inspect_err(|_| server.note_death())?;
        let connection = Arc::new(Connection {
            lines,
            waiting: Mutex::new(Some(HashMap::new())),
            listener: OnceLock::new(),
        });
        let listener = tokio::spawn(Arc::clone(&connection).listen());
        let _ = connection.listener.set(listener.abort_handle());
        server.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    async fn start(&self, context: &HookContext) -> Result<Lines, String> {
        let session = context.session();
        let cwd = self.cwd.as_deref().unwrap_or(&session.project_dir);
        let mut command = Command::shell(self.command.as_str())
            .environment(self.host.environment.clone())
            .env("CLAUDE_PROJECT_DIR", &session.project_dir)
            .envs(
                self.variables
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            );
        if !cwd.is_empty() {
            command = command.cwd(cwd);
        }
        let control = Control::new().with_registry(&self.host.registry);
        command
            .spawn_lines(&control)
            .await
            .map_err(|error| format!("{error} ({})", error.remedy()))
    }

    async fn ask(&self, input: &Input, context: &HookContext) -> Reply {
        let connection = match self.connection(context).await {
            Ok(connection) => connection,
            Err(why) => return Reply::with_status(Status::LaunchFailed(why)),
        };
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let Some(request) = Request::new(&connection, id) else {
            return died(&connection);
        };
        let line = format!(r#"{{"id":{id},"input":{}}}"#, input.json());
        if connection.lines.send_line(&line).await.is_err() {
            return died(&connection);
        }
        match request.answer().await {
            Some(answer) => read(input, &answer),
            None => died(&connection),
        }
    }
}

/// A request that is under way; forgotten when it is dropped.
struct Request<'a> {
    connection: &'a Connection,
    id: u64,
    answer: oneshot::Receiver<Value>,
}

impl<'a> Request<'a> {
    /// Nothing where the server is dead.
    fn new(connection: &'a Connection, id: u64) -> Option<Self> {
        let (sender, answer) = oneshot::channel();
        connection.waiting().as_mut()?.insert(id, sender);
        Some(Self {
            connection,
            id,
            answer,
        })
    }

    async fn answer(mut self) -> Option<Value> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.connection.waiting().as_mut() {
            waiting.remove(&self.id);
        }
    }
}

impl Connection {
    fn waiting(&self) -> MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Value>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_alive(&self) -> bool {
        self.waiting().is_some()
    }

    /// Hands every answer to whoever waits for it, until the server dies.
    async fn listen(self: Arc<Self>) {
        while let Some(line) = self.lines.next_line().await {
            let answer: Option<Value> = serde_json::from_str(&line.text).ok();
            let id = answer
                .as_ref()
                .and_then(|answer| answer.get("id"))
                .and_then(Value::as_u64);
            let waiting = id.and_then(|id| self.waiting().as_mut()?.remove(&id));
            match (waiting, answer) {
                (Some(waiting), Some(answer)) => {
                    let _ = waiting.send(answer);
                }
                _ => {
                    tracing::warn!(line = %line.text, "a server hook said something that answers nothing");
                }
            }
        }
        // Those who still wait are told by their channel's end.
        *self.waiting() = None;
    }
}

impl Connection {
    /// Ends the server: whoever listens to it holds it, and is ended.
    fn end(&self) {
        *self.waiting() = None;
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }
}

impl Drop for ServerHook {
    fn drop(&mut self) {
        if let Some(connection) = self.state.get_mut().connection.take() {
            connection.end();
        }
    }
}

impl Server {
    /// Decides when a server that died may be started again.
    fn note_death(&mut self) {
        self.connection = None;
        let Some(started) = self.started.take() else {
            return;
        };
        if started.elapsed() >= SETTLED {
            self.failures = 0;
            return;
        }
        let pause = FIRST_PAUSE
            .saturating_mul(1 << self.failures.min(10))
            .min(LONGEST_PAUSE);
        self.failures += 1;
        self.not_before = Some(started + pause);
    }
}

/// The server died before it answered.
fn died(connection: &Connection) -> Reply {
    let stderr = connection.lines.stderr_tail();
    let last = stderr
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing");
    let mut reply = Reply::failed(format!("the server died before it answered: {last}"));
    reply.evidence.stderr = stderr;
    reply
}

/// Reads a server's answer as a command's would be.
fn read(input: &Input, answer: &Value) -> Reply {
    if let Some(error) = answer.get("error") {
        let why = error
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned);
        return Reply::failed(why);
    }
    let output = answer.get("output").filter(|output| !output.is_null());
    let Some(output) = output else {
        return Reply::no_opinion();
    };
    let reading = read_value(input.name(), output);
    let mut reply = match reading.form {
        Form::Answer(HookOutput::Sync(output)) => Reply::answer(*output),
        Form::Answer(HookOutput::Async(_)) | Form::Nothing | Form::Text(_) => Reply::no_opinion(),
        Form::Bad(problem) => Reply::with_status(Status::BadOutput(problem.to_string())),
    };
    reply.diagnostics = reading.diagnostics;
    reply.evidence.stdout = json!(output).to_string();
    reply
}

#[async_trait]
impl Handler for ServerHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        match context.in_time(self.ask(&input, context)).await {
            Some(reply) => reply,
            None => Reply::with_status(Status::TimedOut {
                limit: context.limit(),
            }),
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
        Some(format!(
            "server {:?} {:?} {:?}",
            self.command, self.cwd, self.variables
        ))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    async fn close(&self) {
        if let Some(connection) = self.state.lock().await.connection.take() {
            connection.end();
        }
        self.host.close().await;
    }
}
