//! What is wrong with a file, said so that its owner can mend it.

use std::fmt;

use crate::source::Place;

macro_rules! codes {
    ($( $(#[$doc:meta])* $name:ident = $text:literal, $severity:ident, $help:literal; )*) => {
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

            /// What to do about it where nobody knows better.
            pub fn help(self) -> &'static str {
                match self {
                    $( Self::$name => $help, )*
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
    Unreadable = "unreadable", Error,
        "mend its mode, or take it away; none of its hooks run until then";
    /// The file is not JSON.
    NotJson = "not-json", Error,
        "none of the hooks in this file run until it can be read";
    /// The file is JSON, but of no shape that is known.
    UnknownShape = "unknown-shape", Error,
        "hooks stand in an object, under the key `hooks`";
    /// The file could be of several dialects; one was taken.
    UnsureDialect = "unsure-dialect", Warning,
        "put it where its dialect has its files, and there is no doubt";
    /// A key stands twice.
    DuplicateKey = "duplicate-key", Warning,
        "take one of them away";
    /// No such key is known here.
    UnknownKey = "unknown-key", Warning,
        "take it away, or look up what it is called";
    /// The key is known, but means nothing here.
    UselessKey = "useless-key", Warning,
        "take it away";
    /// A key is missing.
    MissingKey = "missing-key", Error,
        "add it, or take the entry away";
    /// The key is known, but stands in the wrong place.
    Misplaced = "misplaced", Error,
        "move it under `hooks`";
    /// A value is of the wrong type.
    WrongType = "wrong-type", Error,
        "mend the value, or take it away";
    /// A value is not one of those it can be.
    WrongValue = "wrong-value", Error,
        "mend the value, or take it away";
    /// No event has that name.
    UnknownEvent = "unknown-event", Error,
        "`hookline schema` lists the events";
    /// Hooks of that kind do not run on that event.
    WrongEvent = "wrong-event", Error,
        "use another type of hook there, or another event";
    /// No kind of hook has that name.
    UnknownType = "unknown-type", Error,
        "the types are `command`, `http`, `prompt`, `agent` and `mcp_tool`";
    /// Nothing here can run that kind of hook.
    NoFactory = "no-factory", Error,
        "mend the entry, or use a hook of type `command`";
    /// The timeout is no time.
    BadTimeout = "bad-timeout", Error,
        "mend the number, or take `timeout` away: then the usual one counts";
    /// The timeout is so long that milliseconds must have been meant.
    Milliseconds = "milliseconds", Warning,
        "`timeout` is in seconds";
    /// The matcher is no pattern.
    BadMatcher = "bad-matcher", Error,
        "names such as `Edit|Write`, or a regular expression";
    /// The event has nothing that a matcher could be tested against.
    UselessMatcher = "useless-matcher", Warning,
        "take it away: the hook runs every time";
    /// The condition is no rule.
    BadCondition = "bad-condition", Error,
        "a rule is `Tool` or `Tool(pattern)`, such as `Bash(git *)`";
    /// The event is about no tool call, so the condition can never hold.
    NoCondition = "no-condition", Error,
        "take `if` away, or let the hook decide for itself";
    /// A switch in a file whose layer may not set it.
    IgnoredSwitch = "ignored-switch", Warning,
        "take it away here, or set it where it counts";
    /// The hooks of all files, with those that are written in Rust, cannot be one set.
    NoSet = "no-set", Error,
        "mend what the message names; until then every guard is blocked";
    /// A project switches the user's hooks off.
    SwitchedOff = "switched-off", Warning,
        "`hookline trust` shows and approves it";
    /// A plugin that is switched on cannot be found.
    MissingPlugin = "missing-plugin", Warning,
        "install it, or take it out of `enabledPlugins`";
    /// The matcher fits nothing that is known.
    MatchesNothing = "matches-nothing", Warning,
        "mend the matcher, if the tool is not one of your own";
    /// The event does not heed hooks of that type.
    NotHeeded = "not-heeded", Warning,
        "use a hook of type `command` there, or another event";
    /// The script is not there.
    MissingScript = "missing-script", Error,
        "mend the path, or write the script";
    /// The script cannot be run.
    NotExecutable = "not-executable", Error,
        "make it executable: `chmod +x`";
    /// The script cannot be opened.
    UnreadableScript = "unreadable-script", Error,
        "make it readable: `chmod +r`";
    /// The program that the script's first line names cannot be started.
    MissingInterpreter = "missing-interpreter", Error,
        "install it, or name one that is there";
    /// The lines of the script end in CR LF.
    Crlf = "crlf", Error,
        "end its lines in LF";
    /// The text is written for another shell than the one that reads it.
    WrongShell = "wrong-shell", Warning,
        "run it with the shell that it is written for";
    /// Nobody sets the variable.
    UnknownVariable = "unknown-variable", Warning,
        "what happened comes as JSON on stdin, not in variables";
    /// The variable stands in single quotes.
    QuotedVariable = "quoted-variable", Warning,
        "write double quotes around it";
    /// Exit code 1 is used to block.
    ExitOne = "exit-one", Warning,
        "exit with 2 to block";
    /// An answer goes to stderr.
    JsonOnStderr = "json-on-stderr", Warning,
        "print the JSON to stdout, and exit with 0";
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

    /// Sees to it that whoever is told can do something: where nothing better was said, what is done
    /// about all problems of this kind.
    #[must_use]
    pub fn with_remedy(self) -> Self {
        if self.help.is_empty() && self.suggestion.is_none() {
            let help = self.code.help();
            return self.help(help);
        }
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
