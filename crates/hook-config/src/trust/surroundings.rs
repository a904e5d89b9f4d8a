//! What the words of a command are looked up in.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The project, the user's home, and those directories of the search path that lie in the project.
///
/// ```
/// use hook_config::trust::Surroundings;
///
/// let around = Surroundings::new("/work/engine").home("/home/ada");
/// assert_eq!(around.project().to_str(), Some("/work/engine"));
/// ```
#[derive(Clone, Debug)]
pub struct Surroundings {
    project: PathBuf,
    /// The project's path without links, if it exists.
    canonical: PathBuf,
    home: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Surroundings {
    /// A project.
    pub fn new(project: impl Into<PathBuf>) -> Self {
        let project = project.into();
        let canonical = std::fs::canonicalize(&project).unwrap_or_else(|_| project.clone());
        Self {
            project,
            canonical,
            home: None,
            path: Vec::new(),
        }
    }

    /// The user's home: `~`.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The search path for programs, as in the variable `PATH`. Only directories in the project
    /// count: what lies outside is not the project's to change.
    #[must_use]
    pub fn path(mut self, path: &OsStr) -> Self {
        let in_project = |folder: &PathBuf| {
            let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            real.starts_with(&self.canonical)
        };
        self.path = std::env::split_paths(path)
            .map(|folder| self.project.join(folder))
            .filter(in_project)
            .collect();
        self
    }

    /// The project's root, as it was named.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The project's root without links: what approvals are filed under.
    pub fn canonical_project(&self) -> &Path {
        &self.canonical
    }

    /// Whether a path lies in the project, as written or without links.
    pub(super) fn contains(&self, path: &Path) -> bool {
        let path = self.project.join(path);
        let real = std::fs::canonicalize(&path);
        path.starts_with(&self.project) || real.unwrap_or(path).starts_with(&self.canonical)
    }

    /// A path from the project's root where it lies in the project, in one spelling.
    pub(super) fn shorten(&self, path: &Path) -> PathBuf {
        let roots = [&self.project, &self.canonical];
        let within = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        within.unwrap_or(path).components().collect()
    }

    pub(super) fn home_directory(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The directories of the search path that lie in the project.
    pub(super) fn project_path(&self) -> &[PathBuf] {
        &self.path
    }

    /// The places that a user works in.
    pub(super) fn workplaces(&self) -> Vec<&Path> {
        let own = [self.project.as_path(), self.canonical.as_path()];
        own.into_iter().chain(self.home_directory()).collect()
    }

    /// A path from a file: from the home where it starts with `~`, from the project's root where it
    /// is relative.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.project.join(path),
        }
    }
}
