//! Files of every dialect to one set of hooks.
//!
//! ```text
//! Places ─► discover: which files, of which layer and format
//!        ─► read: bytes to a tree that knows its lines, or one diagnostic
//!        ─► dialect: one module a format; pure; entries, broken entries, switches, diagnostics
//!        ─► resolve: switches, trust, factories, defaults ─► HookSet and Report
//! ```
//!
//! One bad entry never disables the others, and is never dropped in silence: it is a [`Diagnostic`]
//! with its place and its remedy, and where the hook would have run, a failure. On a guard that
//! failure blocks, until the entry is mended or the user says otherwise.
//!
//! [`load`] does all of it in one call.

mod convert;
mod diagnostic;
mod dialect;
mod disabled;
mod discover;
mod document;
mod edit;
mod entry;
mod factory;
mod file;
mod http_rules;
mod lint;
mod load;
mod options;
mod parsed;
mod places;
mod plugins;
mod read;
mod registry;
mod reload;
#[cfg(feature = "render")]
mod render;
mod report;
mod resolve;
mod save;
mod source;
mod switches;
mod templates;
mod tripwire;
pub mod trust;
#[cfg(feature = "watch")]
mod watch;

pub use convert::{
    Adapter, Became, Converted, Remark, Rewrites, convert, convert_as, convert_only,
};
pub use diagnostic::{Code, Diagnostic, Severity};
pub use dialect::{Format, Guess, guess, parse};
pub use disabled::DisabledHook;
pub use discover::{Known, discover, open, read_file};
pub use document::{Document, Json, Member, Node};
pub use edit::{Edit, EditError, Step};
pub use entry::{Action, CommandAction, Entry, Listen, Run, ServerAction};
pub use factory::{Factories, Factory, Setting};
pub use file::{ConfigFile, FileState, Origin, PluginOrigin};
pub use hook_runner::Layer;
pub use http_rules::HttpRules;
pub use lint::{known_tools, lint};
pub use load::load;
pub use options::Options;
pub use parsed::{Broken, EntryGroup, Listed, Parsed, StopOnFailure, Switch, Switches};
pub use places::{Candidate, Explicit, Places};
pub use read::{LARGEST_FILE, read};
pub use registry::{Definition, HookList, ListFile};
pub use reload::{Reloaded, Reloader};
#[cfg(feature = "render")]
pub use render::{Style, render};
pub use report::{Fate, HookReport, Report};
pub use resolve::{Loaded, resolve};
pub use save::write_atomically;
pub use source::{Place, SourceFile, Span};
pub use templates::{InstallError, Installed, Prepared, Script, TEMPLATES, Template, Written};
pub use trust::{ContentTrust, Judgement, Subject, Trust, TrustEverything, TrustState};
#[cfg(feature = "watch")]
pub use watch::{FileWatch, WatchError, keep_fresh};
