//! The screen of a terminal.
//!
//! ```text
//! input   a key to what it asks for      pure
//! state   what is looked at, and where   pure
//! view    that, drawn: list, details     pure
//! drive   keys, lines, signals, clock ─► state ─► screen
//! ```

mod details; // one firing, one hook, the help
mod drive; // keys, lines, signals and the clock
mod input; // what letters ask for
mod list; // firings, a row each
mod state; // what is looked at
#[cfg(test)]
mod tests;
mod view; // the state, drawn

pub(crate) use drive::watch;
