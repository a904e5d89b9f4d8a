//! The formats: each module turns one of them into the same plan. Pure.

mod claude;
mod fields;
mod flat;
mod keys;
mod opencode;
mod opta;
mod shape;
mod tools;

use hook_shell::Dialect;

use crate::document::Document;
use crate::parsed::Parsed;

pub use shape::{Guess, guess};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Claude settings, and the `hooks/hooks.json` of a plugin.
    Claude,
    /// Hookline's own: the Claude shape, and more.
    Hookline,
    /// Opta's `config.json`.
    Opta,
    /// OpenCode's `hooks.json`.
    OpenCode,
}

/// The types of hooks that the contract has.
pub(crate) const CONTRACT_TYPES: [&str; 5] = ["command", "http", "prompt", "agent", "mcp_tool"];

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Hookline, Self::Opta, Self::OpenCode];

    /// Whose rules the commands of such a file are written for.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Claude => Dialect::Claude,
            Self::Hookline => Dialect::Hookline,
            Self::Opta => Dialect::Opta,
            Self::OpenCode => Dialect::OpenCode,
        }
    }

    /// The format of that name.
    ///
    /// ```
    /// use hook_config::Format;
    ///
    /// assert_eq!(Format::named("opta"), Some(Format::Opta));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// The format whose commands are written by these rules.
    pub(crate) fn of(dialect: Dialect) -> Self {
        let speaks = |format: &Self| format.dialect() == dialect;
        let found = Self::ALL.into_iter().find(speaks);
        found.unwrap_or(Self::Hookline)
    }

    /// Its name in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Hookline => "hookline",
            Self::Opta => "opta",
            Self::OpenCode => "opencode",
        }
    }
}

/// Reads the hooks of a file that is written in a format. One bad entry does not keep the others
/// from being read.
///
/// ```
/// use hook_config::{Format, parse, read};
///
/// let text = br#"{"hooks": {"PreToolUse": [
///     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]},
///     {"matcher": "Edit", "hooks": [{"type": "command", "comand": "./lint.sh"}]}
/// ]}}"#;
/// let parsed = parse(&read("settings.json", text).unwrap(), Format::Claude);
/// assert_eq!(parsed.entries().count(), 1);
/// assert_eq!(parsed.broken.len(), 1);
/// assert_eq!(parsed.diagnostics[0].code.as_str(), "missing-key");
/// assert_eq!(parsed.diagnostics[0].suggestion.as_deref(), Some("\"command\""));
/// ```
pub fn parse(document: &Document, format: Format) -> Parsed {
    match format {
        Format::Claude => claude::parse(document, claude::Extras::None),
        Format::Hookline => claude::parse(document, claude::Extras::Hookline),
        Format::Opta => opta::parse(document),
        Format::OpenCode => opencode::parse(document),
    }
}
