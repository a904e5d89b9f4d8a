//! Which files a command may name. Nothing is looked at yet: this gives paths, and what gives none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hook_runner::matcher::ShellWords;

use super::case::CommandLine;
use super::namer::Namer;
use super::opaque::Opaque;
use super::programs;
use super::surroundings::Surroundings;
use super::variables::Variables;
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
    /// Whether its absence is worth a word.
    pub(super) is_path: bool,
    /// Whether the shell will look for it where the agent is then.
    pub(super) moves: bool,
}

/// What a command names.
pub(super) fn of_command(line: &CommandLine, around: &Surroundings) -> Names {
    let variables = Variables::of(line, around);
    let text = match &line.run {
        Run::Shell(text) => text.clone(),
        Run::Exec { program, args } => {
            let words = std::iter::once(program).chain(args);
            let quoted: Vec<String> = words.map(|word| quoted(&variables.fill(word))).collect();
            quoted.join(" ")
        }
    };
    let mut read = ShellWords::read(&text, &variables.pairs());
    if read.commands.iter().any(programs::drops_environment) {
        read = ShellWords::read(&text, &[]);
    }
    let mut namer = Namer::new(line, around);
    let is_foreign = line
        .shell
        .as_deref()
        .is_some_and(programs::is_foreign_shell);
    if read.unreadable || is_foreign {
        namer.unreadable(&text, &variables);
    }
    namer.shell(line.shell.as_deref());
    namer.start(&text, &read);
    namer.read(&read);
    let mut names = namer.finish();
    for (name, _) in &line.env {
        if decides_what_runs(name) {
            names.opaque.insert(Opaque::Lookup(name.clone()));
        }
    }
    names
}

/// What a shell script names that it reads as a part of itself.
pub(super) fn of_script(text: &str, line: &CommandLine, around: &Surroundings) -> Names {
    let variables = Variables::of(line, around);
    let mut namer = Namer::new(line, around);
    for command in ShellWords::read(text, &variables.pairs()).commands {
        namer.script_command(&command);
    }
    namer.finish()
}

/// What the first line of a script names: `#!./interpreter`.
pub(super) fn of_shebang(text: &str, line: &CommandLine, around: &Surroundings) -> Names {
    let mut namer = Namer::new(line, around);
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    for (at, word) in first.unwrap_or_default().split_whitespace().enumerate() {
        let is_elsewhere = Path::new(word).is_absolute() && !around.contains(Path::new(word));
        match word.contains('/') || at == 0 {
            true if is_elsewhere => {}
            true => namer.literal(word, false),
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
