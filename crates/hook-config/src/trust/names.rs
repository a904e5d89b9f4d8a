//! Which files a command may name. Nothing is looked at yet: this gives paths, and what gives none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hook_runner::matcher::ShellWords;

use super::case::CommandLine;
use super::namer::Namer;
use super::opaque::Opaque;
use super::programs;
use super::scope::Scope;
use super::surroundings::Surroundings;
use crate::entry::Run;

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
    pub(super) role: Role,
    /// Whether its absence is worth a word.
    pub(super) is_path: bool,
    /// Whether the shell will look for it where the agent is then.
    pub(super) moves: bool,
}

/// What becomes of the file that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nobody knows: it stands in a text, or could be what a name is short for. If it is a file it
    /// counts, and if it is none that is not worth a word.
    Mention,
    /// Whatever the program does with its arguments.
    Argument,
    /// An interpreter runs it, which is no shell.
    Script,
    /// A shell reads it, whatever its first line says.
    ShellScript,
    /// It is started: its first line says who reads it, else a shell does.
    Program,
}

/// What a command names.
pub(super) fn of_command(line: &CommandLine, around: &Surroundings, scope: &mut Scope) -> Names {
    let variables = scope.variables();
    let text = match &line.run {
        Run::Shell(text) => text.clone(),
        Run::Exec { program, args } => {
            let words = std::iter::once(program).chain(args);
            let quoted: Vec<String> = words.map(|word| quoted(&variables.fill(word))).collect();
            quoted.join(" ")
        }
    };
    let mut read = ShellWords::read(&text, &variables.pairs());
    let drops_environment = read.commands.iter().any(programs::drops_environment);
    if drops_environment {
        read = ShellWords::read(&text, &[]);
    }
    let is_foreign = line
        .shell
        .as_deref()
        .is_some_and(programs::is_foreign_shell);
    let mut namer = Namer::new(around, scope);
    if read.unreadable || is_foreign {
        namer.unreadable(&text);
    }
    namer.shell(line.shell.as_deref());
    namer.start(&text, &read);
    namer.read(&read);
    for (name, value) in line.env.iter().filter(|(name, _)| decides_what_runs(name)) {
        namer.decides_what_runs(name, value);
    }
    let names = namer.finish();
    if drops_environment {
        scope.variables_mut().forget_all();
    }
    scope.variables_mut().forget_touched(&text);
    names
}

/// What a shell script names that it reads as a part of itself, and whether it could be read.
pub(super) fn of_script(text: &str, around: &Surroundings, scope: &mut Scope) -> (Names, bool) {
    let read = ShellWords::read(text, &scope.variables().pairs());
    let mut namer = Namer::new(around, scope);
    for command in &read.commands {
        namer.script_command(command);
    }
    let names = namer.finish();
    scope.variables_mut().forget_touched(text);
    (names, !read.unreadable)
}

/// What the first line of a script names: `#!./interpreter`.
pub(super) fn of_shebang(first: &str, around: &Surroundings, scope: &mut Scope) -> Names {
    let mut namer = Namer::new(around, scope);
    let first = first.strip_prefix("#!").unwrap_or_default();
    for (at, word) in first.split_whitespace().enumerate() {
        let is_elsewhere = Path::new(word).is_absolute() && !around.contains(Path::new(word));
        match word.contains('/') || at == 0 {
            true if is_elsewhere => {}
            true => namer.literal(word, Role::Program),
            false => namer.on_path(word),
        }
    }
    namer.finish()
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
