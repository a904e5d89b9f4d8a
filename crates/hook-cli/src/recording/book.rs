//! Where a recording is written: line by line, so that a session that is killed leaves what it had.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_runner::{Explained, Fired, LateAnswer, Session};
use hook_types::{HookEvent, Status};
use serde_json::{Map, Value, json};

use super::format::{Firing, Header, Late};
use super::names::Names;
use super::redact::Redact;
use super::stage::Stage;
use super::surroundings::surroundings;
use super::told;
use crate::failure::Failure;
use crate::world::World;

/// A recording that is being written.
#[derive(Debug)]
pub(crate) struct Book {
    path: PathBuf,
    redact: Redact,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    names: Names,
    stage: Stage,
    /// Written with the first firing, when the session is known.
    made_from: String,
    begun: bool,
    fired: u64,
    written: u64,
    /// Hooks that went on in the background: what they are.
    background: Vec<Explained>,
    failed: Option<io::Error>,
}

/// A firing that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    n: u64,
    input: Value,
    files: Map<String, Value>,
}

/// What there is to write with.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) path: PathBuf,
    /// Whether a file that is there is replaced.
    pub(crate) force: bool,
    pub(crate) redact: Redact,
    /// Files of the project that are written down as they come and go.
    pub(crate) files: Vec<String>,
}

impl Plan {
    /// With these files, too.
    #[must_use]
    pub(crate) fn also(mut self, files: impl IntoIterator<Item = &'static str>) -> Self {
        self.files.extend(files.into_iter().map(str::to_owned));
        self
    }

    /// Opens the file: nobody else may read it, for an input may hold secrets.
    pub(crate) fn open(
        self,
        made_from: &str,
        root: &Path,
        world: &World,
    ) -> Result<Arc<Book>, Failure> {
        if leads_to_a_file(&self.path) {
            return Err(Failure::unwritable(&self.path, "it is a link to a file")
                .help("name the file itself"));
        }
        let mut options = OpenOptions::new();
        options.write(true);
        if self.force {
            // What is there stays until there is something to write in its place.
            options.create(true).truncate(false);
        } else {
            options.create_new(true);
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let folder = self.path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder.map_err(|why| Failure::unwritable(&self.path, why))?;
        let file = options.open(&self.path).map_err(|why| {
            if why.kind() == io::ErrorKind::AlreadyExists && self.path.is_file() {
                Failure::unwritable(&self.path, "it is there already").help("--force replaces it")
            } else {
                Failure::unwritable(&self.path, why)
            }
        })?;
        Ok(Arc::new(Book {
            state: Mutex::new(State {
                file,
                names: surroundings(root, world),
                stage: Stage::new(root, self.files),
                made_from: made_from.to_owned(),
                begun: false,
                fired: 0,
                written: 0,
                background: Vec::new(),
                failed: None,
            }),
            path: self.path,
            redact: self.redact,
        }))
    }
}

impl Book {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event is fired.
    pub(crate) fn begin(&self, event: &HookEvent, session: &Session) -> Begun {
        let input = json!(event);
        let mut state = self.state();
        state.head(session, &self.redact);
        state.fired += 1;
        state.names.learn(&input);
        let files = state.stage.changes().into_iter();
        let files = files.map(|(name, text)| (name, self.redact.apply(&text)));
        let files = files.collect();
        Begun {
            n: state.fired,
            input: self.redact.apply(&state.names.input(&input)),
            files,
        }
    }

    /// What came of it.
    pub(crate) fn end(&self, begun: Begun, fired: &Fired, explained: &[Explained]) {
        let mut state = self.state();
        let mut told = told::told(fired, explained, &begun.input, &state.names);
        told.redact(&self.redact);
        let firing = Firing {
            line: 0,
            n: begun.n,
            event: fired.event,
            input: begun.input,
            files: begun.files,
            told,
        };
        state.write(&firing.line());
        state.written += 1;
        state.remember(fired, explained);
    }

    /// A hook in the background is done.
    pub(crate) fn late(&self, late: &LateAnswer) {
        let mut state = self.state();
        let hook = told::hook(&late.attempt, &state.background, &Value::Null, &state.names);
        state.write(&Late::line(&self.redact.apply(&hook)));
    }

    /// How many firings are in it. That not all of them could be written is an error.
    pub(crate) fn finish(&self) -> Result<u64, Failure> {
        let mut state = self.state();
        state.head(&Session::default(), &self.redact);
        match state.failed.take() {
            Some(why) => Err(Failure::unwritable(&self.path, why)
                .help("what is in it can be replayed up to its last whole line")),
            None => Ok(state.written),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether a path is a link to a file, or to nothing yet. A repository may bring one along that leads to a
/// file of the user's; a link to a device or a pipe, such as `/dev/stdout`, takes nothing from anybody.
fn leads_to_a_file(path: &Path) -> bool {
    path.is_symlink() && path.metadata().map_or(true, |end| end.is_file())
}

/// Takes away what is in a file, and nobody but its owner may read what comes. Devices and pipes stay as
/// they are.
fn clear(file: &File) -> io::Result<()> {
    let about = file.metadata()?;
    if !about.is_file() {
        return Ok(());
    }
    #[cfg(unix)]
    {
        let mut rights = about.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o600);
        file.set_permissions(rights)?;
    }
    file.set_len(0)
}

impl State {
    fn head(&mut self, session: &Session, redact: &Redact) {
        if !std::mem::replace(&mut self.begun, true) {
            let header = Header {
                made_from: self.made_from.clone(),
                interactive: session.interactive,
                model: session.model.clone(),
                redact: redact.names().to_vec(),
            };
            self.failed = clear(&self.file).err();
            self.write(&header.line());
        }
    }

    fn remember(&mut self, fired: &Fired, explained: &[Explained]) {
        let goes_on = |about: &&Explained| {
            let mut attempts = fired.attempts.iter();
            attempts.any(|attempt| {
                attempt.hook.id == about.hook.id && attempt.reply.status == Status::Background
            })
        };
        let known: Vec<Explained> = explained.iter().filter(goes_on).cloned().collect();
        for about in known {
            self.background.retain(|old| old.hook.id != about.hook.id);
            self.background.push(about);
        }
    }

    /// One line in one piece. After an error nothing more is written: a line in the middle that was cut
    /// could not be told from one at the end.
    fn write(&mut self, line: &Value) {
        if self.failed.is_none() {
            let written = self.file.write_all(format!("{line}\n").as_bytes());
            self.failed = written.and_then(|()| self.file.flush()).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_until_the_first_line_is_written() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("s.jsonl");
        std::fs::write(&path, "an old recording\n").unwrap();
        let plan = Plan {
            path: path.clone(),
            force: true,
            redact: Redact::default(),
            files: Vec::new(),
        };
        let book = plan.open("run", root.path(), &World::of_this_process());
        let text = || std::fs::read_to_string(&path).unwrap();
        assert_eq!(text(), "an old recording\n");
        assert_eq!(book.unwrap().finish().unwrap(), 0);
        assert!(super::super::format::read(&text()).is_ok(), "{}", text());
    }
}
