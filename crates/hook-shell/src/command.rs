//! One command as a hook.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input, Session};
use hook_types::{EventName, HookKind, OnFailure, Reply, Status, SyncOutput};
use process_tree::{Command, Limits};

use crate::dialect::{Dialect, Told};
use crate::environment;
use crate::program::{Program, program_setters};
use crate::protocol;
use crate::run::Run;

/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How much longer than its grace a command may need to be killed: one that hangs in the kernel is
/// given up after a second.
const KILLING: Duration = Duration::from_secs(2);
/// How much is kept of the end of an output that is beyond its limit, in bytes: a refusal often comes
/// last.
const TAIL: usize = 64 * 1024;
/// Longer than any deadline: the deadline is kept here, since a promise can change it.
const FOREVER: Duration = Duration::from_hours(7 * 24);

/// A command as a hook.
///
/// ```
/// use std::time::Duration;
/// use hook_shell::ShellHook;
///
/// let lint = ShellHook::new("./lint.sh").timeout(Duration::from_secs(15));
/// let check = ShellHook::exec("python3", ["${CLAUDE_PROJECT_DIR}/check it.py"]);
/// # let _ = (lint, check);
/// ```
#[derive(Clone, Debug)]
pub struct ShellHook {
    program: Program,
    dialect: Dialect,
    timeout: Option<Duration>,
    grace: Duration,
    output_limit: usize,
    ahead: usize,
}

impl ShellHook {
    /// A command that `/bin/sh` reads.
    pub fn new(command: impl Into<String>) -> Self {
        Self::of(Program::shell(command))
    }

    /// A program with its arguments, started without a shell. `${CLAUDE_PROJECT_DIR}` and its kin are
    /// filled in as plain strings.
    pub fn exec<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::of(Program::exec(program, arguments))
    }

    fn of(program: Program) -> Self {
        Self {
            program,
            dialect: Dialect::Claude,
            timeout: None,
            grace: GRACE,
            output_limit: 1024 * 1024,
            ahead: 0,
        }
    }

    program_setters!();

    /// Where it runs, relative to the project's root; else in the agent's working directory. Where it
    /// is not there, the hook does not run.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.program.cwd = Some(cwd.into());
        self
    }

    /// Whose rules the command is written for.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// How long it has to end by itself once it was asked to.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How much of what it prints is kept, in bytes, of stdout and of stderr.
    #[must_use]
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = bytes;
        self
    }

    /// Has up to `count` shells wait for the next events, each for one, where the shell is one that
    /// this is known to make no difference to: see [`Command::ahead`]. A hook that is told other
    /// variables every time has none wait.
    ///
    /// ```
    /// use hook_shell::ShellHook;
    ///
    /// let guard = ShellHook::new("grep -q rm && exit 2; exit 0").ahead(1);
    /// # let _ = guard;
    /// ```
    #[must_use]
    pub fn ahead(mut self, count: usize) -> Self {
        self.ahead = count;
        self
    }

    /// The variables that it is told, by its dialect too.
    fn told(&self, input: &Input, session: &Session, told: &Told) -> Vec<(String, String)> {
        let plugin = self.program.plugin.as_deref();
        let mut variables = environment::variables(input.event(), session, plugin);
        let dialects = told.variables.iter();
        variables.extend(dialects.map(|(name, value)| ((*name).to_owned(), value.clone())));
        variables
    }

    /// The command, or why it cannot be started with what is known.
    fn command(&self, input: &Input, session: &Session, told: &Told) -> Result<Command, String> {
        let variables = self.told(input, session, told);
        let command = self.program.command(session, variables)?;
        Ok(command
            .stdin(line(told.stdin.as_deref().unwrap_or(input.json())))
            .ahead(self.ahead)
            .limits(Limits {
                timeout: FOREVER,
                grace: self.grace,
                stdout: self.output_limit,
                stderr: self.output_limit,
                tail: TAIL,
                ..Limits::default()
            }))
    }
}

/// A line: some shells wait for its end.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    line.push_str(text);
    line.push('\n');
    line
}

#[async_trait]
impl Handler for ShellHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let session = context.session();
        let told = self.dialect.tell(&input, session);
        if let Some(refused) = does_not_fit(&input, &told) {
            return refused;
        }
        let command = match self.command(&input, session, &told) {
            Ok(command) => command,
            Err(why) => return protocol::unstarted(self.dialect, input.name(), why),
        };
        let known = [input.base().cwd.as_str(), session.project_dir.as_str()];
        let run = Run {
            command,
            places: self.program.places(session, &known),
            dialect: self.dialect,
            registry: self.program.host.registry.clone(),
            ending: Handler::grace(self),
            input,
            context: context.clone(),
            diagnostics: told.diagnostics,
        };
        run.answer().await
    }

    fn describe(&self) -> Description {
        self.program.describe(HookKind::Command)
    }

    fn variables(&self, input: &Input, session: &Session) -> Vec<String> {
        let told = self.told(input, session, &self.dialect.tell(input, session));
        let export = environment::may_export(input.name()).then(|| "CLAUDE_ENV_FILE".to_owned());
        let told = told.into_iter().map(|(name, _)| name);
        let own = self.program.names().map(str::to_owned);
        told.chain(export).chain(own).collect()
    }

    fn identity(&self) -> Option<String> {
        let (dialect, program) = (self.dialect, self.program.identity());
        Some(format!("{dialect:?} {program}"))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    /// Also where the command never got to run.
    fn on_failure(&self, event: EventName) -> Option<OnFailure> {
        let blocks = self.dialect.failure_blocks(event);
        blocks.then_some(OnFailure::Block)
    }

    fn grace(&self) -> Duration {
        self.grace.saturating_add(KILLING)
    }

    async fn close(&self) {
        self.program.host.close().await;
    }
}

/// Arguments that the environment cannot hold: a guard does not judge what it cannot see.
fn does_not_fit(input: &Input, told: &Told) -> Option<Reply> {
    let name = told.does_not_fit.filter(|_| input.name().row().guard)?;
    let why = format!("`{name}` is too large for the environment, and must not be cut");
    let mut reply = Reply::with_status(Status::LaunchFailed(why.clone()));
    reply.output = SyncOutput::deny(why).into();
    Some(reply)
}
