//! `hookline list`: the hooks there are.

use clap::Args;
use serde_json::json;

use crate::commands::event_named;
use crate::config_args::{ConfigArgs, why};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{self, Look, Named, clean_line};
use crate::world::World;

/// The hooks there are: event, matcher, what runs, where it is written, deadline, trust.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline list                       every hook of this project and of yours
  hookline list PreToolUse            those of one event
  hookline list --no-user --json      the project's alone, for a program")]
pub(crate) struct List {
    /// Only the hooks of this event.
    event: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &List, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let event = asked.event.as_deref().map(event_named).transpose()?;
    let project = asked.config.load(world)?;
    let report = &project.loaded.report;
    let mut rows = render::rows(report);
    rows.retain(|row| event.is_none_or(|event| row.event == event));
    if output.is_json() {
        output.json(&json!({"hooks": rows, "files": render::files_json(report)}))?;
        return Ok(Exit::Done);
    }
    let look = Look::of(output);
    if rows.is_empty() {
        output.line("no hooks")?;
        output.print(&render::files(report, Named::All, look))?;
        output.note("help: `hookline init` writes some");
    } else {
        output.prose(&render::table(&rows, look))?;
    }
    warn(report, output);
    Ok(Exit::Done)
}

/// Says that something is wrong with the files, and where to see what.
pub(crate) fn warn(report: &hook_config::Report, output: &mut Output) {
    let hidden = report.files.iter().filter(|file| file.state.hides_hooks());
    for file in hidden {
        let path = file.path.display().to_string();
        let why = why(&file.state);
        output.note(&clean_line(&format!(
            "warning: no hook of {path} runs: {why}"
        )));
    }
    match report.diagnostics.len() {
        0 => {}
        1 => output.note("note: one thing is wrong with these files; `hookline check` says what"),
        count => output.note(&format!(
            "note: {count} things are wrong with these files; `hookline check` says what"
        )),
    }
}
