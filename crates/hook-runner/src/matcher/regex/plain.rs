//! Regexes as most people write them, read without an engine: texts, groups, alternatives, ASCII classes,
//! dots, `*`, `+`, `?` and anchors. Reading one tells that it is right, how large it is at most, and which
//! texts it needs. The engine's own parser is for all others: it is code that most agents never touch.

use super::javascript::ANY_BUT_LINE_END;

/// Longer ones, and deeper ones, are not plain.
const LONGEST: usize = 256;
const DEEPEST: usize = 16;
/// How many states a dot takes at most: two ranges of ASCII and two beyond it.
const STATES_OF_A_DOT: usize = 4 + 2 * super::linear::STATES_OF_A_RANGE;

/// What is known of a plain regex.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::matcher) struct Plain {
    /// No fewer states than it is compiled to.
    pub(super) states: usize,
    /// Texts of which at least one occurs in whatever it matches, if there are any.
    pub(in crate::matcher) literals: Option<Vec<Vec<u8>>>,
}

/// Reads a regex as it is spelt for the engine; nothing where it is not plain, or not right.
pub(in crate::matcher) fn read(text: &str) -> Option<Plain> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { rest: text };
    let plain = reader.alternatives(0)?;
    reader.rest.is_empty().then_some(plain)
}

struct Reader<'a> {
    rest: &'a str,
}

/// What stands in a sequence.
enum Part {
    Literal(u8),
    Group(Plain),
    /// Anything that needs no text, and its states.
    Other(usize),
}

/// How often a part stands there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Often {
    Once,
    OnceOrMore,
    PerhapsNever,
}

impl Reader<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next_is(&self, signs: &str) -> bool {
        self.rest.starts_with(|c| signs.contains(c))
    }

    fn alternatives(&mut self, depth: usize) -> Option<Plain> {
        let mut all = self.sequence(depth)?;
        while self.eat("|") {
            let next = self.sequence(depth)?;
            all.states += next.states + 2;
            all.literals = all.literals.zip(next.literals).map(|(mut all, next)| {
                all.extend(next);
                all
            });
        }
        Some(all)
    }

    fn sequence(&mut self, depth: usize) -> Option<Plain> {
        let mut states = 2;
        let mut found = Longest::default();
        while !self.rest.is_empty() && !self.next_is("|)") {
            if self.eat("^") || self.eat("$") {
                if self.next_is("*+?{") {
                    return None;
                }
                states += 2;
                found.cut();
                continue;
            }
            let part = self.part(depth)?;
            let often = self.often()?;
            let times = if often == Often::Once { 1 } else { 2 };
            match part {
                Part::Literal(byte) => {
                    states += times * 3;
                    found.text(byte, often);
                }
                Part::Other(more) => {
                    states += times * (more + 2);
                    found.cut();
                }
                Part::Group(group) => {
                    states += times * (group.states + 2);
                    found.cut();
                    if often != Often::PerhapsNever {
                        found.offer(group.literals);
                    }
                }
            }
        }
        found.cut();
        Some(Plain {
            states,
            literals: found.best,
        })
    }

    fn part(&mut self, depth: usize) -> Option<Part> {
        if self.eat("(?:") {
            if depth == DEEPEST {
                return None;
            }
            let group = self.alternatives(depth + 1)?;
            return self.eat(")").then_some(Part::Group(group));
        }
        if self.eat(ANY_BUT_LINE_END) {
            return Some(Part::Other(STATES_OF_A_DOT));
        }
        if self.eat("[") {
            return self.class().map(Part::Other);
        }
        self.character().map(Part::Literal)
    }

    /// A character that stands for itself.
    fn character(&mut self) -> Option<u8> {
        if self.eat(r"\x{") {
            let (digits, rest) = self.rest.split_once('}')?;
            let plain = digits.len() <= 2 && digits.bytes().all(|c| c.is_ascii_hexdigit());
            let byte = u8::from_str_radix(digits, 16).ok()?;
            self.rest = rest;
            return (plain && byte.is_ascii()).then_some(byte);
        }
        let first = *self.rest.as_bytes().first()?;
        if !first.is_ascii_alphanumeric() && !matches!(first, b'_' | b'-' | b':' | b' ' | b'/') {
            return None;
        }
        self.rest = &self.rest[1..];
        Some(first)
    }

    /// The inside of a class, of which every member is ASCII.
    fn class(&mut self) -> Option<usize> {
        let mut states = 1;
        loop {
            let from = self.member()?;
            if self.eat("-") && self.member()? < from {
                return None;
            }
            states += 1;
            if self.eat("]") {
                return Some(states);
            }
        }
    }

    fn member(&mut self) -> Option<u8> {
        if self.next_is("-") {
            return None;
        }
        self.character()
    }

    fn often(&mut self) -> Option<Often> {
        let often = if self.eat("*") || self.eat("?") {
            Often::PerhapsNever
        } else if self.eat("+") {
            Often::OnceOrMore
        } else {
            Often::Once
        };
        (!self.next_is("*+?{")).then_some(often)
    }
}

