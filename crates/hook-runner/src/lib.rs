//! The Hookline engine: which hooks run, for how long, and what it all amounts to.
//!
//! One firing flows forward only, one module a step:
//!
//! ```text
//! event ─► plan      which hooks run, and why not the others
//!       ─► schedule  groups at once, sequential ones in order ─► invoke: one hook, one deadline
//!       ─► aggregate pure: many attempts, one outcome
//!       ─► spill     what is too long for a conversation goes to a file
//!       └► messages  what happened, for anyone who listens; never read back
//! ```
//!
//! The crate knows a [`Handler`], no process and no file. Closures are handlers; so are commands,
//! in a crate of their own.
//!
//! ```
//! use hook_runner::{Fire, HookSet, Runner};
//! use hook_types::{Event, PostToolUse, PreToolUse, Stop};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hook_runner::BuildError> {
//! let hooks = HookSet::builder()
//!     .on("Bash", |call: PreToolUse| async move {
//!         if call.command().is_some_and(|command| command.contains("sudo")) {
//!             PreToolUse::deny("sudo is not allowed here")
//!         } else {
//!             PreToolUse::pass()
//!         }
//!     })
//!     .on("Write|Edit", |_: PostToolUse| PostToolUse::context("run the formatter before you stop"))
//!     .on("", |stop: Stop| {
//!         if stop.stop_hook_active { Stop::pass() } else { Stop::keep_going("run the tests first") }
//!     })
//!     .build()?;
//!
//! let runner = Runner::new(hooks);
//! let verdict = runner.fire(PreToolUse::new("Bash", json!({"command": "sudo ls"}))).await;
//! assert!(verdict.is_denied());
//! assert!(runner.fire(Stop::new(false)).await.keeps_going());
//! # Ok(())
//! # }
//! ```

mod aggregate;
mod background;
mod beginning;
mod blocking;
mod builder;
mod cancel;
mod context;
mod facts;
mod fired;
mod group;
mod handler;
mod handler_fn;
mod hook;
mod hook_set;
mod input;
mod invoke;
pub mod matcher;
mod merge;
mod messages;
mod off_thread;
mod once;
mod plan;
mod policy;
mod reader;
mod remembered;
mod response;
mod run;
mod runner;
mod schedule;
mod session;
mod spill;
mod time;

pub use background::LateAnswer;
#[doc(hidden)]
pub use beginning::{Beginning, Working};
pub use blocking::{IntoBlocking, blocking_fn};
pub use builder::{BuildError, HookSetBuilder};
pub use cancel::Cancellation;
pub use context::HookContext;
pub use facts::Session;
pub use fired::{Fired, Verdict};
pub use group::{Group, Layer, Mode};
pub use handler::{Description, Handler};
pub use handler_fn::{IntoHook, Respond, hook_fn};
pub use hook::{Admission, Gate, Hook, Wait};
pub use hook_set::HookSet;
pub use input::Input;
pub use messages::Sink;
pub use off_thread::off_thread;
pub use plan::Explained;
pub use policy::{OnConflict, Policy, Recheck};
pub use reader::{Delivery, Messages};
pub use response::{Background, IntoResponse, Response, background};
pub use runner::{Fire, HookRunner, NoHooks};
pub use session::Runner;
