//! Collects what the words of commands may name, word by word.

use std::path::{Path, PathBuf};

use hook_runner::matcher::{ShellCommand, ShellWord, ShellWords};

use super::interpreters::{self, Script};
use super::names::{Named, Names, Role};
use super::opaque::Opaque;
use super::programs;
use super::scope::Scope;
use super::surroundings::Surroundings;

/// So many words of a command are looked at.
const MAX_WORDS: usize = 256;
/// A longer word names no file.
const MAX_PATH: usize = 4096;
/// What stands between the names of files in a text.
const NOT_IN_NAMES: &[char] = &[
    ' ', '\t', '\n', '\'', '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', ';', ',', '|', '&',
];

pub(super) struct Namer<'a> {
    around: &'a Surroundings,
    scope: &'a mut Scope,
    /// Whether relative names depend on where the agent is, before anything changes to elsewhere.
    starts_at_agent: bool,
    names: Names,
}

impl<'a> Namer<'a> {
    pub(super) fn new(around: &'a Surroundings, scope: &'a mut Scope) -> Self {
        Self {
            around,
            starts_at_agent: scope.moves,
            scope,
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
    /// depends on where the agent is. To a place that may vanish that is only certain where nothing
    /// goes on after it has failed.
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
            .map(|rest| rest.trim_start_matches([' ', '\t']))
            .unwrap_or_default();
        let goes_on = ["&&", ";", "\n"].iter().any(|sign| rest.starts_with(sign));
        let stops =
            rest.starts_with("&&") && !rest.replace("&&", "").contains(['&', '|', ';', '\n']);
        let place = Path::new(place.literal.as_deref().unwrap_or_default());
        let is_project = goes_on && place == self.around.project();
        let is_certain = is_project || (stops && place.is_absolute());
        if name.literal.as_deref() == Some("cd") && is_certain {
            self.scope.moves = false;
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
            self.word(word, Role::Argument);
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
        if programs::sets_any_variable(name, arguments) {
            self.note(Opaque::Lookup("any variable".to_owned()));
        }
        if programs::is_inert(name) {
            return;
        }
        self.program(program);
        if programs::is_runner(name, arguments) {
            self.note(Opaque::Runner(name.to_owned()));
        }
        if programs::runs_a_text(name) || programs::splits_a_text(name, arguments) {
            self.note(Opaque::Unwritten(name.to_owned()));
        }
        let script = interpreters::script(name, arguments);
        if script == Script::Input {
            self.note(Opaque::Unwritten(name.to_owned()));
        }
        for (at, word) in arguments.iter().enumerate() {
            if script == Script::Argument(at) {
                self.script(name, word);
            } else {
                self.word(word, Role::Argument);
            }
        }
    }

    /// What an interpreter runs.
    fn script(&mut self, interpreter: &str, word: &ShellWord) {
        let role = if interpreters::is_shell(interpreter) {
            Role::ShellScript
        } else {
            Role::Script
        };
        self.word(word, role);
        let endings = interpreters::endings(interpreter);
        for (text, ending) in word
            .literal
            .iter()
            .flat_map(|text| endings.iter().map(move |ending| (text, ending)))
        {
            self.mention(&format!("{text}{ending}"));
        }
    }

    /// A variable of the entry that decides which programs or libraries run, by its name or in it.
    pub(super) fn decides_what_runs(&mut self, name: &str, value: &str) {
        self.note(Opaque::Lookup(name.to_owned()));
        for part in value
            .split([' ', ':', '=', ','])
            .filter(|part| !part.is_empty())
        {
            self.mention(part);
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
                .for_each(|word| self.word(word, Role::ShellScript)),
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
            Some((_, Some("-"))) => self.scope.moves = self.starts_at_agent,
            Some((_, Some(place))) => self.go_to(Path::new(place)),
            Some((word, None)) => self.word(word, Role::Argument),
            None => {
                if let Some(home) = self.around.home_directory() {
                    self.go_to(home);
                }
            }
        }
    }

    fn go_to(&mut self, place: &Path) {
        if !self.scope.go_to(place) {
            self.note(Opaque::TooMany);
        }
    }

    /// The shell that reads a text, where it is named.
    pub(super) fn shell(&mut self, shell: Option<&str>) {
        match shell {
            Some(name) if name.contains('/') => self.literal(name, Role::Program),
            Some(name) => self.on_path(name),
            None => {}
        }
    }

    /// Whatever could be a word of a text that cannot be read.
    pub(super) fn unreadable(&mut self, text: &str) {
        self.note(Opaque::Unreadable);
        for word in text.split(|c: char| c.is_whitespace() || ";&|()<>`".contains(c)) {
            let word = word.replace(['\'', '"'], "");
            let word = self.scope.variables().paste(&word);
            self.literal(&word, Role::Argument);
        }
    }

    // ===== words =====

    /// A name without a slash is looked for on the search path, and nowhere else.
    fn program(&mut self, word: &ShellWord) {
        match word.literal.as_deref() {
            Some(name) if !name.contains('/') => self.on_path(name),
            None if word.written.is_empty() => self.note(Opaque::Word("{}".to_owned())),
            Some(_) | None => self.word(word, Role::Program),
        }
    }

    fn word(&mut self, word: &ShellWord, role: Role) {
        match &word.literal {
            // `~somebody`, or `~+`: only the shell knows where that is.
            Some(text) if text.starts_with('~') && word.written.starts_with('~') => {
                self.note(Opaque::Word(word.written.clone()));
            }
            Some(text) => self.literal(text, role),
            // A word that a wrapper adds.
            None if word.written.is_empty() => {}
            None => self.note(Opaque::Word(word.written.clone())),
        }
    }

    /// A word, and what stands after a sign in it: `--config=./x`, `-r./x`, `@./x`. Where it is a text
    /// itself, what is written in it like the name of a file: `awk 'BEGIN { system("./x.sh") }'`.
    pub(super) fn literal(&mut self, text: &str, role: Role) {
        if text.is_empty() || text.contains('\0') {
            return;
        }
        if text.contains(NOT_IN_NAMES) {
            let parts = text.split(NOT_IN_NAMES).filter(|part| !part.is_empty());
            for part in parts.filter(|part| programs::looks_like_a_path(part)) {
                self.mention(part);
            }
        }
        self.path(text, role);
        let value = text.split_once('=').map(|(_, value)| value);
        let attached = text
            .strip_prefix('-')
            .filter(|option| !option.starts_with('-'))
            .and_then(|option| option.get(1..));
        for part in [value, attached, text.strip_prefix('@')] {
            match part {
                Some(part) if !part.is_empty() => self.path(part, Role::Argument),
                Some(_) | None => {}
            }
        }
    }

    fn path(&mut self, text: &str, role: Role) {
        let is_path = role != Role::Argument || programs::looks_like_a_path(text);
        self.named(text, role, is_path);
        if !text.contains('/') {
            self.on_path(text);
        }
    }

    fn mention(&mut self, text: &str) {
        self.named(text, Role::Mention, false);
    }

    fn named(&mut self, text: &str, role: Role, is_path: bool) {
        if text.len() > MAX_PATH {
            return;
        }
        let is_relative = Path::new(text).is_relative();
        let paths = if is_relative {
            let places = self.scope.places.iter();
            places.map(|place| place.join(text)).collect()
        } else {
            vec![PathBuf::from(text)]
        };
        self.add(Named {
            word: text.to_owned(),
            paths,
            role,
            is_path,
            moves: is_relative && self.scope.moves,
        });
    }

    pub(super) fn on_path(&mut self, name: &str) {
        let folders = self.around.project_path().iter();
        let paths: Vec<PathBuf> = folders.map(|folder| folder.join(name)).collect();
        if !paths.is_empty() && !name.is_empty() {
            self.add(Named {
                word: name.to_owned(),
                paths,
                role: Role::Program,
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
