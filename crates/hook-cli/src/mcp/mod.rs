//! The MCP servers of a project and of its user, for the commands that run hooks or the agent.
//!
//! Servers are found with the hooks, so that `mcp_tool` hooks know them; none is started before a command
//! asks for it. Built without the feature `network`, there are none.

#[cfg(not(feature = "network"))]
mod off;
#[cfg(feature = "network")]
mod on;

#[cfg(not(feature = "network"))]
pub(crate) use off::Mcp;
#[cfg(feature = "network")]
pub(crate) use on::Mcp;

use std::path::PathBuf;

use hook_config::trust::ContentTrust;
use hook_config::{Explicit, Places};
use process_tree::Watchdog;

use crate::failure::Failure;
use crate::world::World;

/// What is known when servers are looked for.
#[cfg_attr(
    not(feature = "network"),
    expect(dead_code, reason = "nobody looks for them")
)]
pub(crate) struct Search<'a> {
    pub(crate) root: &'a PathBuf,
    pub(crate) places: &'a Places,
    /// What `--mcp-config` names.
    pub(crate) named: &'a [String],
    /// Who judges servers, and nothing else.
    pub(crate) trust: ContentTrust,
    pub(crate) watchdog: Option<Watchdog>,
    pub(crate) world: &'a World,
}

/// What `--mcp-config` means: a file, or the JSON itself.
#[cfg_attr(
    not(feature = "network"),
    expect(dead_code, reason = "nobody reads it")
)]
fn explicit(named: &str) -> Result<Explicit, Failure> {
    if named.trim_start().starts_with('{') {
        return Ok(Explicit::Text(named.to_owned()));
    }
    let path = PathBuf::from(named);
    let path = std::path::absolute(&path).map_err(|why| Failure::unreadable(&path, why))?;
    if !path.is_file() {
        return Err(Failure::unreadable(&path, "there is no such file")
            .help("--mcp-config takes a file, or JSON: {\"mcpServers\": {…}}"));
    }
    Ok(Explicit::File(path))
}
