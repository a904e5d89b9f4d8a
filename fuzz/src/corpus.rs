//! The inputs that failed once: files in `corpus/TARGET/`, kept for good.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Where the inputs of a target are.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target)
}

/// The inputs of a target, with the names of their files, in the order of these.
pub fn inputs(target: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder(target))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((name, fs::read(entry.path())?));
    }
    found.sort();
    Ok(found)
}

/// Keeps an input that failed, under a name that is its own.
pub fn keep(target: &str, input: &[u8]) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = folder(target).join(format!("failed-{:016x}", hasher.finish()));
    fs::create_dir_all(folder(target))?;
    fs::write(&path, input)?;
    Ok(path)
}
