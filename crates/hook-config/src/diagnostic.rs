//! What is wrong with a file, said so that its owner can mend it.

use std::fmt;

use crate::source::Place;

macro_rules! codes {
    ($( $(#[$doc:meta])* $name:ident = $text:literal, $severity:ident; )*) => {
        /// What kind of problem it is. Stable: tools may depend on the text. Each has a section in
        /// `docs/diagnostics.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

            /// How bad it is where nobody says otherwise.
            pub fn severity(self) -> Severity {
                match self {
                    $( Self::$name => Severity::$severity, )*
                }
            }
        }
    };
}

// The one list. What is an error keeps an entry, or a file, from being used.
codes! {
    /// The file cannot be opened.
    Unreadable = "unreadable", Error;
    /// The file is not JSON.
    NotJson = "not-json", Error;
    /// The file is JSON, but of no shape that is known.
    UnknownShape = "unknown-shape", Error;
    /// The file could be of several dialects; one was taken.
    UnsureDialect = "unsure-dialect", Warning;
    /// A key stands twice.
    DuplicateKey = "duplicate-key", Warning;
    /// No such key is known here.
    UnknownKey = "unknown-key", Warning;
    /// The key is known, but means nothing here.
    UselessKey = "useless-key", Warning;
    /// A key is missing.
    MissingKey = "missing-key", Error;
    /// The key is known, but stands in the wrong place.
    Misplaced = "misplaced", Error;
    /// A value is of the wrong type.
    WrongType = "wrong-type", Error;
    /// A value is not one of those it can be.
    WrongValue = "wrong-value", Error;
    /// No event has that name.
    UnknownEvent = "unknown-event", Error;
    /// Hooks of that kind do not run on that event.
    WrongEvent = "wrong-event", Error;
    /// No kind of hook has that name.
    UnknownType = "unknown-type", Error;
    /// Nothing here can run that kind of hook.
    NoFactory = "no-factory", Error;
    /// The timeout is no time.
    BadTimeout = "bad-timeout", Error;
    /// The timeout is so long that milliseconds must have been meant.
    Milliseconds = "milliseconds", Warning;
    /// The matcher is no pattern.
    BadMatcher = "bad-matcher", Error;
    /// The event has nothing that a matcher could be tested against.
    UselessMatcher = "useless-matcher", Warning;
    /// The condition is no rule.
    BadCondition = "bad-condition", Error;
    /// The event is about no tool call, so the condition can never hold.
    NoCondition = "no-condition", Error;
    /// A switch in a file whose layer may not set it.
    IgnoredSwitch = "ignored-switch", Warning;
    /// The hooks of all files, with those that are written in Rust, cannot be one set.
    NoSet = "no-set", Error;
    /// A project switches the user's hooks off.
    SwitchedOff = "switched-off", Warning;
    /// A plugin that is switched on cannot be found.
    MissingPlugin = "missing-plugin", Warning;
    /// The matcher fits nothing that is known.
    MatchesNothing = "matches-nothing", Warning;
    /// The event does not heed hooks of that type.
    NotHeeded = "not-heeded", Warning;
    /// The script is not there.
    MissingScript = "missing-script", Error;
    /// The script cannot be run.
    NotExecutable = "not-executable", Error;
    /// The text is written for another shell than the one that reads it.
    WrongShell = "wrong-shell", Warning;
    /// Nobody sets the variable.
    UnknownVariable = "unknown-variable", Warning;
    /// The variable stands in single quotes.
    QuotedVariable = "quoted-variable", Warning;
    /// Exit code 1 is used to block.
    ExitOne = "exit-one", Warning;
    /// An answer goes to stderr.
    JsonOnStderr = "json-on-stderr", Warning;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// It is used, and probably not as its author thinks.
    Warning,
    /// It cannot be used.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One problem: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of problem it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// What to say at that place, if more than the message.
    pub label: Option<String>,
    /// What to write there instead.
    pub suggestion: Option<String>,
    /// What to do about it, a sentence each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A problem, as bad as its code says.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            place: None,
            label: None,
            suggestion: None,
            help: Vec::new(),
        }
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says more at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says what to write at the place instead, as it would stand in the file.
    #[must_use]
    pub fn suggest(mut self, replacement: impl Into<String>) -> Self {
        self.suggestion = Some(replacement.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Makes it better or worse than its code says.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// One line: `hooks.json:2:3: error[unknown-event]: no event is called …; did you mean …?`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(
            f,
            "{}[{}]: {}",
            self.severity.as_str(),
            self.code,
            self.message
        )?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; write {suggestion}"),
            None => Ok(()),
        }
    }
}
