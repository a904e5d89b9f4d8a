//! A small, complete agent that obeys its hooks.
//!
//! It streams from a [`Model`], runs [`Tool`]s, asks an [`Approver`] for permission, summarises a
//! conversation that grows too large, runs subagents, writes a transcript that hooks can read, and fires
//! every event where the contract says, through a [`HookRunner`](hook_runner::HookRunner).
//!
//! ```
//! use agent_loop::{Agent, Scene, Scripted};
//! use hook_runner::HookSet;
//! use hook_types::{Event, SessionStart, Stop};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hook_runner::BuildError> {
//! let hooks = HookSet::builder()
//!     .on("startup", |_: SessionStart| SessionStart::context("the release is on Friday"))
//!     .on("", |stop: Stop| {
//!         if stop.stop_hook_active { Stop::pass() } else { Stop::keep_going("did you run the tests?") }
//!     })
//!     .build()?;
//!
//! // A script in a model's place: everything runs without a key.
//! let model = Scripted::new([
//!     Scene::say("All done."),
//!     Scene::say("Now I have. All green.").expecting("did you run the tests?"),
//! ]);
//!
//! let agent = Agent::builder().model(model.clone()).hooks(hooks).build();
//! let result = agent.run("Fix the bug.").await;
//!
//! assert_eq!(result.text, "Now I have. All green.");
//! assert!(model.requests()[0].system.contains("the release is on Friday"));
//! # Ok(())
//! # }
//! ```
//!
//! One turn, and the files that carry it:
//!
//! ```text
//! Session ─► turn ─► asking: PreToolSelection, PreModelRequest, the stream, PostModelResponse
//!             │  └─► batch ─► call: gate (PreToolUse, permission), the tool, effects, PostToolUse
//!             │                     PostToolBatch
//!             └────► Stop, or on again
//! every event ─► firing ─► what was heard ─► apply: pure ─► a step, which the loop carries out
//! ```

mod activity; // what an interruption interrupts
mod agent; // parts, put together
mod apply; // outcome to step: pure
mod asking; // one request to the model
mod batch; // all calls of one reply
mod builder; // how an agent is put together
mod call; // one tool call
mod clock; // the time of day
mod compaction; // a conversation that has become too large
mod conversation; // messages and their blocks
mod effects; // what tools ask the loop to do
mod event; // what happens, for whoever watches
mod firing; // events in the name of one agent
mod gate; // hooks and permission before a call
mod host; // entry points for what only a host knows of
mod id; // ids that sort by time
mod instructions; // instructions from files
mod late; // answers that come after their firing
mod limits; // how far an agent may go
mod model; // the model: request in, stream out
mod model_error; // why there is no reply
mod pending; // what waits for the next request
pub mod permission; // may a call happen?
mod reception; // around whoever answers for the user
mod result; // what a turn came to
mod retry; // when a request is sent again
mod said; // what hooks say to the model, marked and escaped
mod scripted; // a model that follows a script
mod session; // start, turns, end
mod shared; // what the agents of a session share
mod subagent; // agents that work for an agent
mod summary; // a conversation as the summariser reads it
mod system_prompt; // who the agent is
mod task; // the task list
mod thread; // one conversation
mod tokens; // how large a conversation is
mod tool; // what the model can have done
mod toolbox; // tools by name
pub mod tools; // the tools that come with the agent
mod transcript; // the conversation on disk
mod turn; // one turn as a state machine
mod turn_end; // how it ends early
mod voice; // how events reach whoever watches
mod wire; // requests and replies as hooks see them

pub use agent::Agent;
pub use apply::host::ElicitationStep;
pub use apply::table as guide;
pub use builder::AgentBuilder;
pub use clock::{Clock, SystemClock};
pub use compaction::Compaction;
pub use conversation::{Block, ChatMessage, Role, ToolCall, ToolResult};
pub use event::{AgentEvent, AgentEventKind};
pub use firing::{Firing, Interrupted};
pub use host::{ExpansionStep, Host, TeammateStep};
pub use instructions::Instructions;
pub use limits::{LARGEST_REPLY, Limits};
pub use model::{
    Model, ModelEvent, ModelRequest, Price, ReplyStream, StopReason, ToolChoice, ToolSpec, Usage,
    reply_with,
};
pub use model_error::{ModelError, Trouble};
pub use permission::{Approval, Approver, Nobody, Permissions, Question};
pub use result::{Denial, Ending, TurnResult};
pub use said::{Manner, Said};
pub use scripted::{Expectation, Scene, ScriptError, Scripted};
pub use session::{Interrupt, Prompt, Session, Start, SwitchRefused};
pub use subagent::Subagent;
pub use task::{Task, TaskList, TaskStatus};
pub use tool::{Access, Effect, Tool, ToolContext, ToolError, ToolOutput};
pub use toolbox::{ToolSource, Toolbox};
pub use tools::{InvalidInput, ReadFiles};
pub use transcript::{FileTranscripts, NoTranscripts, ResumeError, TranscriptStore};
pub use voice::{AgentEvents, Arrival, Observer};
