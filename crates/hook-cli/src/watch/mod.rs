//! A stream of hooks' messages, as somebody watches it.
//!
//! ```text
//! source   a file that grows, or stdin   ─► line    one line to what it says
//!                                            │
//! firing   what is kept of a firing      ◄─ model   lines to firings, no more than we chose to keep
//!                                            │
//!                               plain   ◄────┴────► live   the screen of a terminal
//!                               lines, rows
//! ```
//!
//! Nothing here knows a hook or a project: the stream says it all.

mod counts; // how much is kept, what was counted
mod filter; // which firings are shown
mod firing; // what is kept of a firing
mod keep; // how much is kept, and what is left of the rest
mod line; // one line to what it says
#[cfg(feature = "tui")]
pub(crate) mod live; // the screen of a terminal
mod model; // lines to firings
pub(crate) mod plain; // lines and rows, off a terminal
mod recorded; // lines of a recording
mod row; // a firing for programs, and in a line
pub(crate) mod source; // a file that grows, or stdin
#[cfg(test)]
mod tests;
