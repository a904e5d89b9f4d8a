//! The vocabulary of the Hookline hook engine.
//!
//! Other crates speak in these types; none of them does any work: no I/O, no clock, no
//! randomness, no async. Data flows one way:
//!
//! ```text
//! Event, as a struct          PreToolUse { tool_name, tool_input, … }
//!   │  into()
//!   ▼
//! HookEvent, erased ────────► JSON for a command        { "hook_event_name": "PreToolUse", … }
//!                                │
//!   Answer<PreToolUse>           │  wire::read, which never loses a refusal
//!   from a Rust hook             ▼
//!          └──────────► SyncOutput, one a hook
//!                          │
//!                          ▼
//!                       Reply ──► Attempt ──► Outcome, one a firing ──► into_result()
//!
//! Message: what happened on the way, for anyone who listens; never read back
//! ```
//!
//! Everything that the engine must know of an event is one row of one table, in
//! `event/table.rs`: [`EventName::row`].
//!
//! # A hook's answer is typed by its event
//!
//! ```
//! use hook_types::{Answer, Event, PreToolUse};
//! use serde_json::json;
//!
//! fn no_sudo(call: &PreToolUse) -> Answer<PreToolUse> {
//!     match call.command() {
//!         Some(command) if command.starts_with("sudo ") => {
//!             PreToolUse::deny("sudo is not allowed here")
//!         }
//!         _ => PreToolUse::pass(),
//!     }
//! }
//!
//! let call = PreToolUse::new("Bash", json!({"command": "sudo reboot"}));
//! assert_eq!(no_sudo(&call), PreToolUse::deny("sudo is not allowed here"));
//! ```
//!
//! # A command's answer is read with care
//!
//! ```
//! use hook_types::wire::{Extent, read};
//! use hook_types::{Decision, EventName};
//!
//! let printed = r#"{"hookSpecificOutput": {"permissionDecision": "deny"}, "modifiedToolInput": {}}"#;
//! let reading = read(EventName::PreToolUse, printed, Extent::Whole);
//! assert_eq!(reading.decision(), Decision::Deny);
//!
//! let codes: Vec<&str> = reading.diagnostics.iter().map(|d| d.code.as_str()).collect();
//! assert_eq!(codes, ["missing_event_name", "unknown_key"]);
//! assert_eq!(reading.diagnostics[1].suggestion.as_deref(), Some("updatedInput"));
//! ```
//!
//! # Features
//!
//! * `schema`: JSON Schemas of every input and answer.
//! * `samples`: a sample input of every event.

mod answer;
mod attempt;
mod base;
mod decision;
pub mod diagnostic;
pub mod event;
mod id;
pub mod message;
mod nearest;
mod number;
mod open_enum;
pub mod outcome;
mod output;
mod permission;
mod reply;
#[cfg(feature = "samples")]
pub mod sample;
#[cfg(feature = "schema")]
pub mod schema;
mod seldom;
mod specific;
mod status;
mod text;
pub mod wire;

pub use answer::Answer;
pub use attempt::{Attempt, HookInfo, HookKind, OnFailure, Order, Source};
pub use base::{Base, Effort, EffortLevel, PermissionMode};
pub use decision::Decision;
pub use diagnostic::{Code, Diagnostic};
pub use event::*;
pub use id::{AgentId, HookId, MessageId, PromptId, RunId, SessionId, ToolUseId};
pub use message::Message;
pub use nearest::nearest;
pub use number::Number;
pub use outcome::{Blocked, Outcome};
pub use output::{
    AsyncOutput, ElicitationAction, ElicitationAnswer, HookOutput, SyncOutput, ToolConfig, ToolMode,
};
pub use permission::{
    Destination, PermissionChange, PermissionRule, PermissionUpdate, RuleBehavior,
};
pub use reply::{Evidence, Reply};
pub use seldom::{Blank, Seldom};
pub use specific::{Specific, SpecificFields};
pub use status::{SkipReason, Status};
