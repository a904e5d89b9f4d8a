//! What to run, and within which limits.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use crate::{
    Control, Environment, Finished, LaunchError, LaunchErrorKind, Lines, environment::Change,
};

/// A command that is ready to run, any number of times.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control, Ending};
///
/// let greet = Command::new("cat").arg("-").stdin("hello");
/// let done = greet.run(&Control::new()).await;
///
/// assert_eq!(done.ending, Ending::Exited(0));
/// assert_eq!(done.stdout.text(), "hello");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Command {
    spec: Arc<Spec>,
}

/// Everything a run needs to know; shared, so that a run copies one pointer.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: Option<Environment>,
    pub(crate) changes: Vec<Change>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) stdin: Arc<[u8]>,
    pub(crate) limits: Limits,
    /// How many shells wait for it.
    pub(crate) ahead: usize,
}

impl Spec {
    /// Whether a process that was started for the one could have been started for the other.
    #[cfg(unix)]
    pub(crate) fn starts_as(&self, other: &Self) -> bool {
        self.program == other.program
            && self.args == other.args
            && self.changes == other.changes
            && self.cwd == other.cwd
            && self.environment == other.environment
    }

    /// The error of a start that failed.
    pub(crate) fn failed(&self, kind: LaunchErrorKind) -> LaunchError {
        LaunchError::new(self.program.clone(), self.cwd.as_deref(), kind)
    }
}

/// How long a run may take and how much of its output is kept.
///
/// ```
/// use std::time::Duration;
/// use process_tree::Limits;
///
/// let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
/// assert_eq!(limits.stdout, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One deadline over starting, writing, reading and waiting. Default: a minute.
    pub timeout: Duration,
    /// What passes between TERM and KILL after the deadline or a cancellation. Default: two
    /// seconds, enough for a program that takes its lock files away when it is asked to stop.
    pub grace: Duration,
    /// How many bytes of stdout are kept; the rest is read, counted and thrown away. In a
    /// [`Lines`] process: of one line. Default: 1 MiB.
    pub stdout: usize,
    /// The same for stderr. In a [`Lines`] process: of its tail. Default: 1 MiB.
    pub stderr: usize,
    /// How many bytes are kept of the end of an output that goes beyond its limit; of each of the
    /// two. Nothing in a [`Lines`] process. Default: none.
    pub tail: usize,
    /// How long output is awaited after the command itself has ended, when something it left
    /// behind still holds the pipes. Default: 100 milliseconds.
    pub drain: Duration,
}

/// Longer than any run, short enough that adding it to a clock cannot overflow.
pub(crate) const FOREVER: Duration = Duration::from_hours(24 * 365);

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            grace: Duration::from_secs(2),
            stdout: 1 << 20,
            stderr: 1 << 20,
            tail: 0,
            drain: Duration::from_millis(100),
        }
    }
}

impl Command {
    #[cfg(all(test, unix))]
    pub(crate) fn spec(&self) -> Arc<Spec> {
        Arc::clone(&self.spec)
    }

    /// A program by path, or by a name that is looked up in the `PATH` of the environment given
    /// to this command. A relative path is relative to the command's working directory.
    pub fn new(program: impl Into<OsString>) -> Self {
        let spec = Spec {
            program: program.into(),
            args: Vec::new(),
            environment: None,
            changes: Vec::new(),
            cwd: None,
            stdin: Arc::from([]),
            limits: Limits::default(),
            ahead: 0,
        };
        Self {
            spec: Arc::new(spec),
        }
    }

    /// A script for `/bin/sh -c`.
    pub fn shell(script: impl Into<OsString>) -> Self {
        Self::new("/bin/sh").arg("-c").arg(script)
    }

    /// Adds one argument; it reaches the program as it is, whatever characters it holds.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.change().args.push(arg.into());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.change().args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The environment to start from. Without it, that of this process when the run begins.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.change().environment = Some(environment);
        self
    }

    /// Sets one variable on top of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.change()
            .changes
            .push(Change::Set(name.into(), value.into()));
        self
    }

    /// Sets several variables on top of the environment.
    #[must_use]
    pub fn envs<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let set = variables
            .into_iter()
            .map(|(name, value)| Change::Set(name.into(), value.into()));
        self.change().changes.extend(set);
        self
    }

    /// Takes one variable out of the environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.change().changes.push(Change::Remove(name.into()));
        self
    }

    /// The directory to run in. Without it, that of this process.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.change().cwd = Some(cwd.into());
        self
    }

    /// What the command reads on stdin before end of file; nothing without it.
    ///
    /// The bytes are shared, not copied, so that one payload can feed many commands. A command
    /// that does not read them is not at fault.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Input>) -> Self {
        self.change().stdin = bytes.into().0;
        self
    }

    /// Replaces all limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.change().limits = limits;
        self
    }

    /// Has up to `count` shells wait for the next runs, each for one: a run then costs a fraction of
    /// what it costs to start a shell. Nothing without it.
    ///
    /// For a command that runs again and again, with an [`environment`](Self::environment) of its
    /// own. Only where `/bin/sh` is `dash`, and only for [`shell`](Self::shell) commands: every
    /// other one is started when it is wanted, as always. Shells wait for what has run twice before
    /// with the same script, variables and directory, under the same [`Registry`](crate::Registry),
    /// for 20 seconds; closing or dropping that ends them. They have priority, processors and
    /// control group of this process from when they were started.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use process_tree::{Command, Control, Environment, Registry};
    ///
    /// let session = Registry::new();
    /// let control = Control::new().with_registry(&session);
    /// let check = Command::shell("grep -c x").environment(Environment::inherited()).ahead(1);
    /// for input in ["x\n", "x\nx\n", "\n"] {
    ///     check.clone().stdin(input).run(&control).await;
    /// }
    /// session.close().await;
    /// # }
    /// ```
    #[must_use]
    pub fn ahead(mut self, count: usize) -> Self {
        self.change().ahead = count;
        self
    }

    /// The program as it was given.
    pub fn program(&self) -> &OsStr {
        &self.spec.program
    }

    /// Runs the command to its end and says how it ended.
    ///
    /// Never fails: what goes wrong is an [`Ending`](crate::Ending). Dropping the future kills
    /// the command and everything it started.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, or in one without its I/O and time drivers.
    pub async fn run(&self, control: &Control) -> Finished {
        crate::os::run(Arc::clone(&self.spec), control).await
    }

    /// Starts the command as a server that speaks in lines. [`Limits::timeout`] does not apply:
    /// a server lives until it is ended or dropped.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, or in one without its I/O and time drivers.
    pub async fn spawn_lines(&self, control: &Control) -> Result<Lines, LaunchError> {
        crate::os::spawn_lines(Arc::clone(&self.spec), control).await
    }

    fn change(&mut self) -> &mut Spec {
        Arc::make_mut(&mut self.spec)
    }
}

/// Bytes for a command's stdin; made from text or bytes, owned or shared.
#[derive(Clone, Debug)]
pub struct Input(Arc<[u8]>);

macro_rules! input_from {
    ($($from:ty => |$it:ident| $make:expr),+ $(,)?) => {
        $(impl From<$from> for Input {
            fn from($it: $from) -> Self {
                Self($make)
            }
        })+
    };
}

input_from! {
    Arc<[u8]> => |shared| shared,
    Arc<str> => |shared| shared.into(),
    Vec<u8> => |bytes| bytes.into(),
    String => |text| text.into_bytes().into(),
    &[u8] => |bytes| bytes.into(),
    &str => |text| text.as_bytes().into(),
}
