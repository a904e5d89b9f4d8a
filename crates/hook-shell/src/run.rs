//! One run of a command: until it answers, says that it will, or takes too long.

use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hook_runner::{HookContext, Input};
use hook_types::wire::Extent;
use hook_types::{AsyncOutput, Code, Diagnostic, Reply, Status};
use process_tree::{Captured, Command, Control, Ending, Finished, LaunchErrorKind, Registry};
use tokio::sync::Notify;

use crate::dialect::Dialect;
use crate::env_file::EnvFile;
use crate::environment::may_export;
use crate::promise::{promised, promised_at_the_end};
use crate::protocol::{self, Collected};

/// A command that is about to run, with all that is needed to read what becomes of it.
pub(crate) struct Run {
    pub(crate) command: Command,
    /// Where it may run, the best place first.
    pub(crate) places: Vec<PathBuf>,
    pub(crate) dialect: Dialect,
    pub(crate) registry: Registry,
    /// How long it may take to end once it was asked to.
    pub(crate) ending: Duration,
    pub(crate) input: Arc<Input>,
    pub(crate) context: HookContext,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A promise that a command made while it ran.
#[derive(Debug, Default)]
struct Promised {
    promise: OnceLock<AsyncOutput>,
    made: Notify,
}

impl Promised {
    async fn made(&self) -> AsyncOutput {
        self.made.notified().await;
        self.promise.get().copied().unwrap_or_default()
    }
}

type Work = Pin<Box<dyn Future<Output = Done> + Send>>;

impl Run {
    /// Runs the command.
    pub(crate) async fn answer(self) -> Reply {
        let context = self.context.clone();
        let promised = Arc::new(Promised::default());
        let control = self.control(&promised);
        let limit = context.limit();
        let ending = self.ending;
        let mut work: Work = Box::pin(self.execute(control.clone()));
        tokio::select! {
            biased;
            done = &mut work => done.reply(limit),
            promise = promised.made(), if context.is_awaited() => {
                let left = promise.timeout.unwrap_or_else(|| context.time_left());
                let backstop = left.saturating_add(ending).saturating_add(BACKSTOP);
                context.in_background(Some(backstop), within(work, control, left))
            }
            () = tokio::time::sleep(limit) => end(work, &control, limit).await,
        }
    }

    /// Reports progress, and looks for a promise in it.
    fn control(&self, promised: &Arc<Promised>) -> Control {
        let (context, promised) = (self.context.clone(), Arc::clone(promised));
        let event = self.input.name();
        Control::new()
            .with_registry(&self.registry)
            .on_output(move |progress| {
                let stdout = progress.stdout();
                context.progress(&stdout, &progress.stderr());
                if let Some((promise, _)) = self::promised(event, &stdout)
                    && promised.promise.set(promise).is_ok()
                {
                    promised.made.notify_one();
                }
            })
    }

    async fn execute(self, control: Control) -> Done {
        let mut diagnostics = self.diagnostics;
        let (command, file) = match env_file(&self.input) {
            // The file is another one every time, so nothing can wait for it.
            Ok(Some(file)) => {
                let command = self.command.env("CLAUDE_ENV_FILE", file.path()).ahead(0);
                (command, Some(file))
            }
            Ok(None) => (self.command, None),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                (self.command, None)
            }
        };
        let (finished, place) = run_somewhere(command, &self.places, &control).await;
        diagnostics.extend(elsewhere(&self.places, place));
        let exports = match file.as_ref().map(EnvFile::read) {
            Some(Ok(exports)) => exports,
            Some(Err(error)) => {
                let message = format!("what the hook exports could not be read: {error}");
                diagnostics.push(Diagnostic::new(Code::WrongValue, message).at("CLAUDE_ENV_FILE"));
                None
            }
            None => None,
        };
        Done {
            finished,
            exports,
            diagnostics,
            dialect: self.dialect,
            input: self.input,
            context: self.context,
        }
    }
}

/// How much longer than it may take a promised answer is waited for.
const BACKSTOP: Duration = Duration::from_secs(1);

/// The answer that comes within `limit`, or what there is by then.
async fn within(mut work: Work, control: Control, limit: Duration) -> Reply {
    tokio::select! {
        biased;
        done = &mut work => done.final_reply(limit),
        () = tokio::time::sleep(limit) => end(work, &control, limit).await,
    }
}

/// The deadline has passed: the command is asked to end, then made to.
async fn end(work: Work, control: &Control, limit: Duration) -> Reply {
    control.cancel();
    let mut done = work.await;
    if let Ending::Cancelled { by } = done.finished.ending {
        done.finished.ending = Ending::TimedOut { by };
    }
    done.final_reply(limit)
}

