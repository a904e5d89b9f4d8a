//! How a hook ended, as a type.

use std::fmt;
use std::time::Duration;

use crate::id::HookId;

/// How a hook ended. Its `Display` goes after the hook's name: "`lint` took longer than 5s".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It answered.
    Answered,
    /// It ran, and had nothing to say.
    NoOpinion,
    /// It blocked with its exit code.
    Blocked {
        /// The code.
        exit_code: i32,
    },
    /// It could not be started.
    LaunchFailed(String),
    /// A signal ended it.
    Crashed {
        /// The signal.
        signal: i32,
    },
    /// It failed: an error, a panic, an exit code.
    Failed(String),
    /// It said something that cannot be taken for an answer.
    BadOutput(String),
    /// It took longer than it may.
    TimedOut {
        /// How long it may take.
        limit: Duration,
    },
    /// The firing was cancelled.
    Cancelled,
    /// It goes on in the background.
    Background,
    /// It was not run.
    Skipped(SkipReason),
}

/// Why a hook was not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is switched off.
    #[error("it is switched off")]
    Disabled,
    /// Nobody has approved it.
    #[error("it has not been approved")]
    Untrusted,
    /// It was approved, and is not what it was then. On a guard this blocks.
    #[error("it was approved, and has changed since")]
    Changed,
    /// Its matcher does not fit.
    #[error("its matcher does not fit")]
    NotMatched,
    /// Its condition does not hold.
    #[error("its condition does not hold")]
    Condition,
    /// Another entry is the same hook.
    #[error("it is the same as {0}")]
    Duplicate(HookId),
    /// It was to run once, and has.
    #[error("it was to run once, and has")]
    AlreadyRan,
    /// A hook before it ended the group.
    #[error("{0} ended the group")]
    GroupEnded(HookId),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered => f.write_str("answered"),
            Self::NoOpinion => f.write_str("had no opinion"),
            Self::Blocked { exit_code } => write!(f, "blocked with exit code {exit_code}"),
            Self::LaunchFailed(why) => write!(f, "could not be started: {why}"),
            Self::Crashed { signal } => write!(f, "was ended by signal {signal}"),
            Self::Failed(why) => write!(f, "failed: {why}"),
            Self::BadOutput(why) => write!(f, "gave no answer that can be read: {why}"),
            Self::TimedOut { limit } => write!(f, "took longer than {limit:?}"),
            Self::Cancelled => f.write_str("was cancelled"),
            Self::Background => f.write_str("goes on in the background"),
            Self::Skipped(reason) => write!(f, "was not run: {reason}"),
        }
    }
}

impl Status {
    /// The status in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NoOpinion => "no_opinion",
            Self::Blocked { .. } => "blocked",
            Self::LaunchFailed(_) => "launch_failed",
            Self::Crashed { .. } => "crashed",
            Self::Failed(_) => "failed",
            Self::BadOutput(_) => "bad_output",
            Self::TimedOut { .. } => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Background => "background",
            Self::Skipped(_) => "skipped",
        }
    }

    /// What there is to say beyond the word: why it failed, why it was not run.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::LaunchFailed(why) | Self::Failed(why) | Self::BadOutput(why) => Some(why.clone()),
            Self::Crashed { .. } | Self::TimedOut { .. } => Some(self.to_string()),
            Self::Skipped(reason) => Some(reason.to_string()),
            Self::Answered
            | Self::NoOpinion
            | Self::Blocked { .. }
            | Self::Cancelled
            | Self::Background => None,
        }
    }

    /// Whether the hook got to its end, so that what it said is an answer.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Answered | Self::NoOpinion | Self::Blocked { .. } => true,
            Self::LaunchFailed(_)
            | Self::Crashed { .. }
            | Self::Failed(_)
            | Self::BadOutput(_)
            | Self::TimedOut { .. }
            | Self::Cancelled
            | Self::Background
            | Self::Skipped(_) => false,
        }
    }

    /// Whether the hook failed: it was to say something and could not.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::LaunchFailed(_)
            | Self::Crashed { .. }
            | Self::Failed(_)
            | Self::BadOutput(_)
            | Self::TimedOut { .. } => true,
            Self::Answered
            | Self::NoOpinion
            | Self::Blocked { .. }
            | Self::Cancelled
            | Self::Background
            | Self::Skipped(_) => false,
        }
    }
}
