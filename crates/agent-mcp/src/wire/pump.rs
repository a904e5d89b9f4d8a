//! One task a process: lines in, lines out, and its end.

use std::path::PathBuf;

use process_tree::{
    Command, Control, Ending, Environment, Finished, Limits as ProcessLimits, Lines, Registry,
};
use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fate::Fate;
use super::pipe::Pipe;
use crate::limits::Limits;
use crate::name::clip;

/// How many messages wait on their way out.
const OUTGOING: usize = 16;
/// How much of a server's stderr is kept, in bytes.
const STDERR: usize = 64 * 1024;
/// What a line counts at least, in bytes: the shortest costs as much to read.
const LEAST_NOISE: usize = 64;
/// How many lines that say nothing are told in the log.
const TOLD_NOISE: usize = 8;
/// The longest line of stderr that a reason quotes, in characters.
const LONGEST_WORDS: usize = 400;

/// How a process is started.
pub(crate) struct Launch<'a> {
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a [(String, String)],
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) environment: &'a Environment,
    pub(crate) registry: &'a Registry,
}

/// The task that a process is spoken to by. Dropping it kills the process and all that it started.
#[derive(Debug)]
pub(crate) struct Pump {
    task: Option<JoinHandle<()>>,
    stop: CancellationToken,
}

impl Pump {
    /// Starts a process.
    pub(crate) async fn start(
        launch: Launch<'_>,
        limits: Limits,
        fate: &Fate,
    ) -> Result<(Self, Pipe), String> {
        let process = ProcessLimits {
            stdout: limits.message,
            stderr: STDERR,
            grace: limits.grace,
            ..ProcessLimits::default()
        };
        let mut command = Command::new(launch.command)
            .args(launch.args)
            .environment(launch.environment.clone())
            .envs(launch.env.iter().cloned())
            .limits(process);
        if let Some(cwd) = launch.cwd {
            command = command.cwd(cwd);
        }
        let control = Control::new().with_registry(launch.registry);
        let lines = command.spawn_lines(&control).await;
        let lines = lines.map_err(|error| format!("{error} ({})", error.remedy()))?;
        Ok(Self::over(lines, limits, fate))
    }

    fn over(lines: Lines, limits: Limits, fate: &Fate) -> (Self, Pipe) {
        // One message waits at most: a server that floods is read no faster than it is heard.
        let (heard, incoming) = mpsc::channel(1);
        let (outgoing, to_say) = mpsc::channel(OUTGOING);
        let stop = CancellationToken::new();
        let talk = Talk {
            lines,
            limits,
            fate: fate.clone(),
            stop: stop.clone(),
        };
        let pump = Self {
            task: Some(tokio::spawn(talk.until_over(heard, to_say))),
            stop,
        };
        let pipe = Pipe {
            incoming,
            outgoing,
            fate: fate.clone(),
        };
        (pump, pipe)
    }

    /// Ends the process: its stdin is closed, then TERM, then KILL. Nothing of it is left afterwards.
    pub(crate) async fn end(mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

struct Talk {
    lines: Lines,
    limits: Limits,
    fate: Fate,
    stop: CancellationToken,
}

/// Why the talk is over.
enum Over {
    /// Somebody wants it to be.
    Stopped,
    /// The server is gone, or has closed its stdout.
    Gone,
    /// The server did something that is not put up with.
    Fault(String),
}

impl Talk {
    async fn until_over(
        self,
        heard: mpsc::Sender<ServerJsonRpcMessage>,
        to_say: mpsc::Receiver<String>,
    ) {
        let over = tokio::select! {
            biased;
            () = self.stop.cancelled() => Over::Stopped,
            over = self.listen(&heard) => over,
            over = self.say(to_say) => over,
        };
        let Self {
            lines,
            limits,
            fate,
            ..
        } = self;
        match over {
            Over::Stopped => fate.seal("it was ended"),
            Over::Fault(why) => fate.seal(why),
            Over::Gone => {
                let finished = lines.end(limits.grace).await;
                fate.seal(last_words(&finished));
                return;
            }
        }
        drop(heard);
        lines.end(limits.grace).await;
    }

    /// Hands on what the server says. The channel stays open until everybody can know why it is over.
    async fn listen(&self, heard: &mpsc::Sender<ServerJsonRpcMessage>) -> Over {
        let mut noise = Noise::default();
        while let Some(line) = self.lines.next_line().await {
            if line.truncated {
                let most = self.limits.message;
                return Over::Fault(format!("it sent a message of more than {most} bytes"));
            }
            match serde_json::from_str(&line.text) {
                Ok(message) => {
                    noise = Noise::default();
                    if heard.send(message).await.is_err() {
                        return Over::Stopped;
                    }
                }
                Err(why) => {
                    if noise.hear(&line.text, &why) > self.limits.noise {
                        return Over::Fault("it prints without end what is no message".to_owned());
                    }
                }
            }
            // A flood must not keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
        }
        Over::Gone
    }

    /// Says what is to be said, as fast as the server reads.
    async fn say(&self, mut to_say: mpsc::Receiver<String>) -> Over {
        while let Some(line) = to_say.recv().await {
            if self.lines.send_line(&line).await.is_err() {
                // It may have said why before it went.
                std::future::pending::<()>().await;
            }
        }
        Over::Stopped
    }
}

/// What a server prints that is no message.
#[derive(Debug, Default)]
struct Noise {
    bytes: usize,
    told: usize,
}

impl Noise {
    fn hear(&mut self, line: &str, why: &serde_json::Error) -> usize {
        if self.told < TOLD_NOISE && !line.trim().is_empty() {
            self.told += 1;
            let start: String = line.chars().take(200).collect();
            tracing::warn!(line = %start, %why, "an MCP server printed what is no message");
        }
        self.bytes = self.bytes.saturating_add(line.len().max(LEAST_NOISE));
        self.bytes
    }
}

/// How a server ended by itself, and what it said last.
fn last_words(finished: &Finished) -> String {
    let how = match &finished.ending {
        Ending::Exited(code) => format!("it exited with code {code}"),
        Ending::Signalled(signal) => format!("signal {signal} ended it"),
        Ending::Cancelled { .. } | Ending::TimedOut { .. } => "it closed its stdout".to_owned(),
        Ending::NeverStarted(error) => error.to_string(),
        Ending::Lost => "it ended, and nobody can say how".to_owned(),
    };
    let said = finished.stderr.text();
    let mut lines = said.lines().rev().map(str::trim);
    match lines.find(|line| !line.is_empty()) {
        Some(words) => format!("{how}: {}", clip(words, LONGEST_WORDS)),
        None => how,
    }
}