/// Runs the command in the first place that exists; which one that was.
async fn run_somewhere(
    command: Command,
    places: &[PathBuf],
    control: &Control,
) -> (Finished, usize) {
    for (number, place) in places.iter().enumerate() {
        let finished = command.clone().cwd(place).run(control).await;
        if !is_gone(&finished.ending) || number + 1 == places.len() {
            return (finished, number);
        }
    }
    (command.run(control).await, 0)
}

/// Says so where a command did not run in the place that it was to run in.
fn elsewhere(places: &[PathBuf], place: usize) -> Option<Diagnostic> {
    let (wanted, used) = (places.first()?, places.get(place)?);
    let message = format!(
        "`{}` cannot be entered; the hook ran in `{}`",
        wanted.display(),
        used.display()
    );
    (place > 0).then(|| Diagnostic::new(Code::WrongValue, message).at("cwd"))
}

fn is_gone(ending: &Ending) -> bool {
    match ending {
        Ending::NeverStarted(error) => matches!(
            error.kind(),
            LaunchErrorKind::CwdMissing
                | LaunchErrorKind::CwdNotDirectory
                | LaunchErrorKind::CwdDenied
        ),
        Ending::Exited(_)
        | Ending::Signalled(_)
        | Ending::TimedOut { .. }
        | Ending::Cancelled { .. }
        | Ending::Lost => false,
    }
}

/// A file for what the command exports, on the events that have one.
fn env_file(input: &Input) -> Result<Option<EnvFile>, Diagnostic> {
    if !may_export(input.name()) {
        return Ok(None);
    }
    EnvFile::create().map(Some).map_err(|error| {
        let message = format!("there is no file for what the hook exports: {error}");
        Diagnostic::new(Code::WrongValue, message).at("CLAUDE_ENV_FILE")
    })
}

/// What a command printed: all of it, or its start and the whole lines of its end.
fn printed(output: &Captured) -> Cow<'_, str> {
    if output.tail.is_empty() {
        return output.text();
    }
    let tail = output.tail.as_str();
    if !output.truncated {
        return Cow::Owned(format!("{}{tail}", output.text()));
    }
    match tail.split_once('\n') {
        Some((_, lines)) => Cow::Owned(format!("{}\n{lines}", output.text())),
        None => output.text(),
    }
}

/// A command that has ended.
struct Done {
    finished: Finished,
    exports: Option<String>,
    diagnostics: Vec<Diagnostic>,
    dialect: Dialect,
    input: Arc<Input>,
    context: HookContext,
}

impl Done {
    /// The reply of a command that was waited for. One that had promised to answer later has, by now;
    /// its answer is late all the same.
    fn reply(self, limit: Duration) -> Reply {
        let promise =
            promised_at_the_end(self.input.name(), &self.finished.stdout.text()).is_some();
        if promise && self.context.is_awaited() && matches!(self.finished.ending, Ending::Exited(_))
        {
            let context = self.context.clone();
            return context.in_background(None, std::future::ready(self.final_reply(limit)));
        }
        self.final_reply(limit)
    }

    /// The reply that the command's final answer is: what it printed after its promise, if it made
    /// one.
    fn final_reply(self, limit: Duration) -> Reply {
        let Finished {
            ending,
            stdout,
            stderr,
            left,
            ..
        } = &self.finished;
        let printed = printed(stdout);
        let answer =
            promised_at_the_end(self.input.name(), &printed).map_or(&*printed, |(_, rest)| rest);
        let cut = if stdout.truncated {
            Extent::Cut
        } else {
            Extent::Whole
        };
        let collected = Collected {
            ending,
            stdout: answer,
            stderr: &stderr.text(),
            cut,
            limit,
        };
        let mut reply = protocol::reply(self.dialect, &self.input, &collected);
        if matches!(reply.status, Status::Blocked { .. }) && !self.context.is_awaited() {
            // What wakes an agent is stderr, else stdout: nobody else reads a late answer.
            let reason = reply.output.reason.take();
            reply.output.reason = reason.or_else(|| protocol::as_reason(answer));
        }
        reply.evidence.stdout = stdout.text().into_owned();
        let is_cut = |output: &Captured| output.truncated || !output.tail.is_empty();
        reply.evidence.truncated = is_cut(stdout) || is_cut(stderr);
        reply.evidence.left_running = left.pids().len();
        reply.output.specific.exports = self.exports;
        reply.diagnostics.extend(self.diagnostics);
        reply
    }
}
