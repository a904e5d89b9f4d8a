//! `hookline explain`: what would run, and why not. Runs nothing.

use clap::Args;

use crate::config_args::ConfigArgs;
use crate::event_args::EventArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::firing;
use crate::output::Output;
use crate::render::{self, Look, Named, Tone};
use crate::world::World;

/// What would run at an event, and why the rest would not. Runs nothing.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline explain PreToolUse --command 'rm -rf build'
  hookline explain PostToolUse --tool Edit --tool-input '{\"file_path\": \"src/main.rs\"}'
  hookline explain Stop --json")]
pub(crate) struct Explain {
    #[command(flatten)]
    event: EventArgs,
    /// Also name the files that were looked for and are not there.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Explain, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let root = asked.config.root(world)?;
    let event = asked.event.read(&root, world)?.event;
    if let Some(odd) = asked.event.odd_tool() {
        output.note(&odd);
    }
    let project = asked.config.load(world)?;
    let report = &project.loaded.report;
    let rows = render::rows(report);
    let runner = firing::runner(&project, world, event.base());
    let plan = render::plan(&runner, event, rows);
    if output.is_json() {
        let mut value = plan.json();
        value["files"] = render::files_json(report);
        output.json(&value)?;
        return Ok(Exit::Done);
    }
    let look = Look::of(output);
    output.line(&look.paint(Tone::Strong, "files"))?;
    let named = if asked.verbose {
        Named::All
    } else {
        Named::Found
    };
    output.print(&render::files(report, named, look))?;
    let title = format!("\nhooks for {}", firing::title(&plan.event));
    output.line(&look.paint(Tone::Strong, &title))?;
    let text = plan.text(look);
    output.prose(if text.is_empty() { "  none\n" } else { &text })?;
    output.line(&format!("\n{} would run", plan.running()))?;
    super::list::warn(report, output);
    Ok(Exit::Done)
}
