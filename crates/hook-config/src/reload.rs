//! Reading files again: a new set of hooks, unless it is broken.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::load::load;
use crate::options::Options;
use crate::places::Places;
use crate::report::Report;
use crate::resolve::Loaded;
use crate::source::SourceFile;

/// What came of reading the files again.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reloaded {
    /// The files say what they said.
    Unchanged,
    /// They say something else, and all of it can be used.
    Ready {
        /// The new hooks. They count from the next [`Reloader::reload`] on as what is in use.
        loaded: Box<Loaded>,
        /// The files that changed.
        changed: Vec<PathBuf>,
    },
    /// They say something that cannot be used. What is in use stays in use.
    Broken {
        /// What is wrong that was not wrong before.
        problems: Vec<Diagnostic>,
        /// The files that changed.
        changed: Vec<PathBuf>,
    },
}

/// Knows what is in use, and reads the files again when it is asked.
///
/// A new set replaces the old one as a whole or not at all: an error that was not there before keeps
/// the old set. An error that was there from the start does not keep later changes out.
///
/// ```
/// use hook_config::{Options, Places, Reloaded, Reloader, load};
/// use hook_shell::Host;
///
/// # fn main() -> std::io::Result<()> {
/// let project = tempfile::tempdir()?;
/// let file = project.path().join(".hookline/hooks.json");
/// std::fs::create_dir(project.path().join(".hookline"))?;
/// let places = Places::none().project(project.path());
/// let options = Options::new(Host::new());
/// let mut reloader = Reloader::new(places.clone(), options.clone(), &load(&places, &options).report);
///
/// std::fs::write(&file, r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#)?;
/// let Reloaded::Ready { loaded, .. } = reloader.reload() else { panic!("it can be used") };
/// assert_eq!(loaded.hooks.len(), 1);
///
/// std::fs::write(&file, r#"{"hooks": {"Stop": ["#)?;
/// let Reloaded::Broken { problems, .. } = reloader.reload() else { panic!("it cannot be used") };
/// assert_eq!(problems[0].code.as_str(), "not-json");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reloader {
    places: Places,
    options: Options,
    /// What the files said when they were last looked at.
    seen: Vec<Seen>,
    /// What was wrong with the set that is in use.
    known: Vec<Diagnostic>,
}

/// A file, and what it said.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    path: PathBuf,
    state: crate::file::FileState,
    source: Arc<SourceFile>,
}

impl Reloader {
    /// Starts with what is in use.
    pub fn new(places: Places, options: Options, in_use: &Report) -> Self {
        Self {
            places,
            options,
            seen: seen(in_use),
            known: errors(in_use),
        }
    }

    /// The files and folders whose change matters: also those that are not there yet.
    pub fn watched(&self) -> impl Iterator<Item = &Path> {
        self.seen.iter().map(|file| file.path.as_path())
    }

    /// Reads the files again.
    pub fn reload(&mut self) -> Reloaded {
        let loaded = load(&self.places, &self.options);
        let now = seen(&loaded.report);
        let changed = changed(&self.seen, &now);
        if changed.is_empty() {
            return Reloaded::Unchanged;
        }
        self.seen = now;
        let errors = errors(&loaded.report);
        let new = |problem: &&Diagnostic| !self.known.iter().any(|known| same(known, problem));
        let problems: Vec<Diagnostic> = errors.iter().filter(new).cloned().collect();
        if !problems.is_empty() {
            return Reloaded::Broken { problems, changed };
        }
        self.known = errors;
        Reloaded::Ready {
            loaded: Box::new(loaded),
            changed,
        }
    }
}

fn seen(report: &Report) -> Vec<Seen> {
    let files = report.files.iter().map(|file| Seen {
        path: file.path.clone(),
        state: file.state.clone(),
        source: Arc::clone(&file.source),
    });
    files.collect()
}

/// The files that say something else than before, came, or went.
fn changed(before: &[Seen], now: &[Seen]) -> Vec<PathBuf> {
    let differs = |file: &&Seen, others: &[Seen]| !others.contains(file);
    let gone = before.iter().filter(|file| differs(file, now));
    let new = now.iter().filter(|file| differs(file, before));
    let mut paths: Vec<PathBuf> = gone.chain(new).map(|file| file.path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn errors(report: &Report) -> Vec<Diagnostic> {
    let is_error = |problem: &&Diagnostic| problem.severity == Severity::Error;
    report
        .diagnostics
        .iter()
        .filter(is_error)
        .cloned()
        .collect()
}

/// The same mistake, wherever in its file it stands now.
fn same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let file = |problem: &Diagnostic| {
        problem
            .place
            .as_ref()
            .map(|place| place.file.path().to_owned())
    };
    one.code == other.code && one.message == other.message && file(one) == file(other)
}
