//! What a model said, read as a verdict: `{"ok": …, "reason": …, "impossible": …}`. Pure.
//!
//! Models write prose around their answer, put it into a fence, and break lines inside its strings. All of
//! that is read. What is never done is to guess: a text without such an object is no verdict.
//!
//! | what was said | what it is |
//! |---|---|
//! | one object with `ok` | that |
//! | several, or `ok` twice in one, and one of them is false | on a guard not ok; elsewhere nobody knows |
//! | on a guard: an object that is no JSON by the book, with `ok` false in it | not ok |
//! | on a guard: a refusal in the words of the contract, such as `{"decision": "block"}` | not ok |
//! | on a guard: an object that was cut | not ok: nobody knows what it said |
//! | `ok` true in a reply that was cut; anything else | nobody knows |

use std::fmt;

use hook_types::wire::{self, Extent, Form};
use hook_types::{Code, Decision, Diagnostic, EventName};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The longest reason that is taken over, in characters.
const LONGEST_REASON: usize = 10_000;

/// At how many places from each end of a text an object is looked for. What stands between them is seen on
/// guards alone, where a refusal counts that is not read by the book.
const MOST_PLACES: usize = 500;

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is ok.
    Ok,
    /// It is not.
    NotOk {
        reason: Option<String>,
        /// Nothing that the agent could do would make it so.
        impossible: bool,
    },
    /// Nobody knows, and why.
    Unreadable(String),
}

/// A verdict, and what was odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) verdict: Verdict,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl From<Verdict> for Reading {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            diagnostics: Vec::new(),
        }
    }
}

impl Reading {
    fn with(mut self, code: Code, message: &str) -> Self {
        self.diagnostics.push(Diagnostic::new(code, message));
        self
    }
}

/// Reads what a model said of an event.
pub(crate) fn read(event: EventName, text: &str, extent: Extent) -> Reading {
    let found = objects(text);
    let refusals = || found.iter().filter(|object| object.ok == Some(Word::No));
    let guard = event.row().guard;
    let agreed = found.iter().all(|object| object.ok == found[0].ok);
    if let Some(first) = refusals().next() {
        if !guard && !agreed {
            let why = "it says both that it is ok and that it is not";
            return Verdict::Unreadable(why.to_owned()).into();
        }
        let refusal = Reading::from(Verdict::NotOk {
            reason: refusals().find_map(|object| object.reason.clone()),
            impossible: first.impossible && agreed,
        });
        if agreed {
            return refusal;
        }
        return refusal.with(
            Code::SeveralDocuments,
            "of several answers the refusal counts",
        );
    }
    let all_ok = !found.is_empty() && found.iter().all(|object| object.ok == Some(Word::Yes));
    if all_ok && extent == Extent::Whole {
        return Verdict::Ok.into();
    }
    if guard && let Some(refusal) = odd_refusal(event, text, extent) {
        return refusal;
    }
    Verdict::Unreadable(why_not(text, &found, extent)).into()
}

fn why_not(text: &str, found: &[Object], extent: Extent) -> String {
    if extent == Extent::Cut {
        return "what the model said was cut, so nobody knows the rest".to_owned();
    }
    if text.trim().is_empty() {
        return "the model said nothing".to_owned();
    }
    if !found.is_empty() {
        return "`ok` is neither true nor false".to_owned();
    }
    "there is no JSON object with `ok` in what the model said".to_owned()
}

/// What `ok` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Yes,
    No,
    Unclear,
}

/// One object of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Object {
    ok: Option<Word>,
    reason: Option<String>,
    impossible: bool,
}

/// The objects with `ok` in a text, in order.
fn objects(text: &str) -> Vec<Object> {
    let found = objects_by_the_book(text);
    if !found.is_empty() {
        return found;
    }
    // A line break inside a string is no JSON. As a blank it is, inside a string and out of one.
    let blanked: String = text
        .chars()
        .map(|c| if c.is_ascii_control() { ' ' } else { c })
        .collect();
    objects_by_the_book(&blanked)
}

fn objects_by_the_book(text: &str) -> Vec<Object> {
    let mut found = Vec::new();
    let mut end = 0;
    for start in braces(text) {
        if start < end {
            continue; // inside an object that was read
        }
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Object>();
        if let Some(Ok(object)) = stream.next() {
            end = start + stream.byte_offset();
            found.extend(Some(object).filter(|object| object.ok.is_some()));
        }
    }
    found
}

