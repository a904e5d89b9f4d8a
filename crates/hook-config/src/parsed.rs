//! What one file says, before anybody asks where it comes from.

use std::time::Duration;

use hook_runner::Mode;
use hook_types::{EventName, OnFailure};
use serde_json::{Value, json};

use crate::diagnostic::Diagnostic;
use crate::disabled::DisabledHook;
use crate::document::{Document, Node};
use crate::entry::{Entry, Listen};
use crate::source::Place;

/// What one file says.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Its hooks.
    pub groups: Vec<EntryGroup>,
    /// Entries that cannot be used.
    pub broken: Vec<Broken>,
    /// What it switches on and off.
    pub switches: Switches,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// All its hooks, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.groups.iter().flat_map(|group| &group.entries)
    }

    /// Leaves nothing but the hook that stands at a place.
    pub fn keep_only(&mut self, place: &Place) {
        for group in &mut self.groups {
            group.entries.retain(|entry| entry.place == *place);
        }
        self.groups.retain(|group| !group.entries.is_empty());
        self.broken.clear();
    }
}

/// Hooks that belong together, in order.
#[derive(Clone, Debug)]
pub struct EntryGroup {
    /// How they run.
    pub mode: Mode,
    /// A deadline that they share.
    pub timeout: Option<Duration>,
    /// What the failure of one means that does not say so itself.
    pub on_failure: Option<OnFailure>,
    /// When the first that fails or refuses ends the group.
    pub stop_on_failure: StopOnFailure,
    /// Whether the group goes on with that of the next file of the same format.
    pub across_files: bool,
    /// The hooks.
    pub entries: Vec<Entry>,
}

impl EntryGroup {
    /// Hooks that run at once.
    pub fn parallel(entries: Vec<Entry>) -> Self {
        Self {
            mode: Mode::Parallel,
            timeout: None,
            on_failure: None,
            stop_on_failure: StopOnFailure::Never,
            across_files: false,
            entries,
        }
    }

    /// Hooks that run one after the other.
    pub fn sequential(entries: Vec<Entry>) -> Self {
        Self {
            mode: Mode::Sequential,
            ..Self::parallel(entries)
        }
    }
}

impl EntryGroup {
    /// What one of its entries amounts to here: the same command means something else where others
    /// run before it, or end it. What every group of its format does is not worth a word. Trust is
    /// given to this.
    pub fn content_of(&self, entry: &Entry) -> Value {
        let mut content = entry.normalised();
        let in_order = self.mode == Mode::Sequential && !self.across_files;
        let stops = match (&self.stop_on_failure, self.across_files) {
            (StopOnFailure::Always, _) => Some(true),
            (StopOnFailure::Never, true) => Some(false),
            (StopOnFailure::Never, false) | (StopOnFailure::On(_), _) => None,
        };
        if let Some(content) = content.as_object_mut()
            && (in_order || stops.is_some())
        {
            let group = json!({"in_order": in_order, "stops": stops});
            content.insert("group".to_owned(), group);
        }
        content
    }
}

/// When the first hook that fails or refuses ends its sequential group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StopOnFailure {
    /// Never.
    #[default]
    Never,
    /// On these events.
    On(Vec<EventName>),
    /// On all events.
    Always,
}

impl StopOnFailure {
    /// Whether it does on this event.
    pub fn applies_to(&self, event: EventName) -> bool {
        match self {
            Self::Never => false,
            Self::On(events) => events.contains(&event),
            Self::Always => true,
        }
    }
}

/// An entry that cannot be used. It is not dropped: where it would have run, a failure is reported,
/// and a guard is blocked.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Where it would have run, as far as that can be read.
    pub listens: Vec<Listen>,
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it.
    pub why: String,
    /// What is written there.
    pub content: Value,
    /// The type of hook that it names, and where: whether there is such a type is not known yet.
    pub kind: Option<(String, Place)>,
}

impl Broken {
    pub(crate) fn of(
        document: &Document,
        node: &Node,
        listens: Vec<Listen>,
        why: &Diagnostic,
    ) -> Self {
        Self {
            listens,
            place: document.place(node.span),
            why: why.to_string(),
            content: node.to_value(),
            kind: None,
        }
    }

    /// The same, of a dialect whose hooks name their type.
    pub(crate) fn with_kind(mut self, document: &Document, node: &Node) -> Self {
        let named = node
            .get("type")
            .and_then(|kind| Some((kind.as_str()?, kind)));
        // What says nothing is told by whoever read it.
        let named = named.filter(|(text, _)| !text.trim().is_empty() && !text.contains('\0'));
        self.kind = named.map(|(text, kind)| (text.to_owned(), document.place(kind.span)));
        self
    }

    /// What the entry amounts to: trust is given to this. It never reads like an entry that can run,
    /// whatever is written there, so that approving the one approves nothing of the other.
    pub fn normalised(&self) -> Value {
        let listens = self.listens.iter();
        let mut listens: Vec<Value> = listens
            .map(|listen| json!([listen.event, listen.pattern()]))
            .collect();
        listens.sort_by_key(Value::to_string);
        json!({"broken": self.content, "listens": listens})
    }
}

/// What a file switches on and off.
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// `disableAllHooks`.
    pub disable_all_hooks: Option<Switch>,
    /// `allowManagedHooksOnly`: counts in managed files.
    pub allow_managed_hooks_only: Option<Switch>,
    /// `disabledHooks`: hooks that are switched off one by one. Counts in files that are not a project's.
    pub disabled_hooks: Vec<(DisabledHook, Place)>,
    /// Whether broken guards block: counts in files that are not a project's.
    pub tripwires: Option<Switch>,
    /// `enabledPlugins`: the plugin's id, and whether it is on.
    pub enabled_plugins: Vec<(String, Switch)>,
    /// Plugins of the user's that a project's file switches off. Known when all files are read.
    pub takes_plugins: Vec<(String, Switch)>,
    /// `pluginConfigs`: the plugin's id, the name of an option, and what it is set to. Counts in files
    /// that are not a project's.
    pub plugin_options: Vec<(String, String, String)>,
    /// `strictPluginOnlyCustomization` for hooks: counts in managed files.
    pub plugins_only: Option<Switch>,
    /// `allowedHttpHookUrls`.
    pub http_urls: Option<Listed>,
    /// `httpHookAllowedEnvVars`.
    pub http_variables: Option<Listed>,
    /// `allowedHttpHookAddresses`: counts in files that are not a project's.
    pub http_addresses: Option<Listed>,
}

/// A list of texts, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The texts; none where it is no list of texts.
    pub texts: Option<Vec<String>>,
    /// Where it stands.
    pub place: Place,
}

/// A switch, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// On or off.
    pub on: bool,
    /// Where it stands.
    pub place: Place,
}
