//! The fields of one object: asked for by name and type, with a diagnostic for whatever is wrong.
//!
//! What is asked for is known; whatever is left when the object is done with is an unknown key. An
//! entry whose fields have an error in them is broken.

use std::time::Duration;

use hook_types::nearest;

use super::keys::{is_the_missing, last_places, stands_twice, unknown_key};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::{Document, Json, Member, Node};
use crate::source::Place;

/// The fields of one object.
pub(super) struct Fields<'a> {
    document: &'a Document,
    node: &'a Node,
    members: &'a [Member],
    known: Vec<&'static str>,
    knows_all: bool,
    problems: Vec<Diagnostic>,
    /// Keys that are missing, and which of the problems says so.
    missing: Vec<(&'static str, usize)>,
}

impl<'a> Fields<'a> {
    /// The fields of an object; an error where it is none. `what` it is says the message: `a hook`.
    pub(super) fn of(
        document: &'a Document,
        node: &'a Node,
        what: &str,
    ) -> Result<Self, Box<Diagnostic>> {
        let members = node.as_object().ok_or_else(|| {
            let message = format!("{what} must be an object, not {}", node.kind());
            let problem = Diagnostic::new(Code::WrongType, message).at(document.place(node.span));
            Box::new(problem.help("write {…}, or take it away"))
        })?;
        Ok(Self {
            document,
            node,
            members,
            known: Vec::new(),
            knows_all: false,
            problems: Vec::new(),
            missing: Vec::new(),
        })
    }

    /// Where the object stands.
    pub(super) fn place(&self) -> Place {
        self.document.place(self.node.span)
    }

