//! The `hookline` command, as a library: arguments in, an [`Exit`] out.
//!
//! ```text
//! args      what was asked          ─► commands/*   one file a command
//! world     where it was asked          │  they read files and fire hooks through the crates below
//! output    results to stdout,      ◄───┘
//!           errors to stderr        ─► exit         what a script is told
//! ```
//!
//! Nothing here decides about hooks: every rule is in the crates below.

mod agent; // the agent behind `run`
mod args; // what can be asked, and the help that says so
mod bench; // what hooks cost
mod commands; // one file a command
mod config_args; // where hooks come from
mod convert; // hooks from one dialect to another
mod demo; // an agent, and hooks that mind it
mod event_args; // which event, and what is known of it
mod exit; // the exit codes
mod factories; // who makes the hooks of files
mod failure; // what a command could not do, and what would help
mod firing; // one event at the hooks there are
mod mcp; // servers whose tools the agent and hooks use
#[cfg(feature = "tui")]
mod menu; // the interactive menu
mod output; // where results and errors go
mod probe; // every hook on samples of its event
mod progress; // what goes on while somebody waits
mod recording; // sessions as files: kept, fired again, compared
mod render; // results as text for people
mod run; // arguments -> command -> exit code
mod runtime; // what futures run on
mod safe; // somebody else's text on a terminal
mod terminal; // keys in, text out
#[cfg(feature = "tui")]
mod tui; // what fills the screen of a terminal
mod watch; // a stream of messages, as somebody watches it
mod world; // the environment, read once

pub use exit::Exit;
pub use run::main;
pub use world::World;
