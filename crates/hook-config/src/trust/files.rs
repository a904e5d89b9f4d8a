//! Looks at the files that a command names: their contents, and where their links lead.

use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};

use super::case::CommandLine;
use super::digest::Digest;
use super::names::{self, Named, Names, Role};
use super::opaque::Opaque;
use super::programs;
use super::scope::Scope;
use super::stamp::{Kind, Signs, Stamp};
use super::surroundings::Surroundings;

/// A larger file is not read.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// So much is read for one hook.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// So many files are covered for one hook.
const MAX_FILES: usize = 64;
/// A longer script is not looked into.
const MAX_SCRIPT: usize = 64 * 1024;
/// How often a file is read again that is written at the same time.
const MAX_TRIES: usize = 3;

/// A file that an approval covers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoveredFile {
    /// Where the command finds it, from the project's root where it lies in the project.
    pub path: PathBuf,
    /// The same without links.
    pub target: PathBuf,
    /// What is in it.
    pub content: Content,
    /// The text, where it is one and not long.
    pub text: Option<String>,
}

/// What is known of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// All of it.
    Read {
        /// Its digest.
        digest: Digest,
        /// Its length in bytes.
        length: u64,
    },
    /// It belongs to the system: which file it is counts, not what is in it.
    System,
    /// It is too large: its length alone counts.
    TooLarge {
        /// Its length in bytes.
        length: u64,
    },
    /// It cannot be read.
    Unread,
}

/// What was found, and what to watch so as to know when to look again.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) files: Vec<CoveredFile>,
    pub(super) opaque: BTreeSet<Opaque>,
    pub(super) watch: Watch,
}

/// Everything that was looked at.
#[derive(Debug)]
pub(super) struct Watch {
    stamps: Vec<Stamp>,
    /// Whether any change from now on would show.
    is_settled: bool,
}

impl Watch {
    /// Whether what was found still holds.
    pub(super) fn holds(&self) -> bool {
        self.is_settled && self.stamps.iter().all(Stamp::holds)
    }
}

/// Looks at the files of a command.
pub(super) fn look(line: &CommandLine, around: &Surroundings) -> Found {
    let mut search = Search {
        around,
        scope: Scope::of(line, around),
        queue: VecDeque::new(),
        searched: BTreeSet::new(),
        bytes_left: MAX_BYTES,
        now: SystemTime::now(),
        found: Found {
            files: Vec::new(),
            opaque: BTreeSet::new(),
            watch: Watch {
                stamps: Vec::new(),
                is_settled: true,
            },
        },
    };
    let names = names::of_command(line, around, &mut search.scope);
    search.take(names);
    while let Some(word) = search.queue.pop_front() {
        search.word(&word);
    }
    search.found.files.sort_by(|a, b| a.path.cmp(&b.path));
    search.found
}

struct Search<'a> {
    around: &'a Surroundings,
    scope: Scope,
    queue: VecDeque<Named>,
    /// Scripts that were looked into.
    searched: BTreeSet<PathBuf>,
    bytes_left: u64,
    now: SystemTime,
    found: Found,
}

