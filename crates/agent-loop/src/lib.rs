//! A small, complete agent that obeys its hooks.
//!
//! It streams from a [`Model`], runs [`Tool`]s, asks an [`Approver`], and fires every event where the
//! contract says, through a [`HookRunner`](hook_runner::HookRunner).

mod conversation; // messages and their blocks
mod firing; // events in the name of one agent
mod model; // the model: request in, stream out
pub mod permission; // may a call happen?
mod task; // the task list
mod tool; // what the model can have done
mod toolbox; // tools by name
pub mod tools; // the tools that come with the agent

pub use conversation::{Block, ChatMessage, Role, ToolCall, ToolResult};
pub use firing::{Firing, Interrupted};
pub use model::{
    Model, ModelError, ModelEvent, ModelRequest, Price, ReplyStream, StopReason, ToolChoice,
    ToolSpec, Usage, reply_with,
};
pub use permission::{Approval, Approver, Nobody, Permissions, Question};
pub use task::{Task, TaskList, TaskStatus};
pub use tool::{Access, Effect, Tool, ToolContext, ToolError, ToolOutput};
pub use toolbox::Toolbox;
pub use tools::{InvalidInput, ReadFiles};
