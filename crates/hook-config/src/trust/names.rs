//! Which files a command may name. Nothing is looked at yet: this gives paths, and what gives none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hook_runner::matcher::{ShellCommand, ShellWord, ShellWords};

use super::case::{CommandLine, WorkingDirectory};
use super::opaque::Opaque;
use super::programs;
use super::surroundings::Surroundings;
use super::variables::Variables;
use crate::entry::Run;

/// So many words of a command are looked at.
const MAX_WORDS: usize = 256;
/// So many places a command changes to are followed.
const MAX_PLACES: usize = 8;
/// A longer word names no file.
const MAX_PATH: usize = 4096;

/// The files that a command may name.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) words: Vec<Named>,
    pub(super) opaque: BTreeSet<Opaque>,
}

/// A word, and the places where a file of that name would count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) word: String,
    pub(super) paths: Vec<PathBuf>,
    /// Whether its absence is worth a word.
    pub(super) is_path: bool,
    /// Whether the shell will look for it where the agent is then.
    pub(super) moves: bool,
}

/// What a command names.
pub(super) fn of_command(line: &CommandLine, around: &Surroundings) -> Names {
    let variables = Variables::of(line, around);
    let mut namer = Namer::new(line, around);
    let read = match &line.run {
        Run::Shell(text) => ShellWords::read(text, &variables.pairs()),
        Run::Exec { program, args } => {
            let words = std::iter::once(program).chain(args);
            let quoted: Vec<String> = words.map(|word| quoted(&variables.fill(word))).collect();
            ShellWords::read(&quoted.join(" "), &variables.pairs())
        }
    };
    if read.unreadable {
        namer.unreadable(&line.run, &variables);
    }
    namer.shell(line.shell.as_deref());
    namer.read(&read);
    for (name, _) in &line.env {
        if decides_what_runs(name) {
            namer.names.opaque.insert(Opaque::Lookup(name.clone()));
        }
    }
    namer.names
}

/// What a shell script names that it reads as a part of itself.
pub(super) fn of_script(text: &str, line: &CommandLine, around: &Surroundings) -> Names {
    let variables = Variables::of(line, around);
    let mut namer = Namer::new(line, around);
    for command in ShellWords::read(text, &variables.pairs()).commands {
        let mut words = command.words.iter();
        let name = words.next().and_then(|word| word.literal.as_deref());
        match (name, words.next()) {
            (Some("." | "source"), Some(word)) => namer.word(word),
            (Some(program), Some(place)) if programs::changes_directory(program) => {
                namer.change_directory(place);
            }
            _ => {}
        }
    }
    namer.names
}

/// What the first line of a script names: `#!./interpreter`.
pub(super) fn of_shebang(text: &str, line: &CommandLine, around: &Surroundings) -> Names {
    let mut namer = Namer::new(line, around);
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    for (at, word) in first.unwrap_or_default().split_whitespace().enumerate() {
        let is_elsewhere = Path::new(word).is_absolute() && !around.contains(Path::new(word));
        match word.contains('/') || at == 0 {
            true if is_elsewhere => {}
            true => namer.literal(word),
            false => namer.on_path(word),
        }
    }
    namer.names
}

struct Namer<'a> {
    around: &'a Surroundings,
    /// Where relative names are looked up: where the command starts, and where it changes to.
    places: Vec<PathBuf>,
    moves: bool,
    names: Names,
}

impl<'a> Namer<'a> {
    fn new(line: &CommandLine, around: &'a Surroundings) -> Self {
        let place = match &line.place {
            WorkingDirectory::Fixed(path) => around.resolve(path),
            WorkingDirectory::Agent | WorkingDirectory::Project => around.project().to_owned(),
        };
        Self {
            around,
            places: vec![place],
            moves: line.place == WorkingDirectory::Agent,
            names: Names::default(),
        }
    }

    fn read(&mut self, read: &ShellWords) {
        for name in &read.redirections {
            self.names.opaque.insert(Opaque::Lookup(name.clone()));
        }
        read.commands
            .iter()
            .for_each(|command| self.command(command));
        read.beside.iter().for_each(|word| self.word(word));
        let has_open_word = self
            .names
            .opaque
            .iter()
            .any(|opaque| matches!(opaque, Opaque::Word(_)));
        for command in &read.opaque {
            // What is sourced is a word like others, and a word that is open has been named.
            let is_sourced = command.starts_with(". ") || command.starts_with("source ");
            let is_named = has_open_word && command.contains('…');
            if !is_sourced && !is_named {
                self.names.opaque.insert(Opaque::Unwritten(command.clone()));
            }
        }
    }

