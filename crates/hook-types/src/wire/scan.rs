//! Reads the few facts that decide out of a JSON object, by the book or not.
//!
//! Strict JSON refuses a whole document for a `NaN`, a lone surrogate, a number that is too large
//! or a nesting that is too deep, and keeps only the last of two equal keys. None of that may
//! hide a refusal. This scanner walks the text once, without recursion, keeps the members that a
//! decision can stand in, and steps over everything else.

use serde_json::{Map, Value};

use crate::nearest::nearest;

/// Where in an answer a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// At the top.
    Top,
    /// In `hookSpecificOutput`.
    Specific,
    /// In the object that `decision` is, of either.
    Decision,
}

/// As much of a value as a decision needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Text(String),
    Bool(bool),
    Other,
}

/// One member of an answer's object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) place: Place,
    pub(super) key: String,
    pub(super) fact: Fact,
    /// Whether the value is a word without quotes.
    bare: bool,
}

/// An object that was walked to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scanned {
    pub(super) members: Vec<Member>,
    /// Where the object ends.
    pub(super) end: usize,
    /// Whether it is an object: braces around things that are no members are none.
    pub(super) is_object: bool,
}

/// Walks the object at the start of `text`; where it does not end, how far the walk came.
pub(super) fn scan(text: &str) -> Result<Scanned, usize> {
    let mut scanner = Scanner::new(text);
    if scanner.object(Place::Top).is_none() {
        return Err(scanner.at);
    }
    if !scanner.clean {
        // Among other things a word without quotes is just a word.
        scanner.members.retain(|member| !member.bare);
    }
    let is_object = scanner.clean || !scanner.members.is_empty();
    Ok(Scanned {
        members: scanner.members,
        end: scanner.at,
        is_object,
    })
}

/// The end of the array at the start of `text`; where it does not end, how far the walk came.
pub(super) fn array_end(text: &str) -> Result<usize, usize> {
    let mut scanner = Scanner::new(text);
    match scanner.skip_container() {
        Some(()) => Ok(scanner.at),
        None => Err(scanner.at),
    }
}

/// The same members, out of a value that was read by the book.
pub(super) fn members_of(object: &Map<String, Value>) -> Vec<Member> {
    let mut members = Vec::new();
    collect(object, Place::Top, &mut members);
    members
}

fn collect(object: &Map<String, Value>, place: Place, members: &mut Vec<Member>) {
    for (key, value) in object {
        let fact = match value {
            Value::String(text) => Fact::Text(text.clone()),
            Value::Bool(value) => Fact::Bool(*value),
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => Fact::Other,
        };
        members.push(Member {
            place,
            key: key.clone(),
            fact,
            bare: false,
        });
        if let (Value::Object(inner), Some(inside)) = (value, inside(place, key)) {
            collect(inner, inside, members);
        }
    }
}

/// The place that the members of an object under `key` have, where they can decide anything.
fn inside(place: Place, key: &str) -> Option<Place> {
    match (place, nearest(key, ["hookSpecificOutput", "decision"])) {
        (Place::Top, Some("hookSpecificOutput")) => Some(Place::Specific),
        (Place::Top | Place::Specific, Some("decision")) => Some(Place::Decision),
        _ => None,
    }
}