impl Search<'_> {
    fn take(&mut self, names: Names) {
        self.queue.extend(names.words);
        self.found.opaque.extend(names.opaque);
    }

    fn note(&mut self, opaque: Opaque) {
        self.found.opaque.insert(opaque);
    }

    fn word(&mut self, named: &Named) {
        let mut is_there = false;
        for path in &named.paths {
            is_there |= self.path(named, path);
        }
        if named.is_path && !is_there {
            self.note(Opaque::Missing(named.word.clone()));
        }
    }

    /// Looks at one place where a word may lead; whether anything is there.
    fn path(&mut self, named: &Named, path: &Path) -> bool {
        let is_mention = named.role == Role::Mention;
        // What is there depends on who looks: `/dev/stdin` is the hook's own, not ours.
        if programs::is_made_up(path) {
            if !is_mention && path != Path::new("/dev/null") {
                self.note(Opaque::NotAFile(named.word.clone()));
            }
            return true;
        }
        let stamp = Stamp::of(path);
        match stamp.target().map(|signs| (signs.kind(), signs)) {
            Some((Kind::File, signs)) => self.file(named, path, signs),
            Some((Kind::Directory, _)) if !is_mention => {
                self.note(Opaque::Directory(named.word.clone()));
            }
            Some((Kind::Other | Kind::Link, _)) if !is_mention => {
                self.note(Opaque::NotAFile(named.word.clone()));
            }
            Some(_) | None => {}
        }
        let is_there = stamp.target().is_some();
        self.watch(stamp);
        is_there
    }

    fn watch(&mut self, stamp: Stamp) {
        let watch = &mut self.found.watch;
        watch.is_settled &= stamp.is_settled(self.now);
        if !watch.stamps.contains(&stamp) {
            watch.stamps.push(stamp);
        }
    }

    fn file(&mut self, named: &Named, path: &Path, signs: &Signs) {
        if named.moves {
            self.note(Opaque::Moving(named.word.clone()));
        }
        let shown = self.around.shorten(path);
        if let Some(known) = self.found.files.iter().find(|file| file.path == shown) {
            let text = known.text.clone();
            if named.role == Role::ShellScript && matches!(known.content, Content::Read { .. }) {
                self.search(named, path, text.as_deref());
            }
            return;
        }
        if self.found.files.len() == MAX_FILES {
            return self.note(Opaque::TooMany);
        }
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if programs::is_made_up(&target) {
            return self.note(Opaque::NotAFile(named.word.clone()));
        }
        let (content, bytes) = if programs::is_system(&target, &self.around.workplaces()) {
            (Content::System, None)
        } else {
            self.content(named, path, signs)
        };
        let text = bytes.and_then(|bytes| self.script(named, path, bytes));
        self.found.files.push(CoveredFile {
            path: shown,
            target: self.around.shorten(&target),
            content,
            text,
        });
    }

    fn content(&mut self, named: &Named, path: &Path, signs: &Signs) -> (Content, Option<Vec<u8>>) {
        match read(path, signs, self.bytes_left.min(MAX_FILE)) {
            Reading::Whole(bytes) => {
                let length = bytes.len() as u64;
                self.bytes_left = self.bytes_left.saturating_sub(length);
                let digest = Digest::of(&bytes);
                (Content::Read { digest, length }, Some(bytes))
            }
            Reading::TooLarge(length) => {
                self.note(Opaque::TooLarge(named.word.clone()));
                (Content::TooLarge { length }, None)
            }
            Reading::Failed => {
                // It may be readable the next time without a sign of that.
                self.found.watch.is_settled = false;
                self.note(Opaque::Unread(named.word.clone()));
                (Content::Unread, None)
            }
        }
    }

    /// What a script makes a part of itself is covered as well. Returns its text, where it is one and
    /// not long.
    fn script(&mut self, named: &Named, path: &Path, bytes: Vec<u8>) -> Option<String> {
        let first = bytes
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        let first = String::from_utf8_lossy(first).into_owned();
        let names = names::of_shebang(&first, self.around, &mut self.scope);
        self.take(names);
        let is_text = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
        let text = String::from_utf8(bytes).ok();
        let text = text.filter(|text| text.len() <= MAX_SCRIPT);
        if is_shell(path, &first, named.role, is_text) {
            self.search(named, path, text.as_deref());
        }
        text
    }

    /// Looks for what a shell script sources.
    fn search(&mut self, named: &Named, path: &Path, text: Option<&str>) {
        if !self.searched.insert(path.to_owned()) {
            return;
        }
        let names = text.map(|text| names::of_script(text, self.around, &mut self.scope));
        let (names, is_read) = names.unwrap_or_default();
        self.take(names);
        if !is_read {
            self.note(Opaque::Unsearched(named.word.clone()));
        }
    }
}

/// Whether a shell reads the file.
fn is_shell(path: &Path, first: &str, role: Role, is_text: bool) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let interpreter = first.strip_prefix("#!").map(|words| {
        let mut words = words.split_whitespace().rev();
        words.any(|word| word.ends_with("sh"))
    });
    match role {
        Role::ShellScript => true,
        // A file that the system cannot start by itself is read by the shell that tried.
        Role::Program => interpreter.unwrap_or(is_text),
        Role::Mention | Role::Argument | Role::Script => {
            interpreter.unwrap_or(matches!(extension, Some("sh" | "bash" | "zsh" | "ksh")))
        }
    }
}

enum Reading {
    Whole(Vec<u8>),
    TooLarge(u64),
    Failed,
}

/// Reads a file that had these signs. One that is written meanwhile is read again.
fn read(path: &Path, signs: &Signs, limit: u64) -> Reading {
    let mut expected = signs.clone();
    for _ in 0..MAX_TRIES {
        let Ok((reading, before, after)) = read_once(path, limit) else {
            return Reading::Failed;
        };
        if before == after && before == expected {
            return reading;
        }
        expected = after;
    }
    Reading::Failed
}

/// Reads a file, and says what its signs were before and after.
fn read_once(path: &Path, limit: u64) -> std::io::Result<(Reading, Signs, Signs)> {
    // A pipe that took the place of the file must not hold anybody up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let before = Signs::of(&file.metadata()?);
    let reading = match before.kind() {
        Kind::File if before.size() > limit => Reading::TooLarge(before.size()),
        Kind::File => {
            let mut bytes = Vec::new();
            (&mut file).take(limit + 1).read_to_end(&mut bytes)?;
            Reading::Whole(bytes)
        }
        Kind::Directory | Kind::Link | Kind::Other => Reading::Failed,
    };
    let after = Signs::of(&file.metadata()?);
    Ok((reading, before, after))
}
