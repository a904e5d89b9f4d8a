//! `hookline completions`: a script for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde_json::json;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// A script that teaches your shell to complete `hookline` commands.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline completions bash > ~/.local/share/bash-completion/completions/hookline
  hookline completions zsh > ~/.zfunc/_hookline
  hookline completions fish > ~/.config/fish/completions/hookline.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(asked: &Completions, output: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Cli::command(), "hookline", &mut script);
    let script = String::from_utf8_lossy(&script);
    if output.is_json() {
        output.json(&json!({"shell": asked.shell.to_string(), "script": script}))?;
    } else {
        output.print(&script)?;
    }
    Ok(Exit::Done)
}
