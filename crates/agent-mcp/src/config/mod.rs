//! Servers from files.
//!
//! ```text
//! files: which, of whom ─► entry: one server, or a diagnostic with its place
//!                       ─► found: variables, trust, who takes whose place ─► ServerConfig
//! ```
//!
//! One broken entry never disables the others. A project's server runs a command, or sends what the
//! environment holds to an address: it starts only once the user has approved it, as a project's hook.

mod entry; // one server of a file
mod files; // which files, and whose
mod found; // what may be started

pub use files::McpFiles;
pub use found::{Found, FoundServer};
