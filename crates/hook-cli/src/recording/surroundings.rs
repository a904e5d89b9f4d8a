//! Where a session is: the directories that have a name in a recording, and what is made up for it.

use std::path::{Path, PathBuf};

use hook_types::{Base, SessionId};
use tempfile::TempDir;
use uuid::Uuid;

use super::names::Names;
use super::volatile::PLACES;
use crate::failure::Failure;
use crate::world::World;

/// The names of today's directories, in the order of [`PLACES`].
pub(crate) fn surroundings(root: &Path, world: &World) -> Names {
    let temporary = world.variable("TMPDIR").unwrap_or("/tmp");
    let paths = [
        Some(root.to_owned()),
        world.home(),
        Some(PathBuf::from(temporary)),
    ];
    let mut names = Names::default();
    for (kind, path) in PLACES.into_iter().zip(paths) {
        let Some(path) = path.filter(|path| path.is_absolute()) else {
            continue;
        };
        names = names.place(kind, &path.to_string_lossy());
        // On some systems the way there has links, and programs say where they lead.
        if let Ok(real) = path.canonicalize()
            && real != path
        {
            names = names.place(kind, &real.to_string_lossy());
        }
    }
    names
}

/// What is made up for a session that never was: an id, and files that inputs name.
#[derive(Debug)]
pub(crate) struct Invented {
    session: SessionId,
    folder: TempDir,
}

impl Invented {
    pub(crate) fn new() -> Result<Self, Failure> {
        let made = tempfile::Builder::new()
            .prefix("hookline-replay-")
            .tempdir();
        let folder = made.map_err(|why| {
            Failure::invalid(format!("cannot make a scratch directory: {why}"))
                .help("TMPDIR says where it is made")
        })?;
        // A hook that reads it finds an empty one.
        std::fs::write(folder.path().join("transcript"), "")
            .map_err(|why| Failure::unwritable(folder.path(), why))?;
        Ok(Self {
            session: Uuid::now_v7().to_string().into(),
            folder,
        })
    }

    /// What every event carries, where nobody says otherwise.
    pub(crate) fn base(&self, root: &Path) -> Base {
        let transcript = self.make("transcript", "transcript");
        Base::new(self.session.clone(), transcript, root.display().to_string())
    }

    /// Something of that kind, by its name in the recording.
    pub(crate) fn make(&self, kind: &str, name: &str) -> String {
        match kind {
            "session" if name == kind => self.session.to_string(),
            "transcript" | "agent-transcript" | "scratchpad" => {
                self.folder.path().join(name).display().to_string()
            }
            "call" => format!("toolu_01_{}_{name}", self.session.as_str().replace('-', "")),
            _ => format!("{}-{name}", self.session),
        }
    }
}
