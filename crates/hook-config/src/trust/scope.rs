//! What words are looked up in while a command and its scripts are read.

use std::path::{Component, Path, PathBuf};

use super::case::{CommandLine, WorkingDirectory};
use super::surroundings::Surroundings;
use super::variables::Variables;

/// So many places that a command changes to are followed.
const MAX_PLACES: usize = 8;

/// What words are looked up in: at first those of the command, then those of the scripts it runs.
#[derive(Debug)]
pub(super) struct Scope {
    /// Where relative names are looked up: where the command starts, and where it, or one of its
    /// scripts, changes to.
    pub(super) places: Vec<PathBuf>,
    /// Whether relative names depend on where the agent is.
    pub(super) moves: bool,
    /// Variables that nobody has set to something else so far.
    variables: Variables,
}

impl Scope {
    /// Where the command starts.
    pub(super) fn of(line: &CommandLine, around: &Surroundings) -> Self {
        let place = match &line.place {
            WorkingDirectory::Fixed(path) => around.resolve(path),
            WorkingDirectory::Agent | WorkingDirectory::Project => around.project().to_owned(),
        };
        Self {
            places: vec![place],
            moves: line.place == WorkingDirectory::Agent,
            variables: Variables::of(line, around),
        }
    }

    /// Changes to a place; `false` if that is one too many. A shell takes `link/..` for the folder that
    /// the link is in, and the system for the folder above the one it leads to: both count.
    pub(super) fn go_to(&mut self, place: &Path) -> bool {
        let known = self.places.iter();
        let reached: Vec<PathBuf> = known.map(|known| known.join(place)).collect();
        let without_dots: Vec<PathBuf> = reached.iter().map(|place| lexical(place)).collect();
        for place in reached.into_iter().chain(without_dots) {
            if self.places.contains(&place) {
                continue;
            }
            if self.places.len() == MAX_PLACES {
                return false;
            }
            self.places.push(place);
        }
        true
    }

    pub(super) fn variables(&self) -> &Variables {
        &self.variables
    }

    pub(super) fn variables_mut(&mut self) -> &mut Variables {
        &mut self.variables
    }
}

/// The path without `..`, as a shell takes it: each takes the name before it away.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}
