//! Why a command could not be started, in words a user can act on.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// A command could not be started.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control, Ending, LaunchErrorKind};
///
/// let missing = Command::new("/no/such/program").run(&Control::new()).await;
/// let Ending::NeverStarted(error) = missing.ending else { panic!("it cannot have run") };
///
/// assert_eq!(error.kind(), &LaunchErrorKind::ProgramMissing);
/// assert_eq!(error.to_string(), "cannot start `/no/such/program`: the program does not exist");
/// assert_eq!(error.remedy(), "check the path of the program");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot start `{}`{}: {kind}", program.display(), Place(cwd.as_deref()))]
pub struct LaunchError {
    program: OsString,
    cwd: Option<PathBuf>,
    kind: LaunchErrorKind,
}

/// What stood in the way of a start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchErrorKind {
    /// There is no file at the program's path.
    #[error("the program does not exist")]
    ProgramMissing,
    /// No directory of `PATH` holds a program of that name.
    #[error("no directory of PATH holds a program of that name")]
    NotOnPath,
    /// The file may not be executed.
    #[error("the file is not executable")]
    NotExecutable,
    /// The path names a directory.
    #[error("it is a directory")]
    IsDirectory,
    /// The interpreter named in the script's first line is missing, or the loader that a program
    /// asks for.
    #[error("its interpreter `{interpreter}` does not exist")]
    BadInterpreter {
        /// The path after `#!`, or the loader's.
        interpreter: String,
    },
    /// The file is open for writing.
    #[error("the file is open for writing (ETXTBSY)")]
    Busy,
    /// The file is neither a program for this machine nor a script with `#!`.
    #[error("the file is neither a program for this machine nor a script that starts with #!")]
    BadFormat,
    /// The working directory does not exist, or no longer does.
    #[error("the working directory does not exist")]
    CwdMissing,
    /// The working directory is not a directory.
    #[error("the working directory is not a directory")]
    CwdNotDirectory,
    /// The working directory may not be entered.
    #[error("the working directory may not be entered")]
    CwdDenied,
    /// Arguments and environment are larger than the system allows.
    #[error("its arguments and environment are too large for the system (E2BIG)")]
    TooLarge,
    /// A NUL byte where none can be.
    #[error("{place} holds a NUL byte")]
    NulByte {
        /// Which part of the command.
        place: String,
    },
    /// No descriptors are left for its pipes.
    #[error("no file descriptor is left for its pipes")]
    TooManyFiles,
    /// No process can be added.
    #[error("the system refuses another process (EAGAIN)")]
    TooManyProcesses,
    /// The runtime ended before the command began.
    #[error("the runtime ended before it began")]
    RuntimeEnded,
    /// It was started, but its end was taken away before it could be watched.
    #[error("it ended before it could be watched, for this process ignores SIGCHLD")]
    Vanished,
    /// This system is not supported yet.
    #[error("running commands is not supported on this system yet")]
    Unsupported,
    /// Anything else, as the system puts it.
    #[error("{message}")]
    Other {
        /// The system's words.
        message: String,
    },
}

struct Place<'a>(Option<&'a Path>);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .map_or(Ok(()), |cwd| write!(f, " in `{}`", cwd.display()))
    }
}

impl LaunchError {
    pub(crate) fn new(
        program: impl Into<OsString>,
        cwd: Option<&Path>,
        kind: LaunchErrorKind,
    ) -> Self {
        Self {
            program: program.into(),
            cwd: cwd.map(Path::to_owned),
            kind,
        }
    }

    /// The program as it was given.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// The working directory, if one was given.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// What stood in the way.
    pub fn kind(&self) -> &LaunchErrorKind {
        &self.kind
    }

