//! A hook that is one long-lived process, so that an interpreter pays its start-up once.
//!
//! One JSON object a line, both ways:
//!
//! ```text
//! to the server    {"id":7,"input":{"hook_event_name":"PreToolUse",…}}
//! from the server  {"id":7,"output":{"decision":"block","reason":"no"}}
//!                  {"id":8}                     no opinion
//!                  {"id":9,"error":"…"}         a failure
//! ```
//!
//! The input is that of the Claude dialect, which is the only one there is here: the others tell in
//! the environment, and a process has only one. The id comes first. Requests overlap; answers come in
//! any order, and of two answers to one request the first counts. Otherwise the contract is that of
//! a command which exits with 0: `output` is what it would print, an object or text.
//!
//! ```text
//! request ─▶ Desk: who waits, what is still to be sent ─▶ one task a life ─▶ the process
//!    ▲ reply                                                 │ lines
//!    └───────────────────────────────────────────────────────┘
//! ```
//!
//! Nobody waits for a lock, a start or a pause for longer than their own deadline: a request is put
//! on the desk of the current life, and that life's task does the rest.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::{pending, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::wire::Extent;
use hook_types::{Code, Decision, Diagnostic, HookKind, Reply, Status};
use process_tree::{Command, Control, Ending, LaunchErrorKind, Limits, Line, Lines};
use serde_json::{Deserializer, Value};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::dialect::Dialect;
use crate::environment::{self, Plugin};
use crate::host::Host;
use crate::placeholders;
use crate::promise::promised_at_the_end;
use crate::protocol::{self, Collected};

/// How far apart the starts of a server are that dies without an answer, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A server that lived this long died of something else than its start.
const SETTLED: Duration = Duration::from_secs(10);
/// How long a server that has never answered may take to get ready before its silence counts.
const READY: Duration = Duration::from_secs(30);
/// How long a server has to end once its stdin is closed, and again once it was asked to.
const GRACE: Duration = Duration::from_secs(1);
/// How much of its stderr is kept, in bytes.
const STDERR: usize = 64 * 1024;
/// How much a server may print that answers nothing while nobody waits, in bytes.
const IDLE_NOISE: usize = 1024 * 1024;
/// How much of that a server may print before its end and still be given grace.
const CALM: usize = 64 * 1024;
/// How many lines of it are told in the log.
const TOLD_NOISE: usize = 8;

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
    command: String,
    host: Host,
    timeout: Option<Duration>,
    variables: Vec<(String, String)>,
    scrubbed: Vec<String>,
    cwd: Option<PathBuf>,
    plugin: Option<Arc<Plugin>>,
    state: Mutex<Server>,
    next_id: AtomicU64,
}

/// The server as it stands.
#[derive(Debug, Default)]
struct Server {
    current: Option<Life>,
    /// Those that take no more requests and still owe answers.
    retired: Vec<Life>,
    /// How often in a row it died without an answer, and when it may be started again.
    failures: u32,
    not_before: Option<Instant>,
    /// What it said last.
    words: Option<String>,
}

/// One life of the server: from its start to its end.
#[derive(Debug)]
struct Life {
    desk: Arc<Desk>,
    work: Work,
    task: JoinHandle<()>,
}

/// What the task of a life does. It can be taken from the task, so that whoever drops a hook need not
/// wait for a runtime to drop it: with it the process dies.
#[derive(Clone)]
struct Work(Arc<Mutex<Option<Living>>>);

type Living = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Work {
    fn new(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::pin(work)))))
    }

    fn poll(&self, task: &mut Context<'_>) -> Poll<()> {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work.as_mut()
            .map_or(Poll::Ready(()), |work| work.as_mut().poll(task))
    }

    fn stop(&self) {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(work.take());
    }
}

/// Stops the work when it is dropped.
struct Stopped(Work);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}

