//! `hookline bench`: what each hook costs beside an empty command.

mod measure; // rounds of firings, interleaved
mod plot; // boxes in a terminal; pure
mod report; // for people and for programs
mod statistics; // what times amount to; pure

pub(crate) use measure::{Asked, measure};
pub(crate) use report::{json, text};
