//! The `hookline` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    hook_cli::main(std::env::args_os(), &hook_cli::World::of_this_process()).into()
}