impl Life {
    fn begin(desk: Arc<Desk>, start: Start) -> Self {
        let work = Work::new(Arc::clone(&desk).live(start));
        // When the task is done, or dropped with its runtime, the work is stopped too.
        let stopped = Stopped(work.clone());
        let task = tokio::spawn(async move { poll_fn(|task| stopped.0.poll(task)).await });
        Self { desk, work, task }
    }
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

    fn server(&self) -> MutexGuard<'_, Server> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a request on the desk of the server that is there, else of a new one.
    fn request(&self, input: &Arc<Input>, context: &HookContext) -> Result<Request, Status> {
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
    fn start(&self, input: &Input, context: &HookContext) -> Result<Start, String> {
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
    fn bury(&mut self) {
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

    fn is_paused(&self, pause: Duration) -> Status {
        let times = self.failures;
        let said = self.words.as_ref();
        let said = said.map_or_else(String::new, |words| format!("; it said last: {words}"));
        Status::Failed(format!(
            "the server died {times} times in a row without an answer, and is started again in \
             {pause:.1?}{said}"
        ))
    }

    fn take_lives(&mut self) -> Vec<Life> {
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

/// How a server is started.
struct Start {
    command: Command,
    /// Where it may run, the best place first.
    places: Vec<PathBuf>,
    control: Control,
}

impl Start {
    async fn start(self) -> Result<Lines, String> {
        let mut last = String::new();
        for place in self.places {
            let command = self.command.clone().cwd(place);
            let error = match command.spawn_lines(&self.control).await {
                Ok(lines) => return Ok(lines),
                Err(error) => error,
            };
            last = format!("{error} ({})", error.remedy());
            let gone = matches!(
                error.kind(),
                LaunchErrorKind::CwdMissing
                    | LaunchErrorKind::CwdNotDirectory
                    | LaunchErrorKind::CwdDenied
            );
            if !gone {
                break;
            }
        }
        Err(last)
    }
}

/// Where requests wait for one life of the server.
#[derive(Debug)]
struct Desk {
    state: Mutex<State>,
    /// Something is to be sent, or it is all over.
    news: Notify,
    /// When the process is started.
    begins: Instant,
    lines: OnceLock<Weak<Lines>>,
    /// How much it has printed since its last answer, in bytes.
    noise: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    waiting: HashMap<u64, Waiting>,
    /// Those whose line has not gone out, in order.
    unsent: VecDeque<u64>,
    /// How many requests it has answered.
    answers: u64,
    death: Death,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// It takes requests.
    #[default]
    Open,
    /// It takes no more, and is ended once nobody waits for it.
    Retired,
    /// It is to end now.
    Ending,
    /// It is over.
    Closed,
}

/// What is known of the end of a life.
#[derive(Clone, Debug, Default)]
struct Death {
    /// Why it could not be started.
    unstarted: Option<String>,
    /// Somebody wanted it.
    wanted: bool,
    stderr: String,
}

/// What a life says of the chances of the next.
enum Fate {
    Served,
    Failed,
    Ended,
}

#[derive(Debug)]
struct Waiting {
    input: Arc<Input>,
    reply: oneshot::Sender<Reply>,
}

impl Desk {
    fn new(begins: Instant) -> Self {
        Self {
            state: Mutex::default(),
            news: Notify::new(),
            begins,
            lines: OnceLock::new(),
            noise: AtomicUsize::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request; nothing where no more are taken.
    fn ask(self: &Arc<Self>, id: u64, input: &Arc<Input>) -> Option<Request> {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        let input = Arc::clone(input);
        state.waiting.insert(id, Waiting { input, reply });
        state.unsent.push_back(id);
        let answers = state.answers;
        drop(state);
        self.news.notify_waiters();
        Some(Request {
            desk: Arc::clone(self),
            id,
            answers,
            answer,
        })
    }

    /// Takes no more requests; those that wait may still be answered.
    fn retire(&self) {
        self.enter(Phase::Retired);
    }

    /// Ends the server.
    fn end(&self) {
        self.state().death.wanted = true;
        self.enter(Phase::Ending);
    }

    fn enter(&self, phase: Phase) {
        let mut state = self.state();
        if state.phase != Phase::Closed {
            state.phase = phase;
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// It is over: those who still wait are told by their channel's end.
    fn close(&self, unstarted: Option<String>, stderr: String) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.death.unstarted = unstarted;
        state.death.stderr = stderr;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
    }

    fn fate(&self) -> (Fate, Option<String>) {
        let state = self.state();
        let fate = if state.death.wanted {
            Fate::Ended
        } else if state.answers > 0 || self.begins.elapsed() >= SETTLED {
            Fate::Served
        } else {
            Fate::Failed
        };
        (fate, last_words(&state.death.stderr).map(str::to_owned))
    }

    /// Waits until `state` says something.
    async fn until<T>(&self, mut says: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let news = self.news.notified();
            if let Some(value) = says(&mut self.state()) {
                return value;
            }
            news.await;
        }
    }

    /// Waits until nobody needs the server any more.
    async fn over(&self) {
        self.until(|state| match state.phase {
            Phase::Open => None,
            Phase::Retired => state.waiting.is_empty().then_some(()),
            Phase::Ending | Phase::Closed => Some(()),
        })
        .await;
    }

    /// One life of the server.
    async fn live(self: Arc<Self>, start: Start) {
        let _closed = Closed(&self);
        tokio::select! {
            biased;
            () = self.over() => return,
            () = tokio::time::sleep_until(self.begins) => {}
        }
        match start.start().await {
            Ok(lines) => self.serve(Arc::new(lines)).await,
            Err(why) => self.close(Some(why), String::new()),
        }
    }

    async fn serve(&self, lines: Arc<Lines>) {
        let _ = self.lines.set(Arc::downgrade(&lines));
        let wanted = tokio::select! {
            biased;
            () = self.over() => true,
            () = self.listen(&lines) => false,
            () = self.send(&lines) => false,
        };
        self.close(None, lines.stderr_tail());
        // One that floods would not hear of its end; without grace it is dropped, and killed. So is
        // one whose stderr somebody reads just now.
        let calm = self.noise.load(Ordering::Relaxed) <= CALM;
        if let Some(lines) = Arc::into_inner(lines).filter(|_| wanted && calm) {
            lines.end(GRACE).await;
        }
    }

    /// Sends what is to be sent, as fast as the server reads. A request that was given up before its
    /// turn is not sent.
    async fn send(&self, lines: &Lines) {
        loop {
            let (id, input) = self.until(State::next_unsent).await;
            let line = format!(r#"{{"id":{id},"input":{}}}"#, input.json());
            drop(input);
            if lines.send_line(&line).await.is_err() {
                self.reads_no_more(id);
                return pending().await;
            }
        }
    }

    /// What was not sent is told so; the server may still answer the rest.
    fn reads_no_more(&self, id: u64) {
        let mut state = self.state();
        state.unsent.push_front(id);
        let unsent = state.unsent.clone();
        let lost: Vec<_> = unsent.iter().map(|id| state.waiting.remove(id)).collect();
        drop(state);
        self.retire();
        drop(lost);
    }

    /// Hands every answer to whoever waits for it, until the server dies.
    async fn listen(&self, lines: &Lines) {
        let mut told = 0;
        while let Some(line) = lines.next_line().await {
            if self.hear(&line) {
                self.noise.store(0, Ordering::Relaxed);
            } else if !line.text.is_empty() {
                let length = line.text.len() + 1;
                let noise = self.noise.fetch_add(length, Ordering::Relaxed) + length;
                if told < TOLD_NOISE {
                    told += 1;
                    tell_noise(&line.text);
                }
                if noise > IDLE_NOISE && self.state().waiting.is_empty() {
                    tracing::warn!("a server hook prints without end, and is ended");
                    return;
                }
            }
            // A flood must not keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Whether a line answers anybody.
    fn hear(&self, line: &Line) -> bool {
        let mut answered = false;
        for said in said(line) {
            let waiting = self.state().waiting.get(&said.id()).map(Waiting::input);
            let Some(reply) = waiting.and_then(|input| said.reply(&input)) else {
                continue;
            };
            let mut state = self.state();
            let waiting = state.waiting.remove(&said.id());
            state.answers += 1;
            drop(state);
            if let Some(waiting) = waiting {
                let _ = waiting.reply.send(reply);
            }
            self.news.notify_waiters();
            answered = true;
        }
        answered
    }
}

impl State {
    /// The next request to be sent.
    fn next_unsent(&mut self) -> Option<(u64, Arc<Input>)> {
        while let Some(id) = self.unsent.pop_front() {
            if let Some(waiting) = self.waiting.get(&id) {
                return Some((id, waiting.input()));
            }
        }
        None
    }
}

impl Waiting {
    fn input(&self) -> Arc<Input> {
        Arc::clone(&self.input)
    }
}

/// Closes a desk when its task is gone, however it went.
struct Closed<'a>(&'a Desk);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.phase != Phase::Closed {
            state.death.wanted = true;
            drop(state);
            self.0.close(None, String::new());
        }
    }
}

fn tell_noise(line: &str) {
    let start: String = line.chars().take(200).collect();
    tracing::warn!(line = %start, "a server hook said something that answers nothing");
}

/// A request that is under way; forgotten when it is dropped.
struct Request {
    desk: Arc<Desk>,
    id: u64,
    /// How many answers had come when it was made.
    answers: u64,
    answer: oneshot::Receiver<Reply>,
}

impl Request {
    /// The answer; nothing where the server died.
    async fn answer(&mut self) -> Option<Reply> {
        (&mut self.answer).await.ok()
    }

    /// Whether the server died by itself and never saw the request.
    fn was_never_seen(&self) -> bool {
        let state = self.desk.state();
        let by_itself = !state.death.wanted && state.death.unstarted.is_none();
        by_itself && state.unsent.contains(&self.id)
    }

    /// The server died before it answered.
    fn died(&self) -> Reply {
        let death = self.desk.state().death.clone();
        if let Some(why) = death.unstarted {
            return Reply::with_status(Status::LaunchFailed(why));
        }
        let what = if death.wanted {
            "the server was ended before it answered"
        } else {
            "the server died before it answered"
        };
        let words = last_words(&death.stderr).unwrap_or("it said nothing");
        let mut reply = Reply::failed(format!("{what}: {words}"));
        reply.evidence.stderr = death.stderr;
        reply
    }

    /// The deadline has passed. A server that has said nothing all the while hangs: the next request
    /// gets another.
    fn took_too_long(&self, limit: Duration) -> Reply {
        let desk = &self.desk;
        let answers = desk.state().answers;
        let ready = answers > 0 || desk.begins.elapsed() >= READY;
        if ready && answers == self.answers {
            desk.retire();
        }
        let mut reply = Reply::with_status(Status::TimedOut { limit });
        if let Some(lines) = desk.lines.get().and_then(Weak::upgrade) {
            reply.evidence.stderr = lines.stderr_tail();
        }
        reply
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = self.desk.state();
        state.unsent.retain(|id| *id != self.id);
        let forgotten = state.waiting.remove(&self.id).is_some();
        drop(state);
        if forgotten {
            self.desk.news.notify_waiters();
        }
    }
}

fn last_words(stderr: &str) -> Option<&str> {
    let mut lines = stderr.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty())
}

/// Something that a server said about a request.
enum Said<'a> {
    /// An object: its members as they are written.
    Whole {
        id: u64,
        members: Vec<(String, &'a str)>,
    },
    /// What follows an id where the line is no JSON, or was cut.
    Flawed {
        id: u64,
        text: &'a str,
        extent: Extent,
        /// Whether the line begins with it.
        first: bool,
    },
}

/// What a line says: an object, or several. In a line that is something else, whatever starts like
/// one.
fn said(line: &Line) -> Vec<Said<'_>> {
    let text = line.text.trim_start_matches('\u{feff}').trim();
    if line.truncated {
        return first_flawed(text, Extent::Cut).into_iter().collect();
    }
    whole(text).unwrap_or_else(|| flawed(text))
}

fn whole(text: &str) -> Option<Vec<Said<'_>>> {
    let (mut rest, mut found) = (text, Vec::new());
    while !rest.is_empty() {
        let (members, after) = members(rest)?;
        rest = after.trim_start();
        let id = members.iter().find(|(key, _)| key == "id");
        if let Some(id) = id.and_then(|(_, id)| number(id)) {
            found.push(Said::Whole { id, members });
        }
    }
    Some(found)
}

/// The members of the object that `text` starts with, as they are written, and what follows it.
/// Equal keys are all there.
fn members(text: &str) -> Option<(Vec<(String, &str)>, &str)> {
    let mut rest = text.strip_prefix('{')?.trim_start();
    let mut found = Vec::new();
    if let Some(after) = rest.strip_prefix('}') {
        return Some((found, after));
    }
    loop {
        let (Value::String(key), _, after) = value(rest)? else {
            return None;
        };
        let after = after.trim_start().strip_prefix(':')?;
        let (_, written, after) = value(after)?;
        found.push((key, written));
        let after = after.trim_start();
        if let Some(after) = after.strip_prefix('}') {
            return Some((found, after));
        }
        rest = after.strip_prefix(',')?;
    }
}

/// The JSON value that `text` starts with, as it is written, and what follows it.
fn value(text: &str) -> Option<(Value, &str, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let (written, after) = text.split_at(values.byte_offset());
    Some((value, written.trim(), after))
}

fn unquoted(written: &str) -> Option<String> {
    match value(written)?.0 {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// An id, as a number or as text.
fn number(written: &str) -> Option<u64> {
    written
        .trim_matches('"')
        .trim_end_matches(".0")
        .parse()
        .ok()
}

fn flawed(text: &str) -> Vec<Said<'_>> {
    let starts: Vec<usize> = text
        .match_indices('{')
        .map(|(at, _)| at)
        .filter(|at| id_and_rest(&text[*at..]).is_some())
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces = starts.iter().zip(ends);
    pieces
        .filter_map(|(start, end)| {
            let mut said = first_flawed(&text[*start..end], Extent::Whole)?;
            if let Said::Flawed { first, .. } = &mut said {
                *first = *start == 0;
            }
            Some(said)
        })
        .collect()
}

fn first_flawed(text: &str, extent: Extent) -> Option<Said<'_>> {
    let (id, text) = id_and_rest(text)?;
    Some(Said::Flawed {
        id,
        text,
        extent,
        first: true,
    })
}

/// The id that an object begins with, and what follows it.
fn id_and_rest(text: &str) -> Option<(u64, &str)> {
    let after = text
        .strip_prefix('{')?
        .trim_start()
        .strip_prefix("\"id\"")?;
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let end = after.find(|c: char| !matches!(c, '0'..='9' | '.' | '"'))?;
    let (id, rest) = after.split_at(end);
    Some((number(id)?, rest.trim_start().trim_start_matches(',')))
}

impl Said<'_> {
    fn id(&self) -> u64 {
        match self {
            Self::Whole { id, .. } | Self::Flawed { id, .. } => *id,
        }
    }

    /// What it is to the one who asked; nothing where it should not count.
    fn reply(&self, input: &Input) -> Option<Reply> {
        match self {
            Self::Whole { members, .. } => Some(answer(input, members)),
            Self::Flawed {
                text,
                extent,
                first,
                ..
            } => flawed_answer(input, text, *extent, *first),
        }
    }
}

/// Reads an answer as it is meant.
fn answer(input: &Input, members: &[(String, &str)]) -> Reply {
    let named = |name: &'static str| {
        let named = members.iter().filter(move |(key, _)| key == name);
        named
            .map(|(_, written)| *written)
            .filter(|written| *written != "null")
    };
    let mut outputs: Vec<Reply> = named("output").map(|output| told(input, output)).collect();
    let error = named("error").next();
    let error = error.map(|error| unquoted(error).unwrap_or_else(|| error.to_owned()));
    let beside = beside(input, members);
    // On a guard a refusal counts, wherever it stands.
    let refusal = outputs
        .iter()
        .chain(&beside)
        .find(|reply| refuses(input, reply));
    if let Some(refusal) = refusal {
        let mut reply = refusal.clone();
        if let Some(why) = error {
            reply.status = Status::Failed(why);
        }
        return reply;
    }
    if let Some(why) = error {
        return Reply::failed(why);
    }
    match (outputs.pop(), outputs.len(), beside) {
        (Some(reply), 0, _) => reply,
        (Some(_), ..) => bad("`output` stands more than once"),
        (None, _, Some(beside)) if beside.status == Status::Answered => {
            bad("the answer stands beside `output`; it belongs into it")
        }
        (None, _, beside) => {
            let mut reply = read_as_printed(input, "", Extent::Whole);
            reply.diagnostics = beside.map(|beside| beside.diagnostics).unwrap_or_default();
            reply
        }
    }
}

/// What stands beside `output`, read as if it were the output.
fn beside(input: &Input, members: &[(String, &str)]) -> Option<Reply> {
    let others: Vec<String> = members
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "id" | "output" | "error"))
        .map(|(key, written)| format!("{}:{written}", Value::from(key.as_str())))
        .collect();
    if others.is_empty() {
        return None;
    }
    let object = format!("{{{}}}", others.join(","));
    let mut reply = read_as_printed(input, &object, Extent::Whole);
    let message = "this stands beside `output`; it belongs into it";
    reply
        .diagnostics
        .push(Diagnostic::new(Code::Misplaced, message));
    Some(reply)
}

