//! JavaScript's regex syntax (without flags), spelt for the engines used here.
//!
//! Only what differs is rewritten:
//!
//! | JavaScript | the engines' own meaning | rewritten to |
//! |---|---|---|
//! | `\d` `\w` `\b` are ASCII | Unicode | ASCII classes, an ASCII boundary |
//! | `\s` has U+FEFF and lacks U+0085 | the other way round | the JavaScript set |
//! | `.` stops at four line ends | at `\n` only | a negated class |
//! | `\z`, `\/`, `\<`: the character itself | an anchor, an error, a boundary | the character |
//! | `{` that is no count, `}` and `]` are plain | an error | escaped |
//! | `[` `&&` `--` in a class are plain | nested classes, set operations | escaped |
//! | `[]` is nothing, `[^]` is anything | an error | such a class |
//! | `\uD83D\uDE00`, `\cJ`, `\0` | errors | the code point |
//!
//! `\p{…}` keeps its Unicode meaning, which JavaScript gives it under the `u` flag: without
//! the flag it would be the letter p and some braces, which nobody ever means.

/// For which engine to spell the pattern. They differ in the ASCII word boundary only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Linear,
    Backtracking,
}

const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const SPACE: &str =
    r"\t\n\x0B\x0C\r \xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
pub(super) const ANY_BUT_LINE_END: &str = r"[^\n\r\x{2028}\x{2029}]";
const ANYTHING: &str = r"[\x{0}-\x{10FFFF}]";
const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// Rewrites the pattern. Total: what is no regex in JavaScript either is passed on for the
/// engine to complain about.
pub(super) fn translate(pattern: &str, dialect: Dialect) -> String {
    let mut translator = Translator {
        input: pattern.chars().collect(),
        at: 0,
        out: String::new(),
        dialect,
    };
    while let Some(c) = translator.next() {
        translator.outside(c);
    }
    translator.out
}

struct Translator {
    input: Vec<char>,
    at: usize,
    out: String,
    dialect: Dialect,
}

/// One member of a character class.
enum Member {
    One(char),
    Set(String),
}

impl Translator {
    fn next(&mut self) -> Option<char> {
        let c = self.input.get(self.at).copied();
        self.at += usize::from(c.is_some());
        c
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.input.get(self.at + ahead).copied()
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.peek(0) == Some(expected);
        self.at += usize::from(found);
        found
    }

    fn outside(&mut self, c: char) {
        match c {
            '\\' => self.escape(),
            '[' => self.class(),
            '.' => self.out.push_str(ANY_BUT_LINE_END),
            '{' => self.brace(),
            '(' => self.group(),
            '}' | ']' => self.literal(c),
            _ => self.out.push(c),
        }
    }

