//! Events: what an agent tells its hooks.
//!
//! | file | holds |
//! |---|---|
//! | `table.rs` | the one table; no rule about an event lives anywhere else |
//! | `row.rs`, `field.rs`, `subject.rs` | the table's columns |
//! | `contract.rs` | the [`Event`] trait, with the constructors of answers |
//! | `tool.rs`, `permission.rs`, … | the events' structs, by family |
//! | `name.rs`, `door.rs` | names from text; events from a name and JSON |
//! | `erased.rs`, `macros.rs`, `wire.rs`, `object.rs` | what the declarations become |
//!
//! Adding an event: its struct in the family's file, its row in `table.rs`, its line below.

mod contract;
mod door;
mod elicitation;
mod erased;
mod field;
mod macros;
mod model;
mod name;
pub(crate) mod object;
mod permission;
mod prompt;
mod rewrite;
mod row;
mod session;
mod stop;
mod subject;
mod table;
mod task;
mod tool;
pub(crate) mod wire;
mod workspace;

pub use contract::Event;
pub use door::EventError;
pub use field::{Field, Fields, Honours, part};
pub use name::UnknownEvent;
pub use row::{Deadline, Effect, EventRow, ExitTwo, Names, Spelling, Stdout};
pub use subject::Subject;
pub use table::{EventName, HookEvent};

// One line an event.
pub use elicitation::Elicitation;
pub use elicitation::ElicitationResult;
pub use model::ModelStreamEnd;
pub use model::ModelStreamStart;
pub use model::PostModelResponse;
pub use model::PostModelSwitch;
pub use model::PreModelRequest;
pub use model::PreModelSwitch;
pub use permission::PermissionCheck;
pub use permission::PermissionDenied;
pub use permission::PermissionGranted;
pub use permission::PermissionRequest;
pub use prompt::MessageDisplay;
pub use prompt::Notification;
pub use prompt::SessionMessage;
pub use prompt::UserInterrupt;
pub use prompt::UserPromptExpansion;
pub use prompt::UserPromptSubmit;
pub use session::Error;
pub use session::PostCompact;
pub use session::PreCompact;
pub use session::SessionEnd;
pub use session::SessionStart;
pub use session::Setup;
pub use stop::Stop;
pub use stop::StopFailure;
pub use stop::SubagentStart;
pub use stop::SubagentStop;
pub use stop::TeammateIdle;
pub use task::TaskCompleted;
pub use task::TaskCreated;
pub use tool::PostToolBatch;
pub use tool::PostToolUse;
pub use tool::PostToolUseFailure;
pub use tool::PreToolSelection;
pub use tool::PreToolUse;
pub use workspace::ConfigChange;
pub use workspace::CwdChanged;
pub use workspace::DirectoryAdded;
pub use workspace::FileChanged;
pub use workspace::InstructionsLoaded;
pub use workspace::WorktreeCreate;
pub use workspace::WorktreeRemove;

// The types of their fields.
pub use elicitation::{ElicitationMode, ElicitationReply};
pub use model::{CacheTtl, Pricing, SwitchSource};
pub use permission::GrantedBy;
pub use prompt::{ExpansionType, InterruptedDuring, MessageRole, NotificationType, PromptSource};
pub use session::{CompactTrigger, EndReason, ErrorType, SessionSource, SetupTrigger};
pub use stop::{BackgroundTask, SessionCron, StopError};
pub use tool::{BatchedCall, McpServer, McpSource};
pub use workspace::{ConfigSource, DirectorySource, FileChange, LoadReason, MemoryType};
