//! `hookline run`: the agent in the terminal.

use std::io::{self, Read};
use std::time::Duration;

use agent_loop::{Nobody, Permissions};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use hook_types::{PermissionMode, SetupTrigger};

use crate::agent::{
    AtTerminal, Busy, Display, HookModels, Person, Quiet, Resume, Screen, Sessions, Signals, Story,
    Stream, Wanted, Wiring, answer, as_json, converse, exit, hook_models_help, models_help,
    open_model, reason,
};
use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::recording::Plan;
use crate::render::{Look, behind, clean};
use crate::runtime::runtime;
use crate::terminal::{Keyboard, RawMode};
use crate::world::World;

/// The longest prompt that is read from stdin.
const LONGEST_PROMPT: u64 = 16 * 1024 * 1024;

/// How long a person waits for MCP servers before the first prompt. They go on connecting.
const PATIENCE: Duration = Duration::from_secs(5);

/// The agent in the terminal: it streams, runs tools, asks, and obeys its hooks.
#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that people type"
)]
#[command(after_help = "\
Examples:
  hookline run                                        talk with it, until Ctrl-D
  hookline run --model scripted:demo.json 'Tidy up.'  no key, no network
  echo 'Tidy up.' | hookline run --permission-mode acceptEdits
  hookline run -p 'Tidy up.' --output-format stream-json --include-hook-events
  hookline run --continue                             where the last session left off

On a terminal it asks before it does what needs permission: y yes, n no, a always, s no and stop.
Ctrl-C ends the turn, and twice the session. Elsewhere nobody can be asked, and such calls are
refused. The exit code is 0 when the model was done, 2 when hooks stopped it, 130 after Ctrl-C,
and 1 on an error.")]
pub(crate) struct Run {
    /// What to do; `-` reads it from stdin.
    prompt: Option<String>,
    /// Answer and end, and ask nobody, also on a terminal.
    #[arg(short, long)]
    print: bool,
    #[arg(long, value_name = "KIND:NAME", help = models_help())]
    model: Option<String>,
    #[arg(long, value_name = "KIND:NAME", help = hook_models_help("without one, the session's"))]
    hook_model: Option<String>,
    /// How much it may do without asking.
    #[arg(long, value_name = "MODE", default_value = "default",
          value_parser = PossibleValuesParser::new(PermissionMode::KNOWN.iter().copied()))]
    permission_mode: String,
    /// Let calls through that fit this rule, such as `Bash(git status)`. Can be given several times.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Ask about calls that fit this rule.
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,
    /// Refuse calls that fit this rule.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// How often the model may be asked in one turn.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Fire Setup hooks first, as for a fresh checkout.
    #[arg(long, conflicts_with = "maintenance")]
    init: bool,
    /// Fire Setup hooks first, as for upkeep.
    #[arg(long)]
    maintenance: bool,
    /// Go on with a session: its id, or the file of its transcript; without one, the newest.
    #[arg(short, long, value_name = "SESSION|FILE", num_args = 0..=1, default_missing_value = "", conflicts_with = "continue")]
    resume: Option<String>,
    /// Go on with the newest session of the project.
    #[arg(short, long)]
    r#continue: bool,
    /// How the result is printed.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    output_format: Format,
    /// One more file with MCP servers, or the JSON itself. Can be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    mcp_config: Vec<String>,
    /// With stream-json: also what every hook does.
    #[arg(long)]
    include_hook_events: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// How the result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What the model said last.
    #[default]
    Text,
    /// One object with the result.
    Json,
    /// One object a line, as things happen.
    StreamJson,
}

/// With whom it runs.
enum Way {
    /// A person at a terminal, and what they have said already.
    Attended(Option<String>),
    /// A program, or a pipe.
    Unattended(Option<String>, Format),
}

pub(crate) fn run(asked: &Run, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    run_kept(asked, None, world, output)
}

