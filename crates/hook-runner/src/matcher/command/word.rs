//! The words of a command as the program will see them: no quotes, gaps for what only the
//! shell knows.

use std::ops::Range;

use tree_sitter::Node;

use super::{ansi, known::Known, text::Sign};

/// One word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) signs: Vec<Sign>,
    /// Whether any of it was quoted: a quoted `if` is not the keyword.
    pub(super) is_quoted: bool,
    /// The word as it stands in the text; empty if it stands nowhere.
    pub(super) written: String,
}

impl Word {
    pub(super) fn quoted(signs: Vec<Sign>) -> Self {
        Self {
            signs,
            is_quoted: true,
            written: String::new(),
        }
    }

    /// The word, if nothing about it is open.
    pub(super) fn literal(&self) -> Option<String> {
        let plain = |sign: &Sign| match sign {
            Sign::Char(c) => Some(*c),
            Sign::NameBlank => Some(' '),
            Sign::Gap => None,
        };
        self.signs.iter().map(plain).collect()
    }
}

/// A character, and whether the shell still looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Open(char),
    Quoted(char),
    Gap,
}

/// Reads the nodes as words. Nodes with nothing but continued lines between them are one.
pub(super) fn read(nodes: &[Node<'_>], source: &str, known: &Known) -> Vec<Word> {
    let mut words: Vec<(Range<usize>, Vec<Unit>)> = Vec::new();
    let mut end = None;
    for node in nodes {
        let between = end.and_then(|end| source.get(end..node.start_byte()));
        let mut units = Units {
            source,
            known,
            read: Vec::new(),
        };
        units.node(*node);
        match words
            .last_mut()
            .filter(|_| between.is_some_and(is_continued))
        {
            Some((place, word)) => {
                place.end = node.end_byte();
                word.extend(units.read);
            }
            None => words.push((node.byte_range(), units.read)),
        }
        end = Some(node.end_byte());
    }
    let word = |(place, units): (Range<usize>, Vec<Unit>)| {
        let written = source.get(place).unwrap_or_default();
        resolve(&at_home(units, known), written)
    };
    words.into_iter().map(word).collect()
}

/// The word with the user's home in place of a `~` before it, if that is known.
fn at_home(units: Vec<Unit>, known: &Known) -> Vec<Unit> {
    let is_home = matches!(
        units.as_slice(),
        [Unit::Open('~')] | [Unit::Open('~'), Unit::Open('/'), ..]
    );
    match known.get("HOME").filter(|_| is_home) {
        Some(home) => home
            .chars()
            .map(Unit::Quoted)
            .chain(units.into_iter().skip(1))
            .collect(),
        None => units,
    }
}

fn is_continued(between: &str) -> bool {
    between.replace("\\\n", "").is_empty()
}

struct Units<'a> {
    source: &'a str,
    known: &'a Known,
    read: Vec<Unit>,
}

