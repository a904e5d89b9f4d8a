//! What an approval does not cover, and why.

use std::fmt;

/// Something that a hook may run and that its fingerprint cannot cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Opaque {
    /// A word that only the shell will know.
    Word(String),
    /// A command that runs something which is not written there.
    Unwritten(String),
    /// A variable is set that decides which programs or libraries run.
    Lookup(String),
    /// A program that runs what files of the project say.
    Runner(String),
    /// The command cannot be read as shell.
    Unreadable,
    /// A file that is not there.
    Missing(String),
    /// A file that is looked for where the agent is at that moment. The one at the project's root is
    /// covered.
    Moving(String),
    /// A directory: what is in it is not covered.
    Directory(String),
    /// A pipe, a socket or a device.
    NotAFile(String),
    /// A file that is too large to be read at each change.
    TooLarge(String),
    /// A file that cannot be read.
    Unread(String),
    /// A shell script that is too long to be looked into, or that cannot be read as shell: it may
    /// source other files.
    Unsearched(String),
    /// There are more words or files than are looked at.
    TooMany,
}

impl Opaque {
    /// The code of the reason, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Word(_) => "word",
            Self::Unwritten(_) => "unwritten",
            Self::Lookup(_) => "lookup",
            Self::Runner(_) => "runner",
            Self::Unreadable => "unreadable",
            Self::Missing(_) => "missing",
            Self::Moving(_) => "moving",
            Self::Directory(_) => "directory",
            Self::NotAFile(_) => "not_a_file",
            Self::TooLarge(_) => "too_large",
            Self::Unread(_) => "unread",
            Self::Unsearched(_) => "unsearched",
            Self::TooMany => "too_many",
        }
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{word}` is only known when it runs"),
            Self::Unwritten(command) => {
                write!(f, "`{command}` runs something that is not written there")
            }
            Self::Lookup(name) => write!(f, "it sets `{name}`, which decides what runs"),
            Self::Runner(program) => {
                write!(f, "`{program}` runs what files of the project tell it to")
            }
            Self::Unreadable => f.write_str("the command cannot be read as shell"),
            Self::Missing(path) => write!(f, "there is no file `{path}`"),
            Self::Moving(path) => write!(
                f,
                "`{path}` is looked for where the agent is; only the project's own is covered \
                 (write `\"$CLAUDE_PROJECT_DIR\"/…`)"
            ),
            Self::Directory(path) => write!(f, "what is in the directory `{path}` is not covered"),
            Self::NotAFile(path) => write!(f, "`{path}` is not a plain file"),
            Self::TooLarge(path) => write!(f, "`{path}` is too large; only its size is covered"),
            Self::Unread(path) => write!(f, "`{path}` cannot be read"),
            Self::Unsearched(path) => {
                write!(
                    f,
                    "`{path}` cannot be looked into; what it sources is not covered"
                )
            }
            Self::TooMany => f.write_str("it names more files than are looked at"),
        }
    }
}