    fn command(&mut self, command: &ShellCommand) {
        let Some((program, arguments)) = command.words.split_first() else {
            return;
        };
        let path = program.literal.as_deref().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        if programs::changes_directory(name) {
            for place in arguments {
                self.change_directory(place);
            }
            return;
        }
        if programs::is_inert(name) {
            return;
        }
        let known: Vec<Option<&str>> = arguments
            .iter()
            .map(|word| word.literal.as_deref())
            .collect();
        if programs::is_runner(name, &known) {
            self.names.opaque.insert(Opaque::Runner(name.to_owned()));
        }
        self.program(program);
        for word in arguments {
            self.word(word);
        }
    }

    /// A name without a slash is looked for on the search path, and nowhere else.
    fn program(&mut self, word: &ShellWord) {
        match word.literal.as_deref() {
            Some(name) if !name.contains('/') => self.on_path(name),
            Some(_) | None => self.word(word),
        }
    }

    /// The shell that reads a text, where it is named.
    fn shell(&mut self, shell: Option<&str>) {
        match shell {
            Some(name) if name.contains('/') => self.literal(name),
            Some(name) => self.on_path(name),
            None => {}
        }
    }

    fn on_path(&mut self, name: &str) {
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

    fn word(&mut self, word: &ShellWord) {
        match &word.literal {
            Some(text) => self.literal(text),
            None if word.written.is_empty() => {}
            None => {
                self.names.opaque.insert(Opaque::Word(word.written.clone()));
            }
        }
    }

    /// A word, and what stands after a sign in it: `--config=./x`, `@./x`.
    fn literal(&mut self, text: &str) {
        if text.len() > MAX_PATH || text.contains(['\0', '\n']) || text.contains("://") {
            return;
        }
        self.path(text);
        if let Some((_, value)) = text.split_once('=') {
            self.path(value);
        }
        if let Some(name) = text.strip_prefix('@') {
            self.path(name);
        }
    }

    fn path(&mut self, text: &str) {
        if text.is_empty() || text.starts_with('-') {
            return;
        }
        let is_relative = Path::new(text).is_relative();
        let paths = if is_relative {
            self.places.iter().map(|place| place.join(text)).collect()
        } else {
            vec![PathBuf::from(text)]
        };
        self.add(Named {
            word: text.to_owned(),
            paths,
            is_path: programs::looks_like_a_path(text),
            moves: is_relative && self.moves,
        });
        if !text.contains('/') {
            self.on_path(text);
        }
    }

    fn add(&mut self, named: Named) {
        if self.names.words.contains(&named) {
            return;
        }
        if self.names.words.len() == MAX_WORDS {
            self.names.opaque.insert(Opaque::TooMany);
        } else {
            self.names.words.push(named);
        }
    }

    /// Once a command has changed to a place that does not depend on the agent's, neither do its words.
    fn change_directory(&mut self, place: &ShellWord) {
        let Some(text) = place.literal.as_deref() else {
            return self.word(place);
        };
        if text.is_empty() || text.starts_with('-') {
            return;
        }
        let known = &self.places;
        let reached: Vec<PathBuf> = known.iter().map(|known| known.join(text)).collect();
        self.moves &= Path::new(text).is_relative();
        for place in reached {
            if self.places.contains(&place) {
                continue;
            }
            if self.places.len() == MAX_PLACES {
                self.names.opaque.insert(Opaque::TooMany);
                return;
            }
            self.places.push(place);
        }
    }

    /// Whatever could be a word of a text that is no shell.
    fn unreadable(&mut self, run: &Run, variables: &Variables) {
        self.names.opaque.insert(Opaque::Unreadable);
        let Run::Shell(text) = run else { return };
        for word in text.split(|c: char| c.is_whitespace() || ";&|()<>`".contains(c)) {
            let word = word.replace(['\'', '"'], "");
            self.literal(&variables.paste(&word));
        }
    }
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether a variable decides which programs or libraries run: the rule is the shell reader's.
fn decides_what_runs(name: &str) -> bool {
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name
        && !ShellWords::read(&format!("{name}=x"), &[])
            .redirections
            .is_empty()
}