/// A value without quotes: a shell's `echo {"a":"b"}` prints `{a:b}`.
fn bare(word: &str) -> Fact {
    match word {
        "true" | "True" => return Fact::Bool(true),
        "false" | "False" => return Fact::Bool(false),
        _ => {}
    }
    let is_word = word.starts_with(|c: char| c.is_alphabetic());
    if is_word && !matches!(word, "null" | "None" | "NaN" | "Infinity") {
        Fact::Text(word.to_owned())
    } else {
        Fact::Other
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    members: Vec<Member>,
    clean: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            members: Vec::new(),
            clean: true,
        }
    }

    /// Walks an object. Depth is three at most: only places that can decide are entered.
    fn object(&mut self, place: Place) -> Option<()> {
        self.take('{')?;
        loop {
            self.skip_blanks_and(',');
            if self.take('}').is_some() {
                return Some(());
            }
            let before = self.at;
            let key = match self.peek()? {
                '"' | '\'' => self.string()?,
                _ => self.word().to_owned(),
            };
            if key.is_empty() && self.at == before {
                // Something that cannot start a key: step over it.
                self.clean = false;
                self.skip_value()?;
                continue;
            }
            self.skip_blanks();
            if self.take(':').is_some() {
                self.skip_blanks();
                self.member(place, key)?;
            } else {
                self.clean = false;
            }
        }
    }

    fn member(&mut self, place: Place, key: String) -> Option<()> {
        if let (Some('{'), Some(inside)) = (self.peek(), inside(place, &key)) {
            self.members.push(Member {
                place,
                key,
                fact: Fact::Other,
                bare: false,
            });
            return self.object(inside);
        }
        let mut bare_word = false;
        let fact = match self.peek()? {
            '"' | '\'' => Fact::Text(self.string()?),
            '{' | '[' => {
                self.skip_container()?;
                Fact::Other
            }
            _ => {
                let word = self.word().to_owned();
                self.clean &= !word.is_empty();
                bare_word = true;
                bare(&word)
            }
        };
        let bare = bare_word && matches!(fact, Fact::Text(_));
        self.members.push(Member {
            place,
            key,
            fact,
            bare,
        });
        Some(())
    }

    fn skip_value(&mut self) -> Option<()> {
        match self.peek()? {
            '{' | '[' => self.skip_container(),
            '"' | '\'' => self.string().map(|_| ()),
            other => {
                self.at += other.len_utf8();
                Some(())
            }
        }
    }

    /// Steps over an object or an array of any depth.
    fn skip_container(&mut self) -> Option<()> {
        let mut open = Vec::new();
        // A single quote starts a string only where a value can start: `don't` has none.
        let mut value_may_start = true;
        loop {
            let c = self.peek()?;
            if c == '"' || (c == '\'' && value_may_start) {
                self.string()?;
                value_may_start = false;
                continue;
            }
            self.at += c.len_utf8();
            match c {
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' if open.pop() != Some(c) => return None,
                _ => {}
            }
            if open.is_empty() {
                return Some(());
            }
            value_may_start = "{[,:".contains(c) || (value_may_start && c.is_whitespace());
        }
    }

    /// A bare word, up to the next blank or sign of JSON.
    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A string in either kind of quotes; a control character or a wrong escape does no harm.
    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += quote.len_utf8();
        let mut value = String::new();
        loop {
            let c = self.peek()?;
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Some(value),
                '\\' => value.push(self.escape()?),
                c => value.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => self.unicode(),
            other => other,
        })
    }

    /// The character of a `\u` escape; a lone surrogate is replaced.
    fn unicode(&mut self) -> char {
        let Some(high) = self.four_digits() else {
            return char::REPLACEMENT_CHARACTER;
        };
        let pair = (0xD800..0xDC00).contains(&high) && self.text[self.at..].starts_with("\\u");
        if !pair {
            return char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let before = self.at;
        self.at += 2;
        match self.four_digits() {
            Some(low) if (0xDC00..0xE000).contains(&low) => {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                self.at = before;
                char::REPLACEMENT_CHARACTER
            }
        }
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    fn skip_blanks(&mut self) {
        self.skip_blanks_and(' ');
    }

    fn skip_blanks_and(&mut self, also: char) {
        loop {
            self.skip_white(also);
            if !self.skip_comment() {
                return;
            }
        }
    }

    /// Steps over a comment, which JSON does not have and people write.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let end = match rest.get(..2) {
            Some("//") => rest.find('\n').unwrap_or(rest.len()),
            Some("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => return false,
        };
        self.at += end;
        true
    }

    fn skip_white(&mut self, also: char) {
        let rest = &self.text[self.at..];
        self.at += rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == also)
                .len();
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, expected: char) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += expected.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(text: &str) -> Option<Vec<(String, Fact)>> {
        Some(
            scan(text)
                .ok()?
                .members
                .into_iter()
                .map(|member| (member.key, member.fact))
                .collect(),
        )
    }

    fn text(value: &str) -> Fact {
        Fact::Text(value.to_owned())
    }

    #[test]
    fn equal_keys_are_all_kept() {
        assert_eq!(
            top(r#"{"a":"x","a":"y"}"#),
            Some(vec![("a".into(), text("x")), ("a".into(), text("y"))])
        );
    }

    #[test]
    fn escapes_are_read_and_a_lone_surrogate_is_replaced() {
        assert_eq!(
            top(r#"{"a":"\u00e9\ud83d\ude00"}"#),
            Some(vec![("a".into(), text("é😀"))])
        );
        assert_eq!(
            top(r#"{"a":"\ud800x"}"#),
            Some(vec![("a".into(), text("\u{fffd}x"))])
        );
    }

    #[test]
    fn numbers_that_do_not_exist_are_stepped_over() {
        assert_eq!(
            top(r#"{"a":NaN,"b":-Infinity,"c":1e999,"d":true}"#)
                .unwrap()
                .last(),
            Some(&("d".into(), Fact::Bool(true)))
        );
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!(
            r#"{{"a":{}{},"b":"x"}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(top(&deep).unwrap().last(), Some(&("b".into(), text("x"))));
    }

    #[test]
    fn an_object_that_does_not_end_is_none() {
        for text in [
            "{",
            r#"{"a"#,
            r#"{"a":"#,
            r#"{"a":"b""#,
            r#"{"a":[}"#,
            "{]",
            "[",
            "x",
        ] {
            assert!(scan(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_python_dictionary_prints_can_be_read() {
        assert_eq!(top("{'a': 'b', 'c': False}").unwrap().len(), 2);
    }
}
