//! Where the transcripts of sessions are, and which one to go on with.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Failure;
use crate::world::World;

/// Which session to go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resume {
    /// The newest of the project.
    Newest,
    /// That one: a session's id, or a transcript.
    Named(String),
}

/// The sessions of one project.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    directory: Option<PathBuf>,
}

impl Sessions {
    /// In the user's state directory: `hookline/sessions`, and the project's path in one word.
    pub(crate) fn of(project: &Path, world: &World) -> Self {
        let absolute = |path: &PathBuf| path.is_absolute();
        let told = world.variable("XDG_STATE_HOME").map(PathBuf::from);
        let state = told
            .filter(absolute)
            .or_else(|| world.home().map(|home| home.join(".local/state")));
        let word: String = project
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        Self {
            directory: state
                .filter(absolute)
                .map(|state| state.join("hookline/sessions").join(word)),
        }
    }

    /// Where they are; none without a home.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The transcript of a session.
    pub(crate) fn find(&self, wanted: &Resume, world: &World) -> Result<PathBuf, Failure> {
        match wanted {
            Resume::Newest => self.newest(),
            Resume::Named(name) => self.named(name, world),
        }
    }

    fn newest(&self) -> Result<PathBuf, Failure> {
        let none = || {
            Failure::invalid("there is no session of this project to go on with")
                .help("--resume SESSION takes a session's id, or the file of a transcript")
        };
        let directory = self.directory.as_deref().ok_or_else(none)?;
        let entries = std::fs::read_dir(directory).map_err(|_| none())?;
        let dated = entries.flatten().filter_map(|entry| {
            let path = entry.path();
            let is_one = path.extension().is_some_and(|end| end == "jsonl");
            let changed = entry.metadata().and_then(|about| about.modified());
            is_one.then(|| (changed.unwrap_or(SystemTime::UNIX_EPOCH), path))
        });
        let newest = dated.max();
        newest.map(|(_, path)| path).ok_or_else(none)
    }

    fn named(&self, name: &str, world: &World) -> Result<PathBuf, Failure> {
        let here = world.directory.as_deref().unwrap_or(Path::new("."));
        let is_id = !name.contains('/') && !name.starts_with('.');
        let by_id = self.directory.as_ref().filter(|_| is_id);
        let by_id = by_id.map(|directory| directory.join(format!("{name}.jsonl")));
        let by_path = here.join(name);
        let mut places = by_id.into_iter().chain([by_path]);
        places.find(|path| path.is_file()).ok_or_else(|| {
            Failure::invalid(format!("there is no session and no transcript `{name}`"))
                .help("--continue goes on with the newest session of the project")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(home: &Path) -> World {
        let mut world = World::default();
        world.variables.insert("HOME".into(), home.into());
        world.directory = Some(home.to_owned());
        world
    }

    #[test]
    fn a_session_is_found_by_its_id_by_its_file_and_as_the_newest() {
        let home = tempfile::tempdir().unwrap();
        let world = world(home.path());
        let sessions = Sessions::of(Path::new("/srv/app"), &world);
        let directory = home.path().join(".local/state/hookline/sessions/-srv-app");
        assert_eq!(sessions.directory(), Some(directory.as_path()));
        assert!(sessions.find(&Resume::Newest, &world).is_err());
        std::fs::create_dir_all(&directory).unwrap();
        let (old, new) = (directory.join("old.jsonl"), directory.join("new.jsonl"));
        std::fs::write(&old, "").unwrap();
        std::fs::write(&new, "").unwrap();
        let earlier = SystemTime::UNIX_EPOCH;
        let file = std::fs::File::options().append(true).open(&old).unwrap();
        file.set_modified(earlier).unwrap();
        let find = |name: &str| sessions.find(&Resume::Named(name.into()), &world).ok();
        assert_eq!(sessions.find(&Resume::Newest, &world).unwrap(), new);
        assert_eq!(find("old"), Some(old.clone()));
        assert_eq!(find(old.to_str().unwrap()), Some(old));
        assert_eq!(find("../new"), None);
        assert_eq!(find("none"), None);
    }
}
