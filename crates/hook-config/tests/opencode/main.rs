//! OpenCode's files, as its two documents have them: each rule through a file on disk and a real
//! process. Tests that those documents name have their names.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
mod events;
mod example;
mod execution;
mod files;
mod patterns;
mod registry;
#[path = "../scene/mod.rs"]
mod scene;
mod wrong;
