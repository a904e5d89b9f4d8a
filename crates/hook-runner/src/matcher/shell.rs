//! What a shell command names, as far as that can be told without running it.

use super::command;

/// The words of a shell command, of all commands in it, also behind wrappers and in `sh -c '…'`.
///
/// ```
/// use hook_runner::matcher::ShellWords;
///
/// let words = ShellWords::read(r#"cd "$ROOT" && timeout 5 sh ./check.sh"#, &[("ROOT", "/work")]);
/// # if cfg!(feature = "command-patterns") {
/// assert!(words.literals().any(|word| word == "/work"));
/// assert!(words.literals().any(|word| word == "./check.sh"));
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellWords {
    /// The commands: each as it is written, then without its wrappers, one by one.
    pub commands: Vec<ShellCommand>,
    /// Words outside commands: the values of variables, files to read from.
    pub beside: Vec<ShellWord>,
    /// Variables that are set and decide which programs or libraries run, such as `PATH`.
    pub redirections: Vec<String>,
    /// Commands that run something which is not written there: `eval`, a shell that reads its input.
    pub opaque: Vec<String>,
    /// Some of the text, or all of it, could not be read. Without the feature `command-patterns`
    /// nothing can.
    pub unreadable: bool,
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellCommand {
    /// Its words, the program's name first.
    pub words: Vec<ShellWord>,
}

/// One word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellWord {
    /// The word as the program will see it; `None` if only the shell will know.
    pub literal: Option<String>,
    /// The word as it is written.
    pub written: String,
}

impl ShellWords {
    /// Reads a command. `variables` are names whose values are known; one that the command may set
    /// itself counts as unknown.
    pub fn read(command: &str, variables: &[(&str, &str)]) -> Self {
        command::list(command, variables)
    }

    /// The words whose text is known, wherever they stand.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        let words = self.commands.iter().flat_map(|command| &command.words);
        words
            .chain(&self.beside)
            .filter_map(|word| word.literal.as_deref())
    }
}
