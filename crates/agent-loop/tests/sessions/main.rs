//! Whole sessions of an agent with a scripted model.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod calls;
mod compaction;
mod helpers;
mod order;
mod pairs;
mod recorder;
mod stopping;
#[path = "../support/mod.rs"]
mod support;
mod transcripts;
mod ways_out;
