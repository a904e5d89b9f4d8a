//! Lists from and to files.

use std::path::{Path, PathBuf};

use hook_runner::Layer;
use serde_json::Value;

use super::definition::Definition;
use super::list::HookList;
use crate::diagnostic::Diagnostic;
use crate::dialect::Format;
use crate::discover::{Known, open};
use crate::document::Node;
use crate::edit::{Edit, EditError, Step};
use crate::file::{ConfigFile, Origin};
use crate::parsed::StopOnFailure;
use crate::places::Places;
use crate::read::read;

/// The list of one file. A file that is not there is an empty list; one that cannot be read is a
/// diagnostic and an empty list, and is not written over.
///
/// ```
/// use hook_config::{Definition, Layer, ListFile, Places};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let places = Places::none().project(folder.path());
/// let mut file = ListFile::opencode(&places, Layer::Project).ok_or("no project")?;
/// let hook = Definition::opencode("tool:error", "notify-send Error \"$OPENCODE_ERROR\"");
/// file.hooks.register(hook).map_err(|problem| problem.to_string())?;
/// file.save()?;
///
/// let again = ListFile::opencode(&places, Layer::Project).ok_or("no project")?;
/// assert_eq!(again.hooks.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListFile {
    /// The hooks.
    pub hooks: HookList,
    /// What is wrong with the file. Entries that cannot be used are not in the list, and stay in the
    /// file.
    pub diagnostics: Vec<Diagnostic>,
    path: PathBuf,
    /// The hooks that the file had.
    before: Vec<Value>,
    /// What it said of failures.
    stopped: Option<bool>,
}

impl ListFile {
    /// OpenCode's file of the user or of the project; none where the places have none.
    pub fn opencode(places: &Places, layer: Layer) -> Option<Self> {
        Self::of(places, layer, Format::OpenCode)
    }

    /// Opta's file of the user or of the project; none where the places have none.
    pub fn opta(places: &Places, layer: Layer) -> Option<Self> {
        Self::of(places, layer, Format::Opta)
    }

    fn of(places: &Places, layer: Layer, format: Format) -> Option<Self> {
        let path = places.file(format, layer)?;
        Some(Self::at(&path, layer, format))
    }

    fn at(path: &Path, layer: Layer, format: Format) -> Self {
        let file = open(path, Origin::of(layer), Known::Format(format));
        let mut hooks = HookList::of(format);
        hooks.put_all(&file);
        Self {
            before: hooks.iter().map(Definition::to_value).collect(),
            stopped: hooks.stops(),
            hooks,
            diagnostics: with_remedies(file.parsed.diagnostics),
            path: path.to_owned(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what has changed: hooks that are gone are taken away, new ones are added at the end, so is
    /// what was said of failures, and everything else stays as it is, comments and unknown keys too. In
    /// one step; the file's mode is kept.
    pub fn save(&mut self) -> Result<(), EditError> {
        let now: Vec<Value> = self.hooks.iter().map(Definition::to_value).collect();
        let mut edit = Edit::open(&self.path)?;
        for gone in without(&self.before, &now) {
            let document = edit.document()?;
            let list = document.root.get("hooks").and_then(Node::as_array);
            let mut list = list.unwrap_or_default().iter();
            if let Some(index) = list.position(|hook| hook.to_value() == gone) {
                edit.remove(&["hooks".into(), Step::Index(index)])?;
            }
        }
        for new in without(&now, &self.before) {
            edit.push(&["hooks".into()], &new)?;
        }
        let stops = self.hooks.stops();
        let says_so = self.hooks.format() == Format::OpenCode && stops != self.stopped;
        if let Some(stops) = stops.filter(|_| says_so) {
            edit.set(&["stop_on_failure".into()], &stops.into())?;
        }
        edit.save()?;
        self.before = now;
        self.stopped = stops;
        Ok(())
    }
}

impl HookList {
    /// Adds the hooks of the user's files and then of the project's, and says what is wrong with them.
    pub fn load_files(&mut self, places: &Places) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for layer in [Layer::User, Layer::Project] {
            for path in places.files(self.format(), layer) {
                let file = open(&path, Origin::of(layer), Known::Format(self.format()));
                self.put_all(&file);
                problems.extend(with_remedies(file.parsed.diagnostics));
            }
        }
        problems
    }

    fn put_all(&mut self, file: &ConfigFile) {
        for group in &file.parsed.groups {
            match group.stop_on_failure {
                StopOnFailure::Always => self.stop_on_failure(true),
                StopOnFailure::Never => self.stop_on_failure(false),
                StopOnFailure::On(_) => {}
            }
        }
        for entry in file.parsed.entries() {
            let written = read(&file.path, entry.place.text().as_bytes());
            if let Ok(Value::Object(fields)) = written.map(|document| document.root.to_value()) {
                let definition = Definition::known(self.format(), fields);
                self.put(definition, entry.clone(), file.origin.layer);
            }
        }
    }
}

fn with_remedies(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let problems = problems.into_iter();
    problems.map(Diagnostic::with_remedy).collect()
}

/// The values that are in the first list and not in the second, as often as that is so.
fn without(these: &[Value], those: &[Value]) -> Vec<Value> {
    let mut those: Vec<&Value> = those.iter().collect();
    let mut is_missing = |value: &&Value| {
        let found = those.iter().position(|other| other == value);
        found.is_none_or(|found| {
            those.swap_remove(found);
            false
        })
    };
    let missing = these.iter().filter(|value| is_missing(value));
    missing.cloned().collect()
}
