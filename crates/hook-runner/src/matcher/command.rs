//! Patterns over shell commands: the inside of `Bash(git push *)`.
//!
//! ```text
//! command text -> script (the commands in it) -> text of each command -> yes, no, unknown
//!               parse, walk, word, wrapper      text
//! ```
//!
//! A command's text is its words without their quotes, one blank between them. What only
//! running could tell (an expansion, a file name pattern) is a gap in that text, and the
//! comparison says whether the pattern fits whatever fills the gap, or nothing that could.

use super::truth::{Purpose, Truth};

mod ansi;
mod backtick;
mod heredoc;
mod known;
mod listing;
mod parse;
mod text;
mod walk;
mod word;
mod wrapper;

use text::{Glob, Text};

pub(super) use listing::list;

/// A pattern over commands.
#[derive(Clone, Debug)]
pub(super) struct CommandPattern {
    glob: Glob,
    /// `git`, `git *`, `git:*` or `git*`: about which program runs, not about its arguments.
    name_only: bool,
}

/// The commands in a text, as far as they can be told.
#[derive(Debug, Default)]
struct Script {
    commands: Vec<Command>,
    /// `$NAME`, `$(…)` or backticks occur anywhere in it.
    has_expansion: bool,
    /// It sets a variable that decides which programs or libraries run.
    redirects_lookup: bool,
}

/// One simple command.
#[derive(Debug)]
struct Command {
    /// The command as written, then what is left of it as wrappers are taken off.
    readings: Vec<Reading>,
    /// The commands that it runs by way of a text.
    inner: Inner,
}

/// One way to read a command.
#[derive(Debug)]
struct Reading {
    text: Text,
    standing: Standing,
}

/// How far a reading counts as the command itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It is the command.
    Plain,
    /// It is what `sudo` or the like runs: the same command, with other rights.
    Elevated,
    /// It is the command with the folder of its program left out: `/bin/rm` is likely `rm`.
    Basename,
}

/// What a command runs by way of a text.
#[derive(Debug)]
enum Inner {
    Nothing,
    /// A text that cannot be read: `eval`, `source`, a script with expansions.
    Opaque,
    /// The text after `sh -c`, or what `find -exec` runs.
    Script(Script),
}

impl CommandPattern {
    pub(super) fn parse(content: &str) -> Self {
        let content = text::normal_pattern(content);
        let stem = content.strip_suffix('*').unwrap_or(&content).trim_end();
        Self {
            name_only: !stem.contains([' ', '*']),
            glob: Glob::new(&content),
        }
    }

    pub(super) fn judge(&self, command: &str, purpose: Purpose) -> Truth {
        let script = parse::script(command);
        let this = Patterns(&[self]);
        match purpose {
            Purpose::Allow => this.cover_all(&script),
            Purpose::Condition if !self.name_only && script.has_expansion => {
                this.cover_any(&script).max(Truth::Unknown)
            }
            Purpose::Condition | Purpose::Restrict => this.cover_any(&script),
        }
    }

    /// Whether each subcommand is allowed by one of the patterns.
    pub(super) fn allow_together(patterns: &[&Self], command: &str) -> Truth {
        Patterns(patterns).cover_all(&parse::script(command))
    }
}

/// Patterns of which any may fit.
struct Patterns<'a>(&'a [&'a CommandPattern]);

impl Patterns<'_> {
    fn cover_any(&self, script: &Script) -> Truth {
        any(script.commands.iter().map(|command| {
            let readings = command.readings.iter().map(|reading| self.fit(reading));
            any(readings).max(match &command.inner {
                Inner::Nothing => Truth::No,
                Inner::Opaque => Truth::Unknown,
                Inner::Script(script) => self.cover_any(script),
            })
        }))
    }

    fn cover_all(&self, script: &Script) -> Truth {
        let each = script.commands.iter().map(|command| self.allow(command));
        // A script without commands does nothing, but no rule has allowed it either.
        let all = each.min().unwrap_or(Truth::No);
        if script.redirects_lookup {
            all.min(Truth::Unknown)
        } else {
            all
        }
    }

    fn allow(&self, command: &Command) -> Truth {
        let readings = command
            .readings
            .iter()
            .map(|reading| match reading.standing {
                Standing::Plain => self.fit(reading),
                Standing::Elevated | Standing::Basename => self.fit(reading).min(Truth::Unknown),
            });
        any(readings).max(match &command.inner {
            Inner::Nothing => Truth::No,
            Inner::Opaque => Truth::Unknown,
            Inner::Script(script) => self.cover_all(script),
        })
    }

    fn fit(&self, reading: &Reading) -> Truth {
        let fits = any(self
            .0
            .iter()
            .map(|pattern| pattern.glob.fits(&reading.text)));
        match reading.standing {
            Standing::Plain | Standing::Elevated => fits,
            Standing::Basename => fits.min(Truth::Unknown),
        }
    }
}

impl Script {
    /// A text that nobody can read.
    fn opaque() -> Self {
        Self {
            commands: vec![Command::opaque()],
            ..Self::default()
        }
    }
}

impl Command {
    /// A place where something runs that nobody can read.
    fn opaque() -> Self {
        Self {
            readings: Vec::new(),
            inner: Inner::Opaque,
        }
    }
}

fn any(truths: impl Iterator<Item = Truth>) -> Truth {
    truths.max().unwrap_or(Truth::No)
}
