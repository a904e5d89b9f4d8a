//! Where approvals are kept: one file a project, in the user's directory.
//!
//! Writers take turns at a lock, read what is there, add to it, and put a whole new file in its place;
//! readers need no lock. What cannot be read is moved aside, never written over.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::digest::Digest;
use super::lock::Lock;
use super::record::{Approval, Record, VERSION};
use super::store_error::{StoreError, StoreErrorKind};
use crate::save::real;

/// A larger file is not read.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// The approvals of a user.
///
/// ```
/// use hook_config::trust::TrustStore;
///
/// let environment = |name: &str| (name == "HOME").then(|| "/home/ada".into());
/// let store = TrustStore::from_environment(environment).unwrap();
/// assert_eq!(store.directory().to_str(), Some("/home/ada/.local/state/hookline/trust"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustStore {
    directory: PathBuf,
    /// The user's home, which may be a repository of their own.
    home: Option<PathBuf>,
}

/// The approvals for one project.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProjectApprovals {
    /// The project's root.
    pub project: PathBuf,
    /// What was approved.
    pub approvals: Vec<Approval>,
}

impl TrustStore {
    /// A store in a directory, which is made when something is approved.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            home: None,
        }
    }

    /// The store in the user's state directory: `$XDG_STATE_HOME/hookline/trust`, else
    /// `~/.local/state/hookline/trust`. None without a home.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let path =
            |name: &str| Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute());
        let home = path("HOME");
        let usual = || home.as_ref().map(|home| home.join(".local/state"));
        let state = path("XDG_STATE_HOME").or_else(usual)?;
        Some(Self {
            directory: state.join("hookline/trust"),
            home,
        })
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file with the approvals for a project.
    pub fn file_of(&self, project: &Path) -> PathBuf {
        let name = Digest::of(project.as_os_str().as_bytes());
        self.directory.join(format!("{name}.json"))
    }

    /// Everything that is approved, and what could not be read.
    pub fn projects(&self) -> (Vec<ProjectApprovals>, Vec<StoreError>) {
        let mut projects = Vec::new();
        let mut problems = Vec::new();
        for file in self.files() {
            match read(&file) {
                Ok(Some(record)) => projects.push(ProjectApprovals {
                    project: record.project,
                    approvals: record.approvals,
                }),
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        projects.sort_by(|a, b| a.project.cmp(&b.project));
        (projects, problems)
    }

    /// Forgets the projects that are gone, and says which. One that merely cannot be seen is kept.
    pub fn prune(&self) -> Result<Vec<PathBuf>, StoreError> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        let _turn = self.lock()?;
        let mut gone = Vec::new();
        for file in self.files() {
            let Ok(Some(record)) = read(&file) else {
                continue;
            };
            // A path that is not text is kept as something like it, and cannot be looked for.
            let is_its_own = self.file_of(&record.project) == file;
            let is_gone = std::fs::symlink_metadata(&record.project)
                .is_err_and(|error| error.kind() == ErrorKind::NotFound);
            if is_its_own && is_gone {
                std::fs::remove_file(&file).map_err(|error| StoreError::io(&file, &error))?;
                gone.push(record.project);
            }
        }
        Ok(gone)
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten();
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "json")
        });
        files.sort();
        files
    }

    /// The approvals for a project; `None` if there never were any.
    pub(super) fn load(&self, project: &Path) -> Result<Option<Record>, StoreError> {
        self.refuse_within(project)?;
        let file = self.file_of(project);
        let record = read(&file)?;
        let expected = Record::new(project).project;
        match record {
            Some(record) if record.project != expected => {
                let why = format!("it is about {}", record.project.display());
                Err(StoreError::new(&file, StoreErrorKind::Corrupt(why)))
            }
            record => Ok(record),
        }
    }

    /// Changes the approvals for a project. Returns where a file went that could not be read.
    pub(super) fn update(
        &self,
        project: &Path,
        change: impl FnOnce(&mut Record),
    ) -> Result<Option<PathBuf>, StoreError> {
        self.refuse_within(project)?;
        self.create()?;
        let _turn = self.lock()?;
        let (record, moved) = match self.load(project) {
            Ok(record) => (record, None),
            Err(error) if error.is_corrupt() => (None, Some(move_aside(error.path())?)),
            Err(error) => return Err(error),
        };
        let mut record = record.unwrap_or_else(|| Record::new(project));
        change(&mut record);
        self.write(&self.file_of(project), &record)?;
        Ok(moved)
    }

    /// A repository that could bring its own approvals would approve itself, and so would one that the
    /// project is a folder of.
    fn refuse_within(&self, project: &Path) -> Result<(), StoreError> {
        let home = self.home.as_deref().map(real);
        let repository = project
            .ancestors()
            .find(|folder| folder.join(".git").exists())
            .filter(|root| Some(*root) != home.as_deref());
        let mut forbidden = std::iter::once(project).chain(repository);
        let directories = [self.directory.clone(), real(&self.directory)];
        let is_within =
            forbidden.any(|root| directories.iter().any(|store| store.starts_with(root)));
        if is_within {
            return Err(StoreError::new(&self.directory, StoreErrorKind::InProject));
        }
        Ok(())
    }

    fn create(&self) -> Result<(), StoreError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)
            .map_err(|error| StoreError::io(&self.directory, &error))
    }

    fn lock(&self) -> Result<Lock, StoreError> {
        Lock::take(&self.directory.join("lock"))
    }

    /// Puts a whole file in place: nobody ever sees half of one.
    fn write(&self, path: &Path, record: &Record) -> Result<(), StoreError> {
        let io = |error: std::io::Error| StoreError::io(path, &error);
        let mut file = tempfile::NamedTempFile::new_in(&self.directory).map_err(io)?;
        let text = serde_json::to_vec_pretty(record).map_err(|error| io(error.into()))?;
        file.write_all(&text).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(path).map_err(|error| io(error.error))?;
        let directory = File::open(&self.directory).map_err(io)?;
        directory.sync_all().map_err(io)
    }
}

/// Reads a file; `None` if it is not there.
fn read(path: &Path) -> Result<Option<Record>, StoreError> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io(path, &error.into())),
    };
    let io = |error: std::io::Error| StoreError::io(path, &error);
    let fail = |kind: StoreErrorKind| Err(StoreError::new(path, kind));
    let metadata = file.metadata().map_err(io)?;
    let owners = [rustix::process::geteuid().as_raw(), 0];
    if !owners.contains(&metadata.uid()) || metadata.mode() & 0o022 != 0 {
        return fail(StoreErrorKind::NotYours);
    }
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return fail(StoreErrorKind::Corrupt("it is not a small file".to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes).map_err(io)?;
    parse(&bytes).map(Some).or_else(fail)
}

fn parse(bytes: &[u8]) -> Result<Record, StoreErrorKind> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let corrupt = |error: serde_json::Error| StoreErrorKind::Corrupt(error.to_string());
    let Version { version } = serde_json::from_slice(bytes).map_err(corrupt)?;
    if version > VERSION {
        return Err(StoreErrorKind::Newer(version));
    }
    serde_json::from_slice(bytes).map_err(corrupt)
}

/// Moves a file to a name that is free.
fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut names = (1..1000).map(|number| path.with_extension(format!("broken-{number}")));
    let free = names.find(|name| std::fs::symlink_metadata(name).is_err());
    let free = free.ok_or_else(|| StoreError::new(path, StoreErrorKind::TooManyBroken))?;
    std::fs::rename(path, &free).map_err(|error| StoreError::io(path, &error))?;
    Ok(free)
}
