//! `hookline init`: templates and their scripts into place.

use std::io::{BufRead, Write};

use clap::{Args, ValueEnum};
use hook_config::{Format, Layer, Places, TEMPLATES, Template, Written};
use serde_json::{Value, json};

use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{Look, Tone};
use crate::safe;
use crate::world::World;

/// Write templates and their scripts into place, and keep what is there.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline init                                      choose from a list, on a terminal
  hookline init guard-commands                       into .hookline/hooks.json of this project
  hookline init guard-commands --user                into your own file, for all projects
  hookline init guard-commands --format claude       into .claude/settings.json
  hookline init --list                               what there is")]
pub(crate) struct Init {
    /// The templates; without any, you choose.
    #[arg(value_name = "TEMPLATE")]
    templates: Vec<String>,
    /// Only list what there is.
    #[arg(long)]
    list: bool,
    /// Into your own file, for all projects.
    #[arg(long)]
    user: bool,
    /// In which format; without it, the template's own.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<AsFormat>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A format that templates can be written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AsFormat {
    /// Hookline's own file.
    Hookline,
    /// Claude settings.
    Claude,
    /// Opta's file.
    Opta,
    /// OpenCode's file.
    Opencode,
}

impl AsFormat {
    fn format(self) -> Format {
        match self {
            Self::Hookline => Format::Hookline,
            Self::Claude => Format::Claude,
            Self::Opta => Format::Opta,
            Self::Opencode => Format::OpenCode,
        }
    }
}

pub(crate) fn run(asked: &Init, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    if asked.list {
        list(output)?;
        return Ok(Exit::Done);
    }
    let root = asked.config.root(world)?;
    let places = asked.config.places(&root, world)?;
    let chosen = if asked.templates.is_empty() {
        choose(world, output)?
    } else {
        asked
            .templates
            .iter()
            .map(|name| named(name))
            .collect::<Result<_, _>>()?
    };
    let layer = if asked.user {
        Layer::User
    } else {
        Layer::Project
    };
    let mut done = Vec::new();
    for template in chosen {
        done.push(install(template, asked, &places, layer, output)?);
    }
    if output.is_json() {
        output.json(&json!({"installed": done}))?;
    } else if done.is_empty() {
        output.line("nothing was written")?;
    } else {
        next_steps(layer, output)?;
    }
    Ok(Exit::Done)
}

fn named(name: &str) -> Result<&'static Template, Failure> {
    Template::find(name).ok_or_else(|| {
        let unknown = Failure::invalid(format!("there is no template `{name}`"));
        let names = TEMPLATES.iter().map(|template| template.name);
        match hook_types::nearest(name, names) {
            Some(near) => unknown.help(format!("did you mean `{near}`?")),
            None => unknown.help("`hookline init --list` shows what there is"),
        }
    })
}

fn install(
    template: &Template,
    asked: &Init,
    places: &Places,
    layer: Layer,
    output: &mut Output,
) -> Result<Value, Failure> {
    let format = asked.format.map_or(template.format, AsFormat::format);
    let installed = template
        .install_as(format, places, layer)
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let look = Look::of(output);
    let mut files = Vec::new();
    for (path, written) in &installed.files {
        files.push(json!({"path": path, "written": written.as_str()}));
        if !output.is_json() {
            let tone = if *written == Written::Kept {
                Tone::Odd
            } else {
                Tone::Good
            };
            let word = format!("{:<9}", written.as_str());
            output.line(&format!("{} {}", look.paint(tone, &word), safe::path(path)))?;
        }
        if *written == Written::Kept {
            output.note(&format!(
                "note: another script is there under that name, and was kept: {}",
                safe::path(path)
            ));
        }
    }
    Ok(json!({"template": template.name, "files": files}))
}

fn next_steps(layer: Layer, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    if layer == Layer::Project {
        output.line("next: `hookline trust` shows what these hooks run, and approves them")?;
    }
    output.line("then: `hookline list` shows them, `hookline fire EVENT` tries them")
}

/// The column of the descriptions.
const ABOUT: usize = 30;

fn list(output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let rows = TEMPLATES.iter().map(|template| {
            json!({"name": template.name, "format": template.format.as_str(),
                   "description": template.description,
                   "scripts": template.scripts.iter().map(|script| script.name).collect::<Vec<_>>()})
        });
        return output.json(&json!({"templates": rows.collect::<Vec<_>>()}));
    }
    let look = Look::of(output);
    for (number, template) in TEMPLATES.iter().enumerate() {
        let facts = format!("({})", template.format.as_str());
        let line = format!(
            "{:>3}  {:<24} {} {}\n",
            number + 1,
            template.name,
            template.description,
            look.paint(Tone::Faint, &facts)
        );
        output.prose_at(ABOUT, &line)?;
    }
    Ok(())
}

/// Shows what there is and asks for numbers or names.
fn choose(world: &World, output: &mut Output) -> Result<Vec<&'static Template>, Failure> {
    if !world.stdin_is_terminal || output.is_json() {
        return Err(
            Failure::invalid("nobody can be asked: this is not a terminal")
                .help("name templates; `hookline init --list` shows what there is"),
        );
    }
    list(output)?;
    loop {
        output.print("which ones? (numbers or names, with blanks between; nothing to leave): ")?;
        std::io::stdout().flush()?;
        let mut line = String::new();
        std::io::stdin()
            .lock()
            .read_line(&mut line)
            .map_err(|error| Failure::invalid(format!("cannot read your answer: {error}")))?;
        let words = line
            .split([' ', ',', '\t', '\n'])
            .filter(|word| !word.is_empty());
        let chosen: Result<Vec<_>, Failure> = words.map(by_number_or_name).collect();
        match chosen {
            Ok(chosen) => return Ok(chosen),
            Err(failure) => output.line(&failure.to_string())?,
        }
    }
}

fn by_number_or_name(word: &str) -> Result<&'static Template, Failure> {
    let by_number = word
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1));
    match by_number {
        Some(index) => TEMPLATES.get(index).ok_or_else(|| {
            Failure::invalid(format!("the numbers go from 1 to {}", TEMPLATES.len()))
        }),
        None => named(word),
    }
}
