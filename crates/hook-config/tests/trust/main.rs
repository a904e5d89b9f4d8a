//! A repository cannot run a command before somebody has seen it, and what was approved is what runs.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod at_each_firing;
mod coverage;
mod hostile;
mod links_and_places;
mod properties;
mod review;
mod sandbox;
mod states;
mod store;
mod two_processes;