/// Where objects may begin; of very many places the first and the last.
fn braces(text: &str) -> Vec<usize> {
    let mut places: Vec<usize> = text.match_indices('{').map(|(at, _)| at).collect();
    if places.len() > 2 * MOST_PLACES {
        let last = places.split_off(places.len() - MOST_PLACES);
        places.truncate(MOST_PLACES);
        places.extend(last);
    }
    places
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Reads all members of an object: of two that are the same, the stricter one counts.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `ok`, and `reason` where it is false")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut object = Object::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.to_ascii_lowercase().as_str() {
                "ok" => object.say(word(&map.next_value()?)),
                "reason" => object.explain(&map.next_value()?),
                "impossible" => {
                    object.impossible |= map.next_value::<Value>()? == Value::Bool(true);
                }
                // A value, and not one that is ignored: only values have a limit to their depth, and without one
                // a text of many braces would be walked to its end from each of them.
                _ => drop(map.next_value::<Value>()?),
            }
        }
        Ok(object)
    }
}

impl Object {
    fn say(&mut self, word: Word) {
        self.ok = Some(match (self.ok, word) {
            (None, word) => word,
            (Some(Word::No), _) | (_, Word::No) => Word::No,
            (Some(before), word) if before == word => word,
            (Some(_), _) => Word::Unclear,
        });
    }

    fn explain(&mut self, reason: &Value) {
        if let Some(text) = reason.as_str().and_then(stated) {
            self.reason.get_or_insert(text);
        }
    }
}

/// What a value of `ok` says. A word in quotes is a refusal where it is one; it never is a yes.
fn word(value: &Value) -> Word {
    match value {
        Value::Bool(true) => Word::Yes,
        Value::Bool(false) => Word::No,
        Value::String(text) if is_no(text.trim()) => Word::No,
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Word::Unclear
        }
    }
}

fn is_no(word: &str) -> bool {
    word.eq_ignore_ascii_case("false") || word.eq_ignore_ascii_case("no")
}

/// A reason, if it says anything.
fn stated(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text.char_indices().nth(LONGEST_REASON);
    let text = end.map_or_else(
        || text.to_owned(),
        |(end, _)| format!("{}… [cut]", &text[..end]),
    );
    Some(text).filter(|text| !text.is_empty())
}

/// A refusal on a guard that is spelt in another way.
fn odd_refusal(event: EventName, text: &str, extent: Extent) -> Option<Reading> {
    let not_ok = |reason| {
        Reading::from(Verdict::NotOk {
            reason,
            impossible: false,
        })
    };
    if let Some(reason) = refusal_in_broken_json(text) {
        let message = "the answer is not JSON, and refuses";
        return Some(not_ok(reason).with(Code::BrokenJson, message));
    }
    let reading = wire::read(event, text, extent);
    if reading.decision() == Decision::Deny {
        let reason = reading.answer().and_then(|answer| answer.reason.clone());
        let message = "the answer refuses in other words; it should be {\"ok\": false}";
        return Some(not_ok(reason).with(Code::OddDeny, message));
    }
    match &reading.form {
        Form::Bad(problem) if problem.blocks(event) => {
            Some(not_ok(Some(problem.to_string())).with(Code::Cut, &problem.to_string()))
        }
        Form::Bad(_) | Form::Nothing | Form::Text(_) | Form::Answer(_) => None,
    }
}

/// `{ok: False, 'reason': '…'}` and the like: whether it refuses, and its reason.
#[expect(clippy::option_option, reason = "a refusal may come without a reason")]
fn refusal_in_broken_json(text: &str) -> Option<Option<String>> {
    let value = |name| members(text, name).map(|at| text[at..].trim_start_matches(QUOTES));
    let refuses = |value: &str| {
        let end = value.find(|c: char| !c.is_ascii_alphanumeric());
        is_no(&value[..end.unwrap_or(value.len())])
    };
    if !value("ok").any(refuses) {
        return None;
    }
    let reason = value("reason").next();
    Some(reason.and_then(|value| stated(&value[..end_of_string(value)])))
}

/// Where a string ends whose beginning is gone: at a quote in front of what comes behind a member, else
/// at the brace.
fn end_of_string(value: &str) -> usize {
    let ends = |at: &usize| value[at + 1..].trim_start().starts_with([',', '}']);
    let mut quotes = value.match_indices(QUOTES).map(|(at, _)| at);
    let end = quotes.find(ends).or_else(|| value.find('}'));
    end.unwrap_or(value.len())
}

const QUOTES: [char; 2] = ['"', '\''];

/// The places in a text where a value follows the key `name` of an object.
fn members<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let lower = text.to_ascii_lowercase();
    let places: Vec<usize> = lower.match_indices(name).map(|(at, _)| at).collect();
    places.into_iter().filter_map(move |at| {
        let before = text[..at].trim_end_matches(QUOTES).trim_end();
        let after = text[at + name.len()..]
            .trim_start_matches(QUOTES)
            .trim_start();
        let value = after.strip_prefix(':')?.trim_start();
        let begins = before.ends_with(['{', ',']);
        begins.then(|| text.len() - value.len())
    })
}

#[cfg(test)]
mod tests;
