//! The project that the agent of the demonstration works in.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::Failure;

/// The files of the project.
const FILES: [(&str, &str); 8] = [
    (
        ".hookline/hooks.json",
        include_str!("../../demo/hooks.json"),
    ),
    (
        ".hookline/no-rm-rf.sh",
        include_str!("../../demo/no-rm-rf.sh"),
    ),
    (
        ".hookline/tests-first.sh",
        include_str!("../../demo/tests-first.sh"),
    ),
    (".hookline/ci.sh", include_str!("../../demo/ci.sh")),
    (
        ".hookline/metrics.sh",
        include_str!("../../demo/metrics.sh"),
    ),
    ("data/orders.csv", include_str!("../../demo/orders.csv")),
    ("deploy.sh", include_str!("../../demo/deploy.sh")),
    ("test.sh", include_str!("../../demo/test.sh")),
];

/// Files that come to be on the way, and that hooks look at.
pub(crate) const PROPS: [&str; 2] = ["tests-passed", "ci-is-done"];

/// A directory of its own, which goes when this goes.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: TempDir,
    root: PathBuf,
}

impl Scratch {
    /// Writes the project.
    pub(crate) fn new() -> Result<Self, Failure> {
        let made = tempfile::Builder::new().prefix("hookline-demo-").tempdir();
        let directory = made.map_err(|why| {
            Failure::invalid(format!("cannot make a scratch directory: {why}"))
                .help("TMPDIR says where it is made")
        })?;
        // As the agent's shell calls it: on some systems the way there has links.
        let root = fs::canonicalize(directory.path())
            .map_err(|why| Failure::unreadable(directory.path(), why))?;
        for (name, text) in FILES {
            write(&root.join(name), text)?;
        }
        Ok(Self { directory, root })
    }

    /// The project's root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The story goes on: CI is done.
    pub(crate) fn finish_ci(&self) -> Result<(), Failure> {
        write(&self.root.join("ci-is-done"), "")
    }

    /// Leaves the directory where it is, and says where that is.
    pub(crate) fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    /// Takes the directory away. That it cannot be is an error: nothing is to be left.
    pub(crate) fn remove(self) -> Result<(), Failure> {
        let root = self.root;
        self.directory
            .close()
            .map_err(|why| Failure::invalid(format!("cannot remove {}: {why}", root.display())))
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent
        .and_then(|()| fs::write(path, text))
        .map_err(|why| Failure::unwritable(path, why))
}
