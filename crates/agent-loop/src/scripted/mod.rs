//! A model that follows a script: the embedded default, and the model of every test. It needs no network
//! and no key, and says when it is not asked what the script expects.
//!
//! As a file, a script is JSON: a list of turns, or an object with `model`, `context_window` and `turns`.
//!
//! ```json
//! [
//!   {"say": "I look around.", "calls": [{"name": "Bash", "input": {"command": "ls"}}]},
//!   {"expect": {"contains": ["a.txt"]}, "say": "There is one file."}
//! ]
//! ```
//!
//! | field of a turn | means |
//! |---|---|
//! | `say` | the text, sent word by word; or a list of pieces |
//! | `calls` | tool calls: `name`, `input`, and an `id` if it matters |
//! | `stop` | why it stops; by default `tool_use` with calls, else `end_turn` |
//! | `usage` | tokens, as `input_tokens` and `output_tokens` |
//! | `delay_ms` | how long it thinks before each piece |
//! | `error` | it fails instead: `kind` and `message`; with `transient` or `retry_after_ms` it is asked again |
//! | `when` | the turn is for a request like this; others take the next turn |
//! | `expect` | the request must be like this, or the turn fails and says why |
//!
//! | field of `when` and `expect` | means |
//! |---|---|
//! | `contains`, `lacks` | texts somewhere in the messages, or nowhere |
//! | `last_contains`, `last_lacks` | the same of the last message |
//! | `system_contains`, `system_lacks` | the same of the system prompt |
//! | `tools`, `no_tools` | tools that are offered, or are not |
//! | `messages` | how many messages there are |

mod expect; // what a request must be like
mod script; // the file

pub use expect::Expectation;
pub use script::{Scene, ScriptError};

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hook_types::StopError;

use crate::model::{Model, ModelEvent, ModelRequest, ReplyStream};
use crate::model_error::ModelError;
use crate::shared::lock;

/// A model that follows a script. Clones are the same model.
///
/// ```
/// use agent_loop::{Agent, Scene, Scripted};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let model = Scripted::new([Scene::say("Hello, Ann.").expecting("I am Ann")]);
/// let agent = Agent::builder().model(model.clone()).build();
/// let result = agent.run("Hello, I am Ann.").await;
/// assert_eq!(result.text, "Hello, Ann.");
/// assert_eq!(model.requests().len(), 1);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Scripted {
    name: String,
    context_window: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    left: VecDeque<(usize, Scene)>,
    requests: Vec<ModelRequest>,
}

impl Scripted {
    /// Follows a script.
    pub fn new(scenes: impl IntoIterator<Item = Scene>) -> Self {
        let left = scenes.into_iter().enumerate().collect();
        Self {
            name: "scripted".to_owned(),
            context_window: 200_000,
            state: Arc::new(Mutex::new(State {
                left,
                requests: Vec::new(),
            })),
        }
    }

    /// Follows a script in a file's words.
    pub fn from_json(text: &str) -> Result<Self, ScriptError> {
        let file = script::read(text)?;
        let mut scripted = Self::new(file.turns);
        if let Some(name) = file.model {
            scripted.name = name;
        }
        if let Some(tokens) = file.context_window {
            scripted.context_window = tokens;
        }
        Ok(scripted)
    }

    /// Under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With another window.
    #[must_use]
    pub fn with_context_window(mut self, tokens: u64) -> Self {
        self.context_window = tokens;
        self
    }

    /// Says what it is, once.
    pub(crate) fn greeting() -> Self {
        Self::new([Scene::say(
            "I am a script, not a model: give the builder one of yours, or a script of your own.",
        )])
    }

    /// Every request that it has received, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.state).requests.clone()
    }

    /// How many turns of the script are left.
    pub fn left(&self) -> usize {
        lock(&self.state).left.len()
    }

    /// The turn for a request.
    fn scene(&self, request: &ModelRequest) -> Result<(usize, Scene), ModelError> {
        let mut state = lock(&self.state);
        state.requests.push(request.clone());
        let asked = state.requests.len();
        let fits = |scene: &Scene| {
            let when = scene.when.as_ref();
            when.is_none_or(|when| when.problem(request).is_none())
        };
        let place = state.left.iter().position(|(_, scene)| fits(scene));
        let next = place.and_then(|place| state.left.remove(place));
        next.ok_or_else(|| {
            unexpected(format!(
                "the script has no turn left for request {asked}; it has {} turns that are for other \
                 requests",
                state.left.len()
            ))
        })
    }
}

fn unexpected(message: String) -> ModelError {
    ModelError::new(StopError::InvalidRequest, message)
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_window(&self) -> u64 {
        self.context_window
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let (number, scene) = self.scene(&request)?;
        if let Some(problem) = scene.expect.as_ref().and_then(|e| e.problem(&request)) {
            return Err(unexpected(format!(
                "turn {} of the script did not expect this request: {problem}",
                number + 1
            )));
        }
        let delay = Duration::from_millis(scene.delay_ms);
        if let Some(error) = &scene.error {
            tokio::time::sleep(delay).await;
            return Err(error.model_error());
        }
        Ok(Box::new(Playing {
            events: scene.events(number).into(),
            delay,
        }))
    }
}

/// A reply that is being played.
struct Playing {
    events: VecDeque<ModelEvent>,
    delay: Duration,
}

#[async_trait]
impl ReplyStream for Playing {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        if !self.delay.is_zero() && !self.events.is_empty() {
            tokio::time::sleep(self.delay).await;
        }
        self.events.pop_front().map(Ok)
    }
}
