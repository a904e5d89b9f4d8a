//! The interactive menu of `hookline hooks`.
//!
//! ```text
//! items    every hook, and why it would or would not run    pure, from what was loaded
//! keys     a key to what it asks for                        pure
//! state    pages, rows, what is asked for                   pure
//! view     that, drawn                                      pure
//! change   what would be written, and where; written when somebody said yes
//! sample   one hook on a sample of its event
//! drive    keys, files and hooks ─► state ─► screen
//! ```
//!
//! Nothing is written that was not shown first, with the file that it is written to.

mod change; // what would be written, and where
mod details; // all that is known of a hook
mod drive; // keys, files and hooks
mod items; // every hook, and why it would or would not run
mod keys; // what letters ask for
mod sample; // one hook on a sample of its event
mod state; // pages, rows, what is asked for
#[cfg(test)]
mod tests;
mod view; // the state, drawn

pub(crate) use drive::run;
