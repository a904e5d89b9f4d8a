//! `hookline list`: the hooks there are.

use clap::Args;
use serde_json::json;

use crate::commands::event_named;
use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{self, Look};
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
        let files = report.files.iter().map(|file| {
            json!({"path": file.path, "layer": format!("{:?}", file.origin.layer).to_lowercase(),
                   "format": file.format.as_str(), "state": file.state.as_str()})
        });
        output.json(&json!({"hooks": rows, "files": files.collect::<Vec<_>>()}))?;
        return Ok(Exit::Done);
    }
    let look = Look::of(output);
    if rows.is_empty() {
        output.line("no hooks")?;
        output.print(&render::files(report, look))?;
        output.note("help: `hookline init` writes some; `hookline list --help` says where they are looked for");
    } else {
        output.print(&render::table(&rows, look))?;
    }
    warn(report, output);
    Ok(Exit::Done)
}

/// Says that something is wrong with the files, and where to see what.
pub(crate) fn warn(report: &hook_config::Report, output: &mut Output) {
    match report.diagnostics.len() {
        0 => {}
        1 => output.note("note: one thing is wrong with these files; `hookline check` says what"),
        count => output.note(&format!(
            "note: {count} things are wrong with these files; `hookline check` says what"
        )),
    }
}
