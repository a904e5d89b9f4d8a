//! Finds a program by name in the `PATH` of the environment it will get.
//!
//! The C library would look in *our* `PATH`, and Rust's standard library forks when the two
//! differ; doing it by hand avoids both.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use rustix::fs::Access;

use crate::LaunchErrorKind;

/// Where to look when the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The path of `program`; the name itself when it holds a slash.
pub(crate) fn find<'a>(
    program: &'a OsStr,
    path: Option<&OsStr>,
    cwd: Option<&Path>,
) -> Result<Cow<'a, Path>, LaunchErrorKind> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Ok(Cow::Borrowed(Path::new(program)));
    }
    if program.is_empty() {
        return Err(LaunchErrorKind::ProgramMissing);
    }
    let path = path.unwrap_or(OsStr::new(DEFAULT_PATH));
    let mut denied = false;
    for directory in std::env::split_paths(path) {
        let candidate = candidate(&directory, program);
        let seen_from_here = cwd.map_or_else(|| candidate.clone(), |cwd| cwd.join(&candidate));
        if seen_from_here.is_file() {
            if rustix::fs::access(&seen_from_here, Access::EXEC_OK).is_ok() {
                return Ok(Cow::Owned(candidate));
            }
            denied = true;
        }
    }
    Err(if denied {
        LaunchErrorKind::NotExecutable
    } else {
        LaunchErrorKind::NotOnPath
    })
}

/// An empty directory in `PATH` is the working directory.
fn candidate(directory: &Path, program: &OsStr) -> PathBuf {
    if directory.as_os_str().is_empty() {
        Path::new(".").join(program)
    } else {
        directory.join(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(program: &str, path: Option<&str>, cwd: Option<&Path>) -> Option<PathBuf> {
        find(OsStr::new(program), path.map(OsStr::new), cwd)
            .ok()
            .map(Cow::into_owned)
    }

    #[test]
    fn a_name_with_a_slash_is_taken_as_it_is() {
        assert_eq!(found("./x y", Some("/bin"), None), Some("./x y".into()));
    }

    #[test]
    fn the_given_path_counts_and_not_our_own() {
        assert_eq!(
            found("sh", Some("/nowhere:/bin"), None),
            Some("/bin/sh".into())
        );
        assert_eq!(found("sh", Some("/nowhere"), None), None);
    }

    #[test]
    fn without_a_path_the_usual_directories_are_searched() {
        assert!(found("sh", None, None).is_some());
    }

    #[test]
    fn an_empty_directory_means_the_working_directory() {
        assert_eq!(
            found("sh", Some(":/nowhere"), Some("/bin".as_ref())),
            Some("./sh".into())
        );
    }
}
