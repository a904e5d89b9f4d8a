//! Hooks to start from: entries and scripts, ready to be written into a project or a user's directory.
//!
//! | file | holds |
//! |---|---|
//! | `catalogue.rs` | the templates |
//! | `install.rs` | writing one, and keeping what is there |
//! | `../../templates/` | the entries and the scripts themselves |

mod catalogue;
mod install;

use crate::dialect::Format;

pub use catalogue::TEMPLATES;
pub use install::{InstallError, Installed, Prepared, Written};

/// Hooks to start from.
///
/// ```
/// use hook_config::{Format, Template};
///
/// let template = Template::find("guard-commands").unwrap();
/// assert_eq!(template.format, Format::Hookline);
/// assert!(template.scripts[0].text().starts_with("#!/bin/sh\n"));
/// assert!(Template::find("block_sudo").is_some());
/// assert!(Template::find("opencode/block_sudo").is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Template {
    /// Its name, which no other has.
    pub name: &'static str,
    /// How its entries are written. Those in Hookline's format can be written into Claude settings,
    /// too.
    pub format: Format,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// What it runs.
    pub scripts: &'static [Script],
    /// Its entries, as a file would have them; `{scripts}` stands for the folder of the scripts.
    entries: &'static str,
}

impl Template {
    /// The template of a name, with or without its format before it: `log_all`, `opencode/log_all`.
    pub fn find(name: &str) -> Option<&'static Self> {
        let called = |template: &&Self| {
            let whole = name.strip_prefix(template.format.as_str());
            let whole = whole.and_then(|rest| rest.strip_prefix('/'));
            whole.unwrap_or(name) == template.name
        };
        TEMPLATES.iter().find(called)
    }
}

/// A script of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Script {
    /// The name of its file.
    pub name: &'static str,
    /// Its text, with marks for what several scripts share.
    source: &'static str,
}

/// What several scripts share, by the mark that stands for it.
const SHARED: [(&str, &str); 2] = [
    ("{field}\n", include_str!("../../templates/lib/field.sh")),
    ("{holds}\n", include_str!("../../templates/lib/holds.sh")),
];

impl Script {
    /// What is in the file. A script is one file: what is approved is what runs.
    pub fn text(&self) -> String {
        let filled = |text: String, (mark, shared): (&str, &str)| text.replace(mark, shared);
        SHARED.into_iter().fold(self.source.to_owned(), filled)
    }
}
