//! Built without the network: there are no servers.

use std::time::Duration;

use agent_loop::{Host, Toolbox};
use hook_config::trust::Review;
use hook_config::{Diagnostic, Factories, Report};
use hook_runner::Runner;
use hook_types::HookEvent;
use serde_json::{Value, json};

use super::Search;
use crate::agent::Display;
use crate::failure::Failure;

/// No servers.
#[derive(Clone, Debug)]
pub(crate) struct Mcp;

#[expect(
    clippy::unused_self,
    clippy::unused_async,
    clippy::needless_pass_by_value,
    reason = "the same as with the network"
)]
impl Mcp {
    pub(crate) fn find(search: Search<'_>) -> Result<Self, Failure> {
        if search.named.is_empty() {
            return Ok(Self);
        }
        let why = "this hookline was built without MCP servers";
        let help = "build it with them: cargo install --path crates/hook-cli --features network";
        Err(Failure::invalid(why).help(help))
    }

    pub(crate) fn factories(&self, factories: Factories) -> Factories {
        factories
    }

    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    pub(crate) fn reviews(&self) -> Vec<Review> {
        Vec::new()
    }

    pub(crate) fn toolbox(&self, toolbox: Toolbox) -> Toolbox {
        toolbox
    }

    pub(crate) fn for_programs(&self) -> Value {
        json!([])
    }

    pub(crate) async fn connect(&self, _: Option<Duration>) {}

    pub(crate) async fn connect_for(&self, _: &Runner, _: &Report, _: &HookEvent) {}

    pub(crate) fn tell(&self, _: &Display) {}

    pub(crate) fn answer(&self, _: Host, _: &Display) {}

    pub(crate) async fn close(&self) {}
}
