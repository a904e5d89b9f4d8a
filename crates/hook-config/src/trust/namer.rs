//! Collects what the words of commands may name, word by word.

use std::path::{Path, PathBuf};

use hook_runner::matcher::{ShellCommand, ShellWord, ShellWords};

use super::case::{CommandLine, WorkingDirectory};
use super::names::{Named, Names};
use super::opaque::Opaque;
use super::programs::{self, Script};
use super::surroundings::Surroundings;
use super::variables::Variables;

/// So many words of a command are looked at.
const MAX_WORDS: usize = 256;
/// So many places a command changes to are followed.
const MAX_PLACES: usize = 8;
/// A longer word names no file.
const MAX_PATH: usize = 4096;

pub(super) struct Namer<'a> {
    around: &'a Surroundings,
    /// Where relative names are looked up: where the command starts, and where it changes to.
    places: Vec<PathBuf>,
    /// Whether the first of them is wherever the agent is.
    starts_at_agent: bool,
    /// Whether relative names depend on that.
    moves: bool,
    names: Names,
}

impl<'a> Namer<'a> {
    pub(super) fn new(line: &CommandLine, around: &'a Surroundings) -> Self {
        let place = match &line.place {
            WorkingDirectory::Fixed(path) => around.resolve(path),
            WorkingDirectory::Agent | WorkingDirectory::Project => around.project().to_owned(),
        };
        let starts_at_agent = line.place == WorkingDirectory::Agent;
        Self {
            around,
            places: vec![place],
            starts_at_agent,
            moves: starts_at_agent,
            names: Names::default(),
        }
    }

    pub(super) fn finish(self) -> Names {
        self.names
    }

    fn note(&mut self, opaque: Opaque) {
        self.names.opaque.insert(opaque);
    }

    // ===== commands =====

    /// A text that begins with `cd` to one certain place, whatever happens: from there on nothing
    /// depends on where the agent is.
    pub(super) fn start(&mut self, text: &str, read: &ShellWords) {
        let first = read
            .commands
            .first()
            .map(|command| command.words.as_slice());
        let Some([name, place]) = first else { return };
        let rest = text
            .trim_start()
            .strip_prefix(&name.written)
            .and_then(|rest| rest.trim_start().strip_prefix(&place.written))
            .map(|rest| rest.trim_start_matches([' ', '\t']));
        let goes_on =
            rest.is_some_and(|rest| ["&&", ";", "\n"].iter().any(|sign| rest.starts_with(sign)));
        let is_certain = place
            .literal
            .as_deref()
            .is_some_and(|place| Path::new(place).is_absolute());
        if name.literal.as_deref() == Some("cd") && goes_on && is_certain {
            self.moves = false;
        }
    }

    /// Everything that was read.
    pub(super) fn read(&mut self, read: &ShellWords) {
        for name in &read.redirections {
            self.note(Opaque::Lookup(name.clone()));
        }
        for command in &read.commands {
            self.command(command);
        }
        for word in &read.beside {
            self.word(word, false);
        }
        let is_open = |opaque: &Opaque| matches!(opaque, Opaque::Word(_));
        let has_open_word = self.names.opaque.iter().any(is_open);
        for command in &read.opaque {
            // What is sourced is a word like others, and a word that is open has been named.
            let is_sourced = command.starts_with(". ") || command.starts_with("source ");
            let is_named = has_open_word && command.contains('…');
            if !is_sourced && !is_named {
                self.note(Opaque::Unwritten(command.clone()));
            }
        }
    }

    fn command(&mut self, command: &ShellCommand) {
        let Some((program, arguments)) = command.words.split_first() else {
            return;
        };
        let name = programs::name(program);
        if programs::changes_directory(name) {
            return self.change_directory(arguments);
        }
        if programs::is_inert(name) {
            return;
        }
        self.program(program);
        if programs::is_runner(name, arguments) {
            self.note(Opaque::Runner(name.to_owned()));
        }
        if programs::runs_a_text(name) {
            self.note(Opaque::Unwritten(name.to_owned()));
        }
        let script = programs::script(name, arguments);
        if script == Script::Input {
            self.note(Opaque::Unwritten(name.to_owned()));
        }
        for (at, word) in arguments.iter().enumerate() {
            self.word(word, script == Script::Argument(at));
        }
    }

