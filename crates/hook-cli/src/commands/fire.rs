//! `hookline fire`: one event at the hooks there are.

use clap::Args;

use crate::agent::{HookModels, hook_models_help};
use crate::config_args::ConfigArgs;
use crate::event_args::EventArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::firing;
use crate::output::Output;
use crate::render::{self, Depth, Look, Named, Tone};
use crate::world::World;

/// Fire one event at the hooks there are, and see what each did and what it all means.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline fire PreToolUse --command 'rm -rf /'
  hookline fire PreToolUse --tool Write --tool-input '{\"file_path\": \".env\", \"content\": \"\"}'
  hookline fire UserPromptSubmit --input '{\"prompt\": \"deploy it\"}'
  hookline fire Stop --hook-model scripted:judge.json
  hookline fire Stop --settings .claude/settings.json --no-user --trust
  echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}' | hookline fire PreToolUse --input -

Without an input the hooks get a sample. The exit code is 0 if things may take their course, 2 if
hooks prevented it, kept the agent going or stopped it, and 1 on an error.")]
pub(crate) struct Fire {
    #[command(flatten)]
    event: EventArgs,
    #[arg(long, visible_alias = "model", value_name = "KIND:NAME",
          help = hook_models_help("without one they fail"))]
    hook_model: Option<String>,
    /// One more file with MCP servers, or the JSON itself, for `mcp_tool` hooks. Can be given several times.
    #[arg(long, value_name = "FILE|JSON")]
    mcp_config: Vec<String>,
    /// Also show the files, those that were looked for, too, and the variables that hooks are told.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Fire, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let root = asked.config.root(world)?;
    let event = asked.event.read(&root, world)?;
    if let Some(odd) = asked.event.odd_tool() {
        output.note(&odd);
    }
    let models = HookModels::open(asked.hook_model.as_deref(), world)?;
    let config = asked.config.asking(models).with_mcp(&asked.mcp_config);
    let project = config.load_watched(world)?;
    let rows = render::rows(&project.loaded.report);
    let runner = firing::runner(&project, world, event.event.base());
    let plan = render::plan(&runner, event.event.clone(), rows);
    let Some(fired) = firing::fire(&runner, &project, event.event, output)? else {
        return Ok(Exit::Interrupted);
    };
    let exit = firing::exit(&fired.outcome);
    if output.is_json() {
        output.json(&fired)?;
        return Ok(exit);
    }
    let look = Look::of(output);
    if asked.verbose {
        output.line(&look.paint(Tone::Strong, "files"))?;
        let report = &project.loaded.report;
        output.line(&render::files(report, Named::All, look))?;
    }
    let depth = if asked.verbose {
        Depth::Variables
    } else {
        Depth::Facts
    };
    let title = firing::title(&plan.event);
    let sample = if event.sampled {
        "  (a sample input)"
    } else {
        ""
    };
    output.line(&format!(
        "{}{}",
        look.paint(Tone::Strong, &title),
        look.paint(Tone::Faint, sample)
    ))?;
    if plan.is_empty() {
        let nobody = format!("  no hook listens to {} here", fired.event);
        output.line(&look.paint(Tone::Faint, &nobody))?;
    }
    output.prose(&plan.rest(&fired, depth, look))?;
    output.prose(&render::firing(&fired, &plan, depth, look))?;
    super::list::warn(&project.loaded.report, output);
    Ok(exit)
}
