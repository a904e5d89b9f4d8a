//! A file that grows, or stdin: read by a thread of its own, in lines.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::keep;
use super::line::{self, Line};
use crate::failure::Failure;

/// How often a file that has nothing new is looked at again.
const PAUSE: Duration = Duration::from_millis(100);
/// How much is read at once.
const PIECE: usize = 64 << 10;
/// How many pieces wait for their reader.
const WAITING: usize = 16;

/// What is read.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

/// What the thread that reads has to say.
#[derive(Debug)]
pub(crate) enum Fed {
    /// Some lines. `live` says that they came while somebody waited for them.
    Lines { lines: Vec<Line>, live: bool },
    /// Everything that is there has been read.
    CaughtUp,
    /// The file is not there, or not there any more.
    Missing,
    /// The file was cut, or another took its place; it is read from its start.
    Anew,
    /// No more will come.
    End,
    /// It cannot be read.
    Failed(Failure),
}

impl Source {
    /// A path, or `-` for stdin.
    pub(crate) fn named(path: &Path) -> Self {
        if path == Path::new("-") {
            Self::Stdin
        } else {
            Self::File(path.to_owned())
        }
    }

    /// How people call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Begins to read. `follow` goes on at the end of a file, and waits for one that is not there.
    pub(crate) fn open(self, follow: bool) -> Result<Receiver<Fed>, Failure> {
        let (sender, receiver) = channel(WAITING);
        let read = move || {
            let said = match self {
                Self::Stdin => read_all(std::io::stdin().lock(), &sender),
                Self::File(path) => Follower::new(path, follow).run(&sender),
            };
            if let Err(Stopped::Broken(failure)) = said {
                let _ = sender.blocking_send(Fed::Failed(failure));
            }
        };
        std::thread::Builder::new()
            .name("stream".to_owned())
            .spawn(read)
            .map_err(|why| Failure::invalid(format!("cannot start: {why}")))?;
        Ok(receiver)
    }
}

/// Why reading stopped before the end.
enum Stopped {
    /// Nobody listens any more.
    Unheard,
    Broken(Failure),
}

fn send(to: &Sender<Fed>, fed: Fed) -> Result<(), Stopped> {
    to.blocking_send(fed).map_err(|_| Stopped::Unheard)
}

fn read_all(mut from: impl Read, to: &Sender<Fed>) -> Result<(), Stopped> {
    let mut pieces = Pieces::default();
    while let Some(lines) = pieces.next(&mut from, Path::new("stdin"))? {
        send(to, Fed::Lines { lines, live: true })?;
    }
    let lines = pieces.rest();
    send(to, Fed::Lines { lines, live: true })?;
    send(to, Fed::End)
}

/// Bytes in pieces to lines; a line of which the end is missing waits for it.
#[derive(Default)]
struct Pieces {
    begun: Vec<u8>,
    /// The line that has begun is too long, and left out.
    too_long: bool,
}

impl Pieces {
    /// The lines of the next piece; nothing at the end.
    fn next(&mut self, from: &mut impl Read, path: &Path) -> Result<Option<Vec<Line>>, Stopped> {
        let mut piece = vec![0; PIECE];
        loop {
            match from.read(&mut piece) {
                Ok(0) => return Ok(None),
                Ok(count) => return Ok(Some(self.split(&piece[..count]))),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Stopped::Broken(Failure::unreadable(path, error))),
            }
        }
    }

    fn split(&mut self, piece: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut parts = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            let room = keep::LINE.saturating_sub(self.begun.len());
            self.too_long |= part.len() > room;
            if !self.too_long {
                self.begun.extend_from_slice(part);
            }
            if parts.peek().is_some() {
                lines.extend(self.line());
            }
        }
        lines
    }

    /// The line that has begun, taken to be complete.
    fn line(&mut self) -> Option<Line> {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.too_long) {
            return Some(Line::TooLong);
        }
        line::read(&line)
    }

    fn rest(&mut self) -> Vec<Line> {
        self.line().into_iter().collect()
    }
}

/// Reads a file, and what is added to it.
struct Follower {
    path: PathBuf,
    follow: bool,
    /// Whether the end was reached once: what comes after is news.
    live: bool,
}

impl Follower {
    fn new(path: PathBuf, follow: bool) -> Self {
        Self {
            path,
            follow,
            live: false,
        }
    }

    fn run(mut self, to: &Sender<Fed>) -> Result<(), Stopped> {
        let mut file = self.wait_for_it(to)?;
        loop {
            self.read(file, to)?;
            if !self.follow {
                return send(to, Fed::End);
            }
            file = self.wait_for_it(to)?;
            send(to, Fed::Anew)?;
        }
    }

    /// The file, once it is there.
    fn wait_for_it(&mut self, to: &Sender<Fed>) -> Result<File, Stopped> {
        let mut told = false;
        loop {
            match open(&self.path) {
                Ok(file) => return Ok(file),
                Err(error) if error.kind() == ErrorKind::NotFound && self.follow => {
                    self.live = true;
                    if !std::mem::replace(&mut told, true) {
                        send(to, Fed::Missing)?;
                    }
                    pause(to)?;
                }
                Err(error) => {
                    let failure = Failure::unreadable(&self.path, error);
                    return Err(Stopped::Broken(failure));
                }
            }
        }
    }

    /// Reads until the file is another, or at its end.
    fn read(&mut self, mut file: File, to: &Sender<Fed>) -> Result<(), Stopped> {
        let mut pieces = Pieces::default();
        let mut place = 0;
        let mut caught_up = false;
        loop {
            let before = place;
            while let Some(lines) = pieces.next(&mut file, &self.path)? {
                let live = self.live;
                send(to, Fed::Lines { lines, live })?;
                place = file.stream_position().unwrap_or_default();
            }
            if !self.follow {
                let (lines, live) = (pieces.rest(), self.live);
                return send(to, Fed::Lines { lines, live });
            }
            if before != place || !caught_up {
                send(to, Fed::CaughtUp)?;
                (self.live, caught_up) = (true, true);
            }
            pause(to)?;
            match self.became(&file, place) {
                Became::Longer => {}
                Became::Shorter => {
                    pieces = Pieces::default();
                    place = file.seek(SeekFrom::Start(0)).unwrap_or_default();
                    send(to, Fed::Anew)?;
                }
                Became::Another => return Ok(()),
            }
        }
    }

    /// What became of the file meanwhile. What is left in one that another took the place of is read first.
    fn became(&self, file: &File, place: u64) -> Became {
        let Ok(here) = file.metadata() else {
            return Became::Longer;
        };
        let is_gone = match std::fs::metadata(&self.path) {
            Ok(there) => (there.dev(), there.ino()) != (here.dev(), here.ino()),
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        if is_gone && here.len() <= place {
            Became::Another
        } else if here.is_file() && here.len() < place {
            Became::Shorter
        } else {
            Became::Longer
        }
    }
}

enum Became {
    /// It is the same, perhaps with more in it.
    Longer,
    /// It was cut.
    Shorter,
    /// Another took its place, or nothing.
    Another,
}

fn open(path: &Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Waits a little; not when nobody listens any more.
fn pause(to: &Sender<Fed>) -> Result<(), Stopped> {
    if to.is_closed() {
        return Err(Stopped::Unheard);
    }
    std::thread::sleep(PAUSE);
    Ok(())
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
