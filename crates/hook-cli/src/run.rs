//! Arguments to command to exit code.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};

use crate::args::{Cli, Command};
use crate::commands;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Colour, Form, Output};
use crate::render::behind;
use crate::world::World;

/// Runs one command.
pub fn main(arguments: impl IntoIterator<Item = OsString>, world: &World) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => {
            let form = if cli.global.json {
                Form::Json
            } else {
                Form::Text
            };
            let mut output = Output::new(world, cli.global.color, form);
            let done = command(cli.command, world, &mut output);
            done.unwrap_or_else(|failure| report(&failure, &mut output))
        }
        Err(told) => usage(&told, &arguments, world),
    }
}

fn command(command: Command, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Demo(asked) => commands::demo::run(&asked, world, output),
        Command::Run(asked) => commands::run::run(&asked, world, output),
        Command::Fire(asked) => commands::fire::run(&asked, world, output),
        Command::Explain(asked) => commands::explain::run(&asked, world, output),
        Command::Hooks(asked) => commands::hooks::run(&asked, world, output),
        Command::Watch(asked) => commands::watch::run(&asked, world, output),
        Command::Check(asked) => commands::check::run(&asked, world, output),
        Command::List(asked) => commands::list::run(&asked, world, output),
        Command::Bench(asked) => commands::bench::run(&asked, world, output),
        Command::Init(asked) => commands::init::run(&asked, world, output),
        Command::Convert(asked) => commands::convert::run(&asked, world, output),
        Command::Adapt(asked) => commands::adapt::run(&asked, world, output),
        Command::Trust(asked) => commands::trust::run(&asked, world, output),
        Command::Untrust(asked) => commands::untrust::run(&asked, world, output),
        Command::Schema(asked) => commands::schema::run(&asked, output),
        Command::Record(asked) => commands::record::run(&asked, world, output),
        Command::Replay(asked) => commands::replay::run(&asked, world, output),
        Command::Completions(asked) => commands::completions::run(&asked, output),
        Command::Man(asked) => commands::man::run(&asked, output),
    }
}

/// Says what went wrong and what would help.
fn report(failure: &Failure, output: &mut Output) -> Exit {
    if matches!(failure, Failure::Closed) {
        // The reader has seen enough: `hookline list | head` is no error.
        return Exit::Done;
    }
    let bold = anstyle::Style::new().bold();
    let red = bold.fg_color(Some(anstyle::AnsiColor::Red.into()));
    let what = behind(&failure.to_string(), "  ");
    output.note(&format!("{red}error{red:#}: {what}"));
    if let Some(help) = failure.remedy() {
        output.note(&format!("{bold}help{bold:#}: {help}"));
    }
    Exit::Failed
}

/// What `--color` says, in arguments that could not be read as a whole: those that ask for help, too.
fn colour(arguments: &[OsString]) -> Colour {
    let arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    let arguments: Vec<_> = arguments.take_while(|argument| argument != "--").collect();
    let apart = arguments.windows(2).filter(|pair| pair[0] == "--color");
    let apart = apart.map(|pair| pair[1].as_ref());
    let joined = arguments
        .iter()
        .filter_map(|one| one.strip_prefix("--color="));
    let mut said = apart
        .chain(joined)
        .filter_map(|word| Colour::from_str(word, false).ok());
    said.next().unwrap_or_default()
}

/// Help and version are results; anything else that clap says is an error, which is 1 here: 2 is
/// what hooks say.
pub(crate) fn usage(told: &clap::Error, arguments: &[OsString], world: &World) -> Exit {
    let mut output = Output::new(world, colour(arguments), Form::Text);
    let text = told.render().ansi().to_string();
    let kind = told.kind();
    if kind != ErrorKind::DisplayHelp && kind != ErrorKind::DisplayVersion {
        output.note(text.trim_end());
        return Exit::Failed;
    }
    match output.print(&text) {
        Ok(()) => Exit::Done,
        Err(failure) => report(&failure, &mut output),
    }
}
