//! `hookline convert`: hooks from one dialect to another.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hook_config::{
    Converted, Document, Edit, Format, LARGEST_FILE, Rewrites, Severity, convert_as, guess, parse,
    read, write_atomically,
};
use serde_json::{Value, json};

use crate::convert::{self, Check, Compared};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::Look;
use crate::safe;
use crate::world::World;

/// Hooks from one dialect to another, with a report of what the target cannot express.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline convert .opta/config.json --to claude                     the result to stdout, the report to stderr
  hookline convert .claude/settings.json --to hookline --output .hookline/hooks.json
  hookline convert .opencode/hooks.json --to claude --output .claude/settings.json --merge
  hookline convert .claude/settings.json --to opencode --check       fire both at the same samples

A hook that could refuse or rewrite and cannot be expressed is refused: nothing is written then, unless
you say --partial, and the exit code is 1. Where two contracts differ, a command is put behind `hookline
adapt`, which must be on the path where the hook runs. docs/convert.md has the rules.")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Convert {
    /// The file, of any dialect; `-` for stdin.
    #[arg(value_name = "FROM")]
    file: PathBuf,
    /// Into which dialect.
    #[arg(long, value_enum, value_name = "DIALECT")]
    to: DialectArg,
    /// Of which dialect the file is; without it, its shape tells.
    #[arg(long, value_enum, value_name = "DIALECT")]
    from: Option<DialectArg>,
    /// Into this file, in one step. One that is there is left alone.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long, requires = "output", conflicts_with = "merge")]
    force: bool,
    /// Add the hooks to a file that is there, and keep the rest of it.
    #[arg(long, requires = "output")]
    merge: bool,
    /// Write what can be converted although hooks are refused.
    #[arg(long)]
    partial: bool,
    /// Where the target's agents may know exit codes alone (opta, opencode), a hook that rewrites
    /// refuses instead.
    #[arg(long)]
    block_rewrites: bool,
    /// What is only nearly the same counts as an error, too.
    #[arg(long)]
    strict: bool,
    /// Fire the file and the result at the same samples, and compare the verdicts. The hooks really
    /// run, in a scratch directory: only for hooks that you know.
    #[arg(long)]
    check: bool,
    /// Run them in this directory instead, for hooks that need the files of a project.
    #[arg(long, value_name = "DIR", requires = "check")]
    check_in: Option<PathBuf>,
}

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// Claude settings.
    Claude,
    /// Opta's file.
    Opta,
    /// OpenCode's file.
    Opencode,
    /// Hookline's own file.
    Hookline,
}

impl DialectArg {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Claude => Format::Claude,
            Self::Opta => Format::Opta,
            Self::Opencode => Format::OpenCode,
            Self::Hookline => Format::Hookline,
        }
    }
}

impl Convert {
    fn rewrites(&self) -> Rewrites {
        if self.block_rewrites {
            Rewrites::Blocked
        } else {
            Rewrites::Answered
        }
    }
}

pub(crate) fn run(asked: &Convert, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let document = document(&asked.file)?;
    let (from, to) = (source(asked, &document, output), asked.to.format());
    let rewrites = asked.rewrites();
    let converted = convert_as(&document, from, to, rewrites);
    sound(&converted, to)?;
    let compared = if asked.check {
        let directory = asked.check_in.as_deref();
        let check = Check {
            document: &document,
            from,
            to,
            rewrites,
            directory,
        };
        match convert::check(&check, world, output.progress())? {
            Some(compared) => compared,
            None => return Ok(Exit::Interrupted),
        }
    } else {
        Vec::new()
    };
    let writes = !converted.refuses() || asked.partial;
    let written = match &asked.output {
        Some(path) if writes => Some(write(asked, path, &converted, to)?),
        Some(_) | None => None,
    };
    let look = Look::of_notes(output);
    if output.is_json() {
        let file = if writes {
            converted.value.clone()
        } else {
            Value::Null
        };
        let mut told = convert::json(&converted, from, to, &compared);
        told["result"] = file;
        told["written"] = json!(written.as_ref().map(|(path, _)| path));
        output.json(&told)?;
    } else {
        if asked.output.is_none() && writes {
            output.pass(&safe::json(&converted.text()))?;
        }
        let report = convert::report(&converted, from, to, look);
        output.note(report.trim_end());
        if asked.check {
            output.note(convert::comparison(&compared, look).trim_end());
        }
        if let Some((path, what)) = &written {
            output.note(&format!("{what} {}", safe::path(path)));
        } else if !writes {
            output.note("nothing was written; --partial writes what can be converted");
        }
    }
    Ok(exit(asked, &converted, &compared))
}