impl Units<'_> {
    fn node(&mut self, node: Node<'_>) {
        let Some(text) = self.source.get(node.byte_range()) else {
            return self.read.push(Unit::Gap);
        };
        match node.kind() {
            "command_name" | "concatenation" | "variable_assignment" => self.parts(node),
            "string" => self.double_quoted(node),
            "translated_string" => self.translated(node),
            "raw_string" => self.quoted(text.trim_matches('\'')),
            "ansi_c_string" => self.ansi(text),
            "word" | "variable_name" | "extglob_pattern" | "regex" | "test_operator" => {
                self.bare(text);
            }
            "number" if node.named_child_count() == 0 => self.bare(text),
            _ if !node.is_named() => self.bare(text),
            _ => self.expansion(text, false),
        }
    }

    /// What stands in place of a variable, if that is known, and the shell would not take it apart.
    fn expansion(&mut self, text: &str, in_quotes: bool) {
        match self.known.expand(text, in_quotes) {
            Some(value) => self.read.extend(value.chars().map(Unit::Quoted)),
            None => self.read.push(Unit::Gap),
        }
    }

    /// The children one after the other, with whatever the grammar left between them.
    fn parts(&mut self, node: Node<'_>) {
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.bare(self.source.get(at..child.start_byte()).unwrap_or_default());
            self.node(child);
            at = child.end_byte();
        }
    }

    fn bare(&mut self, text: &str) {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => self
                    .read
                    .extend(chars.next().filter(|c| *c != '\n').map(Unit::Quoted)),
                _ => self.read.push(Unit::Open(c)),
            }
        }
    }

    fn quoted(&mut self, text: &str) {
        self.read.extend(text.chars().map(Unit::Quoted));
    }

    fn ansi(&mut self, text: &str) {
        let body = text
            .strip_prefix("$'")
            .and_then(|text| text.strip_suffix('\''));
        match body.and_then(ansi::decode) {
            Some(text) => self.quoted(&text),
            None => self.read.push(Unit::Gap),
        }
    }

    /// `$"…"`: a string that a translation may replace.
    fn translated(&mut self, node: Node<'_>) {
        match node.named_child(0) {
            Some(string) => self.node(string),
            None => self.read.push(Unit::Gap),
        }
    }

    fn double_quoted(&mut self, node: Node<'_>) {
        let text = self.source.get(node.byte_range()).unwrap_or_default();
        let mut at = node.start_byte() + text.find('"').map_or(0, |quote| quote + 1);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() != "string_content" {
                self.escaped(self.source.get(at..child.start_byte()).unwrap_or_default());
                self.expansion(
                    self.source.get(child.byte_range()).unwrap_or_default(),
                    true,
                );
                at = child.end_byte();
            }
        }
        let end = node.end_byte().saturating_sub(1);
        self.escaped(self.source.get(at..end).unwrap_or_default());
    }

    /// Inside double quotes a backslash escapes five characters, and stays before others.
    fn escaped(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let special = |c: &char| matches!(c, '$' | '`' | '"' | '\\' | '\n');
            let next = if c == '\\' {
                chars.next_if(special)
            } else {
                None
            };
            match next {
                Some('\n') => {}
                Some(next) => self.read.push(Unit::Quoted(next)),
                None => self.read.push(Unit::Quoted(c)),
            }
        }
    }
}

/// File name patterns and braces that the shell will expand become gaps.
fn resolve(units: &[Unit], written: &str) -> Word {
    let ends = Ends::of(units);
    let mut signs = Vec::with_capacity(units.len());
    let mut at = 0;
    while let Some(unit) = units.get(at) {
        let expanded_to = ends.expansion(*unit, at);
        signs.push(match unit {
            _ if expanded_to.is_some() => Sign::Gap,
            Unit::Open(c) | Unit::Quoted(c) => Sign::Char(*c),
            Unit::Gap => Sign::Gap,
        });
        at = expanded_to.unwrap_or(at) + 1;
    }
    let is_quoted = units.iter().any(|unit| matches!(unit, Unit::Quoted(_)));
    Word {
        signs,
        is_quoted,
        written: written.to_owned(),
    }
}

/// Where the last of certain signs stands: with nested brackets, all of it is one expansion.
struct Ends {
    bracket: Option<usize>,
    brace: Option<usize>,
    /// The last `,` or `..` before the last brace: without one, braces are text.
    list: Option<usize>,
}

impl Ends {
    fn of(units: &[Unit]) -> Self {
        let last = |c: char| units.iter().rposition(|unit| *unit == Unit::Open(c));
        let brace = last('}');
        let before = units.get(..brace.unwrap_or(0)).unwrap_or_default();
        let comma = before.iter().rposition(|unit| *unit == Unit::Open(','));
        let dots = before
            .windows(2)
            .rposition(|pair| pair == [Unit::Open('.'); 2]);
        Self {
            bracket: last(']'),
            brace,
            list: comma.max(dots),
        }
    }

    /// Where the expansion that starts here ends, if one does.
    fn expansion(&self, unit: Unit, at: usize) -> Option<usize> {
        match unit {
            Unit::Open('*' | '?') => Some(at),
            Unit::Open('[') => self.bracket.filter(|end| *end > at),
            Unit::Open('{') => self
                .brace
                .filter(|_| self.list.is_some_and(|sign| sign > at)),
            Unit::Open(_) | Unit::Quoted(_) | Unit::Gap => None,
        }
    }
}
