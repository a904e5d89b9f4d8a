//! Hooks that ask a model.
//!
//! ```text
//! event ─► question: the hook's prompt, with the event's input as data in it
//!       ─► the model: one request (`PromptHook`), or a verifier that reads files first (`AgentHook`)
//!       ─► verdict: {"ok": …, "reason": …} read out of what it said, or a failure
//!       ─► consequence: what "not ok" means for this event ─► Reply
//! ```
//!
//! A model's word restricts and never allows: `{"ok": true}` is no opinion, and permission is settled as
//! if the hook were not there. What cannot be read, an error of the service and a deadline that passed
//! are failures, and never decisions.
//!
//! ```
//! use agent_loop::{Agent, Ending, Scene, Scripted, Toolbox};
//! use hook_model::{PromptHook, one_model};
//! use hook_runner::HookSet;
//! use hook_types::PreToolUse;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hook_runner::BuildError> {
//! // A script in a model's place, twice: the judge, and the agent that is judged.
//! let judge = Scripted::new([Scene::say(r#"{"ok": false, "reason": "that deletes the backups"}"#)]);
//! let agent = Scripted::new([
//!     Scene::call("Bash", json!({"command": "rm -rf backups"})),
//!     Scene::say("Then I leave them.").expecting("that deletes the backups"),
//! ]);
//!
//! let hook = PromptHook::new("Does this command only touch build output? $ARGUMENTS", one_model(judge))
//!     .continue_on_block();
//! let hooks = HookSet::builder().hook::<PreToolUse>("Bash", hook).build()?;
//! let agent = Agent::builder().model(agent).tools(Toolbox::standard()).hooks(hooks).build();
//! let result = agent.run("Make some room.").await;
//!
//! assert_eq!(result.ending, Ending::Finished);
//! assert_eq!(result.denials.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # What a question can promise, and what not
//!
//! What an event carries was written by an agent, by tools, or by strangers. It goes to the model between
//! tags that cannot occur inside it, and the system prompt says that it is data. So it cannot close its
//! own tags, and it cannot answer: only what the model says is read. It can still try to talk the model
//! into an answer, and no wording makes that impossible. A rule that must hold belongs into a command or
//! a closure; a model is for what no rule can say.

mod account; // what an asking took, as evidence
mod agent_hook; // the handler: a verifier
mod ask; // one request and its reply
mod asking; // what both handlers have in common
mod consequence; // what "not ok" means for an event
#[cfg(feature = "config")]
mod factories; // entries of files
mod instructions; // what the model is told of its task
mod judge; // from what was said to a reply
mod meter; // a model whose use is counted
mod models; // who finds the model that a hook names
mod prompt_hook; // the handler: one question
mod question; // the prompt with the input in it
mod verdict; // what was said, read

pub use agent_hook::AgentHook;
pub use consequence::{Consequence, OnBlock, consequence};
#[cfg(feature = "config")]
pub use factories::ModelHooks;
pub use models::{Models, OneModel, one_model};
pub use prompt_hook::PromptHook;
