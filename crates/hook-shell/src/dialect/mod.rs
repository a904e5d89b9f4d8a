//! The dialects: how an event becomes stdin and environment, and what exit codes mean.
//!
//! A dialect is a value. Its rules stand in one table; what it tells a command is one function.

mod hear;
mod names;
mod opencode;
mod opta;

use std::borrow::Cow;

use hook_runner::{Input, Session};
use hook_types::{Code, Diagnostic, EventName};

pub use names::Names;

/// The longest environment variable that the system takes, name and end included.
pub(crate) const LONGEST_VARIABLE: usize = 128 * 1024;

/// What stands for a NUL, which no environment variable can hold.
const NUL_STAND_IN: &str = "\u{fffd}";

/// Whose rules a command is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The contract of Claude settings files.
    #[default]
    Claude,
    /// Hookline's own: the same, and a Stop hook may also say `continue: true` with a reason.
    Hookline,
    /// Opta: the environment tells, exit codes decide.
    Opta,
    /// OpenCode: its own object on stdin, the environment tells, exit codes decide.
    OpenCode,
}

/// Where a blocking command says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// On stderr.
    Stderr,
    /// On stdout, else on stderr.
    Stdout,
}

/// The rules of one dialect.
struct Rules {
    /// The events on which any exit code but 0 blocks, and any failure; none: the contract's rule.
    pre: Option<&'static [EventName]>,
    reason: Reason,
    names: Names,
}

const CLAUDE: Rules = Rules {
    pre: None,
    reason: Reason::Stderr,
    names: Names::OURS,
};

const OPTA: Rules = Rules {
    pre: Some(&[EventName::PreToolUse]),
    reason: Reason::Stderr,
    names: Names::OPTA,
};

const OPENCODE: Rules = Rules {
    pre: Some(&[
        EventName::PreToolUse,
        EventName::PreModelRequest,
        EventName::UserPromptSubmit,
        EventName::PermissionCheck,
    ]),
    reason: Reason::Stdout,
    names: Names::OPENCODE,
};

impl Dialect {
    fn rules(self) -> &'static Rules {
        match self {
            Self::Claude | Self::Hookline => &CLAUDE,
            Self::Opta => &OPTA,
            Self::OpenCode => &OPENCODE,
        }
    }

    /// Whether an exit code other than 0 blocks; none where the contract's rule holds.
    pub(crate) fn exit_blocks(self, event: EventName) -> Option<bool> {
        self.rules().pre.map(|pre| pre.contains(&event))
    }

    /// Whether a failure of any kind blocks.
    pub(crate) fn failure_blocks(self, event: EventName) -> bool {
        self.exit_blocks(event).unwrap_or(false)
    }

    /// Whether exit code 0 is success whatever was printed. Such a dialect has answers in JSON as an
    /// addition: text is for the log and never for the model, and JSON that is none is text.
    pub(crate) fn exit_decides(self) -> bool {
        self.rules().pre.is_some()
    }

    /// Whether a hook that lets the agent stop can keep it going by `continue: true`.
    pub(crate) fn goes_on_by_continue(self) -> bool {
        self == Self::Hookline
    }

    /// What the dialect calls an event; none where it has no such event, and where it has our names.
    ///
    /// ```
    /// use hook_shell::Dialect;
    /// use hook_types::EventName;
    ///
    /// assert_eq!(Dialect::Opta.event_name(EventName::PreToolUse), Some("tool.pre"));
    /// assert_eq!(Dialect::OpenCode.event_name(EventName::PreToolUse), Some("tool:pre_execute"));
    /// assert_eq!(Dialect::OpenCode.event_name(EventName::Stop), None);
    /// ```
    pub fn event_name(self, event: EventName) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Hookline => None,
            Self::Opta => opta::event_name(event),
            Self::OpenCode => opencode::event_name(event),
        }
    }

    /// What commands are told that an event is called: where it has no name of theirs, ours.
    fn told_name(self, event: EventName) -> &'static str {
        self.event_name(event).unwrap_or(event.as_str())
    }

    /// The events on which any exit code but 0 blocks, and any failure; none where the contract's
    /// rule holds.
    pub fn pre_events(self) -> &'static [EventName] {
        self.rules().pre.unwrap_or_default()
    }

    /// Where a blocking command says why.
    pub(crate) fn reason(self) -> Reason {
        self.rules().reason
    }

    /// What the dialect calls tools and their arguments.
    pub fn names(self) -> Names {
        self.rules().names
    }

    /// What a command is told beside what all commands are told.
    pub(crate) fn tell(self, input: &Input, session: &Session) -> Told {
        match self {
            Self::Claude | Self::Hookline => Told::default(),
            Self::Opta => opta::tell(input, session),
            Self::OpenCode => opencode::tell(input, session),
        }
    }
}

/// What a command is told on stdin and in the environment, and what was cut on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// What it reads instead of the event.
    pub(crate) stdin: Option<String>,
    pub(crate) variables: Vec<(&'static str, String)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// A variable that must not be cut and does not fit.
    pub(crate) does_not_fit: Option<&'static str>,
}

impl Told {
    pub(crate) fn tell(&mut self, name: &'static str, value: impl Into<String>) {
        let mut value = value.into();
        if value.contains('\0') {
            value = value.replace('\0', NUL_STAND_IN);
            self.report_nul(name);
        }
        self.variables.push((name, value));
    }

    fn report_nul(&mut self, name: &'static str) {
        let message = format!("`{name}` has `{NUL_STAND_IN}` for NUL, which no variable can hold");
        self.diagnostics
            .push(Diagnostic::new(Code::WrongValue, message).at(name));
    }

    /// Tells as much of a text as `limit` bytes hold.
    pub(crate) fn tell_cut(&mut self, name: &'static str, value: &str, limit: usize) {
        let value = &if value.contains('\0') {
            self.report_nul(name);
            Cow::Owned(value.replace('\0', NUL_STAND_IN))
        } else {
            Cow::Borrowed(value)
        };
        let mut end = value.len().min(limit);
        while !value.is_char_boundary(end) {
            end -= 1;
        }
        if end < value.len() {
            let message = format!("`{name}` has the first {end} of {} bytes", value.len());
            self.diagnostics
                .push(Diagnostic::new(Code::Cut, message).at(name));
        }
        self.tell(name, &value[..end]);
    }

    /// Tells JSON, which is whole or not at all: cut JSON could pass for something else.
    pub(crate) fn tell_json(&mut self, name: &'static str, value: &serde_json::Value) {
        let text = value.to_string();
        if name.len() + text.len() + 2 > LONGEST_VARIABLE {
            self.does_not_fit = Some(name);
            let message = format!("`{name}` is too large for the environment, and is not set");
            self.diagnostics
                .push(Diagnostic::new(Code::Cut, message).at(name));
        } else {
            self.tell(name, text);
        }
    }
}
