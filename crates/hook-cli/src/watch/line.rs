//! One line of the stream to what it says. Pure.

use std::borrow::Cow;

use hook_types::Message;
use serde::Deserialize;
use serde_json::Value;

use super::keep::{WORDS, keep};
use super::recorded::{self, Told};

/// What a line says.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// What a hook did, or what a firing came to.
    Message(Box<Message>),
    /// Tools that the model calls: what hooks are asked about next.
    Calls(Vec<Call>),
    /// A whole firing, or the end of a hook in the background, as recordings have them.
    Recorded(Box<Told>),
    /// Something else of the session.
    Other,
    /// No JSON object.
    Unreadable,
    /// More bytes than anybody sends in a line.
    TooLong,
}

/// A tool call of the model's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// As it is shown: of a long one, its ends.
    pub(crate) input: String,
}

/// What tells lines apart.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Said {
    message: Content,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    content: Value,
}

/// What a line says; nothing of an empty one.
pub(crate) fn read(line: &[u8]) -> Option<Line> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else {
        return Some(Line::Unreadable);
    };
    Some(match (&*head.r#type, &*head.subtype) {
        ("system", subtype) if subtype.starts_with("hook_") => {
            // A kind that a later version sends, or fields that this one cannot read.
            let message = serde_json::from_slice(line);
            message.map_or(Line::Other, |message| Line::Message(Box::new(message)))
        }
        ("assistant", _) => calls(line),
        ("firing" | "late", _) => {
            let told = recorded::told(line);
            told.map_or(Line::Other, |told| Line::Recorded(Box::new(told)))
        }
        _ => Line::Other,
    })
}

fn calls(line: &[u8]) -> Line {
    let Ok(said) = serde_json::from_slice::<Said>(line) else {
        return Line::Other;
    };
    let parts = said.message.content.as_array().into_iter().flatten();
    let calls: Vec<Call> = parts.filter_map(call).collect();
    if calls.is_empty() {
        Line::Other
    } else {
        Line::Calls(calls)
    }
}

fn call(part: &Value) -> Option<Call> {
    let word = |key: &str| keep(part[key].as_str().unwrap_or_default(), WORDS);
    (part["type"] == "tool_use").then(|| Call {
        id: word("id"),
        tool: word("name"),
        input: shown(&part["input"]),
    })
}

/// An input as it is shown.
pub(super) fn shown(input: &Value) -> String {
    let text = serde_json::to_string_pretty(input).unwrap_or_default();
    keep(&text, WORDS)
}

/// When an id was made, in milliseconds since 1970: ids of version 7 say so.
pub(crate) fn moment(id: &str) -> Option<u64> {
    let digits: Vec<u8> = id.bytes().filter(|byte| *byte != b'-').collect();
    let is_dated = digits.len() == 32 && digits[12] == b'7';
    let time = std::str::from_utf8(digits.get(..12)?).ok()?;
    let time = u64::from_str_radix(time, 16).ok()?;
    is_dated.then_some(time)
}
