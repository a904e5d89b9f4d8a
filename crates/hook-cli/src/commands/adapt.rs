//! `hookline adapt`: a command that was written for one agent's hooks, as a hook of another's.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hook_config::{
    Adapter, ConfigFile, FileState, Format, Layer, Options, Origin, Places, Rewrites, parse, read,
    resolve,
};
use hook_runner::{Fired, HookRunner, Policy, Runner, Session};
use hook_shell::{Host, Said};
use hook_types::{Base, Decision, EventName, HookEvent, OnFailure, Reply, Status, SyncOutput};
use process_tree::Watchdog;
use serde_json::json;

use crate::commands::convert::DialectArg;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::runtime::runtime;
use crate::world::World;

/// How much an agent may tell.
const LARGEST_INPUT: u64 = 64 << 20;

/// How long somebody waits for an agent that has told everything in variables already.
const SILENCE: Duration = Duration::from_millis(500);

/// Run a command that was written for one agent's hooks as a hook of another's. `hookline convert`
/// writes it into files; docs/convert.md says what it does.
#[derive(Args, Debug)]
pub(crate) struct Adapt {
    /// Whose rules the command is written for.
    #[arg(long, value_enum, value_name = "DIALECT")]
    from: DialectArg,
    /// Who calls.
    #[arg(long, value_enum, value_name = "DIALECT")]
    to: DialectArg,
    /// Run it on this event only. Can be given several times.
    #[arg(long, value_name = "EVENT")]
    event: Vec<String>,
    /// Run it for these subjects only, as in Claude settings.
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    matcher: Option<String>,
    /// Run it for these tool calls only, such as `Bash(git *)`.
    #[arg(long = "if", value_name = "RULE", allow_hyphen_values = true)]
    condition: Option<String>,
    /// How many seconds it may take.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// What a failure of it means.
    #[arg(long, value_name = "WHAT", value_parser = ["continue", "block"])]
    on_failure: Option<String>,
    /// What a rewrite of it becomes: an answer in JSON, or a refusal.
    #[arg(long, value_name = "WHAT", value_parser = ["answer", "block"])]
    rewrites: Option<String>,
    /// Set a variable for it. Can be given several times.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    env: Vec<String>,
    /// Where it runs; from the project's root.
    #[arg(long, value_name = "DIR", allow_hyphen_values = true)]
    cwd: Option<String>,
    /// Promise an answer first, and give it later.
    #[arg(long)]
    background: bool,
    /// It is a server: ask it once, and end it.
    #[arg(long)]
    server: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    run: Vec<String>,
}

impl Adapt {
    fn adapter(&self) -> Adapter {
        let (from, to) = (self.from.format(), self.to.format());
        let mut adapter = Adapter::new(from, to, self.run.iter().cloned());
        adapter.events.clone_from(&self.event);
        adapter.matcher.clone_from(&self.matcher);
        adapter.condition.clone_from(&self.condition);
        let timeout = self
            .timeout
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        adapter.timeout = timeout;
        if self.on_failure.as_deref() == Some("block") {
            adapter.on_failure = OnFailure::Block;
        }
        if self.rewrites.as_deref() == Some("block") {
            adapter.rewrites = Rewrites::Blocked;
        }
        let pair = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            (name.to_owned(), value.to_owned())
        };
        adapter.env = self.env.iter().map(pair).collect();
        adapter.cwd.clone_from(&self.cwd);
        adapter.background = self.background;
        adapter.server = self.server;
        adapter
    }
}

pub(crate) fn run(asked: &Adapt, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let adapter = asked.adapter();
    let event = heard(&adapter, world)?;
    let name = event.name();
    if !adapter.events.is_empty() && !adapter.events.iter().any(|event| event == name.as_str()) {
        return Ok(Exit::Done);
    }
    if adapter.background {
        promise(output)?;
    }
    let runtime = runtime()?;
    let reply = runtime.block_on(asked_for(&adapter, event, world, output))?;
    let Some(reply) = reply else {
        return Ok(Exit::Done);
    };
    export(&reply, world)?;
    say(&said(&adapter, name, &reply), output)
}

/// The event that the agent tells of.
fn heard(adapter: &Adapter, world: &World) -> Result<HookEvent, Failure> {
    let variable = |name: &str| world.variable(name).map(str::to_owned);
    let told = ["OPTA_EVENT", "OPENCODE_EVENT"]
        .iter()
        .any(|name| world.variable(name).is_some());
    let silent = told && matches!(adapter.to, Format::Opta | Format::OpenCode);
    let stdin = stdin(silent.then_some(SILENCE));
    let heard = adapter.to.dialect().hear(&stdin, variable).ok_or_else(|| {
        Failure::invalid(format!(
            "nobody told of an event, as {} would",
            adapter.to.as_str()
        ))
        .help("`hookline adapt` is for files that `hookline convert` writes")
    })?;
    let name = heard["hook_event_name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let directory = world
        .directory
        .as_ref()
        .map(|path| path.display().to_string());
    let base = Base::new("", "", directory.unwrap_or_default());
    HookEvent::from_json(&name, heard, &base).map_err(|error| Failure::invalid(error.to_string()))
}

/// What is on stdin: its first line, which is all that agents send, or all of it. One that tells
/// everything in variables may leave stdin open and say nothing, so nobody waits for ever then.
fn stdin(patience: Option<Duration>) -> String {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let stdin = std::io::stdin().lock();
        // What cannot be read is as good as nothing.
        let _ = BufReader::new(stdin.take(LARGEST_INPUT)).read_until(b'\n', &mut line);
        let _ = tell.send(line);
    });
    let line = match patience {
        Some(patience) => told.recv_timeout(patience).unwrap_or_default(),
        None => told.recv().unwrap_or_default(),
    };
    String::from_utf8_lossy(&line).into_owned()
}

