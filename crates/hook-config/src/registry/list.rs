//! Many hooks, in order, and what can be done with them.

use hook_runner::Layer;
use hook_types::HookEvent;

use super::definition::Definition;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Format;
use crate::entry::Entry;
use crate::file::{ConfigFile, FileState, Origin};
use crate::options::Options;
use crate::parsed::{EntryGroup, Parsed, StopOnFailure};
use crate::places::Places;
use crate::resolve::{Loaded, resolve};

/// A list of hooks that can be changed, of one format: a registry that is a value.
///
/// ```
/// use hook_config::{Definition, HookList};
/// use hook_types::{HookEvent, PreToolUse};
/// use serde_json::json;
///
/// let mut list = HookList::opencode();
/// list.register(Definition::opencode("tool:pre_execute", "echo 1"))?;
/// list.register(Definition::opencode("tool:*", "echo 2"))?;
/// let call = HookEvent::from(PreToolUse::new("Bash", json!({"command": "ls"})));
/// assert_eq!((list.len(), list.matching(&call).count()), (2, 2));
///
/// assert!(list.unregister("tool:pre_execute"));
/// list.clear();
/// assert!(list.is_empty());
/// # Ok::<(), Box<hook_config::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HookList {
    format: Format,
    pub(super) items: Vec<Item>,
    stop_on_failure: Option<bool>,
}

/// A hook of the list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) definition: Definition,
    entry: Entry,
    layer: Layer,
}

impl HookList {
    /// An empty list of OpenCode hooks.
    pub fn opencode() -> Self {
        Self::of(Format::OpenCode)
    }

    /// An empty list of Opta hooks.
    pub fn opta() -> Self {
        Self::of(Format::Opta)
    }

    pub(super) fn of(format: Format) -> Self {
        Self {
            format,
            items: Vec::new(),
            stop_on_failure: None,
        }
    }

    /// Adds a hook at the end. One that cannot be used is refused, and what is wrong with it is said.
    pub fn register(&mut self, hook: Definition) -> Result<(), Box<Diagnostic>> {
        if hook.format() != self.format {
            let message = format!(
                "a hook of {} does not fit into a list of {}",
                hook.format().as_str(),
                self.format.as_str()
            );
            return Err(Box::new(Diagnostic::new(Code::UnknownShape, message)));
        }
        let entry = hook.entry()?;
        self.put(hook, entry, Layer::Rust);
        Ok(())
    }

    pub(super) fn put(&mut self, definition: Definition, entry: Entry, layer: Layer) {
        self.items.push(Item {
            definition,
            entry,
            layer,
        });
    }

    /// Takes away all hooks with that pattern, spelt as they spell it; whether there were any.
    pub fn unregister(&mut self, pattern: &str) -> bool {
        let before = self.items.len();
        self.items
            .retain(|item| item.definition.pattern() != pattern);
        self.items.len() < before
    }

    /// Takes away all hooks.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Adds the hooks of another list of the same format behind these.
    pub fn load(&mut self, other: Self) -> Result<(), Box<Diagnostic>> {
        if let Some(stops) = other.stop_on_failure {
            self.stop_on_failure = Some(stops);
        }
        if other.format == self.format {
            self.items.extend(other.items);
            return Ok(());
        }
        let mut items = other.items.into_iter();
        items.try_for_each(|item| self.register(item.definition))
    }

    /// The hooks that are switched on and would run for an event, in order.
    pub fn matching(&self, event: &HookEvent) -> impl Iterator<Item = &Definition> {
        let subject = event.subject();
        let (name, subject) = (event.name(), subject.text().map(str::to_owned));
        let fits = move |item: &&Item| {
            let mut listens = item.entry.listens.iter();
            item.entry.enabled
                && listens.any(|listen| {
                    let subject = subject.as_deref();
                    listen.event == name
                        && subject.is_none_or(|text| listen.matcher.matches(text).is_match())
                })
        };
        self.items.iter().filter(fits).map(|item| &item.definition)
    }

    /// The hooks, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.items.iter().map(|item| &item.definition)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether the first hook that fails ends the others of its firing, on every event. Where nothing
    /// is said it does before something happens, and not after.
    pub fn stop_on_failure(&mut self, stops: bool) {
        self.stop_on_failure = Some(stops);
    }

    /// The hooks as a set, to be fired at.
    ///
    /// ```
    /// use hook_config::{Definition, HookList, Options, Places};
    /// use hook_runner::{Fire, Runner};
    /// use hook_shell::Host;
    /// use hook_types::PreToolUse;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<hook_config::Diagnostic>> {
    /// let mut list = HookList::opencode();
    /// list.register(Definition::opencode("tool:*", "echo fired"))?;
    /// let loaded = list.resolve(&Places::none(), &Options::new(Host::new()));
    /// let fired = Runner::new(loaded.hooks).fire(PreToolUse::new("Bash", json!({}))).await;
    /// assert!(fired.attempts[0].success());
    /// # Ok(())
    /// # }
    /// ```
    pub fn resolve(&self, places: &Places, options: &Options) -> Loaded {
        let runs = self.items.chunk_by(|one, next| one.layer == next.layer);
        let files = runs.filter_map(|items| Some(self.file(items, items.first()?)));
        resolve(files.collect(), places, options)
    }

    /// Hooks of one layer, as a file would have them.
    fn file(&self, items: &[Item], first: &Item) -> ConfigFile {
        let entries = items.iter().map(|item| item.entry.clone()).collect();
        let group = EntryGroup {
            stop_on_failure: match self.stop_on_failure {
                Some(true) => StopOnFailure::Always,
                Some(false) => StopOnFailure::Never,
                None => StopOnFailure::On(self.format.dialect().pre_events().to_vec()),
            },
            across_files: true,
            ..EntryGroup::sequential(entries)
        };
        ConfigFile {
            path: first.entry.place.file.path().to_owned(),
            origin: Origin::of(first.layer),
            format: self.format,
            state: FileState::Read,
            source: first.entry.place.file.clone(),
            parsed: Parsed {
                groups: vec![group],
                ..Parsed::default()
            },
        }
    }

    /// What was said of failures.
    pub(super) fn stops(&self) -> Option<bool> {
        self.stop_on_failure
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }
}
