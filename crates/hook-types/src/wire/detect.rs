//! What a command's output is, before anything in it is believed.

use serde_json::Value;

use super::keys;
use super::scan::{self, Member, Place};

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
            let first = line.chars().next()?;
            let (members, after) = match first {
                '{' => scan::scan(line).map_or((None, 0), |(members, end)| (Some(members), end)),
                '[' => (None, scan::container_end(line).unwrap_or(0)),
                _ => (None, 0),
            };
            rest = next_line(&line[after..]);
            if members.is_some() {
                return members;
            }
        }
    })
}

fn next_line(text: &str) -> &str {
    text.find('\n').map_or("", |end| &text[end + 1..])
}
