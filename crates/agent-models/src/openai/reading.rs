//! Chunks of a chat completion to pieces of a reply: pure.

use agent_loop::{ModelError, ModelEvent, StopReason, Usage};
use serde_json::Value;
use uuid::Uuid;

use crate::failure::Refusal;
use crate::pieces::{OpenCall, Pieces, count, json, text};
use crate::sse::Event;
use crate::stream::{Progress, Reading, cut};

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Vec<Numbered>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
}

/// A call, and the number that its pieces bear.
#[derive(Debug)]
struct Numbered {
    index: u64,
    call: OpenCall,
}

/// How many calls one reply may have.
const MOST_CALLS: usize = 1_000;

impl Reader {
    fn take_choice(&mut self, choice: &Value, pieces: &mut Pieces) -> Result<(), ModelError> {
        let delta = &choice["delta"];
        pieces.text(text(delta, "/content"))?;
        let refusal = text(delta, "/refusal");
        pieces.text(refusal)?;
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.add_to_call(call, pieces)?;
        }
        if !refusal.is_empty() {
            self.stop = Some(StopReason::Refusal);
        }
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(word) = finish.filter(|_| self.stop.is_none()) {
            self.stop = Some(stop_reason(word));
        }
        Ok(())
    }

    fn add_to_call(&mut self, piece: &Value, pieces: &mut Pieces) -> Result<(), ModelError> {
        let id = text(piece, "/id");
        let name = text(piece, "/function/name");
        let arguments = text(piece, "/function/arguments");
        for part in [id, name, arguments] {
            pieces.keep(part)?;
        }
        let call = self.open_call(count(piece, "/index"), id)?;
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        call.input.push_str(arguments);
        Ok(())
    }

    /// The call that a piece belongs to, which may be a new one: some servers give all calls the same
    /// number, or none, and tell them apart by their ids.
    fn open_call(&mut self, index: Option<u64>, id: &str) -> Result<&mut OpenCall, ModelError> {
        let fits = |open: &Numbered| {
            let same_number = index.is_none_or(|index| index == open.index);
            same_number && (id.is_empty() || open.call.id.is_empty() || id == open.call.id)
        };
        let place = match self.calls.iter().rposition(fits) {
            Some(place) => place,
            None if self.calls.len() >= MOST_CALLS => {
                let message = format!("the reply has more than {MOST_CALLS} calls");
                return Err(crate::pieces::bad_reply(message));
            }
            None => {
                let call = OpenCall::default();
                let index = index.unwrap_or(self.calls.len() as u64);
                self.calls.push(Numbered { index, call });
                self.calls.len() - 1
            }
        };
        Ok(&mut self.calls[place].call)
    }

    /// The reply is complete: its calls are, too.
    fn close(&mut self, pieces: &mut Pieces) -> Result<Progress, ModelError> {
        let Some(stop) = self.stop.take() else {
            return Err(cut("the service did not say why it stopped"));
        };
        for Numbered { mut call, .. } in std::mem::take(&mut self.calls) {
            if call.id.is_empty() {
                call.id = format!("call_{}", Uuid::now_v7().simple());
            }
            match call.close() {
                Ok(call) => pieces.add(ModelEvent::ToolCall(call)),
                // Half a call is none, where the limit of tokens cut it.
                Err(_) if stop == StopReason::MaxTokens => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(usage) = self.usage {
            pieces.add(ModelEvent::Usage(usage));
        }
        pieces.add(ModelEvent::Stop(stop));
        Ok(Progress::Complete)
    }
}

/// What is read out of the cache is part of the prompt here.
fn usage(said: &Value) -> Option<Usage> {
    let read = count(said, "/prompt_tokens")?;
    let cached = count(said, "/prompt_tokens_details/cached_tokens").unwrap_or(0);
    Some(Usage {
        input_tokens: read.saturating_sub(cached),
        output_tokens: count(said, "/completion_tokens").unwrap_or(0),
        cache_read_input_tokens: cached,
        ..Usage::default()
    })
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    }
}

impl Reading for Reader {
    fn take(&mut self, event: &Event, pieces: &mut Pieces) -> Result<Progress, ModelError> {
        if event.data.trim() == "[DONE]" {
            return self.close(pieces);
        }
        let chunk = json(&event.data)?;
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            let body = &event.data;
            let refusal = Refusal {
                body,
                ..Refusal::default()
            };
            return Err(refusal.error());
        }
        self.usage = usage(&chunk["usage"]).or(self.usage);
        // Only one was asked for.
        if let Some(choice) = chunk.pointer("/choices/0") {
            self.take_choice(choice, pieces)?;
        }
        Ok(Progress::More)
    }

    /// Some servers close the connection without a last word.
    fn end(&mut self, pieces: &mut Pieces) -> Result<(), ModelError> {
        if self.stop.is_none() {
            return Err(cut("the connection was closed"));
        }
        self.close(pieces).map(drop)
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
