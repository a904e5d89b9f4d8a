//! Why a call came to nothing.

use std::time::Duration;

/// Why a call came to nothing. Each says which server, what happened, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no such server.
    #[error("there is no MCP server `{server}`{}", listed(.known))]
    NoSuchServer {
        /// The name that was asked for.
        server: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// It may not be started.
    #[error("the MCP server `{server}` is not started: {why}")]
    NotAllowed {
        /// The server.
        server: String,
        /// Who says so, and what to do.
        why: String,
    },
    /// It is not connected, and nobody waits for it here.
    #[error("the MCP server `{server}` is not connected: {why}")]
    NotConnected {
        /// The server.
        server: String,
        /// Why not.
        why: String,
    },
    /// It ended before it answered.
    #[error(
        "the MCP server `{server}` ended before it answered: {why}; the next call starts it again"
    )]
    Died {
        /// The server.
        server: String,
        /// How it ended.
        why: String,
    },
    /// It took too long.
    #[error(
        "the MCP server `{server}` has not answered within {limit:?}; MCP_TOOL_TIMEOUT sets the limit"
    )]
    TimedOut {
        /// The server.
        server: String,
        /// How long it may take.
        limit: Duration,
    },
    /// The call was given up.
    #[error("the call of the MCP server `{server}` was interrupted")]
    Interrupted {
        /// The server.
        server: String,
    },
    /// It refused the call, or answered something that is no answer.
    #[error("the MCP server `{server}` refused the call: {why}")]
    Refused {
        /// The server.
        server: String,
        /// What it said.
        why: String,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "; none is configured".to_owned();
    }
    format!("; there are: {}", names.join(", "))
}
