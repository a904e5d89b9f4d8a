//! Looks for files, and reads those that are there.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Format, guess, parse};
use crate::file::{ConfigFile, FileState, Origin};
use crate::parsed::Parsed;
use crate::places::Places;
use crate::read::{LARGEST_FILE, read};
use crate::source::{Place, SourceFile};

/// Looks for all files of the places, and reads those that are there, in the order of their layers.
pub fn discover(places: &Places) -> Vec<ConfigFile> {
    let candidates = places.candidates().into_iter();
    candidates
        .map(|candidate| {
            let origin = Origin::of(candidate.layer);
            // A file that somebody named must be there.
            let named = candidate.format.is_none();
            open(&candidate.path, origin, candidate.format, named)
        })
        .collect()
}

/// Reads one file; `format` by its shape where there is none.
pub fn open(path: &Path, origin: Origin, format: Option<Format>, required: bool) -> ConfigFile {
    let bytes = match slurp(path) {
        Ok(bytes) => bytes,
        Err(error) => return unread(path, origin, format, &error, required),
    };
    let mut file = ConfigFile {
        path: path.to_owned(),
        origin,
        format: format.unwrap_or(Format::Claude),
        state: FileState::Read,
        source: SourceFile::unread(path),
        parsed: Parsed::default(),
    };
    match read(path, &bytes) {
        Err(problem) => {
            file.state = FileState::NotJson;
            if let Some(place) = &problem.place {
                file.source = place.file.clone();
            }
            file.parsed.diagnostics.push(*problem);
        }
        Ok(document) => {
            let guessed = format.is_none().then(|| guess(&document));
            if let Some(guessed) = &guessed {
                file.format = guessed.format;
            }
            file.source = document.file.clone();
            file.parsed = parse(&document, file.format);
            let doubt = guessed.and_then(|guessed| guessed.doubt);
            file.parsed.diagnostics.extend(doubt);
        }
    }
    file
}

/// No more of a file than is ever read of one, and no waiting for a pipe.
fn slurp(path: &Path) -> std::io::Result<Vec<u8>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    let limit = LARGEST_FILE as u64 + 1;
    std::fs::File::open(path)?
        .take(limit)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unread(
    path: &Path,
    origin: Origin,
    format: Option<Format>,
    error: &std::io::Error,
    required: bool,
) -> ConfigFile {
    // A folder of the path that is a file is as good as a file that is not there.
    let missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let source = SourceFile::unread(path);
    let mut parsed = Parsed::default();
    if !missing || required {
        let message = format!("the file cannot be read: {error}");
        let problem = Diagnostic::new(Code::Unreadable, message).at(Place::start_of(&source));
        parsed.diagnostics.push(problem);
    }
    ConfigFile {
        path: path.to_owned(),
        origin,
        format: format.unwrap_or(Format::Claude),
        state: if missing {
            FileState::Missing
        } else {
            FileState::Unreadable(error.to_string())
        },
        source,
        parsed,
    }
}
