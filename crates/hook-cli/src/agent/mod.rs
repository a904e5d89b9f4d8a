//! The agent behind `hookline run`: put together, shown, and driven.
//!
//! ```text
//! models    which model            ┐
//! wiring    hooks, tools, sessions ┴─► one agent ─► headless     one prompt, one result
//! fresh     files that change                    └► conversation prompts, keys, questions
//! display   one thread that writes ◄── every agent event
//!           quiet: stderr · stream: JSON lines · screen: a terminal
//! ```

mod approver; // questions, answered with a key
mod conversation; // prompt after prompt
mod display; // one thread that writes
mod fresh; // files that change while the agent runs
mod headless; // one prompt, one result
mod hook_events; // which of the hooks' messages programs are sent
mod hook_models; // the models that hooks ask
mod models; // the kinds of models
mod network_models; // those that are asked over the network
mod outcome; // what a turn came to, for scripts and programs
mod quiet; // what is said beside a result
mod screen; // a terminal's last row
mod sessions; // where transcripts are
mod signals; // Ctrl-C and its kin
mod story; // what happens, in lines for people
mod stream; // what happens, in lines for programs
mod wiring; // hooks, model, tools and limits to one agent

pub(crate) use approver::AtTerminal;
pub(crate) use conversation::{Busy, Person, converse};
pub(crate) use display::Display;
pub(crate) use headless::answer;
pub(crate) use hook_events::Told;
pub(crate) use hook_models::{HookModels, hook_models_help};
pub(crate) use models::{models_help, open as open_model};
pub(crate) use outcome::{as_json, exit, reason};
pub(crate) use quiet::Quiet;
pub(crate) use screen::Screen;
pub(crate) use sessions::{Resume, Sessions};
pub(crate) use signals::Signals;
pub(crate) use story::{Story, summary};
pub(crate) use stream::Stream;
pub(crate) use wiring::{Wanted, Wiring, waiting};
