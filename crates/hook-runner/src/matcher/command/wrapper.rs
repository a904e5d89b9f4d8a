//! Commands that run other commands: `sudo`, `env`, `xargs`, `sh -c`, `find -exec`.

use super::{
    Command, Inner, Reading, Script, Standing,
    parse::Reader,
    text::{Sign, Text},
    word::Word,
};

mod table;
mod variables;

use table::{Stripped, WRAPPERS, Wrapper};

pub(super) use variables::redirects_lookup;

/// So many wrappers around one command are taken off.
const MAX_WRAPPERS: usize = 16;

/// A command with its wrappers taken off.
pub(super) struct Peeled {
    pub(super) command: Command,
    /// Commands it runs beside itself.
    pub(super) aside: Vec<Command>,
    /// A wrapper sets a variable that decides which programs or libraries run.
    pub(super) redirects_lookup: bool,
}

/// What a program does with its arguments.
enum Program {
    /// Something of its own.
    Plain,
    /// Runs them as a command.
    Wrapper(&'static Wrapper),
    /// Runs a text among them.
    Shell,
    Trap,
    /// Runs commands among them, and does something of its own.
    Find,
    /// Our own: `hookline adapt … --` runs what follows as a command.
    Hookline,
    /// Runs something that is not written here.
    Opaque,
}

impl Program {
    fn named(name: &str, is_quoted: bool) -> Self {
        match name {
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Self::Shell,
            "eval" | "source" | "." | "alias" => Self::Opaque,
            "trap" => Self::Trap,
            "find" => Self::Find,
            "hookline" => Self::Hookline,
            _ if !is_quoted && is_keyword(name) => Self::Opaque,
            _ => WRAPPERS
                .iter()
                .find(|wrapper| wrapper.name == name)
                .map_or(Self::Plain, Self::Wrapper),
        }
    }
}

/// After `time` and the like the grammar takes these for plain words.
fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "!", "[[", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
        "in", "select", "then", "until", "while", "{", "}",
    ];
    KEYWORDS.contains(&name)
}

/// What `hookline adapt … --` runs.
fn adapted(words: &[Word]) -> Option<Vec<Word>> {
    let is = |word: &Word, text: &str| word.literal().is_some_and(|word| word == text);
    let adapts = words.get(1).is_some_and(|word| is(word, "adapt"));
    let end = words.iter().position(|word| is(word, "--"))?;
    let rest = words.get(end + 1..).filter(|rest| !rest.is_empty())?;
    adapts.then(|| rest.to_vec())
}

/// Takes the wrappers off, one by one, and keeps a reading of each stage.
pub(super) fn peel(words: &[Word], reader: &mut Reader) -> Peeled {
    let mut peeler = Peeler {
        readings: Vec::new(),
        aside: Vec::new(),
        standing: Standing::Plain,
        redirects_lookup: false,
    };
    let inner = peeler.peel(words, reader);
    Peeled {
        command: Command {
            readings: peeler.readings,
            inner,
        },
        aside: peeler.aside,
        redirects_lookup: peeler.redirects_lookup,
    }
}

struct Peeler {
    readings: Vec<Reading>,
    aside: Vec<Command>,
    standing: Standing,
    redirects_lookup: bool,
}

impl Peeler {
    fn peel(&mut self, words: &[Word], reader: &mut Reader) -> Inner {
        let mut words = words.to_vec();
        let mut in_doubt = false;
        for _ in 0..MAX_WRAPPERS {
            reader.note_command(&words);
            if !self.read(&words, in_doubt, reader) {
                return Inner::Opaque;
            }
            let name = words.first().and_then(Word::literal).filter(|_| !in_doubt);
            // A name with a gap makes a text with a gap, which says all there is to say.
            let Some(name) = name else {
                return Inner::Nothing;
            };
            let is_quoted = words.first().is_some_and(|word| word.is_quoted);
            match Program::named(basename(&name), is_quoted) {
                Program::Plain => return Inner::Nothing,
                Program::Opaque => return Inner::Opaque,
                Program::Shell => return shell(&words, reader),
                Program::Trap => return trap(&words, reader),
                Program::Find => {
                    self.find(&words, reader);
                    return Inner::Nothing;
                }
                Program::Hookline => match adapted(&words) {
                    Some(rest) => words = rest,
                    None => return Inner::Nothing,
                },
                Program::Wrapper(wrapper) => match self.strip(wrapper, &words, reader) {
                    Stripped::NoCommand => return Inner::Nothing,
                    Stripped::Opaque => return Inner::Opaque,
                    Stripped::Command {
                        rest,
                        in_doubt: doubt,
                    } => {
                        words = rest;
                        in_doubt = doubt;
                    }
                },
            }
        }
        Inner::Opaque
    }

