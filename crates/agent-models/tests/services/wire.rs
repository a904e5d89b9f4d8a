//! Replies in the two formats, as the services stream them.
#![allow(dead_code, reason = "every suite takes what it needs of this file")]

use std::sync::Arc;

use agent_loop::Model;
use agent_models::{Anthropic, Key, OpenAi, Settings};
use serde_json::{Value, json};

/// Whoever is spoken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Anthropic,
    OpenAi,
}

pub(crate) const BOTH: [Kind; 2] = [Kind::Anthropic, Kind::OpenAi];

/// What a reply says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) words: Vec<String>,
    /// Id, tool, input.
    pub(crate) calls: Vec<(String, String, Value)>,
    /// Read and written.
    pub(crate) tokens: (u64, u64),
    /// In how many pieces the input of a call comes.
    pub(crate) pieces: usize,
}

impl Reply {
    pub(crate) fn say(text: &str) -> Self {
        Self {
            words: text.split_inclusive(' ').map(str::to_owned).collect(),
            tokens: (7, 3),
            pieces: 2,
            ..Self::default()
        }
    }

    pub(crate) fn call(mut self, id: &str, name: &str, input: Value) -> Self {
        self.calls.push((id.to_owned(), name.to_owned(), input));
        self
    }
}

impl Kind {
    /// The model under test, with a key.
    pub(crate) fn model(self, address: &str, change: impl FnOnce(&mut Settings)) -> Arc<dyn Model> {
        let mut settings = Settings::new(self.name());
        settings.base_url = Some(address.to_owned());
        settings.key = Some(Key::api("sk-secret"));
        change(&mut settings);
        match self {
            Self::Anthropic => Arc::new(Anthropic::new(settings).unwrap()),
            Self::OpenAi => Arc::new(OpenAi::new(settings).unwrap()),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-test",
            Self::OpenAi => "gpt-test",
        }
    }

    /// A reply as the service streams it, one event a piece.
    pub(crate) fn events(self, reply: &Reply) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic(reply),
            Self::OpenAi => openai(reply),
        }
    }

    /// An error that comes in the stream.
    pub(crate) fn error_event(self) -> String {
        match self {
            Self::Anthropic => event(&json!({"type": "error", "error": {
                "type": "overloaded_error", "message": "Overloaded"}})),
            Self::OpenAi => data(&json!({"error": {"message": "The server had an error",
                "type": "server_error", "code": null}})),
        }
    }

    /// What the service says of a key, a model and a conversation that it does not take.
    pub(crate) fn refusals(self) -> [(&'static str, Value); 3] {
        let anthropic = |kind: &str, message: &str| {
            json!({"type": "error", "error": {
            "type": kind, "message": message}})
        };
        let openai = |code: &str, message: &str| {
            json!({"error": {
            "message": message, "type": "invalid_request_error", "param": null, "code": code}})
        };
        match self {
            Self::Anthropic => [
                (
                    "401 Unauthorized",
                    anthropic("authentication_error", "invalid x-api-key: sk-secret"),
                ),
                (
                    "404 Not Found",
                    anthropic("not_found_error", "model: claude-test"),
                ),
                (
                    "400 Bad Request",
                    anthropic(
                        "invalid_request_error",
                        "prompt is too long: 210000 tokens > 200000 maximum",
                    ),
                ),
            ],
            Self::OpenAi => [
                (
                    "401 Unauthorized",
                    openai("invalid_api_key", "Incorrect API key provided: sk-secret"),
                ),
                (
                    "404 Not Found",
                    openai("model_not_found", "The model `gpt-test` does not exist"),
                ),
                (
                    "400 Bad Request",
                    openai(
                        "context_length_exceeded",
                        "This model's maximum context length is 128000 tokens",
                    ),
                ),
            ],
        }
    }
}

/// Text in pieces; none of them splits a character.
fn cut(text: &str, pieces: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(pieces.max(1)).max(1);
    characters
        .chunks(size)
        .map(|part| part.iter().collect())
        .collect()
}

fn event(value: &Value) -> String {
    format!(
        "event: {}\ndata: {value}\n\n",
        value["type"].as_str().unwrap()
    )
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn anthropic(reply: &Reply) -> Vec<String> {
    let (read, written) = reply.tokens;
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
            "model": "claude-test", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": read, "output_tokens": 1}}}),
        json!({"type": "ping"}),
    ];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    };
    if !reply.words.is_empty() {
        let words = reply
            .words
            .iter()
            .map(|word| json!({"type": "text_delta", "text": word}));
        block(json!({"type": "text", "text": ""}), words.collect());
    }
    for (id, name, input) in &reply.calls {
        let parts = cut(&input.to_string(), reply.pieces);
        let parts = parts
            .iter()
            .map(|part| json!({"type": "input_json_delta", "partial_json": part}));
        block(
            json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
            parts.collect(),
        );
    }
    let stop = if reply.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"output_tokens": written}}),
    );
    events.push(json!({"type": "message_stop"}));
    events.iter().map(event).collect()
}

fn openai(reply: &Reply) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<&str>| {
        data(
            &json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test",
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]}),
        )
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    events.extend(
        reply
            .words
            .iter()
            .map(|word| chunk(json!({"content": word}), None)),
    );
    for (index, (id, name, input)) in reply.calls.iter().enumerate() {
        let call = json!({"index": index, "id": id, "type": "function",
            "function": {"name": name, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [call]}), None));
        for part in cut(&input.to_string(), reply.pieces) {
            let call = json!({"index": index, "function": {"arguments": part}});
            events.push(chunk(json!({"tool_calls": [call]}), None));
        }
    }
    let finish = if reply.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    events.push(chunk(json!({}), Some(finish)));
    let (read, written) = reply.tokens;
    events.push(data(&json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}})));
    events.push("data: [DONE]\n\n".to_owned());
    events
}
