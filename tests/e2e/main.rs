//! End-to-end suites over the public surface: one binary, a module a story.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]

mod agent_commands;
mod agent_session;
mod layering;
mod seed_hooks;
