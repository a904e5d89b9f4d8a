//! What is odd about an answer, said so that its author can mend it.

use std::fmt;

use serde::Serialize;

macro_rules! codes {
    ($( $(#[$doc:meta])* $name:ident = $text:literal ),* $(,)?) => {
        /// What kind of oddity it is. Stable: tools may depend on the text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $( $(#[$doc])* $name, )*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as text.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$name => $text, )*
                }
            }
        }
    };
}

codes! {
    /// No answer has such a key.
    UnknownKey = "unknown_key",
    /// The key exists, but this event does not honour it.
    NotHonoured = "not_honoured",
    /// The key exists, but belongs elsewhere in the answer.
    Misplaced = "misplaced",
    /// The key's value is of the wrong type; the answer is not taken as it stands.
    WrongType = "wrong_type",
    /// The key's value is not one of those it can have; the answer is not taken as it stands.
    WrongValue = "wrong_value",
    /// `hookSpecificOutput` says that it is another event's.
    OtherEvent = "other_event",
    /// `hookSpecificOutput` does not say which event's it is.
    MissingEventName = "missing_event_name",
    /// A key stands twice; the stronger decision counts.
    DuplicateKey = "duplicate_key",
    /// A refusal that is spelt in a way the contract does not have. It counts.
    OddDeny = "odd_deny",
    /// A refusal without a reason. It counts.
    MissingReason = "missing_reason",
    /// Text around the answer. Only a refusal counts in such output.
    Noise = "noise",
    /// Not JSON by the book. Only a refusal counts in such output.
    BrokenJson = "broken_json",
    /// Several JSON documents where one is expected.
    SeveralDocuments = "several_documents",
    /// The output was longer than the limit.
    Cut = "cut",
    /// `async` and a refusal in one answer; the refusal counts.
    AsyncDeny = "async_deny",
    /// The sequence may do more to a terminal than set its title, notify or ring.
    TerminalSequence = "terminal_sequence",
    /// Fields that mean nothing together.
    NoEffect = "no_effect",
    /// Hooks that ran together want different things; one of them won.
    Conflict = "conflict",
    /// A call cannot be deferred here; the user is asked.
    DeferImpossible = "defer_impossible",
    /// An MCP tool's output was replaced, but the tool is not an MCP server's.
    NotMcp = "not_mcp",
    /// A matcher took too many steps; it counts as a match.
    MatcherLimit = "matcher_limit",
    /// A blocking hook did not end at its deadline; its thread goes on.
    AbandonedThread = "abandoned_thread",
    /// A text that is too long for the conversation could not be written to a file.
    SpillFailed = "spill_failed",
    /// The firing was cancelled before the hook answered: that it does not refuse is no consent.
    Cancelled = "cancelled",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One oddity: its code, the key it is about, what is wrong and, where one is near, what was
/// probably meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of oddity it is.
    pub code: Code,
    /// What is wrong and how to mend it, in a sentence.
    pub message: String,
    /// The key, as a path: `hookSpecificOutput.updatedInput`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl Diagnostic {
    /// An oddity of the answer as a whole.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            key: None,
            suggestion: None,
        }
    }

    /// Says which key it is about.
    #[must_use]
    pub fn at(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Says what was probably meant.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}