    /// What to do about it, in one line.
    pub fn remedy(&self) -> &'static str {
        match self.kind {
            LaunchErrorKind::ProgramMissing => "check the path of the program",
            LaunchErrorKind::NotOnPath => "give an absolute path, or add its directory to PATH",
            LaunchErrorKind::NotExecutable => "make it executable with `chmod +x`",
            LaunchErrorKind::IsDirectory => "name a program inside that directory",
            LaunchErrorKind::BadInterpreter { .. } => {
                "correct the script's first line, or install what it asks for"
            }
            LaunchErrorKind::Busy => "close the file before it is run",
            LaunchErrorKind::BadFormat => "start the script with a line such as `#!/bin/sh`",
            LaunchErrorKind::CwdMissing => "create the directory, or run it in another",
            LaunchErrorKind::CwdNotDirectory => "name a directory",
            LaunchErrorKind::CwdDenied => "allow this user to enter the directory",
            LaunchErrorKind::TooLarge => "pass large values on stdin or in a file",
            LaunchErrorKind::NulByte { .. } => "take the NUL byte out",
            LaunchErrorKind::TooManyFiles => "raise the limit (`ulimit -n`), or run fewer at once",
            LaunchErrorKind::TooManyProcesses => {
                "raise the limit (`ulimit -u`), or run fewer at once"
            }
            LaunchErrorKind::RuntimeEnded => "keep the runtime alive until its runs have ended",
            LaunchErrorKind::Vanished => "let SIGCHLD have its default, or a handler",
            LaunchErrorKind::Unsupported => "use Linux or macOS",
            LaunchErrorKind::Other { .. } => "see the system's message",
        }
    }
}

#[cfg(unix)]
pub(crate) use diagnosis::diagnose;

#[cfg(unix)]
mod diagnosis {
    use std::{
        io::{self, Read},
        path::Path,
    };

    use rustix::{fs::Access, io::Errno};

    use super::LaunchErrorKind;
    use crate::elf;

    /// Finds out what an error number means here: the system reports a missing working
    /// directory, a missing program and a missing interpreter with the same one.
    pub(crate) fn diagnose(error: Errno, program: &Path, cwd: Option<&Path>) -> LaunchErrorKind {
        match error {
            Errno::TOOBIG => LaunchErrorKind::TooLarge,
            Errno::MFILE | Errno::NFILE => LaunchErrorKind::TooManyFiles,
            Errno::AGAIN => LaunchErrorKind::TooManyProcesses,
            Errno::NOEXEC => LaunchErrorKind::BadFormat,
            Errno::SRCH => LaunchErrorKind::Vanished,
            Errno::TXTBSY => LaunchErrorKind::Busy,
            _ => cwd
                .and_then(bad_directory)
                .or_else(|| bad_program(program, cwd))
                .unwrap_or_else(|| other(error)),
        }
    }

    fn other(error: Errno) -> LaunchErrorKind {
        LaunchErrorKind::Other {
            message: io::Error::from(error).to_string(),
        }
    }

    fn bad_directory(cwd: &Path) -> Option<LaunchErrorKind> {
        match std::fs::metadata(cwd) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Some(LaunchErrorKind::CwdDenied)
            }
            Err(_) => Some(LaunchErrorKind::CwdMissing),
            Ok(found) if !found.is_dir() => Some(LaunchErrorKind::CwdNotDirectory),
            Ok(_) => rustix::fs::access(cwd, Access::EXEC_OK)
                .is_err()
                .then_some(LaunchErrorKind::CwdDenied),
        }
    }

    fn bad_program(program: &Path, cwd: Option<&Path>) -> Option<LaunchErrorKind> {
        let program = cwd.map_or_else(|| program.to_owned(), |cwd| cwd.join(program));
        let found = match std::fs::metadata(&program) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Some(LaunchErrorKind::NotExecutable);
            }
            Err(_) => return Some(LaunchErrorKind::ProgramMissing),
        };
        if found.is_dir() {
            return Some(LaunchErrorKind::IsDirectory);
        }
        if rustix::fs::access(&program, Access::EXEC_OK).is_err() {
            return Some(LaunchErrorKind::NotExecutable);
        }
        let interpreter = interpreter(&program).or_else(|| elf::loader(&program))?;
        (!Path::new(&interpreter).exists())
            .then_some(LaunchErrorKind::BadInterpreter { interpreter })
    }

    /// The path after `#!` in the first line.
    fn interpreter(program: &Path) -> Option<String> {
        let mut start = [0; 256];
        let length = std::fs::File::open(program).ok()?.read(&mut start).ok()?;
        let text = String::from_utf8_lossy(&start[..length]);
        let line = text.strip_prefix("#!")?.split('\n').next()?;
        // A carriage return is part of the name to the kernel, so it is to us.
        line.split([' ', '\t'])
            .find(|word| !word.is_empty())
            .map(str::to_owned)
    }
}
