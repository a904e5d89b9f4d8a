//! `hookline hooks`: the interactive menu.

use clap::Args;

use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::world::World;

/// See, switch, approve, try and add hooks, in a menu.
///
/// Every hook of every file, with why it would or would not run. Nothing is written before you have seen the
/// file and the change, and said yes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline hooks                      the hooks of this project and yours
  hookline hooks --no-user            the project's alone
  hookline hooks --settings x.json    with one more file

It needs a terminal. Elsewhere: `hookline list` shows hooks, `hookline explain` says why they would or would
not run, `hookline trust` approves them, `hookline fire` tries them, `hookline init` adds some.")]
pub(crate) struct Hooks {
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Hooks, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let dumb = world.variable("TERM") == Some("dumb");
    if !output.live || !world.stdin_is_terminal || dumb {
        return Err(Failure::invalid("the menu needs a terminal").help(
            "`hookline list` shows hooks, `hookline trust` approves them, `hookline init` adds some",
        ));
    }
    screen(asked, world, output)
}

#[cfg(feature = "tui")]
fn screen(asked: &Hooks, world: &World, output: &Output) -> Result<Exit, Failure> {
    let theme = crate::tui::theme::Theme {
        colour: output.has_colour(),
    };
    crate::menu::run(&asked.config, world, theme)
}

#[cfg(not(feature = "tui"))]
fn screen(_asked: &Hooks, _world: &World, _output: &Output) -> Result<Exit, Failure> {
    Err(super::without_screens().help(
        "`hookline list`, `trust` and `init` do without; `cargo install --path crates/hook-cli` builds with screens",
    ))
}
