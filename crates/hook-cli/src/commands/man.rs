//! `hookline man`: the manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use serde_json::json;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The manual pages: one to stdout, or all of them into a directory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline man | man -l -
  hookline man fire | man -l -
  hookline man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The command; without one, the page of `hookline` itself.
    command: Option<String>,
    /// Write every page into this directory instead.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn run(asked: &Man, output: &mut Output) -> Result<Exit, Failure> {
    let mut cli = Cli::command();
    cli.build(); // names the commands as people call them: hookline-fire
    if let Some(directory) = &asked.out {
        write_all(&cli, directory, output)?;
    } else {
        let command = find(&cli, asked.command.as_deref())?;
        let page = render(&command)?;
        let page = String::from_utf8_lossy(&page);
        if output.is_json() {
            output.json(&json!({"command": name(&command), "page": page}))?;
        } else {
            output.print(&page)?;
        }
    }
    Ok(Exit::Done)
}

fn find(cli: &clap::Command, name: Option<&str>) -> Result<clap::Command, Failure> {
    let Some(name) = name else {
        return Ok(cli.clone());
    };
    let known = || cli.get_subcommands().map(clap::Command::get_name);
    let found = cli.find_subcommand(name).ok_or_else(|| {
        let known: Vec<_> = known().collect();
        Failure::invalid(format!("there is no command `{name}`"))
            .help(format!("the commands are {}", known.join(", ")))
    })?;
    Ok(found.clone())
}

/// As people call it: hookline-fire.
fn name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn render(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Page::new(command.clone()).render(&mut page)?;
    Ok(page)
}

fn write_all(cli: &clap::Command, directory: &Path, output: &mut Output) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::unwritable(directory, error))?;
    let mut written = Vec::new();
    for page in std::iter::once(cli).chain(cli.get_subcommands()) {
        let path = directory.join(format!("{}.1", name(page)));
        std::fs::write(&path, render(page)?).map_err(|error| Failure::unwritable(&path, error))?;
        if !output.is_json() {
            output.line(&path.display().to_string())?;
        }
        written.push(path);
    }
    if output.is_json() {
        output.json(&json!({"written": written}))?;
    }
    Ok(())
}
