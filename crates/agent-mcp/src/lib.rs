//! MCP servers for an agent: their tools, their questions, and hooks that call them.
//!
//! ```text
//! files ─► config: entries, positions, variables, trust ─► ServerConfig
//! ServerConfig ─► McpServers ─► link: one task a server; start, list of tools, restart, end
//!                     │            └► wire: the process or the address, in bounds ─► rmcp
//!                     ├► ToolSource: `mcp__server__tool`, as tools of the agent
//!                     ├► elicit: what a server asks the user, past the hooks
//!                     └► hook: a hook of type `mcp_tool`
//! ```
//!
//! A server may hang at its start, hang in a call, die, flood its outputs, print what is no message or
//! send one without end: each of these is a failure that says so, within a time and a memory that
//! [`Limits`] names. On [`McpServers::close`] every process is ended in order, and nothing is left.
//!
//! The SDK beneath is `rmcp`. None of its types is to be seen from outside.

#[cfg(feature = "config")]
mod config;
mod elicit;
mod error;
mod expand;
mod hook;
mod limits;
mod link;
mod name;
mod result;
mod server;
mod servers;
mod tool;
mod wire;

#[cfg(feature = "config")]
pub use config::{Found, FoundServer, McpFiles};
pub use elicit::{Answerer, NobodyAnswers, ServerQuestion};
pub use error::CallError;
pub use expand::{Unset, expand};
#[cfg(feature = "config")]
pub use hook::McpToolFactory;
pub use hook::McpToolHook;
pub use limits::Limits;
pub use link::ServerStatus;
pub use name::{plugin_server_name, tool_name};
pub use result::CallResult;
pub use server::{Reach, ServerConfig};
pub use servers::{McpServers, McpServersBuilder, ServerReport};
