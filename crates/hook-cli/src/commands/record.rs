//! `hookline record`: what a session fired and what its hooks answered, as a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Parser};
use hook_runner::HookRunner;
use hook_types::HookEvent;
use serde_json::{Value, json};

use crate::args::{Cli, Command};
use crate::config_args::{ConfigArgs, Project};
use crate::event_args::read;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::firing;
use crate::output::{Form, Output};
use crate::recording::{
    Book, GRACE, Invented, Kind, Names, Odd, Plan, Redact, SECRETS, Source, kept, read_lines,
    surroundings,
};
use crate::render::clean_line;
use crate::safe;
use crate::world::World;

/// How many lines that are not understood are told of one by one.
const TOLD: usize = 10;

/// Keep what a session fired, and what its hooks answered, as a file.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline record golden/tidy.jsonl -- run -p --model scripted:tidy.json 'Tidy up.'
  hookline record golden/demo.jsonl -- demo --fast
  hookline record golden/old.jsonl --from ~/.claude/projects/-srv-app/SESSION.jsonl
  hookline record golden/told.jsonl --trust < inputs.jsonl

Behind `--` stands a session of `run` or of `demo`, which is recorded as it goes. Without it, lines
are read: what hooks were told (one JSON object a line), the stream of `run` or of the SDK, a
transcript. What can be told from them is fired at the hooks there are. A line that is not
understood is told of with its number. What is volatile (ids, times, paths) becomes placeholders.
`hookline replay FILE` fires it again.")]
pub(crate) struct Record {
    /// The file to write.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Lines to make it from; without it, stdin.
    #[arg(long, value_name = "LINES")]
    from: Option<PathBuf>,
    /// What the lines are; without it, what they look like.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Kind>,
    /// A file of the project that hooks look at and tools make: kept, and put in place when the
    /// recording is replayed. Can be given several times.
    #[arg(long, value_name = "PATH")]
    with_file: Vec<String>,
    #[arg(long, value_name = "PATTERN", help = redact_help())]
    redact: Vec<String>,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    /// The session to record: `run` or `demo`, with its arguments.
    #[arg(last = true, value_name = "COMMAND",
          conflicts_with_all = ["from", "format", "project", "settings", "no_user", "trust"])]
    command: Vec<OsString>,
    #[command(flatten)]
    config: ConfigArgs,
}

fn redact_help() -> String {
    format!(
        "Keep out of the file what fits this regular expression, or with `{SECRETS}` what looks like \
         a well-known kind of key. Can be given several times"
    )
}

pub(crate) fn run(asked: &Record, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let plan = Plan {
        path: asked.file.clone(),
        force: asked.force,
        redact: Redact::new(&asked.redact)?,
        files: asked.with_file.clone(),
    };
    if asked.command.is_empty() {
        lines(asked, plan, world, output)
    } else {
        session(asked, plan, world, output)
    }
}

/// Records a session as it goes.
fn session(
    asked: &Record,
    plan: Plan,
    world: &World,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let words = std::iter::once(OsString::from("hookline")).chain(asked.command.iter().cloned());
    let words: Vec<OsString> = words.collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(told) => return Ok(crate::run::usage(&told, &words, world)),
    };
    if cli.global.json {
        output.form = Form::Json;
    }
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "of all commands, two have sessions"
    )]
    match cli.command {
        Command::Run(run) => super::run::run_kept(&run, Some(plan), world, output),
        Command::Demo(demo) => super::demo::run_kept(&demo, Some(plan), world, output),
        _ => Err(
            Failure::invalid("only sessions of `run` and `demo` can be recorded")
                .help("hookline record FILE -- run -p 'Tidy up.'"),
        ),
    }
}

/// Says how much was recorded, and where.
pub(crate) fn conclude(book: &Book, output: &mut Output) -> Result<(), Failure> {
    let count = book.finish()?;
    let path = safe::path(book.path());
    output.note(&format!("recorded {} in {path}", firings(count)));
    Ok(())
}

fn firings(count: u64) -> String {
    match count {
        1 => "one firing".to_owned(),
        count => format!("{count} firings"),
    }
}

