//! What a command's output is, before anything in it is believed.

use serde_json::Value;

use super::keys;
use super::scan::{self, Member, Place, Scanned};

/// What the whole of an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detected {
    /// Nothing but blanks.
    Nothing,
    /// Something that means to be one JSON object.
    Object,
    /// Several JSON documents, one of which means to be an answer.
    SeveralDocuments,
    /// Plain text.
    Text,
}

/// The rule of the contract: text that starts with `{` and ends with `}` means to be JSON, unless
/// it is several lines of JSON none of which is an answer. Everything else is plain text.
pub(super) fn detect(trimmed: &str) -> Detected {
    if trimmed.is_empty() {
        return Detected::Nothing;
    }
    if !trimmed.starts_with('{') || !trimmed.ends_with('}') {
        return Detected::Text;
    }
    match json_lines(trimmed) {
        None => Detected::Object,
        Some(documents) if documents.iter().any(sets_a_known_key) => Detected::SeveralDocuments,
        Some(_) => Detected::Text,
    }
}

/// The documents, where there are two lines or more and each is JSON.
fn json_lines(text: &str) -> Option<Vec<Value>> {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .peekable();
    lines.peek()?;
    let documents: Option<Vec<Value>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
    documents.filter(|documents| documents.len() > 1)
}

fn sets_a_known_key(document: &Value) -> bool {
    document
        .as_object()
        .is_some_and(|object| object.keys().any(|key| keys::at(Place::Top, key).is_some()))
}

/// The complete top-level objects that start a line, one after the other: the members of each.
/// What stands inside another object or array is not at the top.
pub(super) fn objects_at_line_starts(text: &str) -> impl Iterator<Item = Vec<Member>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let line = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let (members, end) = match line.chars().next()? {
                '{' => object(line),
                '[' => (None, array(line)),
                _ => (None, 0),
            };
            rest = line[end..].split_once('\n').map_or("", |(_, rest)| rest);
            if members.is_some() {
                return members;
            }
        }
    })
}

/// The members of what starts here with a brace, and how much of the text it takes: braces
/// around something that is no object take nothing but their line.
fn object(text: &str) -> (Option<Vec<Member>>, usize) {
    match scan::scan(text) {
        Some(Scanned {
            members,
            end,
            clean: true,
        }) => (Some(members), end),
        Some(Scanned { members, .. }) => (Some(members), 0),
        None => (None, 0),
    }
}

/// How much of the text an array takes; a bracket that opens no array takes nothing.
fn array(text: &str) -> usize {
    let end = scan::array_end(text).unwrap_or(0);
    serde_json::from_str::<serde::de::IgnoredAny>(&text[..end]).map_or(0, |_| end)
}