    /// A command of a script that was named: only what makes other files a part of it counts.
    pub(super) fn script_command(&mut self, command: &ShellCommand) {
        let Some((program, arguments)) = command.words.split_first() else {
            return;
        };
        match programs::name(program) {
            "." | "source" => arguments
                .iter()
                .take(1)
                .for_each(|word| self.word(word, true)),
            name if programs::changes_directory(name) => self.change_directory(arguments),
            _ => {}
        }
    }

    fn change_directory(&mut self, arguments: &[ShellWord]) {
        let mut operands = arguments.iter().filter(|word| {
            let text = word.literal.as_deref().unwrap_or_default();
            text == "-" || !text.starts_with('-')
        });
        let place = operands.next_back();
        match place.map(|word| (word, word.literal.as_deref())) {
            Some((_, Some("-"))) => self.moves = self.starts_at_agent,
            Some((_, Some(place))) => self.go_to(Path::new(place)),
            Some((word, None)) => self.word(word, false),
            None => {
                if let Some(home) = self.around.home_directory() {
                    self.go_to(home);
                }
            }
        }
    }

    fn go_to(&mut self, place: &Path) {
        let reached: Vec<PathBuf> = self.places.iter().map(|known| known.join(place)).collect();
        for place in reached {
            if self.places.contains(&place) {
                continue;
            }
            if self.places.len() == MAX_PLACES {
                return self.note(Opaque::TooMany);
            }
            self.places.push(place);
        }
    }

    /// The shell that reads a text, where it is named.
    pub(super) fn shell(&mut self, shell: Option<&str>) {
        match shell {
            Some(name) if name.contains('/') => self.literal(name, true),
            Some(name) => self.on_path(name),
            None => {}
        }
    }

    /// Whatever could be a word of a text that cannot be read.
    pub(super) fn unreadable(&mut self, text: &str, variables: &Variables) {
        self.note(Opaque::Unreadable);
        for word in text.split(|c: char| c.is_whitespace() || ";&|()<>`".contains(c)) {
            let word = word.replace(['\'', '"'], "");
            self.literal(&variables.paste(&word), false);
        }
    }

    // ===== words =====

    /// A name without a slash is looked for on the search path, and nowhere else.
    fn program(&mut self, word: &ShellWord) {
        match word.literal.as_deref() {
            Some(name) if !name.contains('/') => self.on_path(name),
            None if word.written.is_empty() => self.note(Opaque::Word("{}".to_owned())),
            Some(_) | None => self.word(word, true),
        }
    }

    fn word(&mut self, word: &ShellWord, is_path: bool) {
        match &word.literal {
            Some(text) => self.literal(text, is_path),
            // A word that a wrapper adds.
            None if word.written.is_empty() => {}
            None => self.note(Opaque::Word(word.written.clone())),
        }
    }

    /// A word, and what stands after a sign in it: `--config=./x`, `-r./x`, `@./x`.
    pub(super) fn literal(&mut self, text: &str, is_path: bool) {
        if text.is_empty() || text.len() > MAX_PATH || text.contains('\0') {
            return;
        }
        self.path(text, is_path);
        let value = text.split_once('=').map(|(_, value)| value);
        let attached = text
            .strip_prefix('-')
            .filter(|option| !option.starts_with('-'))
            .and_then(|option| option.get(1..));
        for part in [value, attached, text.strip_prefix('@')] {
            match part {
                Some(part) if !part.is_empty() => self.path(part, false),
                Some(_) | None => {}
            }
        }
    }

    fn path(&mut self, text: &str, is_path: bool) {
        let is_relative = Path::new(text).is_relative();
        let paths = if is_relative {
            self.places.iter().map(|place| place.join(text)).collect()
        } else {
            vec![PathBuf::from(text)]
        };
        self.add(Named {
            word: text.to_owned(),
            paths,
            is_path: is_path || programs::looks_like_a_path(text),
            moves: is_relative && self.moves,
        });
        if !text.contains('/') {
            self.on_path(text);
        }
    }

    pub(super) fn on_path(&mut self, name: &str) {
        let folders = self.around.project_path().iter();
        let paths: Vec<PathBuf> = folders.map(|folder| folder.join(name)).collect();
        if !paths.is_empty() && !name.is_empty() {
            self.add(Named {
                word: name.to_owned(),
                paths,
                is_path: false,
                moves: false,
            });
        }
    }

    fn add(&mut self, named: Named) {
        if self.names.words.contains(&named) {
            return;
        }
        if self.names.words.len() == MAX_WORDS {
            self.note(Opaque::TooMany);
        } else {
            self.names.words.push(named);
        }
    }
}
