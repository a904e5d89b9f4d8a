//! What a hook starts: a command, where, and with which variables. Commands and servers share it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_runner::{Description, Session};
use hook_types::HookKind;
use process_tree::Command;

use crate::environment::Plugin;
use crate::host::Host;
use crate::placeholders;
use crate::shell::Shell;

/// How a command is started.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// By a shell, which reads the text.
    Shell { shell: Shell, command: String },
    /// Without one: the arguments are what they are.
    Exec {
        program: String,
        arguments: Vec<String>,
    },
}

/// What a hook starts.
#[derive(Clone)]
pub(crate) struct Program {
    form: Form,
    pub(crate) host: Host,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) scrubbed: Vec<String>,
    pub(crate) plugin: Option<Arc<Plugin>>,
}

impl Program {
    pub(crate) fn shell(command: impl Into<String>) -> Self {
        Self::with_form(Form::Shell {
            shell: Shell::default(),
            command: command.into(),
        })
    }

    pub(crate) fn exec<A: Into<String>>(
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
            host: Host::new(),
            cwd: None,
            variables: Vec::new(),
            scrubbed: Vec::new(),
            plugin: None,
        }
    }

    /// Has another shell read the command; without a shell there is none to change.
    pub(crate) fn read_by(&mut self, name: &str) {
        if let Form::Shell { shell, .. } = &mut self.form {
            *shell = Shell::named(name);
        }
    }

    /// The command with its variables: those of the host, `told`, and its own last. An error says why
    /// it cannot be started with what is known.
    pub(crate) fn command(
        &self,
        session: &Session,
        told: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Command, String> {
        let own = self.variables.iter();
        let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
        let command = self
            .bare(session)?
            .environment(self.host.environment.clone())
            .envs(told)
            .envs(own);
        let scrubbed = self.scrubbed.iter();
        Ok(scrubbed.fold(command, Command::env_remove))
    }

    fn bare(&self, session: &Session) -> Result<Command, String> {
        let plugin = self.plugin.as_deref();
        let fill = |text: &String| {
            placeholders::fill(text, session, plugin).map_err(|unfilled| unfilled.to_string())
        };
        match &self.form {
            Form::Shell { command, .. } if placeholders::asks_the_shell_for_settings(command) => {
                Err(
                    "`${user_config.…}` in a shell command could run as code; use the form with \
                     `args`, or the variable CLAUDE_PLUGIN_OPTION_…"
                        .to_owned(),
                )
            }
            Form::Shell { shell, command } => {
                Ok(shell.reading(command, self.host.shell_prefix.as_deref()))
            }
            Form::Exec { program, arguments } => {
                let arguments = arguments.iter().map(fill).collect::<Result<Vec<_>, _>>()?;
                Ok(Command::new(fill(program)?).args(arguments))
            }
        }
    }

    /// Where the command may run, the best place first. The directory that it was given, which is
    /// relative to the project, is the only one: what was meant for one place must not happen in
    /// another. Else `known`, for a directory can be deleted under an agent.
    pub(crate) fn places(&self, session: &Session, known: &[&str]) -> Vec<PathBuf> {
        if let Some(cwd) = &self.cwd {
            return vec![Path::new(&session.project_dir).join(cwd)];
        }
        let home = session.home.iter().map(String::as_str);
        let known = known.iter().copied().chain(home);
        known
            .filter(|place| !place.is_empty())
            .map(PathBuf::from)
            .chain([std::env::temp_dir()])
            .collect()
    }

    /// What makes it the same as another: command, arguments, shell, directory and variables, and the
    /// plugin that it is a part of. Not how long it may take, nor what it shares.
    pub(crate) fn identity(&self) -> String {
        let plugin = self.plugin.as_ref().map(|plugin| &plugin.root);
        let (form, cwd, scrubbed) = (&self.form, &self.cwd, self.sorted_scrubbed());
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, value) in &self.variables {
            variables.insert(name, value);
        }
        variables.retain(|name, _| !scrubbed.contains(name));
        format!("{form:?} {cwd:?} {variables:?} {scrubbed:?} {plugin:?}")
    }

    fn sorted_scrubbed(&self) -> BTreeSet<&str> {
        self.scrubbed.iter().map(String::as_str).collect()
    }

    /// What it is, for people: names of variables, never their values.
    pub(crate) fn describe(&self, kind: HookKind) -> Description {
        let mut description = Description::new(kind, self.form.to_string());
        let names: BTreeSet<&str> = self.names().collect();
        let joined = |names: BTreeSet<&str>| Vec::from_iter(names).join(" ");
        let shell = match &self.form {
            Form::Shell { shell, .. } => shell.program().to_owned(),
            Form::Exec { .. } => String::new(),
        };
        let cwd = self.cwd.as_ref();
        let details = [
            ("environment", joined(names)),
            ("without", joined(self.sorted_scrubbed())),
            ("shell", shell),
            (
                "directory",
                cwd.map(|cwd| cwd.display().to_string()).unwrap_or_default(),
            ),
        ];
        let told = details.into_iter().filter(|(_, text)| !text.is_empty());
        description
            .details
            .extend(told.map(|(name, text)| (name.to_owned(), text)));
        description
    }

    /// The names of its own variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell { command, .. } => f.write_str(command),
            Self::Exec { program, arguments } => {
                f.write_str(program)?;
                arguments.iter().try_for_each(|word| write!(f, " {word}"))
            }
        }
    }
}

/// Shows names of variables only: values are often secrets.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = self.plugin.as_ref().map(|plugin| &plugin.root);
        f.debug_struct("Program")
            .field("form", &self.form)
            .field("cwd", &self.cwd)
            .field("variables", &self.names().collect::<Vec<_>>())
            .field("scrubbed", &self.scrubbed)
            .field("plugin", &plugin)
            .finish_non_exhaustive()
    }
}

/// What can be said of every hook that starts something. For a struct with a field `program`.
macro_rules! program_setters {
    () => {
        /// Has another shell read the command: `sh`, `bash`, `powershell`, or a path. A program that
        /// is started without a shell has none.
        #[must_use]
        pub fn shell(mut self, name: impl AsRef<str>) -> Self {
            self.program.read_by(name.as_ref());
            self
        }

        /// What it shares with the other commands of its session.
        #[must_use]
        pub fn host(mut self, host: &$crate::Host) -> Self {
            self.program.host = host.clone();
            self
        }

        /// Sets a variable for it.
        #[must_use]
        pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.program.variables.push((name.into(), value.into()));
            self
        }

        /// Keeps a variable from it, whoever set it.
        #[must_use]
        pub fn without_env(mut self, name: impl Into<String>) -> Self {
            self.program.scrubbed.push(name.into());
            self
        }

        /// The plugin that it belongs to.
        #[must_use]
        pub fn plugin(mut self, plugin: $crate::Plugin) -> Self {
            self.program.plugin = Some(std::sync::Arc::new(plugin));
            self
        }
    };
}

pub(crate) use program_setters;
