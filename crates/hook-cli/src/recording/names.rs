//! What is called what: the volatile things of a session become placeholders, and placeholders
//! become the things of another session. Pure.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::shapes;
use super::volatile::{IDS, TIMES, leading_placeholder, placeholder};

/// The shortest id that is made up by a machine. A shorter one, or one without a digit, says something to
/// somebody, is the same in every session, and stands in a text by accident.
const SHORTEST: usize = 8;

/// What stands for what in one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    known: Vec<Known>,
    /// Where each text is among them: a session may have thousands.
    texts: HashMap<String, Vec<usize>>,
    /// Where each placeholder is; of several texts, the first.
    placeholders: HashMap<String, usize>,
    /// Those that are more than a word: paths.
    others: Vec<usize>,
    /// How many there are of each kind.
    counts: HashMap<&'static str, usize>,
}

#[derive(Clone, Debug)]
struct Known {
    kind: &'static str,
    text: String,
    placeholder: String,
}

/// What stands before a place in a text.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Char(char),
    /// A placeholder, or what became one.
    Placeholder,
}

impl Names {
    /// A directory is called that. The first that is given is the one that is put back.
    #[must_use]
    pub(crate) fn place(mut self, kind: &'static str, path: &str) -> Self {
        let text = path.trim_end_matches('/');
        if text.len() > 1 {
            self.add(kind, text.to_owned(), placeholder(kind, 1));
        }
        self
    }

    fn add(&mut self, kind: &'static str, text: String, placeholder: String) {
        let place = self.known.len();
        self.texts.entry(text.clone()).or_default().push(place);
        self.placeholders
            .entry(placeholder.clone())
            .or_insert(place);
        *self.counts.entry(kind).or_default() += 1;
        if !text.chars().all(joins) {
            self.others.push(place);
        }
        self.known.push(Known {
            kind,
            text,
            placeholder,
        });
    }

    /// Everything that has that text.
    fn with_text(&self, text: &str) -> impl Iterator<Item = &Known> {
        let places = self.texts.get(text).into_iter().flatten();
        places.map(|place| &self.known[*place])
    }

    fn of_kind(&self, kind: &str, text: &str) -> Option<&Known> {
        self.with_text(text).find(|known| known.kind == kind)
    }

    /// What may stand in a text: words that are known, and what is more than a word.
    fn within(&self, text: &str) -> Vec<&Known> {
        let words = text
            .split(|c| !joins(c))
            .filter(|word| word.len() >= SHORTEST);
        let words = words.flat_map(|word| self.with_text(word).take(1));
        let others = self.others.iter().map(|place| &self.known[*place]);
        let others = others.filter(|known| text.contains(known.text.as_str()));
        let mut within: Vec<&Known> = words.chain(others).collect();
        within.sort_by_key(|known| std::cmp::Reverse(known.text.len()));
        within
    }

    /// Takes note of the ids in an input: each gets the next number of its kind.
    pub(crate) fn learn(&mut self, input: &Value) {
        for (path, kind) in IDS {
            for text in texts_at(input, path) {
                if is_volatile(text) && self.of_kind(kind, text).is_none() {
                    let next = self.counts.get(kind).copied().unwrap_or_default() + 1;
                    self.add(kind, text.to_owned(), placeholder(kind, next));
                }
            }
        }
    }

    /// Makes up something for each placeholder that stands in the place of an id.
    pub(crate) fn invent(&mut self, input: &Value, make: impl Fn(&str, &str) -> String) {
        for (path, kind) in IDS {
            for text in texts_at(input, path) {
                let is_placeholder = leading_placeholder(text) == Some(text);
                if is_placeholder && !self.placeholders.contains_key(text) {
                    let made = make(kind, text.trim_matches(['<', '>']));
                    self.add(kind, made, text.to_owned());
                }
            }
        }
    }

    /// An input without what is volatile; [`restore`](Self::restore) is the way back.
    pub(crate) fn input(&self, input: &Value) -> Value {
        let mut input = input.clone();
        for (path, kind) in IDS {
            each_at(&mut input, path, &mut |value| {
                let known = value.as_str().and_then(|text| self.of_kind(kind, text));
                if let Some(known) = known {
                    *value = Value::from(known.placeholder.as_str());
                }
            });
        }
        for name in TIMES {
            each_at(&mut input, &[name], &mut |value| {
                if value.is_number() {
                    *value = Value::from(0);
                }
            });
        }
        each_text(&input, &|text| self.named(text))
    }

