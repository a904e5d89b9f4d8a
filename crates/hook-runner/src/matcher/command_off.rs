//! Command patterns without a shell grammar: nothing can be said about a command.

use super::shell::ShellWords;
use super::truth::{Purpose, Truth};

/// Without the grammar no word is certain.
pub(super) fn list(_command: &str, _variables: &[(&str, &str)]) -> ShellWords {
    ShellWords {
        unreadable: true,
        ..ShellWords::default()
    }
}

/// A pattern that was written down, but that this build cannot compare with anything.
#[derive(Clone, Debug)]
pub(super) struct CommandPattern;

impl CommandPattern {
    pub(super) fn parse(_content: &str) -> Self {
        Self
    }

    /// Without the grammar, a comparison of texts would miss `a && b`, quotes and wrappers.
    #[expect(clippy::unused_self, reason = "the same signature as with the grammar")]
    pub(super) fn judge(&self, _command: &str, _purpose: Purpose) -> Truth {
        Truth::Unknown
    }

    pub(super) fn allow_together(_patterns: &[&Self], _command: &str) -> Truth {
        Truth::Unknown
    }
}
