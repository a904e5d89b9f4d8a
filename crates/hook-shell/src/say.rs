//! An answer as a command of a dialect gives it: the way back from `protocol`.
//!
//! For programs that stand between an agent and a hook that was written for another one.

use hook_types::wire::write;
use hook_types::{Decision, EventName, ExitTwo, Stdout, SyncOutput};

use crate::dialect::Dialect;

/// What a command prints, and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What goes to stdout.
    pub stdout: String,
    /// What goes to stderr.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Dialect {
    /// How a command of this dialect gives an answer to an event.
    ///
    /// ```
    /// use hook_shell::Dialect;
    /// use hook_types::{EventName, SyncOutput};
    ///
    /// let said = Dialect::OpenCode.say(EventName::PreToolUse, &SyncOutput::deny("not here"));
    /// assert_eq!((said.stdout.as_str(), said.code), ("not here\n", 2));
    /// ```
    pub fn say(self, event: EventName, output: &SyncOutput) -> Said {
        let denies = output.decision == Decision::Deny;
        let reason = output.reason.clone().unwrap_or_default();
        let mut said = Said::default();
        if denies && self.refuses_by_exit(event) {
            said.code = 2;
            said.stderr = line(&reason);
        }
        let bare = SyncOutput::deny(reason.clone());
        let is_bare = denies && *output == bare && said.code == 2;
        said.stdout = match self {
            // There the reason is what is printed.
            Self::OpenCode if is_bare => line(&reason),
            Self::Claude | Self::Hookline if is_bare => String::new(),
            _ if output.is_empty() => String::new(),
            _ if event.row().stdout == Stdout::Path => {
                line(output.specific.worktree_path.as_deref().unwrap_or_default())
            }
            Self::Claude | Self::Hookline | Self::Opta | Self::OpenCode => {
                line(&write(event, output).to_string())
            }
        };
        said
    }

    /// How a command of this dialect says that it failed, where that is to change nothing.
    ///
    /// ```
    /// use hook_shell::Dialect;
    /// use hook_types::EventName;
    ///
    /// assert_eq!(Dialect::Claude.fail(EventName::PreToolUse, "lost").code, 1);
    /// assert_eq!(Dialect::Opta.fail(EventName::PreToolUse, "lost").code, 0, "else it would block");
    /// ```
    pub fn fail(self, event: EventName, why: &str) -> Said {
        let blocks = self.failure_blocks(event) || is_like_any_failure(event);
        Said {
            stdout: String::new(),
            stderr: line(why),
            code: u8::from(!blocks),
        }
    }

    /// Whether a refusal is an exit code, and not only words.
    fn refuses_by_exit(self, event: EventName) -> bool {
        match self.exit_blocks(event) {
            Some(blocks) => blocks,
            None => event.row().exit_two == ExitTwo::Blocks || is_like_any_failure(event),
        }
    }
}

fn is_like_any_failure(event: EventName) -> bool {
    event.row().exit_two == ExitTwo::BlocksLikeAnyFailure
}

fn line(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    }
}
