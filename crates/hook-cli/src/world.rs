//! Where a command runs: everything that is read from outside, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The environment, the working directory and the terminal, as they were at the start.
///
/// Commands get it as a value, so that tests can run them anywhere.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct World {
    /// The environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// The working directory, if it is still there.
    pub directory: Option<PathBuf>,
    /// Whether a person reads stdout.
    pub stdout_is_terminal: bool,
    /// Whether a person reads stderr.
    pub stderr_is_terminal: bool,
    /// Whether a person answers on stdin.
    pub stdin_is_terminal: bool,
}

impl World {
    /// The world of this process.
    pub fn of_this_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            directory: std::env::current_dir().ok(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
        }
    }

    /// A variable, if it is set, not empty, and text.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(std::ffi::OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then_some(value)
    }

    /// Whether a variable is set, and not empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        let value = self.variables.get(std::ffi::OsStr::new(name));
        value.is_some_and(|value| !value.is_empty())
    }

    /// Every variable that is text, with its name.
    #[cfg(feature = "network")]
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let variables = self.variables.iter();
        variables.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        self.variable("HOME").map(PathBuf::from)
    }

    /// How many columns there are to write in.
    pub fn width(&self) -> usize {
        let told = self.variable("COLUMNS").and_then(|text| text.parse().ok());
        told.filter(|_| self.stdout_is_terminal)
            .or_else(|| {
                self.stdout_is_terminal
                    .then(terminal_size::terminal_size)
                    .flatten()
                    .map(|(width, _)| usize::from(width.0))
            })
            .unwrap_or(100)
            .max(40)
    }
}