    /// An answer without what is volatile. What its input says (without what is volatile there) is no
    /// accident, and stays.
    pub(crate) fn answer(&self, answer: &Value, input: &Value) -> Value {
        let mut said = String::new();
        gather(input, &mut said);
        each_text(answer, &|text| shapes::replace(&self.named(text), &said))
    }

    /// The things of this session in the place of placeholders.
    pub(crate) fn restore(&self, value: &Value) -> Value {
        each_text(value, &|text| self.restored(text))
    }

    /// A text without the names of this session. One pass: what has been replaced is not looked at again.
    fn named(&self, text: &str) -> String {
        let here = self.within(text);
        if here.is_empty() {
            return text.to_owned();
        }
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = Before::Nothing;
        while let Some(c) = rest.chars().next() {
            let found = here.iter().find(|known| known.is_at(before, rest));
            let (said, taken) = match (leading_placeholder(rest), found) {
                (Some(placeholder), _) => (placeholder, placeholder.len()),
                (None, Some(known)) => (known.placeholder.as_str(), known.text.len()),
                (None, None) => ("", 0),
            };
            if taken == 0 {
                named.push(c);
                before = Before::Char(c);
                rest = &rest[c.len_utf8()..];
            } else {
                named.push_str(said);
                before = Before::Placeholder;
                rest = &rest[taken..];
            }
        }
        named
    }

    fn restored(&self, text: &str) -> String {
        let mut restored = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let (plain, from) = rest.split_at(start);
            restored.push_str(plain);
            let placeholder = leading_placeholder(from).unwrap_or("<");
            let known = self.placeholders.get(placeholder);
            restored.push_str(known.map_or(placeholder, |place| &self.known[*place].text));
            rest = &from[placeholder.len()..];
        }
        restored + rest
    }
}

impl Known {
    fn is_path(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether it stands at the beginning of `rest`, and is not a part of something longer.
    fn is_at(&self, before: Before, rest: &str) -> bool {
        let Some(after) = rest.strip_prefix(self.text.as_str()) else {
            return false;
        };
        let begins = match before {
            Before::Nothing => true,
            Before::Char(c) => !(joins(c) || self.is_path() && c == '.'),
            Before::Placeholder => false,
        };
        let mut next = after.chars();
        let ends = match (next.next(), next.next()) {
            (None, _) => true,
            (Some('.'), Some(c)) => !(self.is_path() && joins(c)),
            (Some('<'), _) => leading_placeholder(after).is_none(),
            (Some(c), _) => !joins(c),
        };
        begins && ends
    }
}

/// Whether a character is a part of a word.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Whether an id is another one in every session.
fn is_volatile(id: &str) -> bool {
    let made_up = id.len() >= SHORTEST && id.bytes().any(|byte| byte.is_ascii_digit());
    let is_path = id.len() > 1 && id.starts_with('/');
    (made_up || is_path) && leading_placeholder(id) != Some(id)
}

/// The texts at a path; `*` is every element of a list.
fn texts_at<'a>(value: &'a Value, path: &[&str]) -> Vec<&'a str> {
    match path {
        [] => value.as_str().into_iter().collect(),
        ["*", rest @ ..] => {
            let elements = value.as_array().into_iter().flatten();
            elements
                .flat_map(|element| texts_at(element, rest))
                .collect()
        }
        [name, rest @ ..] => {
            let field = value.get(name);
            field.map(|field| texts_at(field, rest)).unwrap_or_default()
        }
    }
}

/// Changes every value at a path.
fn each_at(value: &mut Value, path: &[&str], change: &mut impl FnMut(&mut Value)) {
    match path {
        [] => change(value),
        ["*", rest @ ..] => {
            for element in value.as_array_mut().into_iter().flatten() {
                each_at(element, rest, change);
            }
        }
        [name, rest @ ..] => {
            if let Some(field) = value.get_mut(name) {
                each_at(field, rest, change);
            }
        }
    }
}

/// The same value with every text in it changed. Keys stay.
pub(super) fn each_text(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(elements) => elements
            .iter()
            .map(|element| each_text(element, change))
            .collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, field)| (name.clone(), each_text(field, change)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Every text of a value, one after the other.
fn gather(value: &Value, said: &mut String) {
    match value {
        Value::String(text) => {
            said.push_str(text);
            said.push('\n');
        }
        Value::Array(elements) => elements.iter().for_each(|element| gather(element, said)),
        Value::Object(fields) => fields.values().for_each(|field| gather(field, said)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
