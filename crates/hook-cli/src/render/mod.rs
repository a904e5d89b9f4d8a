//! From results to text for people. Everything that a hook or a file says goes through [`clean`] or
//! [`clean_line`] first: no escape sequence of theirs reaches the terminal, and no line of theirs starts
//! where one of ours would.

mod difference; // what has changed since a session was recorded
mod files; // which files were looked for
mod firing; // what every hook did, and what it amounts to
mod fold; // lines that are too long for the terminal
mod hooks; // hooks in a line each
mod look; // colours, symbols, widths
mod plan; // what every hook would do, and why not
mod review; // what would be approved

pub(crate) use crate::safe::{clean, clean_line};
pub(crate) use difference::{judged, sum};
pub(crate) use files::{Named, files, files_json, trouble};
pub(crate) use firing::firing;
pub(crate) use fold::{fold, fold_at};
#[cfg(feature = "tui")]
pub(crate) use hooks::Row;
pub(crate) use hooks::{rows, table};
pub(crate) use look::{Add, Look, Tone, behind, first_line, indent, shorten, took};
pub(crate) use plan::{Depth, plan};
#[cfg(feature = "tui")]
pub(crate) use review::changed_lines;
pub(crate) use review::{review, review_json};
