//! The claims of `docs/security.md`, attacked through the real binary.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

#[path = "../support/mod.rs"]
mod support;

mod files; // what is written: where, through no link, and for whose eyes
mod hostile; // texts that attack whoever shows them, and a project made of them
mod page; // the page itself: the tests that it names are there
mod placeholders; // names that would like to be commands
mod screens; // what reaches a terminal: commands on one
mod secrets; // what is kept out of recordings
mod texts; // what reaches a terminal: what commands print
mod trust; // approvals that somebody else than the user gives
mod words; // what hooks say to the model
