//! A reply in the making: pieces that are ready, and how much of a reply there is.

use std::collections::VecDeque;

use agent_loop::{ModelError, ModelEvent, ToolCall, Trouble};
use serde_json::{Map, Value};

/// What a reader of a service's events makes of them.
#[derive(Debug)]
pub(crate) struct Pieces {
    ready: VecDeque<ModelEvent>,
    /// How much more of a reply may come, in bytes.
    room: usize,
    most: usize,
}

impl Pieces {
    /// A reply of no more than that many bytes.
    pub(crate) fn up_to(most: usize) -> Self {
        Self {
            ready: VecDeque::new(),
            room: most,
            most,
        }
    }

    /// Something of the reply has come, and is kept.
    pub(crate) fn keep(&mut self, text: &str) -> Result<(), ModelError> {
        self.room = self.room.checked_sub(text.len()).ok_or_else(|| {
            let message = format!("the reply is larger than {} bytes", self.most);
            ModelError::of(Trouble::ReplyTooLarge, message)
        })?;
        Ok(())
    }

    /// Text goes on at once.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), ModelError> {
        self.keep(text)?;
        if !text.is_empty() {
            self.ready.push_back(ModelEvent::Text(text.to_owned()));
        }
        Ok(())
    }

    /// A piece that is complete.
    pub(crate) fn add(&mut self, piece: ModelEvent) {
        self.ready.push_back(piece);
    }

    pub(crate) fn next(&mut self) -> Option<ModelEvent> {
        self.ready.pop_front()
    }
}

/// A call whose input has come in pieces, as text.
#[derive(Debug, Default)]
pub(crate) struct OpenCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: String,
}

impl OpenCall {
    /// The call, if its input is an object; no text at all is an empty one.
    pub(crate) fn close(self) -> Result<ToolCall, ModelError> {
        if self.name.is_empty() {
            return Err(bad_reply("the model called a tool without a name"));
        }
        let input = match self.input.trim() {
            "" | "null" => Ok(Map::new()),
            text => serde_json::from_str::<Map<String, Value>>(text),
        };
        match input {
            Ok(input) => Ok(ToolCall::new(self.id, self.name, Value::Object(input))),
            Err(why) => {
                let message = format!("the model called `{}` with broken JSON: {why}", self.name);
                Err(bad_reply(message))
            }
        }
    }
}

/// The reply cannot be read. It may be better the next time.
pub(crate) fn bad_reply(message: impl Into<String>) -> ModelError {
    ModelError::of(Trouble::BadReply, message)
        .remedy("ask again; if it stays so, the server does not speak this API")
        .transient()
}

/// The JSON that an event has.
pub(crate) fn json(data: &str) -> Result<Value, ModelError> {
    serde_json::from_str(data).map_err(|why| {
        let start: String = data.chars().take(80).collect();
        bad_reply(format!(
            "an event of the reply is broken JSON: {why}: {start}"
        ))
    })
}

/// A text in a value, by its path; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

/// A number in a value, by its path.
pub(crate) fn count(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64()
}
