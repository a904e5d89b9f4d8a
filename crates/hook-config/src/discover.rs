//! Looks for files, and reads those that are there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use hook_runner::Layer;
use rustix::fs::{Mode, OFlags};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Format, guess, parse};
use crate::document::Document;
use crate::file::{ConfigFile, FileState, Origin};
use crate::parsed::Parsed;
use crate::places::{Explicit, Places};
use crate::plugins;
use crate::read::{LARGEST_FILE, read};
use crate::source::{Place, SourceFile};

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its format; it may be missing.
    Format(Format),
    /// Its format; it must be there.
    Required(Format),
    /// Nothing: somebody named it. It must be there, and its shape tells its format.
    Nothing,
}

impl Known {
    fn format(self) -> Option<Format> {
        match self {
            Self::Format(format) | Self::Required(format) => Some(format),
            Self::Nothing => None,
        }
    }
}

/// Looks for all files of the places, and reads those that are there, in the order of their layers.
pub fn discover(places: &Places) -> Vec<ConfigFile> {
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut files = Vec::new();
    for candidate in places.candidates() {
        let mut file = open(
            &candidate.path,
            Origin::of(candidate.layer),
            Known::Format(candidate.format),
        );
        if let Ok(real) = candidate.path.canonicalize() {
            match seen.entry(real) {
                // A project in the user's home: its files are the user's own.
                Entry::Occupied(first) => file.is_the_same_as(first.get()),
                Entry::Vacant(first) => {
                    first.insert(candidate.path);
                }
            }
        }
        files.push(file);
    }
    let before_settings = files.len();
    files.extend(places.settings.iter().map(explicit));
    let plugins = plugins::discover(&mut files, places);
    files.splice(before_settings..before_settings, plugins);
    files
}

/// A file, or a text, that was named for this run.
fn explicit(named: &Explicit) -> ConfigFile {
    let origin = Origin::of(Layer::Settings);
    match named {
        Explicit::File(path) => open(path, origin, Known::Nothing),
        Explicit::Text(text) => {
            let path = Path::new("--settings");
            taken(path, read(path, text.as_bytes()), origin, Known::Nothing)
        }
    }
}

/// Looks for one file, and reads it if it is there.
pub fn open(path: &Path, origin: Origin, known: Known) -> ConfigFile {
    match slurp(path) {
        Ok(bytes) => taken(path, read(path, &bytes), origin, known),
        Err(error) => unread(path, origin, known, &error),
    }
}

/// A document that has been read, as a file of hooks.
pub(crate) fn open_document(document: Document, origin: Origin, known: Known) -> ConfigFile {
    let path = document.file.path().to_owned();
    taken(&path, Ok(document), origin, known)
}

/// A file as JSON that is no file of hooks.
pub fn read_file(path: &Path) -> Result<Document, Box<Diagnostic>> {
    let bytes = slurp(path).map_err(|error| Box::new(cannot_read(path, &error)))?;
    read(path, &bytes)
}

fn taken(
    path: &Path,
    document: Result<Document, Box<Diagnostic>>,
    origin: Origin,
    known: Known,
) -> ConfigFile {
    let mut file = ConfigFile {
        path: path.to_owned(),
        origin,
        format: known.format().unwrap_or(Format::Claude),
        state: FileState::Read,
        source: SourceFile::unread(path),
        parsed: Parsed::default(),
    };
    match document.and_then(has_shape) {
        Err(problem) => {
            file.state = if problem.code == Code::UnknownShape {
                FileState::WrongShape
            } else {
                FileState::NotJson
            };
            if let Some(place) = &problem.place {
                file.source = place.file.clone();
            }
            file.parsed.diagnostics.push(*problem);
        }
        Ok(document) => {
            let guess = known.format().is_none().then(|| guess(&document));
            if let Some(guess) = &guess {
                file.format = guess.format;
            }
            file.source = document.file.clone();
            file.parsed = parse(&document, file.format);
            file.parsed
                .diagnostics
                .extend(guess.and_then(|guess| guess.doubt));
        }
    }
    file
}

/// A file of hooks is an object, in every format.
fn has_shape(document: Document) -> Result<Document, Box<Diagnostic>> {
    if document.root.as_object().is_some() {
        return Ok(document);
    }
    let message = format!("the file must be an object, not {}", document.root.kind());
    let problem = Diagnostic::new(Code::UnknownShape, message)
        .at(document.place(document.root.span))
        .help("write {\"hooks\": …}");
    Err(Box::new(problem))
}

/// No more of a file than is ever read of one, and no waiting for a pipe, though one may take the
/// file's place at any moment.
pub(crate) fn slurp(path: &Path) -> std::io::Result<Vec<u8>> {
    let refused = || Error::other("it is not a file");
    // Some devices do things when they are merely opened.
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(refused());
    }
    let mut bytes = Vec::new();
    let limit = LARGEST_FILE as u64 + 1;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unread(path: &Path, origin: Origin, known: Known, error: &Error) -> ConfigFile {
    // A folder of the path that is a file is as good as a file that is not there. A link that leads
    // nowhere is there: its hooks have gone missing.
    let nowhere = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let missing = nowhere && std::fs::symlink_metadata(path).is_err();
    let may_be_missing = matches!(known, Known::Format(_));
    let mut parsed = Parsed::default();
    if !(missing && may_be_missing) {
        parsed.diagnostics.push(cannot_read(path, error));
    }
    ConfigFile {
        path: path.to_owned(),
        origin,
        format: known.format().unwrap_or(Format::Claude),
        state: if missing && may_be_missing {
            FileState::Missing
        } else {
            FileState::Unreadable(error.to_string())
        },
        source: SourceFile::unread(path),
        parsed,
    }
}

fn cannot_read(path: &Path, error: &Error) -> Diagnostic {
    let place = Place::start_of(&SourceFile::unread(path));
    Diagnostic::new(
        Code::Unreadable,
        format!("the file cannot be read: {error}"),
    )
    .at(place)
}