/// The same, and what hooks do is written down where there is a plan for it.
pub(crate) fn run_kept(
    asked: &Run,
    plan: Option<Plan>,
    world: &World,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let way = asked.way(world, output)?;
    let model = open_model(asked.model.as_deref(), world)?;
    let permissions = asked.permissions()?;
    let sessions = Sessions::of(&asked.config.root(world)?, world);
    let verifiers = sessions.directory().map(|place| place.join("verifiers"));
    let models = HookModels::open(asked.hook_model.as_deref(), world)?
        .or(asked.model.as_deref(), &model, world)
        .verifying(permissions.clone(), verifiers);
    let config = asked.config.asking(models).with_mcp(&asked.mcp_config);
    let project = config.load_watched(world)?;
    let resume = asked.resumes();
    let resume = resume.map(|wanted| sessions.find(&wanted, world));
    let resume = resume.transpose()?;
    let book = plan.map(|plan| plan.open("run", &project.root, world));
    let book = book.transpose()?;
    let wanted = Wanted {
        model,
        permissions,
        max_turns: asked.max_turns,
        setup: asked.setup(),
        resume,
        user: !asked.config.no_user,
        book: book.clone(),
    };
    let wiring = Wiring::new(project, sessions, wanted, world);
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let done = match way {
            Way::Attended(first) => Box::pin(attended(&wiring, first, output)).await,
            Way::Unattended(prompt, format) => {
                Box::pin(unattended(asked, &wiring, prompt, format, output)).await
            }
        };
        wiring.close().await;
        done
    });
    match &book {
        Some(book) => done.and_then(|exit| super::record::conclude(book, output).map(|()| exit)),
        None => done,
    }
}

impl Run {
    fn way(&self, world: &World, output: &Output) -> Result<Way, Failure> {
        let format = match self.output_format {
            Format::Text if output.is_json() => Format::Json,
            format @ (Format::Text | Format::Json | Format::StreamJson) => format,
        };
        if self.include_hook_events && format != Format::StreamJson {
            return Err(
                Failure::invalid("--include-hook-events needs a stream to be in")
                    .help("add --output-format stream-json"),
            );
        }
        let person = world.stdin_is_terminal && world.stdout_is_terminal;
        let prompt = self.prompt.clone().filter(|prompt| prompt != "-");
        if person && !self.print && format == Format::Text {
            return Ok(Way::Attended(prompt));
        }
        let prompt = match prompt {
            None if self.prompt.is_some() || !world.stdin_is_terminal => read_prompt()?,
            prompt => prompt,
        };
        let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
        let something_else = self.resumes().is_some() || self.setup().is_some();
        if prompt.is_none() && !something_else {
            return Err(Failure::invalid("there is no prompt")
                .help("give one as an argument or on stdin: hookline run -p 'Tidy up.'"));
        }
        Ok(Way::Unattended(prompt, format))
    }

    fn resumes(&self) -> Option<Resume> {
        match &self.resume {
            Some(name) if name.is_empty() => Some(Resume::Newest),
            Some(name) => Some(Resume::Named(name.clone())),
            None => self.r#continue.then_some(Resume::Newest),
        }
    }

    fn setup(&self) -> Option<SetupTrigger> {
        let init = self.init.then_some(SetupTrigger::Init);
        init.or_else(|| self.maintenance.then_some(SetupTrigger::Maintenance))
    }

    fn permissions(&self) -> Result<Permissions, Failure> {
        let mut permissions = Permissions::new(PermissionMode::from(self.permission_mode.as_str()));
        let wrong = |why: hook_runner::matcher::RuleError| {
            Failure::invalid(why.to_string())
                .help("a rule is a tool, or a tool and what it is called with: Bash(git status)")
        };
        for rule in &self.allow {
            permissions = permissions.allow(rule).map_err(wrong)?;
        }
        for rule in &self.ask {
            permissions = permissions.ask(rule).map_err(wrong)?;
        }
        for rule in &self.deny {
            permissions = permissions.deny(rule).map_err(wrong)?;
        }
        Ok(permissions)
    }
}

