//! Files that hooks look at and tools make: written down as they come and go, and put in place again.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value};

use crate::failure::Failure;

/// The longest file that is written down.
const LONGEST: u64 = 64 * 1024;

/// Files of a project that are watched.
#[derive(Debug)]
pub(crate) struct Stage {
    root: PathBuf,
    /// What each was when it was last looked at.
    files: BTreeMap<String, Option<String>>,
}

impl Stage {
    pub(crate) fn new(root: &Path, names: Vec<String>) -> Self {
        Self {
            root: root.to_owned(),
            files: names.into_iter().map(|name| (name, None)).collect(),
        }
    }

    /// What has changed since the last time. One that is no text, or is very long, counts as empty.
    pub(crate) fn changes(&mut self) -> Map<String, Value> {
        let mut changes = Map::new();
        for (name, before) in &mut self.files {
            let now = read(&self.root.join(name));
            if now != *before {
                changes.insert(name.clone(), now.clone().into());
                *before = now;
            }
        }
        changes
    }
}

fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let text = (about.len() <= LONGEST).then(|| fs::read_to_string(path).ok());
    Some(text.flatten().unwrap_or_default())
}

/// Files that are put in place for a while; they go when this goes.
#[derive(Debug)]
pub(crate) struct Props {
    root: PathBuf,
    placed: Vec<PathBuf>,
    /// Folders that were made for them, the outermost first.
    folders: Vec<PathBuf>,
}

impl Props {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            placed: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// Whether the stage is empty: a file that somebody else has put there is never touched.
    pub(crate) fn check<'a>(&self, names: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
        for name in names {
            let path = self.inside(name)?;
            if path.symlink_metadata().is_ok() {
                return Err(Failure::invalid(format!(
                    "{} is in the way: the recording puts it in place itself",
                    path.display()
                ))
                .help("remove it, or replay in a clean checkout with --project"));
            }
        }
        Ok(())
    }

    /// Puts files in place, or takes them away.
    pub(crate) fn apply(&mut self, files: &Map<String, Value>) -> Result<(), Failure> {
        for (name, text) in files {
            let path = self.inside(name)?;
            let done = match text.as_str() {
                Some(text) => self.place(&path, text),
                None if self.placed.contains(&path) => fs::remove_file(&path),
                None => Ok(()),
            };
            done.map_err(|why| Failure::unwritable(&path, why))?;
        }
        Ok(())
    }

    fn place(&mut self, path: &Path, text: &str) -> io::Result<()> {
        let folders = path.ancestors().skip(1);
        let missing: Vec<&Path> = folders.take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.folders.push(folder.to_owned());
        }
        self.placed.push(path.to_owned());
        fs::write(path, text)
    }

    /// A path of the project: a recording writes nowhere else, not by way of a link either.
    fn inside(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = Path::new(name);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let whole = self.root.join(path);
        let folder = whole.ancestors().skip(1).find(|folder| folder.exists());
        let real = |path: &Path| path.canonicalize().ok();
        let leads_here = match (folder.and_then(real), real(&self.root)) {
            (Some(folder), Some(root)) => folder.starts_with(root),
            (_, None) | (None, _) => false,
        };
        if name.is_empty() || !leads_here || !path.components().all(plain) {
            return Err(Failure::invalid(format!(
                "the recording wants to write `{name}`, which is not a file of the project"
            )));
        }
        Ok(whole)
    }
}

impl Drop for Props {
    fn drop(&mut self) {
        for path in &self.placed {
            // One that a hook has taken away is away.
            let _ = fs::remove_file(path);
        }
        for folder in self.folders.iter().rev() {
            // One that a hook has put something into stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_comes_changes_and_goes_is_written_down_once() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tests-passed");
        let mut stage = Stage::new(root.path(), vec!["tests-passed".into()]);
        assert_eq!(stage.changes(), Map::new());
        fs::write(&path, "2").unwrap();
        assert_eq!(json!(stage.changes()), json!({"tests-passed": "2"}));
        assert_eq!(stage.changes(), Map::new());
        fs::remove_file(&path).unwrap();
        assert_eq!(json!(stage.changes()), json!({"tests-passed": null}));
    }

    #[test]
    fn props_go_when_they_are_no_longer_needed_and_nothing_else_is_touched() {
        let root = tempfile::tempdir().unwrap();
        let there = |name: &str| root.path().join(name).exists();
        let files = |value: Value| value.as_object().cloned().unwrap();
        let mut props = Props::new(root.path());
        props.apply(&files(json!({"a/b": "x", "c": ""}))).unwrap();
        assert!(there("a/b") && there("c"));
        props.apply(&files(json!({"c": null}))).unwrap();
        assert!(!there("c"));
        drop(props);
        assert!(!there("a/b") && !there("a"));
        fs::write(root.path().join("mine"), "").unwrap();
        let mut props = Props::new(root.path());
        assert!(props.check([&"mine".to_owned()].into_iter()).is_err());
        props.apply(&files(json!({"mine": null}))).unwrap();
        assert!(there("mine"));
    }

    #[test]
    fn a_recording_writes_nothing_outside_of_the_project() {
        let root = tempfile::tempdir().unwrap();
        let props = Props::new(root.path());
        std::os::unix::fs::symlink("/tmp", root.path().join("link")).unwrap();
        for name in ["../x", "/etc/passwd", "a/../../x", "", ".", "link/x"] {
            assert!(props.inside(name).is_err(), "{name}");
        }
        assert!(props.inside("a/b/c").is_ok());
    }
}