/// Records what can be told from lines.
fn lines(asked: &Record, plan: Plan, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let text = match &asked.from {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(|why| Failure::unreadable(path, why))?;
            read(file, path)?
        }
        None if world.stdin_is_terminal => {
            return Err(Failure::invalid("there is nothing to record").help(
                "name lines with --from, or a session: hookline record FILE -- run -p 'Tidy up.'",
            ));
        }
        None => read(std::io::stdin().lock(), Path::new("stdin"))?,
    };
    let source = read_lines(&text, asked.format);
    if source.told.is_empty() {
        tell(&source.odd, output);
        return Err(Failure::invalid("nothing in these lines tells of an event")
            .help("a line is what a hook was told, or one of a stream or of a transcript; --format says which"));
    }
    let project = asked.config.load_watched(world)?;
    if let Some(note) = crate::agent::waiting(&project.loaded.report) {
        output.note(&format!("note: {note}"));
    }
    let kind = source.kind.unwrap_or(Kind::Inputs);
    let book = plan.open(kind.as_str(), &project.root, world)?;
    let Some(odd) = fire(source, &project, &book, world, output)? else {
        return Ok(Exit::Interrupted);
    };
    if output.is_json() {
        let count = book.finish()?;
        let skipped = odd
            .iter()
            .map(|odd| json!({"line": odd.line, "why": odd.why}));
        output.json(
            &json!({"file": book.path(), "made_from": kind.as_str(), "firings": count,
                            "skipped": skipped.collect::<Vec<_>>()}),
        )?;
        return Ok(Exit::Done);
    }
    tell(&odd, output);
    conclude(&book, output)?;
    Ok(Exit::Done)
}

/// Tells of lines that are not understood.
fn tell(odd: &[Odd], output: &mut Output) {
    for odd in odd.iter().take(TOLD) {
        output.note(&format!(
            "note: line {}: {}",
            odd.line,
            clean_line(&odd.why)
        ));
    }
    match odd.len() {
        0 => {}
        1 => output.note("note: one line was not understood, and is left out"),
        count => output.note(&format!(
            "note: {count} lines were not understood, and are left out"
        )),
    }
}

/// Fires what was told; the lines that could not be, or nothing where somebody pressed Ctrl-C.
fn fire(
    source: Source,
    project: &Project,
    book: &Arc<Book>,
    world: &World,
    output: &Output,
) -> Result<Option<Vec<Odd>>, Failure> {
    let invented = Invented::new()?;
    let runner = firing::runner(project, world, &invented.base(&project.root));
    let hooks = kept(runner, Some(book));
    let mut translation = Translation {
        theirs: theirs(&source, &project.root),
        ours: surroundings(&project.root, world),
        invented,
        root: project.root.clone(),
    };
    let mut progress = output.progress();
    firing::until_interrupted(&project.host, async {
        let of = source.told.len();
        let mut odd = source.odd;
        for (done, told) in source.told.into_iter().enumerate() {
            progress.bar(done, of, "firings");
            match translation.event(&told.input) {
                Ok(event) => drop(hooks.fire_event(event).await),
                Err(why) => odd.push(Odd {
                    line: told.line,
                    why,
                }),
            }
        }
        hooks.close(GRACE).await;
        odd.sort_by_key(|odd| odd.line);
        Ok(odd)
    })
}

/// From the session that the lines are about to one in this project.
struct Translation {
    theirs: Names,
    ours: Names,
    invented: Invented,
    root: PathBuf,
}

impl Translation {
    fn event(&mut self, input: &Value) -> Result<HookEvent, String> {
        let make = |kind: &str, name: &str| self.invented.make(kind, name);
        self.ours.invent(input, make);
        let input = self.ours.restore(&self.theirs.input(input));
        let name = input["hook_event_name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        HookEvent::from_json(&name, input, &self.invented.base(&self.root))
            .map_err(|why| why.to_string())
    }
}

/// Where the session was: its first working directory stands for the project, unless it is in ours.
fn theirs(source: &Source, root: &Path) -> Names {
    let mut directories = source
        .told
        .iter()
        .filter_map(|told| told.input["cwd"].as_str());
    let first = directories.next().filter(|cwd| {
        let cwd = Path::new(cwd);
        cwd.is_absolute() && !cwd.starts_with(root)
    });
    match first {
        Some(cwd) => Names::default().place("project", cwd),
        None => Names::default(),
    }
}