    /// Nobody asks what a group caught, and remembering it makes a compiled regex three times
    /// as large. Back-references need it, but those only run on the other engine.
    fn group(&mut self) {
        self.out.push('(');
        if self.dialect == Dialect::Backtracking {
            return;
        }
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (Some('?'), Some('<'), Some(c)) if !matches!(c, '=' | '!') => self.skip_group_name(),
            (Some('?'), _, _) => {}
            _ => self.out.push_str("?:"),
        }
    }

    fn skip_group_name(&mut self) {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let name = rest
            .iter()
            .skip(2)
            .take_while(|c| c.is_alphanumeric() || **c == '_')
            .count();
        // A name that is none is left in place for the engine to complain about.
        if name > 0 && rest.get(name + 2) == Some(&'>') {
            self.at += name + 3;
            self.out.push_str("?:");
        }
    }

    /// `{2}`, `{2,}` and `{2,3}` are counts, any other brace is itself.
    fn brace(&mut self) {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let body: String = rest.iter().take_while(|c| **c != '}').collect();
        let closed = rest.len() > body.chars().count();
        if closed && is_count(&body) {
            self.at += body.chars().count() + 1;
            self.out.extend(["{", &body, "}"]);
        } else {
            self.literal('{');
        }
    }

    fn escape(&mut self) {
        let Some(c) = self.next() else {
            return self.out.push('\\');
        };
        if let Some(set) = self.set(c) {
            return self.out.extend(["[", &set, "]"]);
        }
        match c {
            'b' | 'B' => self.boundary(c),
            '1'..='9' => self.out.extend(['\\', c]),
            'k' if self.peek(0) == Some('<') => self.out.push_str("\\k"),
            _ => {
                let c = self.code_point(c);
                self.literal(c);
            }
        }
    }

    fn boundary(&mut self, which: char) {
        // The backtracking engine cannot switch Unicode off, but it can look around.
        let boundary = match (self.dialect, which) {
            (Dialect::Linear, _) => format!("(?-u:\\{which})"),
            (Dialect::Backtracking, 'b') => {
                format!("(?:(?<![{WORD}])(?=[{WORD}])|(?<=[{WORD}])(?![{WORD}]))")
            }
            (Dialect::Backtracking, _) => {
                format!("(?:(?<![{WORD}])(?![{WORD}])|(?<=[{WORD}])(?=[{WORD}]))")
            }
        };
        self.out.push_str(&boundary);
    }

    /// The inside of the class that an escape stands for.
    fn set(&mut self, c: char) -> Option<String> {
        match c {
            'd' => Some(DIGIT.to_owned()),
            'w' => Some(WORD.to_owned()),
            's' => Some(SPACE.to_owned()),
            'D' => Some(format!("[^{DIGIT}]")),
            'W' => Some(format!("[^{WORD}]")),
            'S' => Some(format!("[^{SPACE}]")),
            'p' | 'P' => self.unicode_set(c),
            _ => None,
        }
    }

    fn unicode_set(&mut self, c: char) -> Option<String> {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|c| *c == '}')?;
        if rest.first() != Some(&'{') {
            return None;
        }
        let name: String = rest.iter().take(length + 1).collect();
        self.at += length + 1;
        Some(format!("\\{c}{name}"))
    }

    /// The character that an escape stands for; mostly the escaped character itself.
    fn code_point(&mut self, c: char) -> char {
        match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{B}',
            'f' => '\u{C}',
            '0' => '\0',
            'c' => self.control().unwrap_or('c'),
            'x' => self.hex(2).and_then(char::from_u32).unwrap_or('x'),
            'u' => self.utf16().unwrap_or('u'),
            _ => c,
        }
    }

    fn control(&mut self) -> Option<char> {
        let letter = self.peek(0).filter(char::is_ascii_alphabetic)?;
        self.at += 1;
        char::from_u32(u32::from(letter) % 32)
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.input.get(self.at..self.at + digits)?.iter().collect();
        let all_hex = text.chars().all(|c| c.is_ascii_hexdigit());
        let value = u32::from_str_radix(&text, 16).ok().filter(|_| all_hex)?;
        self.at += digits;
        Some(value)
    }

    /// `\uXXXX`, where two halves of a surrogate pair make one character, or `\u{X…}`.
    fn utf16(&mut self) -> Option<char> {
        if self.peek(0) == Some('{') {
            return self.braced_code_point();
        }
        let start = self.at;
        let first = self.hex(4)?;
        if let Some(c) = char::from_u32(first) {
            return Some(c);
        }
        let second = if self.eat('\\') && self.eat('u') {
            self.hex(4)
        } else {
            None
        };
        let pair = second.and_then(|second| surrogates(first, second));
        if pair.is_none() {
            self.at = start + 4;
            // Half a character: no Rust text has one, so it stands for one that never occurs.
            return Some('\u{10FFFF}');
        }
        pair
    }

    fn braced_code_point(&mut self) -> Option<char> {
        let rest = self.input.get(self.at + 1..)?;
        let digits: String = rest.iter().take_while(|c| **c != '}').take(7).collect();
        let c = u32::from_str_radix(&digits, 16)
            .ok()
            .and_then(char::from_u32)?;
        self.at += digits.len() + 2;
        Some(c)
    }

    fn class(&mut self) {
        let start = self.at;
        let negated = self.eat('^');
        let mut members = String::new();
        let closed = loop {
            match self.next() {
                None => break false,
                Some(']') => break true,
                Some(c) => members.push_str(&self.range(c)),
            }
        };
        match (closed, members.is_empty(), negated) {
            // An unclosed class is an error in every dialect: show it to the engine as it is.
            (false, _, _) => {
                self.out.push('[');
                self.out.extend(self.input.get(start..).unwrap_or_default());
            }
            (true, true, true) => self.out.push_str(ANYTHING),
            (true, true, false) => self.out.push_str(NOTHING),
            (true, false, true) => self.out.extend(["[^", &members, "]"]),
            (true, false, false) => self.out.extend(["[", &members, "]"]),
        }
    }

    /// One member of a class, or a range of which it is the start.
    fn range(&mut self, c: char) -> String {
        let first = self.member(c);
        let Member::One(from) = first else {
            return spelt(&first);
        };
        if self.peek(0) != Some('-') || matches!(self.peek(1), None | Some(']')) {
            return escaped(from);
        }
        self.at += 1;
        let Some(c) = self.next() else {
            return escaped(from);
        };
        match self.member(c) {
            Member::One(to) => format!("{}-{}", escaped(from), escaped(to)),
            // `[a-\d]`: not a range, the hyphen is itself.
            set @ Member::Set(_) => format!("{}\\-{}", escaped(from), spelt(&set)),
        }
    }

    fn member(&mut self, c: char) -> Member {
        if c != '\\' {
            return Member::One(c);
        }
        match self.next() {
            None => Member::One('\\'),
            Some('b') => Member::One('\u{8}'),
            Some(c) => match self.set(c) {
                Some(set) => Member::Set(set),
                None => Member::One(self.code_point(c)),
            },
        }
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&escaped(c));
    }
}

fn is_count(body: &str) -> bool {
    let (low, high) = body.split_once(',').unwrap_or((body, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

fn surrogates(first: u32, second: u32) -> Option<char> {
    let halves = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    char::decode_utf16(halves).next()?.ok()
}

fn spelt(member: &Member) -> String {
    match member {
        Member::One(c) => escaped(*c),
        Member::Set(set) => set.clone(),
    }
}

fn escaped(c: char) -> String {
    if c.is_ascii_punctuation() || c.is_control() {
        format!("\\x{{{:X}}}", u32::from(c))
    } else {
        c.to_string()
    }
}