fn promise(output: &mut Output) -> Result<(), Failure> {
    output.pass("{\"async\":true}\n")?;
    Ok(std::io::stdout().flush()?)
}

/// What the command answers; none where it is not for this.
async fn asked_for(
    adapter: &Adapter,
    event: HookEvent,
    world: &World,
    output: &mut Output,
) -> Result<Option<Reply>, Failure> {
    let watchdog = Watchdog::start().ok();
    let host = match &watchdog {
        Some(watchdog) => Host::new().watched(watchdog.clone()),
        None => Host::new(),
    };
    let runner = runner(adapter, &event, &host, world)?;
    let fired = fired(&runner, event).await?;
    let attempt = fired.as_ref().and_then(|fired| fired.attempts.first());
    let reply = match (&fired, attempt) {
        (Some(_), Some(attempt)) if matches!(attempt.reply.status, Status::Background) => {
            if !adapter.background {
                promise(output)?;
            }
            runner.close(attempt_limit(adapter)).await;
            let late = runner.take_finished().into_iter().next();
            late.map(|late| late.attempt.reply)
        }
        (Some(fired), Some(attempt)) => Some(judged(fired, attempt.reply.clone())),
        _ => None,
    };
    runner.close(Duration::ZERO).await;
    host.close().await;
    Ok(reply.filter(|reply| !matches!(reply.status, Status::Skipped(_))))
}

/// Fires; nothing if the agent ends this process meanwhile, and then nothing is left running.
async fn fired(runner: &Runner, event: HookEvent) -> Result<Option<Fired>, Failure> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(tokio::select! {
        fired = runner.fire_event(event) => Some(fired),
        _ = tokio::signal::ctrl_c() => None,
        _ = terminate.recv() => None,
    })
}

fn attempt_limit(adapter: &Adapter) -> Duration {
    adapter.timeout.unwrap_or(Duration::from_mins(10))
}

/// The reply with what was decided in the end: a failure may be told to block.
fn judged(fired: &Fired, mut reply: Reply) -> Reply {
    if fired.outcome.decision == Decision::Deny && reply.output.decision != Decision::Deny {
        reply.output = SyncOutput::deny(fired.outcome.reason.clone().unwrap_or_default()).into();
    }
    reply
}

/// A runner with nothing but the adapter's command.
fn runner(
    adapter: &Adapter,
    event: &HookEvent,
    host: &Host,
    world: &World,
) -> Result<Runner, Failure> {
    let text = json!({"hooks": {event.name().as_str(): [{"hooks": [adapter.handler()]}]}});
    let document = read("hookline adapt", text.to_string().as_bytes())
        .map_err(|problem| Failure::invalid(problem.to_string()))?;
    let parsed = parse(&document, Format::Hookline);
    if let Some(broken) = parsed.broken.first() {
        return Err(Failure::invalid(broken.why.clone()));
    }
    let told = world.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let project = told.or_else(|| world.directory.clone()).unwrap_or_default();
    let file = ConfigFile {
        path: "hookline adapt".into(),
        origin: Origin::of(Layer::Settings),
        format: Format::Hookline,
        state: FileState::Read,
        source: document.file.clone(),
        parsed,
    };
    let mut places = Places::none().project(&project);
    places.home = world.home();
    let loaded = resolve(vec![file], &places, &Options::new(host.clone()));
    let mut session = Session::new(event.base().clone());
    session.project_dir = project.display().to_string();
    session.home = world.home().map(|home| home.display().to_string());
    session.model = world.variable("OPTA_MODEL").map(str::to_owned);
    session.interactive = false;
    Ok(Runner::with(loaded.hooks, session, Policy::default()))
}

/// What the command set for later commands of the agent goes where the agent looks for it.
fn export(reply: &Reply, world: &World) -> Result<(), Failure> {
    let (Some(lines), Some(file)) = (
        &reply.output.specific.exports,
        world.variable("CLAUDE_ENV_FILE"),
    ) else {
        return Ok(());
    };
    let file = PathBuf::from(file);
    let opened = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&file);
    opened
        .and_then(|mut opened| opened.write_all(format!("{}\n", lines.trim_end()).as_bytes()))
        .map_err(|why| Failure::unwritable(&file, why))
}

/// The reply in the words of whoever called.
fn said(adapter: &Adapter, event: EventName, reply: &Reply) -> Said {
    let to = adapter.to.dialect();
    let denies = reply.output.decision == Decision::Deny;
    if reply.status.is_failure() && !denies {
        return to.fail(event, &format!("the hook {}", reply.status));
    }
    let mut output = reply.output.clone();
    output.specific.exports = None;
    let rewrites = output.updated_input.is_some() || output.updated_output.is_some();
    if rewrites && adapter.rewrites == Rewrites::Blocked && !denies {
        let why = "the hook wants to change this, and can only refuse it here";
        return to.say(event, &SyncOutput::deny(why));
    }
    let mut said = to.say(event, &output);
    if !denies {
        said.stderr.push_str(&reply.evidence.stderr);
    }
    said
}

fn say(said: &Said, output: &mut Output) -> Result<Exit, Failure> {
    output.pass(&said.stdout)?;
    if !said.stderr.is_empty() {
        output.note(said.stderr.trim_end());
    }
    Ok(match said.code {
        0 => Exit::Done,
        1 => Exit::Failed,
        _ => Exit::Prevented,
    })
}
