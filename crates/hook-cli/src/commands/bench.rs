//! `hookline bench`: what each hook costs.

use clap::Args;

use crate::bench::{self, Asked};
use crate::config_args::ConfigArgs;
use crate::event_args::EventArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::Look;
use crate::world::World;

/// What each hook costs, beside the cost of an empty command: median and spread, as a table, a plot
/// and JSON.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline bench                                      every hook, each on a sample of its event
  hookline bench PreToolUse --command 'ls'            the hooks of this call
  hookline bench --hook no-sudo --rounds 100          hooks whose name has this in it, for longer
  hookline bench --no-user --json                     the project's alone, for a program

The hooks really run, once a round and one more time before the first, in the working directory, and only
those that may run: `hookline trust` approves. Rounds are interleaved, and the empty command is `true`
through the same engine.")]
pub(crate) struct Bench {
    /// Only hooks of this event, such as `PreToolUse`.
    #[arg(value_name = "EVENT")]
    event: Option<String>,
    /// The tool that is called, such as Bash.
    #[arg(long, value_name = "NAME", requires = "event")]
    tool: Option<String>,
    /// What the tool is called with: a JSON object, `@FILE`, or `-` for stdin.
    #[arg(long, value_name = "JSON", requires = "event")]
    tool_input: Option<String>,
    /// Short for --tool Bash --tool-input '{"command": …}'.
    #[arg(long, value_name = "TEXT", requires = "event", conflicts_with_all = ["tool", "tool_input"])]
    command: Option<String>,
    /// The whole input of the hooks: a JSON object, `@FILE`, or `-` for stdin.
    #[arg(long, value_name = "JSON", requires = "event")]
    input: Option<String>,
    /// Only hooks whose name, as `hookline list` shows it, has this in it.
    #[arg(long, value_name = "TEXT")]
    hook: Option<String>,
    /// How many rounds.
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Bench, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let root = asked.config.root(world)?;
    let event = match &asked.event {
        None => None,
        Some(event) => {
            let event = EventArgs {
                event: event.clone(),
                tool: asked.tool.clone(),
                tool_input: asked.tool_input.clone(),
                command: asked.command.clone(),
                input: asked.input.clone(),
            };
            if let Some(odd) = event.odd_tool() {
                output.note(&odd);
            }
            Some(event.read(&root, world)?.event)
        }
    };
    let project = asked.config.load_watched(world)?;
    let question = Asked {
        event,
        hook: asked.hook.as_deref(),
        rounds: usize::try_from(asked.rounds).unwrap_or(usize::MAX),
    };
    let progress = output.progress();
    let Some(bouts) = bench::measure(&question, &project, world, progress)? else {
        return Ok(Exit::Interrupted);
    };
    let load = load_average();
    if output.is_json() {
        output.json(&bench::json(&bouts, load))?;
    } else if bouts.is_empty() {
        output.line("no hook to measure here; `hookline list` shows what there is")?;
    } else {
        let noise = load.filter(|load| *load > cores() / 2.0);
        output.print(&bench::text(&bouts, noise, Look::of(output)))?;
        super::list::warn(&project.loaded.report, output);
    }
    Ok(Exit::Done)
}

/// How much other work there was in the last minute, where the system says so.
fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn cores() -> f64 {
    let cores = std::thread::available_parallelism();
    cores.map_or(1.0, |cores| {
        f64::from(u32::try_from(cores.get()).unwrap_or(1))
    })
}
