//! What a script is told.

use std::process::ExitCode;

/// How a command ended. The numbers are stable.
///
/// ```
/// use hook_cli::Exit;
///
/// assert_eq!(Exit::Prevented.code(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Done. Of `fire`: things may take their course, also after feedback.
    Done,
    /// It could not be done, or `check` found errors, or a comparison found a difference.
    Failed,
    /// Hooks prevented what was to happen, kept the agent going, or stopped it.
    Prevented,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    /// Every way to end, for those who list them.
    pub const ALL: [Self; 4] = [Self::Done, Self::Failed, Self::Prevented, Self::Interrupted];

    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Prevented => 2,
            Self::Interrupted => 130,
        }
    }

    /// What it means, in a line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done; of `fire`: things may take their course",
            Self::Failed => {
                "an error: bad arguments, an unreadable file, findings of `check` or of `replay`"
            }
            Self::Prevented => "hooks prevented it, kept the agent going, or stopped it",
            Self::Interrupted => "interrupted with Ctrl-C",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
