//! Fixtures that can be found again, and the checker that looks for them.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![allow(dead_code, reason = "every test binary uses another part")]

use std::time::Duration;

use process_tree::{Command, Control, Finished, Limits};
use test_support::{TAG, Tag};

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(20);

/// Commands that carry a variable of their own. When the fixture is dropped, no process may
/// carry it any more.
#[derive(Debug)]
pub(crate) struct Fixture {
    tag: Tag,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self {
            tag: Tag::new(AMPLE),
        }
    }

    /// The value of the variable.
    pub(crate) fn tag(&self) -> &str {
        self.tag.value()
    }

    pub(crate) fn shell(&self, script: &str) -> Command {
        self.mark(Command::shell(script))
    }

    pub(crate) fn mark(&self, command: Command) -> Command {
        let limits = Limits {
            timeout: Duration::from_mins(1),
            ..Limits::default()
        };
        command.env(TAG, self.tag()).limits(limits)
    }

    /// Living processes that carry the variable, whatever session or parent they have.
    pub(crate) fn strays(&self) -> Vec<i32> {
        self.tag.strays()
    }

    /// Waits until nothing is left; what is, when it takes far too long.
    pub(crate) fn remaining(&self) -> Vec<i32> {
        self.tag.remaining()
    }

    /// Waits until `count` processes carry the variable.
    pub(crate) async fn until_there_are(&self, count: usize) {
        self.tag.until_there_are(count).await;
    }
}

/// Limits with this deadline and little patience after it.
pub(crate) fn within(milliseconds: u64) -> Limits {
    Limits {
        timeout: Duration::from_millis(milliseconds),
        grace: Duration::from_millis(200),
        ..Limits::default()
    }
}

/// Runs a command with nothing special about its handle.
pub(crate) async fn run(command: &Command) -> Finished {
    command.run(&Control::new()).await
}
