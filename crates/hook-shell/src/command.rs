//! One command as a hook.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input, Session};
use hook_types::{HookKind, Reply, Status, SyncOutput};
use process_tree::{Command, Limits};

use crate::dialect::{Dialect, Told};
use crate::environment::{self, Plugin};
use crate::host::Host;
use crate::placeholders;
use crate::run::Run;

/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How much longer than its grace a command may need to be killed: one that hangs in the kernel is
/// given up after a second.
const KILLING: Duration = Duration::from_secs(2);
/// Longer than any deadline: the deadline is kept here, since a promise can change it.
const FOREVER: Duration = Duration::from_hours(7 * 24);

/// How a command is started.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// By a shell, which reads the text.
    Shell { shell: String, command: String },
    /// Without one: the arguments are what they are.
    Exec {
        program: String,
        arguments: Vec<String>,
    },
}

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
    form: Form,
    dialect: Dialect,
    host: Host,
    timeout: Option<Duration>,
    grace: Duration,
    output_limit: usize,
    cwd: Option<PathBuf>,
    variables: Vec<(String, String)>,
    scrubbed: Vec<String>,
    plugin: Option<Arc<Plugin>>,
}

impl ShellHook {
    /// A command that `/bin/sh` reads.
    pub fn new(command: impl Into<String>) -> Self {
        Self::with_form(Form::Shell {
            shell: "/bin/sh".to_owned(),
            command: command.into(),
        })
    }

    /// A program with its arguments, started without a shell. `${CLAUDE_PROJECT_DIR}` and its kin are
    /// filled in as plain strings.
    pub fn exec<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::with_form(Form::Exec {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        })
    }

    fn with_form(form: Form) -> Self {
        Self {
            form,
            dialect: Dialect::Claude,
            host: Host::new(),
            timeout: None,
            grace: GRACE,
            output_limit: 1024 * 1024,
            cwd: None,
            variables: Vec::new(),
            scrubbed: Vec::new(),
            plugin: None,
        }
    }

    /// Has another shell read the command: `bash`, or a path.
    #[must_use]
    pub fn shell(mut self, program: impl Into<String>) -> Self {
        if let Form::Shell { shell, .. } = &mut self.form {
            *shell = program.into();
        }
        self
    }

    /// Whose rules the command is written for.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// What the command shares with the others of its session.
    #[must_use]
    pub fn host(mut self, host: &Host) -> Self {
        self.host = host.clone();
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

    /// Where it runs; else in the agent's working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets a variable for it.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Keeps a variable from it.
    #[must_use]
    pub fn without_env(mut self, name: impl Into<String>) -> Self {
        self.scrubbed.push(name.into());
        self
    }

    /// The plugin that it belongs to.
    #[must_use]
    pub fn plugin(mut self, plugin: Plugin) -> Self {
        self.plugin = Some(Arc::new(plugin));
        self
    }

    /// Why the command cannot be started with what is known.
    fn command(&self, input: &Input, session: &Session, told: &Told) -> Result<Command, String> {
        let plugin = self.plugin.as_deref();
        let fill = |text: &String| {
            placeholders::fill(text, session, plugin).map_err(|unfilled| unfilled.to_string())
        };
        let command = match &self.form {
            Form::Shell { command, .. } if placeholders::asks_the_shell_for_settings(command) => {
                return Err(
                    "`${user_config.…}` in a shell command could run as code; use the form \
                            with `args`, or the variable CLAUDE_PLUGIN_OPTION_…"
                        .to_owned(),
                );
            }
            Form::Shell { shell, command } => Command::new(shell.as_str()).arg("-c").arg(command),
            Form::Exec { program, arguments } => {
                let arguments = arguments
                    .iter()
                    .map(fill)
                    .collect::<Result<Vec<String>, String>>()?;
                Command::new(fill(program)?).args(arguments)
            }
        };
        let mut command = command
            .environment(self.host.environment.clone())
            .envs(environment::variables(input.event(), session, plugin))
            .envs(
                told.variables
                    .iter()
                    .map(|(name, value)| (*name, value.as_str())),
            )
            .envs(
                self.variables
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            );
        for name in &self.scrubbed {
            command = command.env_remove(name);
        }
        let stdin = self.dialect.stdin(input, session);
        Ok(command.stdin(with_newline(stdin)).limits(Limits {
            timeout: FOREVER,
            grace: self.grace,
            stdout: self.output_limit,
            stderr: self.output_limit,
            ..Limits::default()
        }))
    }

    /// Where the command may run, the best place first: a directory can be deleted under an agent.
    fn places(&self, input: &Input, session: &Session) -> Vec<PathBuf> {
        let own = self.cwd.iter().cloned();
        let known = [input.base().cwd.as_str(), session.project_dir.as_str()];
        let home = session.home.iter().map(String::as_str);
        let known = known
            .into_iter()
            .chain(home)
            .filter(|place| !place.is_empty())
            .map(PathBuf::from);
        own.chain(known).chain([std::env::temp_dir()]).collect()
    }
}

/// A line: some shells wait for its end.
fn with_newline(text: Cow<'_, str>) -> String {
    let mut line = text.into_owned();
    line.push('\n');
    line
}

#[async_trait]
impl Handler for ShellHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let session = context.session();
        let told = self.dialect.variables(&input, session);
        if let Some(refused) = does_not_fit(&input, &told) {
            return refused;
        }
        let command = match self.command(&input, session, &told) {
            Ok(command) => command,
            Err(why) => return Reply::with_status(Status::LaunchFailed(why)),
        };
        let run = Run {
            command,
            places: self.places(&input, session),
            dialect: self.dialect,
            registry: self.host.registry.clone(),
            ending: Handler::grace(self),
            input,
            context: context.clone(),
            diagnostics: told.diagnostics,
        };
        run.answer().await
    }

    fn describe(&self) -> Description {
        let summary = match &self.form {
            Form::Shell { command, .. } => command.clone(),
            Form::Exec { program, arguments } => std::iter::once(program)
                .chain(arguments)
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
        };
        let mut description = Description::new(HookKind::Command, summary);
        let names: Vec<&str> = self
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        if !names.is_empty() {
            description
                .details
                .push(("environment".to_owned(), names.join(" ")));
        }
        if let Form::Shell { shell, .. } = &self.form {
            description
                .details
                .push(("shell".to_owned(), shell.clone()));
        }
        description
    }

    fn identity(&self) -> Option<String> {
        let plugin = self.plugin.as_ref().map(|plugin| &plugin.root);
        let Self {
            form,
            dialect,
            cwd,
            variables,
            scrubbed,
            ..
        } = self;
        Some(format!(
            "{dialect:?} {form:?} {cwd:?} {variables:?} {scrubbed:?} {plugin:?}"
        ))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    fn grace(&self) -> Duration {
        self.grace.saturating_add(KILLING)
    }

    async fn close(&self) {
        self.host.close().await;
    }
}

/// Arguments that the environment cannot hold: a guard does not judge what it cannot see.
fn does_not_fit(input: &Input, told: &Told) -> Option<Reply> {
    let name = told.does_not_fit.filter(|_| input.name().row().guard)?;
    let why = format!("`{name}` is too large for the environment, and must not be cut");
    let mut reply = Reply::with_status(Status::LaunchFailed(why.clone()));
    reply.output = SyncOutput::deny(why);
    Some(reply)
}
