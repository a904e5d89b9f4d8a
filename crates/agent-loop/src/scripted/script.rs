//! A script: turns, in Rust or in a file.

use std::time::Duration;

use hook_types::StopError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::expect::Expectation;
use crate::conversation::ToolCall;
use crate::model::{ModelEvent, StopReason, Usage};
use crate::model_error::ModelError;

/// Why a text is no script.
#[derive(Debug, thiserror::Error)]
#[error("the script cannot be read: {0}")]
pub struct ScriptError(#[from] serde_json::Error);

/// A script as a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    pub(super) model: Option<String>,
    pub(super) context_window: Option<u64>,
    pub(super) turns: Vec<Scene>,
}

pub(super) fn read(text: &str) -> Result<Script, ScriptError> {
    if text.trim_start().starts_with('[') {
        return Ok(Script {
            turns: serde_json::from_str(text)?,
            ..Script::default()
        });
    }
    Ok(serde_json::from_str(text)?)
}

/// One turn of a script: what the model answers to one request, and what it expects of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Scene {
    say: Words,
    calls: Vec<Call>,
    stop: Option<String>,
    usage: Option<Usage>,
    pub(super) delay_ms: u64,
    pub(super) error: Option<Failure>,
    pub(super) when: Option<Expectation>,
    pub(super) expect: Option<Expectation>,
}

/// Text, whole or in pieces.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Words {
    Whole(String),
    Pieces(Vec<String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::Pieces(Vec::new())
    }
}

impl Words {
    fn pieces(&self) -> Vec<String> {
        match self {
            Self::Pieces(pieces) => pieces.clone(),
            Self::Whole(text) => text.split_inclusive(' ').map(str::to_owned).collect(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    #[serde(default = "nothing")]
    input: Value,
    #[serde(default)]
    id: Option<String>,
}

fn nothing() -> Value {
    json!({})
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    kind: String,
    message: String,
    /// Whether it may pass.
    #[serde(default)]
    transient: bool,
    #[serde(default)]
    retry_after_ms: Option<u64>,
}

impl Failure {
    pub(super) fn model_error(&self) -> ModelError {
        let mut error = ModelError::new(StopError::from(self.kind.as_str()), self.message.clone());
        error.transient = self.transient;
        match self.retry_after_ms {
            Some(wait) => error.retry_after(Duration::from_millis(wait)),
            None => error,
        }
    }
}

impl Scene {
    /// Says something, and stops.
    pub fn say(text: impl Into<String>) -> Self {
        Self {
            say: Words::Whole(text.into()),
            ..Self::default()
        }
    }

    /// Calls a tool.
    pub fn call(name: impl Into<String>, input: Value) -> Self {
        Self::default().and_call(name, input)
    }

    /// Fails.
    pub fn fail(error: &ModelError) -> Self {
        let wait = error.retry_after;
        Self {
            error: Some(Failure {
                kind: error.kind.as_str().to_owned(),
                message: error.message.clone(),
                transient: error.transient,
                retry_after_ms: wait.and_then(|wait| u64::try_from(wait.as_millis()).ok()),
            }),
            ..Self::default()
        }
    }

    /// Calls a tool as well.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, input: Value) -> Self {
        self.calls.push(Call {
            name: name.into(),
            input,
            id: None,
        });
        self
    }

    /// Gives the last call an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.id = Some(id.into());
        }
        self
    }

    /// Stops for another reason than usual.
    #[must_use]
    pub fn stopping(mut self, stop: &StopReason) -> Self {
        self.stop = Some(stop.as_str().to_owned());
        self
    }

    /// Reports tokens.
    #[must_use]
    pub fn using(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        self.usage = Some(Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        });
        self
    }

    /// Thinks that long before each piece.
    #[must_use]
    pub fn slowly(mut self, delay: Duration) -> Self {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Expects a text somewhere in the messages.
    #[must_use]
    pub fn expecting(mut self, text: impl Into<String>) -> Self {
        let expect = self.expect.get_or_insert_default();
        expect.contains.push(text.into());
        self
    }

    /// Expects a request like that.
    #[must_use]
    pub fn expecting_all(mut self, expectation: Expectation) -> Self {
        self.expect = Some(expectation);
        self
    }

    /// Is only for requests with that text somewhere in the messages.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        let when = self.when.get_or_insert_default();
        when.contains.push(text.into());
        self
    }

    /// The turn as a stream has it. Calls without an id are numbered.
    pub(super) fn events(&self, number: usize) -> Vec<ModelEvent> {
        let mut events: Vec<ModelEvent> = self
            .say
            .pieces()
            .into_iter()
            .map(ModelEvent::Text)
            .collect();
        for (place, call) in self.calls.iter().enumerate() {
            let id = call.id.clone();
            let id = id.unwrap_or_else(|| format!("toolu_{}_{}", number + 1, place + 1));
            let call = ToolCall::new(id, call.name.clone(), call.input.clone());
            events.push(ModelEvent::ToolCall(call));
        }
        events.extend(self.usage.map(ModelEvent::Usage));
        let usual = if self.calls.is_empty() {
            "end_turn"
        } else {
            "tool_use"
        };
        let stop = self.stop.as_deref().unwrap_or(usual);
        events.push(ModelEvent::Stop(StopReason::from(stop)));
        events
    }
}
