//! How large a conversation is, about.

use serde_json::Value;

use crate::conversation::{Block, ChatMessage};
use crate::model::Usage;

/// How many characters make a token, about.
const CHARACTERS: u64 = 4;

/// What the model said of the size, and how many messages it had seen then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TokenCount {
    counted: u64,
    messages: usize,
}

impl TokenCount {
    /// The model has counted a request and its reply; the conversation has that many messages with it.
    pub(crate) fn measured(&mut self, usage: &Usage, messages: usize) {
        if usage.total() > 0 {
            self.counted = usage.total();
            self.messages = messages;
        }
    }

    /// Nothing has been counted: the conversation is another one.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// How many tokens the next request has: what the model counted, and an estimate of the rest.
    pub(crate) fn estimate(&self, system: &str, messages: &[ChatMessage]) -> u64 {
        let unseen = messages.get(self.messages..).unwrap_or_default();
        let rest: u64 = unseen.iter().map(size).sum();
        if self.counted == 0 {
            return tokens(system.len()) + rest;
        }
        self.counted + rest
    }
}

fn size(message: &ChatMessage) -> u64 {
    tokens(bytes_in(message)) + 4
}

/// How much text a message holds.
pub(crate) fn bytes_in(message: &ChatMessage) -> usize {
    message.content.iter().map(block_bytes).sum()
}

fn block_bytes(block: &Block) -> usize {
    match block {
        Block::Text { text } => text.len(),
        Block::ToolUse(call) => call.name.len() + bytes_of(&call.input),
        Block::ToolResult(result) => result.content.iter().map(block_bytes).sum(),
        Block::Other(value) => bytes_of(value),
    }
}

/// How much text a value is, about, without writing it.
pub(crate) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| bytes_of(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, item)| key.len() + 4 + bytes_of(item))
                .sum::<usize>()
                + 2
        }
    }
}

fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_counted_is_not_estimated_again() {
        let mut count = TokenCount::default();
        let mut messages = vec![ChatMessage::user("x".repeat(4_000))];
        assert_eq!(count.estimate("", &messages), 1_004);
        let usage = Usage {
            input_tokens: 700,
            output_tokens: 50,
            ..Usage::default()
        };
        messages.push(ChatMessage::assistant("short"));
        count.measured(&usage, messages.len());
        messages.push(ChatMessage::user("y".repeat(400)));
        assert_eq!(count.estimate("", &messages), 750 + 104);
    }
}