/// Reads an output as it is written: an object, or text in quotes.
fn told(input: &Input, output: &str) -> Reply {
    if output.starts_with('{') {
        return read_as_printed(input, output, Extent::Whole);
    }
    match unquoted(output) {
        Some(text) => read_as_printed(input, &text, Extent::Whole),
        None => bad("`output` is neither an object nor text"),
    }
}

/// Reads a text as if a command had printed it and exited with 0.
fn read_as_printed(input: &Input, text: &str, extent: Extent) -> Reply {
    let collected = Collected {
        ending: &Ending::Exited(0),
        stdout: text,
        stderr: "",
        cut: extent,
        limit: Duration::ZERO,
    };
    let mut reply = protocol::reply(Dialect::Claude, input.event(), &collected);
    reply.evidence.exit_code = None;
    reply.evidence.truncated = extent == Extent::Cut;
    if promised_at_the_end(input.name(), text).is_some() {
        let message = "a server answers when it answers, and can promise nothing for later";
        let diagnostic = Diagnostic::new(Code::NoEffect, message).at("async");
        reply.diagnostics.push(diagnostic);
    }
    reply
}

/// What counts of a line that is no JSON, or was cut: a refusal; else it is a bad answer to whoever
/// it begins with.
fn flawed_answer(input: &Input, text: &str, extent: Extent, first: bool) -> Option<Reply> {
    let text = output_in(text);
    let reply = read_as_printed(input, &text, extent);
    if refuses(input, &reply) {
        return Some(reply);
    }
    let mut bad = bad("the line is not one JSON object");
    bad.evidence = reply.evidence;
    bad.diagnostics = reply.diagnostics;
    first.then_some(bad)
}

/// What follows `"output":`, else all of it as an object.
fn output_in(text: &str) -> String {
    let output = text.split_once("\"output\"");
    let output = output.and_then(|(_, after)| after.trim_start().strip_prefix(':'));
    output.map_or_else(|| format!("{{{text}"), |output| output.trim().to_owned())
}

fn refuses(input: &Input, reply: &Reply) -> bool {
    input.name().row().guard && reply.output.decision == Decision::Deny
}

fn bad(why: &str) -> Reply {
    Reply::with_status(Status::BadOutput(why.to_owned()))
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
