//! Commands as hooks.
//!
//! A command reads the event as one line of JSON on stdin and answers with its exit code and what it
//! prints:
//!
//! | it ends with | and prints | that is |
//! |---|---|---|
//! | exit code 0 | a JSON object | its answer |
//! | exit code 0 | text | context for the model on a few events, else nothing |
//! | exit code 2 | a reason on stderr | a block, whatever else it printed |
//! | another code | a JSON object | its answer |
//! | another code, a signal, a timeout | anything else | a failure, which is never a decision |
//!
//! On guards a refusal that can be read counts however the command ended. `protocol.rs` has the whole
//! table; other systems' rules are values beside it, in `dialect/`.
//!
//! Whatever a command does, its deadline, its memory and its processes are held by `process-tree`.
//!
//! ```
//! use hook_runner::{Fire, HookSet, Runner};
//! use hook_shell::ShellHook;
//! use hook_types::PreToolUse;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hook_runner::BuildError> {
//! let hooks = HookSet::builder()
//!     .hook::<PreToolUse>("Bash", ShellHook::new("echo 'not here' >&2; exit 2"))
//!     .build()?;
//! let call = PreToolUse::new("Bash", json!({"command": "make"}));
//! let verdict = Runner::new(hooks).fire(call).await;
//! assert_eq!(verdict.reason(), Some("not here"));
//! # Ok(())
//! # }
//! ```

mod command;
mod dialect;
mod env_file;
mod environment;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod host;
mod placeholders;
mod program;
mod promise;
pub mod protocol;
mod run;
mod say;
mod server;
mod shell;

pub use command::ShellHook;
pub use dialect::{Dialect, Names, Reason};
pub use environment::Plugin;
pub use host::Host;
pub use say::Said;
pub use server::ServerHook;