fn exit(asked: &Convert, converted: &Converted, compared: &[Compared]) -> Exit {
    let near = |remark: &hook_config::Remark| match remark.became {
        hook_config::Became::Approximated | hook_config::Became::Dropped => true,
        hook_config::Became::Wrapped | hook_config::Became::Refused | _ => false,
    };
    let odd = asked.strict && converted.remarks.iter().any(near);
    let differs = compared
        .iter()
        .any(|compared| !compared.differences.is_empty());
    if converted.refuses() || odd || differs {
        Exit::Failed
    } else {
        Exit::Done
    }
}

/// Reads the file.
fn document(path: &Path) -> Result<Document, Failure> {
    let limit = LARGEST_FILE as u64 + 1;
    let mut bytes = Vec::new();
    let read_all = if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    let name = if path == Path::new("-") {
        Path::new("stdin")
    } else {
        path
    };
    read_all.map_err(|why| Failure::unreadable(name, why))?;
    if bytes.trim_ascii().is_empty() {
        return Err(Failure::unreadable(name, "it is empty"));
    }
    read(path, &bytes).map_err(|problem| Failure::invalid(problem.to_string()))
}

/// The dialect of the file, as it was told or by its shape.
fn source(asked: &Convert, document: &Document, output: &mut Output) -> Format {
    if let Some(told) = asked.from {
        return told.format();
    }
    let guess = guess(document);
    if let Some(doubt) = &guess.doubt {
        output.note(&format!("note: {doubt}; --from says otherwise"));
    }
    guess.format
}

/// What was written must be readable: nobody is handed a broken file.
fn sound(converted: &Converted, to: Format) -> Result<(), Failure> {
    let again = read("the result", converted.text().as_bytes())
        .map_err(|problem| Failure::invalid(problem.to_string()))?;
    let parsed = parse(&again, to);
    let mut problems = parsed.diagnostics.iter();
    match problems.find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(
            Failure::invalid(format!("the result cannot be read: {problem}"))
                .help("this is a mistake of hookline's; please report it"),
        ),
    }
}

/// Writes the result; where to, and what was done.
fn write(
    asked: &Convert,
    path: &Path,
    converted: &Converted,
    to: Format,
) -> Result<(PathBuf, &'static str), Failure> {
    if let Ok(target) = path.read_link() {
        // What a repository has a link for could be the user's own file.
        let why = format!("it is a link to {}", safe::path(&target));
        return Err(Failure::unwritable(path, why).help("name the file itself"));
    }
    let done = |what| (path.to_owned(), what);
    if asked.merge && path.exists() {
        let changed = merge(path, converted, to)?;
        return Ok(done(if changed {
            "added to"
        } else {
            "all of it is in"
        }));
    }
    if path.is_file() && !asked.force {
        return Err(Failure::unwritable(path, "it is there already")
            .help("--merge adds to it, --force writes over it"));
    }
    write_atomically(path, converted.text().as_bytes())
        .map_err(|why| Failure::unwritable(path, why))?;
    Ok(done("wrote"))
}

/// Adds the hooks to a file that is there; whether there were any that it lacks.
fn merge(path: &Path, converted: &Converted, to: Format) -> Result<bool, Failure> {
    let failed = |error: hook_config::EditError| Failure::unwritable(path, error);
    let mut edit = Edit::open(path).map_err(failed)?;
    let before = edit.document().map_err(failed)?.root.to_value();
    let nested = matches!(to, Format::Claude | Format::Hookline);
    let hooks = &converted.value["hooks"];
    let events = hooks.as_object().into_iter().flatten();
    let lists: Vec<(Option<&String>, &Value)> = if nested {
        events.map(|(event, list)| (Some(event), list)).collect()
    } else {
        vec![(None, hooks)]
    };
    for (event, list) in lists {
        let there = match event {
            Some(event) => &before["hooks"][event],
            None => &before["hooks"],
        };
        let there = there.as_array().cloned().unwrap_or_default();
        let mut way: Vec<hook_config::Step> = vec!["hooks".into()];
        way.extend(event.map(|event| event.as_str().into()));
        for hook in list.as_array().into_iter().flatten() {
            if !there.contains(hook) {
                edit.push(&way, hook).map_err(failed)?;
            }
        }
    }
    let changed = edit.is_changed();
    edit.save().map_err(failed)?;
    Ok(changed)
}
