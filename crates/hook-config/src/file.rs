//! A configuration file: where it comes from, what became of it, and what it says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_runner::Layer;
use hook_shell::Plugin;

use crate::dialect::Format;
use crate::parsed::Parsed;
use crate::source::SourceFile;

/// Where a file's hooks come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The plugin, of a plugin's hooks.
    pub plugin: Option<Arc<PluginOrigin>>,
}

impl Origin {
    /// A file of a layer, and of no plugin.
    pub fn of(layer: Layer) -> Self {
        Self {
            layer,
            plugin: None,
        }
    }
}

/// A plugin that is switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginOrigin {
    /// Its full name: `plugin@marketplace`.
    pub id: String,
    /// The layer whose file switches it on.
    pub enabled_by: Layer,
    /// Where its files are, and what the user configured for it.
    pub plugin: Plugin,
}

/// What became of a file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// It is not there.
    Missing,
    /// It is there, and cannot be opened.
    Unreadable(String),
    /// It is there, and is not JSON.
    NotJson,
    /// It is JSON, and of no shape that could hold hooks.
    WrongShape,
    /// It was read already, as this file of an earlier layer.
    SameAs(PathBuf),
    /// It was read.
    Read,
}

impl FileState {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unreadable(_) => "unreadable",
            Self::NotJson => "not JSON",
            Self::WrongShape => "of no known shape",
            Self::SameAs(_) => "read already",
            Self::Read => "read",
        }
    }

    /// Whether the file is there, and may have hooks that nobody could read.
    pub fn hides_hooks(&self) -> bool {
        match self {
            Self::Unreadable(_) | Self::NotJson | Self::WrongShape => true,
            Self::Missing | Self::SameAs(_) | Self::Read => false,
        }
    }
}

/// A configuration file.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// Where its hooks come from.
    pub origin: Origin,
    /// How it is written.
    pub format: Format,
    /// What became of it.
    pub state: FileState,
    /// Its text, for diagnostics; empty where it was not read.
    pub source: Arc<SourceFile>,
    /// What it says.
    pub parsed: Parsed,
}

impl ConfigFile {
    /// Notes that the file was read already, and counts as what it was then.
    pub(crate) fn is_the_same_as(&mut self, first: &Path) {
        self.state = FileState::SameAs(first.to_owned());
        self.parsed = Parsed::default();
    }
}
