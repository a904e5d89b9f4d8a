//! Paths as text: absolute, without `.` and `..`, without asking the disk.

use super::super::truth::Call;

/// An absolute path, as the names on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Absolute(Vec<String>);

impl Absolute {
    /// Relative paths start at the working directory, `~` at home if that is known.
    pub(super) fn new(path: &str, call: &Call<'_>) -> Self {
        let mut names = Vec::new();
        let (start, rest) = match (path.strip_prefix('~'), call.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => (home, rest),
            (Some(_) | None, _) if path.starts_with('/') => ("", path),
            (Some(_) | None, _) => (call.cwd, path),
        };
        extend(&mut names, start);
        extend(&mut names, rest);
        Self(names)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.0
    }

    /// The names from the folder to this path, if it is in the folder, or is it.
    pub(super) fn below(&self, folder: &Self) -> Option<&[String]> {
        self.0.strip_prefix(folder.0.as_slice())
    }
}

fn extend(names: &mut Vec<String>, path: &str) {
    for name in components(path) {
        if name == ".." {
            names.pop();
        } else {
            names.push(name.to_owned());
        }
    }
}

/// The names on a path; `..` is one of them, `.` is not.
pub(super) fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

/// Where a `Glob` call looks: its folder, and the plain folders its own pattern starts with.
pub(super) fn glob_root(call: &Call<'_>) -> Absolute {
    let folder = call.text("path").unwrap_or(".");
    let pattern = call.text("pattern").unwrap_or_default();
    let (plain, wild) =
        pattern.split_at(pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len()));
    if wild.contains("..") {
        // It climbs out of folders that only the disk knows: it may look anywhere.
        return Absolute(Vec::new());
    }
    let plain = plain.rsplit_once('/').map_or("", |(folders, _)| folders);
    if pattern.starts_with('/') {
        return Absolute::new(&format!("/{plain}"), call);
    }
    if plain.starts_with('~') {
        return Absolute::new(plain, call);
    }
    Absolute::new(&format!("{folder}/{plain}"), call)
}
