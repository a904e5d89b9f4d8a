//! `hookline watch`: what hooks do, as it happens.

use std::path::PathBuf;

use clap::Args;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::watch::plain;
use crate::watch::source::Source;
use crate::world::World;

/// What hooks do, as it happens: a live view of a running or recorded stream.
///
/// The stream is lines of JSON, as `hookline run --output-format stream-json --include-hook-events` prints
/// them, or as a sink of the engine writes them. Lines about other things are counted. On a terminal the
/// view follows the file as it grows; elsewhere a line is printed for each firing.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline run 'Tidy up.' --output-format stream-json --include-hook-events > session.jsonl &
  hookline watch session.jsonl                 look on, while it runs or afterwards
  … | hookline watch -                         from stdin
  hookline watch session.jsonl | cat           a line for each firing
  hookline watch session.jsonl --filter verdict:deny
  hookline watch session.jsonl --json          a row for each firing, for programs
  hookline watch session.jsonl --follow | tee  go on at the end of the file

On a terminal: arrows choose, Enter shows details, / filters, ? helps, q quits.")]
pub(crate) struct Watch {
    /// The stream: a file, which need not be there yet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Off a terminal: go on at the end of the file, and wait for one that is not there.
    #[arg(long)]
    follow: bool,
    /// Only firings that fit: words such as `verdict:deny`, `event:pre`, `hook:guard`, `text:sudo`.
    #[arg(
        long,
        value_name = "WORDS",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,
}

pub(crate) fn run(asked: &Watch, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let source = Source::named(&asked.file);
    if output.live && world.variable("TERM") != Some("dumb") {
        return screen(source, &asked.filter, output);
    }
    plain::print(source, asked.follow, &asked.filter, output)?;
    Ok(Exit::Done)
}

#[cfg(feature = "tui")]
fn screen(source: Source, filter: &str, output: &Output) -> Result<Exit, Failure> {
    let theme = crate::tui::theme::Theme {
        colour: output.has_colour(),
    };
    crate::watch::live::watch(source, filter, theme)
}

#[cfg(not(feature = "tui"))]
fn screen(_source: Source, _filter: &str, _output: &Output) -> Result<Exit, Failure> {
    Err(super::without_screens().help(
        "`hookline watch FILE | cat` prints lines; `cargo install --path crates/hook-cli` builds with screens",
    ))
}