/// The texts of a sequence that are longest, the last of those that are equally long.
#[derive(Default)]
struct Longest {
    /// A text that goes on.
    run: Vec<u8>,
    best: Option<Vec<Vec<u8>>>,
}

impl Longest {
    fn text(&mut self, byte: u8, often: Often) {
        match often {
            Often::Once => self.run.push(byte),
            // What comes next stands behind the last of them.
            Often::OnceOrMore => {
                self.run.push(byte);
                self.cut();
            }
            Often::PerhapsNever => self.cut(),
        }
    }

    fn cut(&mut self) {
        if !self.run.is_empty() {
            let run = std::mem::take(&mut self.run);
            self.offer(Some(vec![run]));
        }
    }

    fn offer(&mut self, literals: Option<Vec<Vec<u8>>>) {
        let shortest = |literals: &Vec<Vec<u8>>| literals.iter().map(Vec::len).min();
        let length = literals.as_ref().and_then(shortest);
        if literals.is_some() && length >= self.best.as_ref().and_then(shortest) {
            self.best = literals;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::javascript::{Dialect, translate};
    use super::super::linear::{SMALL, states};
    use super::*;

    fn literals(pattern: &str) -> Option<Vec<String>> {
        let literals = read(&translate(pattern, Dialect::Linear)).unwrap().literals;
        let text = |literal: Vec<u8>| String::from_utf8(literal).unwrap();
        literals.map(|all| all.into_iter().map(text).collect())
    }

    #[test]
    fn the_longest_text_of_a_plain_regex_is_needed() {
        let some = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(literals("^(Read|Edit)_7_[a-z]+$"), some(&["Read", "Edit"]));
        assert_eq!(literals("^(Read|Edit)_7123_[a-z]+$"), some(&["_7123_"]));
        assert_eq!(literals("mcp__.*__read"), some(&["__read"]));
        assert_eq!(literals(r"\.ts$|\.rs$"), some(&[".ts", ".rs"]));
        assert_eq!(literals("abc?d+e"), some(&["ab"]));
        assert_eq!(literals("(abc)?d"), some(&["d"]));
        assert_eq!(literals("a|.*"), None);
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_engine() {
        for text in [
            "a{2}", "a**", "a+?", "(?i:a)", r"\bx", "[^a]", "[a-", "ü", "a)", "(?:a", "^*", "[b-a]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_regex_is_right_and_no_larger_and_needs_its_texts(
            pattern in r"([ab_.]|[ab_]{3}|\(|\)|\||\^|\$|\[[a-c_]{1,3}\]|\[a-c\]|[*+?]|\\\.){0,14}",
            subjects in prop::collection::vec("[abc_.\n]{0,12}", 20),
        ) {
            let text = translate(&pattern, Dialect::Linear);
            if let Some(plain) = read(&text) {
                let hir = regex_syntax::parse(&text);
                prop_assert!(hir.is_ok(), "{}", text);
                prop_assert!(states(&hir.unwrap()) <= plain.states, "{}", text);
                prop_assert!(plain.states <= SMALL);
                let regex = regex::Regex::new(&text).unwrap();
                for subject in subjects.iter().filter(|subject| regex.is_match(subject)) {
                    let occurs = |literal: &Vec<u8>| {
                        subject.contains(std::str::from_utf8(literal).unwrap())
                    };
                    let needed = plain.literals.as_ref().is_none_or(|all| all.iter().any(occurs));
                    prop_assert!(needed, "{} {} {:?}", text, subject, plain.literals);
                }
            }
        }
    }
}
