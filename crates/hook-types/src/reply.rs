//! What one handler hands back.

use crate::diagnostic::Diagnostic;
use crate::output::SyncOutput;
use crate::status::Status;

/// What a hook left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// Whether it printed more than was kept.
    pub truncated: bool,
    /// How many processes it left running.
    pub left_running: usize,
    /// What else is known of the run, by name: the model that was asked, the tokens that it took.
    pub facts: Vec<(String, String)>,
}

/// What one handler hands back.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// How it ended.
    pub status: Status,
    /// What it answered.
    pub output: SyncOutput,
    /// What it left behind.
    pub evidence: Evidence,
    /// What was odd about its answer.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reply {
    /// An answer; one that says nothing is no opinion.
    ///
    /// ```
    /// use hook_types::{Event, PreToolUse, Reply, Status};
    ///
    /// assert_eq!(Reply::answer(PreToolUse::deny("no").into_output()).status, Status::Answered);
    /// assert_eq!(Reply::answer(PreToolUse::pass().into_output()).status, Status::NoOpinion);
    /// ```
    pub fn answer(output: SyncOutput) -> Self {
        let status = if output.is_empty() {
            Status::NoOpinion
        } else {
            Status::Answered
        };
        Self {
            status,
            output,
            evidence: Evidence::default(),
            diagnostics: Vec::new(),
        }
    }

    /// No opinion.
    pub fn no_opinion() -> Self {
        Self::with_status(Status::NoOpinion)
    }

    /// A failure, which is never a decision.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::with_status(Status::Failed(why.into()))
    }

    /// An ending without an answer.
    pub fn with_status(status: Status) -> Self {
        Self {
            status,
            output: SyncOutput::default(),
            evidence: Evidence::default(),
            diagnostics: Vec::new(),
        }
    }
}
