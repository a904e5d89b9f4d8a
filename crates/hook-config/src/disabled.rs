//! Hooks that are switched off one by one, where their own format has no word for it.

use hook_runner::Layer;
use serde_json::{Value, json};

use crate::document::Node;
use crate::entry::Entry;
use crate::file::Origin;
use crate::report::HookReport;

/// A hook that is switched off, as `disabledHooks` of a Hookline file names it: by where it comes from, when
/// it would run, and what it would run. A hook that says something else is another, and is on.
///
/// Claude settings and plugins have no word that switches one hook off, and other agents read the same
/// files. So the user's own Hookline file says it for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledHook {
    /// The file that it stands in, or the plugin that it comes with: `plugin:guard@tools`.
    pub from: String,
    /// The event.
    pub event: String,
    /// For which subjects; `*` for all.
    pub matcher: String,
    /// What it runs.
    pub runs: String,
}

/// The key of the list.
pub(crate) const KEY: &str = "disabledHooks";

impl DisabledHook {
    /// The words that switch a hook off; none of one that cannot be used, or that is managed.
    pub fn of(hook: &HookReport) -> Option<Self> {
        let entry = hook.entry.as_deref()?;
        let listen = entry.listens.first()?;
        (!is_managed(&hook.origin)).then(|| Self {
            from: from(&hook.origin, entry),
            event: listen.event.as_str().to_owned(),
            matcher: listen.pattern(),
            runs: entry.summary(),
        })
    }

    /// As a file has it.
    pub fn to_value(&self) -> Value {
        json!({"from": self.from, "event": self.event, "matcher": self.matcher, "runs": self.runs})
    }

    /// As a file has it; none where something is missing.
    pub fn read(node: &Node) -> Option<Self> {
        let text = |key: &str| node.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            from: text("from")?,
            event: text("event")?,
            matcher: text("matcher")?,
            runs: text("runs")?,
        })
    }

    /// Whether a hook is this one.
    pub(crate) fn fits(&self, origin: &Origin, entry: &Entry) -> bool {
        let listens = |listen: &crate::entry::Listen| {
            listen.event.as_str() == self.event && listen.pattern() == self.matcher
        };
        !is_managed(origin)
            && self.from == from(origin, entry)
            && self.runs == entry.summary()
            && entry.listens.iter().any(listens)
    }
}

fn from(origin: &Origin, entry: &Entry) -> String {
    match &origin.plugin {
        // A plugin's files move with its version.
        Some(plugin) => format!("plugin:{}", plugin.id),
        None => entry.place.file.path().display().to_string(),
    }
}

/// What is managed is nobody else's to switch off.
fn is_managed(origin: &Origin) -> bool {
    let plugin = origin.plugin.as_ref();
    origin.layer == Layer::Managed
        || plugin.is_some_and(|plugin| plugin.enabled_by == Layer::Managed)
}