    /// The object.
    pub(super) fn node(&self) -> &'a Node {
        self.node
    }

    /// Where a value stands.
    pub(super) fn at(&self, node: &Node) -> Place {
        self.document.place(node.span)
    }

    /// Where a key stands; the object where it does not.
    pub(super) fn key(&self, key: &str) -> Place {
        let member = self.members.iter().rev().find(|member| member.key == key);
        member.map_or_else(
            || self.place(),
            |member| self.document.place(member.key_span),
        )
    }

    /// Says what is wrong.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Says that a key is missing. A key that is a slip of it is told with it.
    pub(super) fn report_missing(&mut self, key: &'static str, problem: Diagnostic) {
        self.missing.push((key, self.problems.len()));
        self.problems.push(problem);
    }

    /// The value of a key, of any type. `null` is as good as absent.
    pub(super) fn any(&mut self, key: &'static str) -> Option<&'a Node> {
        self.know(key);
        let member = self.members.iter().rev().find(|member| member.key == key)?;
        (member.value.json != Json::Null).then_some(&member.value)
    }

    /// Marks a key as known that is not asked for.
    pub(super) fn know(&mut self, key: &'static str) {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
    }

    /// A key that is known and means nothing here: said, where it stands.
    pub(super) fn useless(&mut self, key: &'static str, why: &str) {
        if self.knows_all || self.known.contains(&key) {
            return;
        }
        self.know(key);
        if let Some(member) = self.members.iter().find(|member| member.key == key) {
            let place = self.document.place(member.key_span);
            let message = format!("`{key}` does nothing here");
            self.report(
                Diagnostic::new(Code::UselessKey, message)
                    .at(place)
                    .help(why),
            );
        }
    }

    /// Marks all keys as known.
    pub(super) fn know_all(&mut self) {
        self.knows_all = true;
    }

    /// A text.
    pub(super) fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.typed(key, "a string", Node::as_str)
    }

    /// A text that must be there, and say something.
    pub(super) fn required_text(&mut self, key: &'static str, what: &str) -> Option<&'a str> {
        let Some(node) = self.any(key) else {
            let message = format!("{what} needs `{key}`");
            let problem = Diagnostic::new(Code::MissingKey, message).at(self.place());
            self.report_missing(key, problem.help(format!("add \"{key}\": \"…\"")));
            return None;
        };
        let text = self.text(key)?;
        if text.trim().is_empty() {
            let place = self.at(node);
            let message = format!("`{key}` is empty");
            self.report(Diagnostic::new(Code::WrongValue, message).at(place));
            return None;
        }
        if text.contains('\0') {
            let place = self.at(node);
            let message = format!("`{key}` has a character in it that ends every text: \\u0000");
            self.report(Diagnostic::new(Code::WrongValue, message).at(place));
            return None;
        }
        Some(text)
    }

    /// A text for people: one of the wrong type is said, and does no harm.
    pub(super) fn caption(&mut self, key: &'static str) -> Option<String> {
        let before = self.problems.len();
        let text = self.text(key).map(str::to_owned);
        for problem in &mut self.problems[before..] {
            problem.severity = Severity::Warning;
        }
        text
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.typed(key, "true or false", Node::as_bool)
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let all = |node: &'a Node| {
            let elements = node.as_array()?.iter();
            elements
                .map(|element| element.as_str().map(str::to_owned))
                .collect()
        };
        self.typed(key, "a list of strings", all)
    }

    /// Texts by name. Numbers and booleans are taken as they are written. Of a name that stands twice
    /// the last one counts, here as everywhere: whoever looks at the first one, and runs the last one,
    /// would approve what never runs.
    pub(super) fn text_map(&mut self, key: &'static str) -> Option<Vec<(String, String)>> {
        let pair = |member: &'a Member| Some((member.key.clone(), member.value.to_plain_text()?));
        let all = |node: &'a Node| node.as_object()?.iter().map(pair).collect();
        let pairs: Vec<(String, String)> = self.typed(key, "an object of strings", all)?;
        let members = self.any(key).and_then(Node::as_object).unwrap_or_default();
        let last = last_places(members);
        let counts = |member: &Member| last.get(member.key.as_str()) == Some(&member.key_span);
        for member in members.iter().filter(|member| !counts(member)) {
            let place = self.document.place(member.key_span);
            self.report(stands_twice(&member.key).at(place));
        }
        let pairs = pairs.into_iter().zip(members);
        let pairs = pairs.filter(|(_, member)| counts(member));
        Some(pairs.map(|(pair, _)| pair).collect())
    }

    /// An object, of any keys.
    pub(super) fn object(&mut self, key: &'static str) -> Option<&'a [Member]> {
        self.typed(key, "an object", Node::as_object)
    }

    /// One of several words. The nearest of them is suggested for another.
    pub(super) fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let node = self.any(key)?;
        let text = self.text(key)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        let listed: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("`{key}` must be {}, not `{text}`", listed.join(" or "));
        let mut problem = Diagnostic::new(Code::WrongValue, message).at(self.at(node));
        if let Some(near) = nearest(text, words.iter().map(|(word, _)| *word)) {
            problem = problem.suggest(format!("\"{near}\""));
        }
        self.report(problem);
        None
    }

    /// A time. `unit` is how long 1 is.
    pub(super) fn time(&mut self, key: &'static str, unit: Duration) -> Option<Duration> {
        let node = self.any(key)?;
        let bad = |message: String| {
            let problem = Diagnostic::new(Code::BadTimeout, message).at(self.at(node));
            let number = node.as_str().map(str::trim).unwrap_or_default();
            match number.parse::<f64>() {
                Ok(seconds) if seconds > 0.0 => problem.suggest(number),
                _ => problem,
            }
        };
        let problem = match node.as_f64() {
            None => {
                let unit = if unit >= Duration::from_secs(1) {
                    "seconds"
                } else {
                    "milliseconds"
                };
                bad(format!(
                    "`{key}` must be a number of {unit}, not {}",
                    node.kind()
                ))
            }
            Some(number) if number > 0.0 => {
                let seconds = (number * unit.as_secs_f64()).min(LONGEST.as_secs_f64());
                return Some(Duration::from_secs_f64(seconds));
            }
            Some(_) => bad(format!("`{key}` must be greater than 0")),
        };
        self.report(problem);
        None
    }

    fn typed<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        take: impl FnOnce(&'a Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.any(key)?;
        let taken = take(node);
        if taken.is_none() {
            let found = node.kind_with_odd_part();
            let message = format!("`{key}` must be {expected}, not {found}");
            let problem = Diagnostic::new(Code::WrongType, message).at(self.at(node));
            self.report(match example(expected) {
                Some(example) => problem.help(format!("write \"{key}\": {example}")),
                None => problem,
            });
        }
        taken
    }

    /// What was wrong: what was reported, keys that stand twice, and keys that nobody asked for.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        let last = last_places(self.members);
        let is_odd = |member: &&Member| {
            let key = member.key.as_str();
            let is_known = self.knows_all || self.known.contains(&key);
            !is_known || last.get(key) != Some(&member.key_span)
        };
        let mut odd: Vec<&Member> = self.members.iter().filter(is_odd).collect();
        odd.retain(|member| {
            !is_the_missing(member, &self.missing, self.document, &mut self.problems)
        });
        let more = odd.len().saturating_sub(MOST_ODD_KEYS);
        let mut odd: Vec<Diagnostic> = odd
            .into_iter()
            .take(MOST_ODD_KEYS)
            .map(|member| {
                let counts = last.get(member.key.as_str()) == Some(&member.key_span);
                let problem = if counts {
                    unknown_key(&member.key, &self.known)
                } else {
                    stands_twice(&member.key)
                };
                problem.at(self.document.place(member.key_span))
            })
            .collect();
        if let (Some(last), 1..) = (odd.last_mut(), more) {
            last.help
                .push(format!("and {more} more keys of this object"));
        }
        self.problems.extend(odd);
        self.problems
    }
}

/// What a value looks like that is as it is expected to be.
fn example(expected: &str) -> Option<&'static str> {
    match expected {
        "a string" => Some("\"…\""),
        "true or false" => Some("true, or false, without quotes"),
        "a list of strings" => Some("[\"…\"]"),
        "an object of strings" => Some("{\"NAME\": \"value\"}"),
        "an object" => Some("{…}"),
        _ => None,
    }
}

/// So many keys of one object are told by name.
const MOST_ODD_KEYS: usize = 20;

/// No deadline is longer; a number that is means "never", and milliseconds more often than not.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// The first error among problems: what makes an entry unusable.
pub(super) fn first_error(problems: &[Diagnostic]) -> Option<&Diagnostic> {
    problems
        .iter()
        .find(|problem| problem.severity == Severity::Error)
}