/// The prompt that stands on stdin.
fn read_prompt() -> Result<Option<String>, Failure> {
    let mut text = String::new();
    let read = io::stdin().take(LONGEST_PROMPT).read_to_string(&mut text);
    read.map_err(|why| Failure::invalid(format!("cannot read the prompt from stdin: {why}")))?;
    Ok(Some(text.trim_end().to_owned()))
}

/// Talks with a person.
async fn attended(
    wiring: &Wiring,
    first: Option<String>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let cannot = |why: io::Error| Failure::invalid(format!("cannot use the terminal: {why}"));
    let look = Look::of(output);
    let mut signals = Signals::listen()?;
    let _raw = RawMode::enter().map_err(cannot)?;
    let keyboard = Keyboard::start().map_err(cannot)?;
    let story = Story::new(look, wiring.runner.clone());
    let display = Display::start(Screen::new(io::stdout(), look, story)).map_err(cannot)?;
    let approver = AtTerminal::new(keyboard.clone(), display.clone(), look);
    let busy = Busy::default();
    wiring.tell(&display);
    let connected = wiring.connect(Some(PATIENCE), &display, &mut signals).await;
    let session = if connected {
        wiring
            .start(approver, &display, &busy, &mut signals)
            .await?
    } else {
        None
    };
    let Some(session) = session else {
        display.flush().await;
        return Ok(Exit::Interrupted);
    };
    let fresh = tokio::spawn(wiring.keep_fresh(&session, &display).keep());
    let person = Person {
        keyboard,
        display,
        signals,
        busy,
        look,
    };
    let exit = converse(session, first, person).await;
    fresh.abort();
    Ok(exit)
}

/// Answers one prompt.
async fn unattended(
    asked: &Run,
    wiring: &Wiring,
    prompt: Option<String>,
    format: Format,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let cannot = |why: io::Error| Failure::invalid(format!("cannot start: {why}"));
    let mut signals = Signals::listen()?;
    let display = match format {
        Format::StreamJson => Display::start(Stream::new(
            io::stdout(),
            asked.include_hook_events,
            wiring.mcp(),
        )),
        Format::Text | Format::Json => Display::start(Quiet),
    };
    let display = display.map_err(cannot)?;
    wiring.tell(&display);
    let busy = Busy::default();
    let connected = wiring.connect(None, &display, &mut signals).await;
    let session = if connected {
        wiring.start(Nobody, &display, &busy, &mut signals).await?
    } else {
        None
    };
    let Some(session) = session else {
        return Ok(Exit::Interrupted);
    };
    let fresh = tokio::spawn(wiring.keep_fresh(&session, &display).keep());
    let result = answer(session, prompt, &mut signals, &display).await;
    fresh.abort();
    display.flush().await;
    if display.is_closed() {
        return Err(Failure::Closed);
    }
    let Some(result) = result else {
        return nothing_done(asked);
    };
    match format {
        Format::StreamJson => {}
        Format::Json => output.json(&as_json(&result))?,
        Format::Text => {
            if !result.text.is_empty() {
                let text = if output.may_be_obeyed() {
                    clean(&result.text)
                } else {
                    result.text.as_str().into()
                };
                output.pass(&format!("{text}\n"))?;
            }
            if let Some(reason) = reason(&result) {
                output.note(&behind(&reason, "    "));
            }
        }
    }
    Ok(exit(&result))
}

/// A set-up alone is something; a session that goes on with nothing is not.
fn nothing_done(asked: &Run) -> Result<Exit, Failure> {
    if asked.setup().is_some() {
        return Ok(Exit::Done);
    }
    Err(
        Failure::invalid("there is no prompt, and no call waits in that session")
            .help("give one as an argument or on stdin"),
    )
}
