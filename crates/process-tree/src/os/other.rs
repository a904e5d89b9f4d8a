//! Systems on which commands do not run yet: everything is there and says so.

use std::{sync::Arc, time::Duration};

use crate::{
    Captured, Control, Ending, Finished, LaunchError, LaunchErrorKind, Leftovers, Timing,
    command::Spec,
};

pub(crate) async fn run(spec: Arc<Spec>, _control: &Control) -> Finished {
    Finished {
        ending: Ending::NeverStarted(unsupported(&spec)),
        stdout: Captured::default(),
        stderr: Captured::default(),
        left: Leftovers::default(),
        timing: Timing::default(),
    }
}

pub(crate) async fn spawn_lines(spec: Arc<Spec>, _control: &Control) -> Result<Lines, LaunchError> {
    Err(unsupported(&spec))
}

fn unsupported(spec: &Spec) -> LaunchError {
    spec.failed(LaunchErrorKind::Unsupported)
}

/// One line of a server's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text without its line break.
    pub text: String,
    /// Whether its end is missing.
    pub truncated: bool,
}

/// A server that answers lines with lines; there is none on this system.
#[derive(Debug)]
pub enum Lines {}

impl Lines {
    /// The number of the server's process.
    pub fn pid(&self) -> u32 {
        match *self {}
    }

    /// Sends one line.
    #[expect(clippy::unused_async, reason = "the same signature everywhere")]
    pub async fn send_line(&self, _line: &str) -> std::io::Result<()> {
        match *self {}
    }

    /// The next line.
    #[expect(clippy::unused_async, reason = "the same signature everywhere")]
    pub async fn next_line(&self) -> Option<Line> {
        match *self {}
    }

    /// The end of stderr.
    pub fn stderr_tail(&self) -> String {
        match *self {}
    }

    /// Ends the server.
    #[expect(clippy::unused_async, reason = "the same signature everywhere")]
    pub async fn end(self, _grace: Duration) -> Finished {
        match self {}
    }
}
