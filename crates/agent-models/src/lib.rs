//! Models over HTTP: Anthropic's, OpenAI's, and any server that speaks like one of them.
//!
//! ```no_run
//! use agent_loop::{Agent, Toolbox};
//! use agent_models::{Anthropic, Settings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_models::BadSettings> {
//! // Where the service is, and the key, from the environment.
//! let settings = Settings::of_anthropic("claude-opus-5", std::env::vars())?;
//! let agent = Agent::builder()
//!     .model(Anthropic::new(settings)?)
//!     .tools(Toolbox::standard())
//!     .build();
//! println!("{}", agent.run("What is in this directory?").await.text);
//! # Ok(())
//! # }
//! ```
//!
//! One request, and the files that carry it:
//!
//! ```text
//! ModelRequest ─► request: pure, a JSON body ─► service: one POST ─► head: a status, or an error (failure)
//!                                                                └► body ─► sse: pure, bytes to events
//!              ModelEvent ◄─ stream: limits of time and size ◄─ reading: pure, events to pieces ◄─┘
//! ```
//!
//! What holds for every model here:
//!
//! - A reply that did not come to its end is an error, never a reply that is shorter.
//! - An error says which model was asked and where, what the service said, of which
//!   [kind](agent_loop::Trouble) the trouble is and what would help; whether it is worth asking again is in
//!   it, and the agent does that.
//! - What is kept of a reply is never more than [`LARGEST_REPLY`](agent_loop::LARGEST_REPLY).
//! - Dropping a reply, or the future that waits for it, closes the connection.
//! - No key is shown, in no error and no `Debug`.

mod anthropic; // the Messages API
mod catalogue; // what is known of models: windows and prices
mod failure; // what a service's errors mean
mod key; // what opens the door
mod openai; // chat completions
mod patience; // how long a service may take
mod pieces; // a reply in the making
mod retry_after; // when a service wants to be asked again
mod service; // one request over HTTP
mod settings; // where a model is and how it is asked
mod sse; // bytes to events
mod stream; // events to pieces of a reply

pub use anthropic::Anthropic;
pub use catalogue::{CATALOGUE, Known, PRICES_READ_ON, known};
pub use key::Key;
pub use openai::OpenAi;
pub use patience::Patience;
pub use settings::{BadSettings, Settings};
