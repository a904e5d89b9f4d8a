//! A shell that is started before its command is wanted, and waits.
//!
//! It is the very shell that would be started later: same program, environment, directory,
//! session and pipes. Only its script has a few words before it, on the first line, that wait for
//! a line on stdin. When the command is wanted, that line goes into the pipe and the command's
//! own input right behind it. The shell takes the line byte by byte, so that the command finds
//! its input untouched, and forgets the variable. Nothing else of it can be told from a shell that
//! was started just now: it parses the script itself, so messages have their lines and no `eval`
//! in them, and the last program of a script takes its place. What still differs is the script
//! that `ps` shows.
//!
//! When this process dies, stdin ends and the shell exits. What a process has from its parent, and
//! may have changed there meanwhile, is compared: a shell that waits under another umask, under
//! other limits or in a directory that is no longer at its path is not used.

use std::{
    ffi::{OsStr, OsString},
    os::fd::OwnedFd,
    path::Path,
    sync::OnceLock,
    time::Instant,
};

use crate::{
    command::Spec,
    feed::Feed,
    kill::Tree,
    marker::Marker,
    os,
    pipes::PlainPipes,
    start::{Started, start},
};

/// Waits, and leaves nothing behind. The blank at its end keeps a semicolon at the start of a
/// script apart from the last one here, as one that is in error should be.
const WAIT: &str = "read -r HOOKLINE_GO||exit;unset HOOKLINE_GO; ";
/// What it waits for.
const GO: &[u8] = b"\n";
/// The longest script: with the words before it, it still is one argument.
const LONGEST: usize = 64 << 10;

/// The only shell that has been compared, and what it is called where it is `sh`.
const SHELL: &str = "/bin/sh";
const KNOWN: &str = "dash";

/// A shell that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    tree: Tree,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    /// What it was started under.
    state: State,
    since: Instant,
}

/// What a process has from its parent, and where.
#[derive(Debug, PartialEq, Eq)]
struct State {
    inherited: os::Inherited,
    /// The device and the number of its directory.
    place: (u64, u64),
}

impl State {
    fn now(cwd: Option<&Path>) -> Option<Self> {
        let place = rustix::fs::stat(cwd.unwrap_or(Path::new("."))).ok()?;
        #[expect(
            clippy::useless_conversion,
            reason = "the types of the two differ from system to system"
        )]
        Some(Self {
            inherited: os::Inherited::now()?,
            place: (place.st_dev.into(), place.st_ino.into()),
        })
    }
}

/// The script of a command that may be started ahead: one for the shell that is known, in an
/// environment that does not change behind our back.
pub(crate) fn script(spec: &Spec) -> Option<&OsStr> {
    let [c, script] = spec.args.as_slice() else {
        return None;
    };
    // A script that begins like an option is taken for one.
    let is_option = matches!(script.as_encoded_bytes().first(), Some(b'-' | b'+'));
    let fits = !is_option && script.len() <= LONGEST;
    let may = spec.program == SHELL && c == "-c" && fits && spec.environment.is_some();
    (may && IS_KNOWN.get() != Some(&false)).then_some(script)
}

/// Whether the system's shell is the one that has been compared, once that has been looked up.
static IS_KNOWN: OnceLock<bool> = OnceLock::new();

/// Looks it up. May block.
pub(crate) fn is_known() -> bool {
    *IS_KNOWN.get_or_init(|| {
        let found = std::fs::canonicalize(SHELL);
        found.is_ok_and(|path| path.file_name() == Some(OsStr::new(KNOWN)))
    })
}

/// Starts a shell that waits; nothing where it cannot be. May block.
pub(crate) fn begin(spec: &Spec, marker: Marker) -> Option<Waiting> {
    let script = script(spec)?;
    let cwd = spec.cwd.as_deref();
    // Whether a directory is the same is asked by threads that must not hang.
    let is_local = cwd.is_none_or(|cwd| cwd.is_absolute() && os::is_local(cwd));
    if !is_local || !is_known() {
        return None;
    }
    let mut waits = OsString::from(WAIT);
    waits.push(script);
    let spec = Spec {
        args: vec!["-c".into(), waits],
        stdin: [].into(),
        ..spec.clone()
    };
    let state = State::now(cwd)?;
    let started = start(&spec, marker, true).ok()?;
    let Started {
        tree,
        stdin,
        stdout,
        stderr,
    } = started;
    Some(Waiting {
        tree,
        stdin: stdin?.into_parts().0,
        stdout,
        stderr,
        state,
        since: Instant::now(),
    })
}

impl Waiting {
    /// When it was started.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// Whether it still is what would be started now. One that has ended may have been killed.
    fn still_fits(&self, spec: &Spec) -> bool {
        let waits = self.tree.leader().is_some_and(|it| !it.has_exited());
        waits && State::now(spec.cwd.as_deref()).as_ref() == Some(&self.state)
    }

    /// Lets it run; nothing where it no longer fits, and then it is killed.
    pub(crate) fn go(mut self, spec: &Spec) -> Option<(Tree, PlainPipes)> {
        if !self.still_fits(spec) {
            return None;
        }
        let quarry = self.tree.quarry()?;
        quarry.count_from(os::newest_pid()?);
        match Feed::after(self.stdin, GO, spec.stdin.clone()) {
            Ok(stdin) => {
                let pipes = PlainPipes::new(stdin, self.stdout, self.stderr, &spec.limits);
                Some((self.tree, pipes))
            }
            Err(_) => None,
        }
    }
}
