//! Events of the Messages API to pieces of a reply: pure.

use agent_loop::{ModelError, ModelEvent, StopReason, Usage};
use serde_json::{Value, json};

use super::request::THOUGHT_BY;
use crate::failure::Refusal;
use crate::pieces::{OpenCall, Pieces, bad_reply, count, json as parsed, text};
use crate::sse::Event;
use crate::stream::{Progress, Reading, cut};

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    model: String,
    block: Option<Open>,
    usage: Usage,
    stop: Option<StopReason>,
    /// A call that cannot be read. Half a call is no error where the limit of tokens cut it.
    broken: Option<ModelError>,
}

/// The block that has begun.
#[derive(Debug)]
enum Open {
    /// Its words are handed over as they come.
    Text,
    Call {
        call: OpenCall,
        /// The input, where it came with the beginning: some servers have no pieces.
        whole: String,
    },
    /// Anything else is kept whole: the block, and the JSON of its input where it has one.
    Other { block: Value, input: String },
}

impl Reader {
    pub(super) fn of(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            ..Self::default()
        }
    }

    fn begin_block(&mut self, block: &Value, pieces: &mut Pieces) -> Result<(), ModelError> {
        self.block = Some(match text(block, "/type") {
            "text" => {
                pieces.text(text(block, "/text"))?;
                Open::Text
            }
            "tool_use" => Open::Call {
                call: OpenCall {
                    id: text(block, "/id").to_owned(),
                    name: text(block, "/name").to_owned(),
                    input: String::new(),
                },
                whole: whole_input(block, pieces)?,
            },
            _ => {
                pieces.keep(&block.to_string())?;
                Open::Other {
                    block: block.clone(),
                    input: String::new(),
                }
            }
        });
        Ok(())
    }

    fn add_to_block(&mut self, delta: &Value, pieces: &mut Pieces) -> Result<(), ModelError> {
        let Some(open) = &mut self.block else {
            return Err(bad_reply("a piece came of a block that has not begun"));
        };
        match open {
            Open::Text => pieces.text(text(delta, "/text")),
            Open::Call { call, .. } => add(&mut call.input, text(delta, "/partial_json"), pieces),
            Open::Other { block, input } => {
                add(input, text(delta, "/partial_json"), pieces)?;
                for key in ["thinking", "signature"] {
                    let more = delta.get(key).and_then(Value::as_str).unwrap_or("");
                    append(block, key, more, pieces)?;
                }
                Ok(())
            }
        }
    }

    fn end_block(&mut self, pieces: &mut Pieces) -> Result<(), ModelError> {
        match self.block.take() {
            None | Some(Open::Text) => {}
            Some(Open::Call { mut call, whole }) => {
                if call.input.is_empty() {
                    call.input = whole;
                }
                match call.close() {
                    Ok(call) => pieces.add(ModelEvent::ToolCall(call)),
                    Err(error) => self.broken = Some(error),
                }
            }
            Some(Open::Other { mut block, input }) => {
                if !input.is_empty() {
                    block["input"] = parsed(&input)?;
                }
                if text(&block, "/type").ends_with("thinking") {
                    block[THOUGHT_BY] = json!(self.model);
                }
                pieces.add(ModelEvent::Block(block));
            }
        }
        Ok(())
    }

    /// What is said last counts, number by number.
    fn count(&mut self, usage: &Value) {
        let usage_now = &mut self.usage;
        for (path, slot) in [
            ("/input_tokens", &mut usage_now.input_tokens),
            ("/output_tokens", &mut usage_now.output_tokens),
            (
                "/cache_creation_input_tokens",
                &mut usage_now.cache_creation_input_tokens,
            ),
            (
                "/cache_read_input_tokens",
                &mut usage_now.cache_read_input_tokens,
            ),
        ] {
            *slot = count(usage, path).unwrap_or(*slot);
        }
    }

    /// Whether every block has come to its end.
    fn is_whole(&mut self) -> Result<(), ModelError> {
        match (self.broken.take(), &self.block) {
            (Some(broken), _) => Err(broken),
            (None, Some(_)) => Err(cut("a block has no end")),
            (None, None) => Ok(()),
        }
    }

    fn close(&mut self, pieces: &mut Pieces) -> Result<Progress, ModelError> {
        let Some(stop) = self.stop.take() else {
            return Err(cut("the service did not say why it stopped"));
        };
        if stop != StopReason::MaxTokens {
            self.is_whole()?;
        }
        pieces.add(ModelEvent::Usage(self.usage));
        pieces.add(ModelEvent::Stop(stop));
        Ok(Progress::Complete)
    }
}

/// The input that a call begins with, as text; nothing where it is empty.
fn whole_input(block: &Value, pieces: &mut Pieces) -> Result<String, ModelError> {
    let input = block.get("input").and_then(Value::as_object);
    let input = input.filter(|input| !input.is_empty());
    let text = input.map(|input| json!(input).to_string());
    let text = text.unwrap_or_default();
    pieces.keep(&text)?;
    Ok(text)
}

/// Adds to a text that is kept.
fn add(kept: &mut String, more: &str, pieces: &mut Pieces) -> Result<(), ModelError> {
    pieces.keep(more)?;
    kept.push_str(more);
    Ok(())
}

/// Adds to a text inside a block that is kept.
fn append(block: &mut Value, key: &str, more: &str, pieces: &mut Pieces) -> Result<(), ModelError> {
    if more.is_empty() {
        return Ok(());
    }
    if let Some(Value::String(kept)) = block.get_mut(key) {
        return add(kept, more, pieces);
    }
    pieces.keep(more)?;
    block[key] = json!(more);
    Ok(())
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        // The conversation and the reply have filled the window: the reply is cut.
        "model_context_window_exceeded" => StopReason::MaxTokens,
        word => StopReason::from(word),
    }
}

impl Reading for Reader {
    fn take(&mut self, event: &Event, pieces: &mut Pieces) -> Result<Progress, ModelError> {
        let said = parsed(&event.data)?;
        let name = said.get("type").and_then(Value::as_str);
        match name.unwrap_or(&event.name) {
            "message_start" => self.count(&said["message"]["usage"]),
            "content_block_start" => self.begin_block(&said["content_block"], pieces)?,
            "content_block_delta" => self.add_to_block(&said["delta"], pieces)?,
            "content_block_stop" => self.end_block(pieces)?,
            "message_delta" => {
                self.count(&said["usage"]);
                let word = said.pointer("/delta/stop_reason").and_then(Value::as_str);
                self.stop = word.map(stop_reason).or(self.stop.take());
            }
            "message_stop" => return self.close(pieces),
            "error" => {
                let body = &event.data;
                let refusal = Refusal {
                    body,
                    ..Refusal::default()
                };
                return Err(refusal.error());
            }
            // Pings, and what is not known yet.
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _: &mut Pieces) -> Result<(), ModelError> {
        Err(cut("the connection was closed"))
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
