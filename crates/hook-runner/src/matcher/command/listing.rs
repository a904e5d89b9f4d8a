//! What a command names: every word of every command in it.

use super::super::shell::{ShellCommand, ShellWord, ShellWords};
use super::{
    Command, Inner, Script,
    known::Known,
    parse,
    text::{Sign, Text},
    word::Word,
    wrapper,
};

/// What was met while a text was read.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Commands as written, then without their wrappers.
    pub(super) commands: Vec<Vec<Word>>,
    /// Words outside commands.
    pub(super) beside: Vec<Word>,
    /// Variables that are set.
    pub(super) assigned: Vec<String>,
}

/// Lists the words of a command, with the values of the variables filled in.
pub(in super::super) fn list(command: &str, variables: &[(&str, &str)]) -> ShellWords {
    let mut known = Known::untouched(variables, command);
    loop {
        let (script, listing) = parse::listed(command, known.clone());
        let touched = |name: &&(&str, &str)| listing.may_set(name.0) && known.get(name.0).is_some();
        let Some((name, _)) = variables.iter().find(touched) else {
            return listing.finish(&script);
        };
        known.forget(name);
    }
}

impl Listing {
    /// Whether a variable is set, or named as a plain word: `read NAME`, `export "NAME"=…`.
    fn may_set(&self, variable: &str) -> bool {
        let named = |word: &Word| {
            let text = word.literal().unwrap_or_default();
            text.split('=').next() == Some(variable)
        };
        self.assigned.iter().any(|name| name == variable)
            || self.commands.iter().flatten().any(named)
    }

    fn finish(self, script: &Script) -> ShellWords {
        let mut words = ShellWords::default();
        let commands = self.commands.iter().map(|words| ShellCommand {
            words: words.iter().map(shell_word).collect(),
        });
        words.commands = commands.collect();
        words.beside = self.beside.iter().map(shell_word).collect();
        words.redirections = self.assigned;
        words
            .redirections
            .retain(|name| wrapper::redirects_lookup(name));
        note_opaque(script, &mut words);
        words
    }
}

fn shell_word(word: &Word) -> ShellWord {
    ShellWord {
        literal: word.literal(),
        written: word.written.clone(),
    }
}

fn note_opaque(script: &Script, words: &mut ShellWords) {
    for command in &script.commands {
        match &command.inner {
            Inner::Nothing => {}
            Inner::Script(inner) => note_opaque(inner, words),
            Inner::Opaque => match written(command) {
                Some(text) => words.opaque.push(text),
                None => words.unreadable = true,
            },
        }
    }
}

/// The innermost reading of a command; `None` if there is none.
fn written(command: &Command) -> Option<String> {
    let reading = command.readings.last()?;
    Some(text_of(&reading.text))
}

fn text_of(text: &Text) -> String {
    let char_of = |sign: &Sign| match sign {
        Sign::Char(c) => *c,
        Sign::NameBlank => ' ',
        Sign::Gap => '…',
    };
    let text: String = text.signs().iter().map(char_of).collect();
    text.trim_end().to_owned()
}
