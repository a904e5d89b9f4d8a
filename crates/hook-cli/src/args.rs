//! What can be asked, and the help that says so.

use clap::{Args, Parser, Subcommand};

use crate::commands;
use crate::output::Colour;

/// Try, explain, check and run the hooks of AI agents.
#[derive(Debug, Parser)]
#[command(
    name = "hookline",
    version,
    about,
    long_about = "Try, explain, check and run the hooks of AI agents.\n\n\
        Hooks are commands that are told of an event as JSON on stdin and answer with an exit code \
        and JSON on stdout. Hookline reads the files that other agents read (Claude settings, Opta, \
        OpenCode, and its own .hookline/hooks.json).",
    after_long_help = exit_codes(),
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Global {
    /// Print JSON, for programs.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour. `NO_COLOR` switches it off, too.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Colour,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See hooks at work: an agent in a scratch directory, without any set-up.
    Demo(commands::demo::Demo),
    /// The agent in the terminal: it streams, runs tools, asks, and obeys its hooks.
    Run(commands::run::Run),
    /// Fire one event at the hooks there are, and see what each did and what it all means.
    Fire(commands::fire::Fire),
    /// What would run at an event, and why the rest would not. Runs nothing.
    Explain(commands::explain::Explain),
    /// The hooks there are.
    List(commands::list::List),
    /// See, switch, approve, try and add hooks, in a menu.
    Hooks(commands::hooks::Hooks),
    /// What hooks do, as it happens: a live view of a running or recorded stream.
    Watch(commands::watch::Watch),
    /// What is wrong with files and the scripts that they name, and how to mend it.
    Check(commands::check::Check),
    /// What each hook costs, beside the cost of an empty command.
    Bench(commands::bench::Bench),
    /// Write templates and their scripts into place, and keep what is there.
    Init(commands::init::Init),
    /// Hooks from one dialect to another, with a report of what the target cannot express.
    Convert(commands::convert::Convert),
    /// Run a command that was written for one agent's hooks as a hook of another's.
    #[command(hide = true)]
    Adapt(Box<commands::adapt::Adapt>),
    /// See what a project's hooks would run, and approve them.
    Trust(commands::trust::Trust),
    /// Take approvals back.
    Untrust(commands::untrust::Untrust),
    /// Keep what a session fired, and what its hooks answered, as a file.
    Record(commands::record::Record),
    /// Fire a recorded session at today's hooks, and see what has changed.
    Replay(commands::replay::Replay),
    /// JSON Schemas of what hooks are told and may answer.
    Schema(commands::schema::Schema),
    /// A script that teaches your shell to complete `hookline` commands.
    Completions(commands::completions::Completions),
    /// The manual pages.
    Man(commands::man::Man),
}

/// The exit codes, for the end of the help.
fn exit_codes() -> String {
    let rows = crate::Exit::ALL
        .iter()
        .map(|exit| format!("  {:>3}  {}", exit.code(), exit.meaning()));
    format!("Exit codes:\n{}", rows.collect::<Vec<_>>().join("\n"))
}
