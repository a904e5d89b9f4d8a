//! Hooks that are asked over HTTP.
//!
//! The event is posted as JSON, word for word what a command reads on stdin. What comes back is read
//! like what a command prints:
//!
//! | the response | is |
//! |---|---|
//! | `2xx`, empty | no opinion |
//! | `2xx`, a JSON object | its answer; one that does not fit the contract is a failure |
//! | `2xx`, anything else | a failure; the text goes nowhere |
//! | any other status, no connection | a failure |
//! | none in time | a failure: it took too long |
//!
//! A failure is never a decision, and no status alone blocks. On guards a refusal that can be read in
//! the body counts all the same, whatever the status and however the connection ended.
//!
//! ```
//! use hook_http::HttpHook;
//! use hook_runner::HookSet;
//! use hook_types::PreToolUse;
//!
//! let guard = HttpHook::new("http://localhost:4000/guard")?
//!     .header("Authorization", "Bearer $GUARD_TOKEN")?
//!     .allow_variables(["GUARD_TOKEN"]);
//! let hooks = HookSet::builder().hook::<PreToolUse>("Bash", guard).build()?;
//! # assert_eq!(hooks.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! event ─► admitted? (url list, names) ─► headers filled in ─► posted ─► redirect? the same again
//!       ─► status, head, body up to a limit ─► answer (pure) ─► Reply
//! ```
//!
//! Where a request may go and what it may carry is a [`Network`], which all hooks of a session share.

mod address; // what no hook reaches unless the user says so
mod answer; // the response as a reply
mod ask; // the request, and what came back
#[cfg(feature = "config")]
mod factory; // from the entry of a file
mod hook; // the hook
mod network; // what is shared
mod pattern; // which URLs are admitted
mod template; // headers with variables in them

pub use address::{BadException, Exception};
pub use answer::{Fault, Response, reply};
#[cfg(feature = "config")]
pub use factory::HttpHooks;
pub use hook::{BadHook, HttpHook};
pub use network::Network;
