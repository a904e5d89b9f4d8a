//! The claims of `docs/security.md`, attacked through the real binary.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

#[path = "../support/mod.rs"]
mod support;

mod hostile; // texts that attack whoever shows them, and a project made of them
mod screens; // what reaches a terminal: commands on one
mod texts; // what reaches a terminal: what commands print
