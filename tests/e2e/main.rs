//! End-to-end suites over the public surface: one binary, a module a story.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

mod agent_commands;
mod agent_session;
mod layering;
mod network_session;
mod seed_hooks;
#[path = "../../crates/agent-models/tests/services/server.rs"]
mod server;
mod session_story;
#[path = "../../crates/agent-models/tests/services/wire.rs"]
mod wire;