    fn strip(&mut self, wrapper: &Wrapper, words: &[Word], reader: &mut Reader) -> Stripped {
        if wrapper.elevates {
            self.standing = Standing::Elevated;
        }
        for name in wrapper.assigned(words) {
            self.redirects_lookup |= redirects_lookup(&name);
            reader.note_assignment(&name);
        }
        wrapper.strip(words)
    }

    /// Adds the readings of a stage; `false` if that is one text too many.
    fn read(&mut self, words: &[Word], in_doubt: bool, reader: &mut Reader) -> bool {
        let text = text_of(words, in_doubt);
        if !reader.affords(&text) {
            return false;
        }
        self.readings.push(Reading {
            text,
            standing: self.standing,
        });
        match words.split_first() {
            Some((name, rest)) if name.signs.contains(&Sign::Char('/')) => {
                self.read_basename(name, rest, in_doubt, reader)
            }
            Some(_) | None => true,
        }
    }

    fn read_basename(
        &mut self,
        name: &Word,
        rest: &[Word],
        in_doubt: bool,
        reader: &mut Reader,
    ) -> bool {
        let base = name
            .signs
            .rsplit(|sign| *sign == Sign::Char('/'))
            .next()
            .unwrap_or_default();
        let mut words = vec![Word {
            signs: base.to_vec(),
            is_quoted: name.is_quoted,
            written: String::new(),
        }];
        words.extend_from_slice(rest);
        let text = text_of(&words, in_doubt);
        let affordable = reader.affords(&text);
        self.readings.push(Reading {
            text,
            standing: Standing::Basename,
        });
        affordable
    }

    /// `find … -exec rm {} +`: one more command for each `-exec`.
    fn find(&mut self, words: &[Word], reader: &mut Reader) {
        const STARTS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
        let literal: Vec<_> = words.iter().map(Word::literal).collect();
        let is = |at: usize, expected: &[&str]| {
            literal
                .get(at)
                .and_then(Option::as_deref)
                .is_some_and(|word| expected.contains(&word))
        };
        let mut at = 0;
        while at < words.len() {
            at += 1;
            if !is(at - 1, STARTS) {
                continue;
            }
            let end = (at..words.len())
                .find(|at| is(*at, &[";", "+"]))
                .unwrap_or(words.len());
            let inner = table::with_gaps_for_braces(words.get(at..end).unwrap_or_default());
            match reader.deeper(|reader| peel(&inner, reader)) {
                Some(peeled) => self.take(peeled),
                None => self.aside.push(Command::opaque()),
            }
            at = end;
        }
    }
}

impl Peeler {
    fn take(&mut self, peeled: Peeled) {
        self.redirects_lookup |= peeled.redirects_lookup;
        self.aside.extend(peeled.aside);
        self.aside.push(peeled.command);
    }
}

fn text_of(words: &[Word], in_doubt: bool) -> Text {
    let mut text = Text::default();
    if in_doubt {
        text.push_gap();
    }
    for word in words {
        text.push_word(&word.signs);
    }
    text
}

fn basename(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// `bash -c 'text'`; without `-c` it reads a file, or else its input, which nobody sees here.
fn shell(words: &[Word], reader: &mut Reader) -> Inner {
    let mut from_text = false;
    let mut from_input = false;
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(word) = word.literal() else {
            return Inner::Opaque;
        };
        match word.strip_prefix(['-', '+']) {
            Some("-version" | "-help") => return Inner::Nothing,
            Some("-rcfile" | "-init-file") => drop(words.next()),
            Some(flags) if !flags.starts_with('-') => {
                from_text |= flags.contains('c');
                from_input |= flags.contains('s');
                if flags.ends_with(['o', 'O']) {
                    words.next();
                }
            }
            Some(_) => {}
            None if from_text => return script(reader.nested(&word)),
            None if from_input => return Inner::Opaque,
            None => return Inner::Nothing,
        }
    }
    Inner::Opaque
}

/// `trap 'text' EXIT`
fn trap(words: &[Word], reader: &mut Reader) -> Inner {
    let mut operands = words.iter().skip(1).map(Word::literal);
    let mut first = operands.next();
    if first
        .as_ref()
        .is_some_and(|word| word.as_deref() == Some("--"))
    {
        first = operands.next();
    }
    match (first, operands.next()) {
        (Some(None), Some(_)) => Inner::Opaque,
        (Some(Some(text)), Some(_)) if !text.starts_with('-') => script(reader.nested(&text)),
        (Some(_) | None, _) => Inner::Nothing,
    }
}

fn script(script: Script) -> Inner {
    Inner::Script(script)
}
