//! What one handler hands back.

use crate::diagnostic::Diagnostic;
use crate::output::SyncOutput;
use crate::seldom::{Blank, Seldom};
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

impl Blank for Evidence {
    fn blank() -> &'static Self {
        static NOTHING: Evidence = Evidence {
            exit_code: None,
            signal: None,
            stdout: String::new(),
            stderr: String::new(),
            truncated: false,
            left_running: 0,
            facts: Vec::new(),
        };
        &NOTHING
    }
}

/// What one handler hands back. Most have no opinion and leave nothing behind: a reply is small.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// How it ended.
    pub status: Status,
    /// What it answered.
    pub output: Seldom<SyncOutput>,
    /// What it left behind.
    pub evidence: Seldom<Evidence>,
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
        let mut reply = Self::no_opinion();
        let says_nothing = output.is_empty();
        if !says_nothing {
            reply.status = Status::Answered;
        }
        // `continue` spelt out says nothing, and is kept.
        if !says_nothing || output.proceed.is_some() {
            reply.output = Seldom::some(output);
        }
        reply
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
            output: Seldom::none(),
            evidence: Seldom::none(),
            diagnostics: Vec::new(),
        }
    }
}
