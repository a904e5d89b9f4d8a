//! The model: a request in, a stream of events out.

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::conversation::{ChatMessage, ToolCall};
use crate::model_error::ModelError;

/// Whoever answers: a model over the network, a script, something of your own.
///
/// ```
/// use agent_loop::{Model, ModelError, ModelEvent, ModelRequest, ReplyStream, StopReason, reply_with};
/// use async_trait::async_trait;
///
/// /// Says how much it was told.
/// struct Counting;
///
/// #[async_trait]
/// impl Model for Counting {
///     fn name(&self) -> &str {
///         "counting"
///     }
///
///     async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
///         let text = format!("{} messages", request.messages.len());
///         Ok(reply_with([ModelEvent::Text(text), ModelEvent::Stop(StopReason::EndTurn)]))
///     }
/// }
/// ```
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// The model's name, as hooks and requests have it.
    fn name(&self) -> &str;

    /// Sends a request. Comes back when the reply begins, or when it is known that none will.
    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError>;

    /// How many tokens fit into a request and its reply together.
    fn context_window(&self) -> u64 {
        200_000
    }

    /// What it costs, where that is known.
    fn price(&self) -> Option<Price> {
        None
    }
}

/// A reply on its way. Dropping it ends it: whatever it holds open must end with it.
#[async_trait]
pub trait ReplyStream: Send {
    /// The next piece; none when the reply is complete.
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>>;
}

/// A reply that is already known.
pub fn reply_with(events: impl IntoIterator<Item = ModelEvent>) -> Box<dyn ReplyStream> {
    let events: Vec<ModelEvent> = events.into_iter().collect();
    Box::new(Known(events.into_iter()))
}

struct Known(std::vec::IntoIter<ModelEvent>);

#[async_trait]
impl ReplyStream for Known {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        self.0.next().map(Ok)
    }
}

/// What the model is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The model's name.
    pub model: String,
    /// The system prompt.
    #[serde(default)]
    pub system: String,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools that it may choose from.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// How it chooses.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// Anything else that a model understands: `temperature`, `max_tokens`, …
    #[serde(default)]
    pub config: Map<String, Value>,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as a JSON Schema.
    pub input_schema: Value,
}

/// How the model chooses among the tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It must call one.
    Any,
    /// It may call none.
    None,
}

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelEvent {
    /// More text.
    Text(String),
    /// A tool call, complete.
    ToolCall(ToolCall),
    /// A block of another kind, complete; it is kept, and given back with the next request.
    Block(Value),
    /// Tokens used so far. The last one counts.
    Usage(Usage),
    /// The reply is complete.
    Stop(StopReason),
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It is done.
    EndTurn,
    /// It waits for tools.
    ToolUse,
    /// The reply reached its limit.
    MaxTokens,
    /// It met a text that ends replies.
    StopSequence,
    /// It refuses.
    Refusal,
    /// A reason that this version does not know.
    Other(String),
}

impl StopReason {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::Refusal => "refusal",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for StopReason {
    fn from(word: &str) -> Self {
        match word {
            "end_turn" => Self::EndTurn,
            "tool_use" => Self::ToolUse,
            "max_tokens" => Self::MaxTokens,
            "stop_sequence" => Self::StopSequence,
            "refusal" => Self::Refusal,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Tokens, as the model counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Read, the cached ones left out.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
    /// Read and put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Read out of the cache.
    pub cache_read_input_tokens: u64,
}

impl Usage {
    /// All tokens of the request and its reply.
    pub fn total(&self) -> u64 {
        self.input_tokens
            + self.output_tokens
            + self.cache_creation_input_tokens
            + self.cache_read_input_tokens
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_creation_input_tokens += other.cache_creation_input_tokens;
        self.cache_read_input_tokens += other.cache_read_input_tokens;
    }
}

/// What a million tokens cost, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Put into the cache.
    pub cache_write: f64,
    /// Read out of the cache.
    pub cache_read: f64,
}

impl Price {
    /// What that many tokens cost, in US dollars.
    ///
    /// ```
    /// use agent_loop::{Price, Usage};
    ///
    /// let price = Price { input: 3.0, output: 15.0, ..Price::default() };
    /// let usage = Usage { input_tokens: 1_000_000, output_tokens: 100_000, ..Usage::default() };
    /// assert!((price.of(&usage) - 4.5).abs() < 1e-9);
    /// ```
    #[expect(clippy::cast_precision_loss, reason = "nobody uses 2^52 tokens")]
    pub fn of(&self, usage: &Usage) -> f64 {
        let parts = [
            (usage.input_tokens, self.input),
            (usage.output_tokens, self.output),
            (usage.cache_creation_input_tokens, self.cache_write),
            (usage.cache_read_input_tokens, self.cache_read),
        ];
        parts
            .iter()
            .map(|(tokens, price)| *tokens as f64 * price / 1_000_000.0)
            .sum()
    }
}
