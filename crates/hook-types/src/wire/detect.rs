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

/// How many steps a search takes for each byte of text, at most. Output that is made of thousands
/// of braces that never close would else be walked thousands of times.
const STEPS_A_BYTE: usize = 32;

/// The complete top-level objects that start a line, one after the other.
pub(super) struct LineStarts<'a> {
    rest: &'a str,
    steps: usize,
    /// Whether the search was given up: nobody knows what is in the rest.
    pub(super) gave_up: bool,
}

/// Looks for objects that start a line. What stands inside another object or array is not at the
/// top and is not found.
pub(super) fn objects_at_line_starts(text: &str) -> LineStarts<'_> {
    let steps = STEPS_A_BYTE.saturating_mul(text.len()).saturating_add(4096);
    LineStarts {
        rest: text,
        steps,
        gave_up: false,
    }
}

impl Iterator for LineStarts<'_> {
    type Item = Vec<Member>;

    fn next(&mut self) -> Option<Vec<Member>> {
        loop {
            let line = line_start(self.rest);
            let (members, end, steps) = match line.chars().next()? {
                '{' => object(line),
                '[' => array(line),
                _ => (None, 0, 0),
            };
            self.rest = line[end..]
                .split_once(['\n', '\r'])
                .map_or("", |(_, rest)| rest);
            self.steps = self.steps.saturating_sub(steps);
            if members.is_some() {
                return members;
            }
            if self.steps == 0 {
                self.gave_up = true;
                return None;
            }
        }
    }
}

/// The first thing on a line that can be seen: blanks, colours and marks before it do not count.
fn line_start(text: &str) -> &str {
    let unseen =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}');
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c != '\u{1b}' && unseen(c));
        let Some(sequence) = rest.strip_prefix("\u{1b}[") else {
            return rest.trim_start_matches('\u{1b}');
        };
        let end = sequence
            .find(|c: char| c.is_ascii_alphabetic())
            .map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
}

/// What starts here with a brace: its members, how much of the text it takes, and what it cost to
/// find out. Braces around something that is no object take nothing but their line.
fn object(text: &str) -> (Option<Vec<Member>>, usize, usize) {
    match scan::scan(text) {
        Ok(scanned) if scanned.is_object => (Some(scanned.members), scanned.end, scanned.end),
        Ok(scanned) => (None, 0, scanned.end),
        Err(steps) => (None, 0, steps),
    }
}

/// What starts here with a bracket, in the same way: only a true array takes its extent.
fn array(text: &str) -> (Option<Vec<Member>>, usize, usize) {
    match scan::array_end(text) {
        Ok(end) => {
            let is_array = serde_json::from_str::<serde::de::IgnoredAny>(&text[..end]).is_ok();
            (None, if is_array { end } else { 0 }, 2 * end)
        }
        Err(steps) => (None, 0, steps),
    }
}
