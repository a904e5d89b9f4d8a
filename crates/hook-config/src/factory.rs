//! From an entry to a handler, by the entry's type.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_runner::Handler;
use hook_shell::{Host, Plugin, ServerHook, ShellHook};

use crate::entry::{Action, CommandAction, Entry, Run, ServerAction};
use crate::http_rules::HttpRules;

/// What a factory may need beside the entry.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting<'a> {
    /// What all commands share.
    pub host: &'a Host,
    /// The plugin that the entry belongs to.
    pub plugin: Option<&'a Plugin>,
    /// The project's root.
    pub project: Option<&'a Path>,
    /// The user's home.
    pub home: Option<&'a Path>,
    /// What holds for hooks that are asked over HTTP.
    pub http: &'a HttpRules,
}

impl Setting<'_> {
    /// A path of a file: from the home where it starts with `~`, from the project's root where it is
    /// relative.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), self.home, self.project) {
            (Ok(rest), Some(home), _) => home.join(rest),
            (_, _, Some(project)) => project.join(path),
            _ => path.to_owned(),
        }
    }
}

/// Makes handlers of one type.
///
/// A closure is a factory:
///
/// ```
/// use std::sync::Arc;
/// use hook_config::{Entry, Factories, Setting};
/// use hook_runner::Handler;
/// use hook_shell::ShellHook;
///
/// let factories = Factories::new().with("make", |entry: &Entry, _: &Setting<'_>| {
///     let target = entry.summary();
///     Ok(Arc::new(ShellHook::exec("make", [target])) as Arc<dyn Handler>)
/// });
/// assert!(factories.knows("make") && factories.knows("command"));
/// ```
pub trait Factory: Send + Sync + 'static {
    /// Makes a handler; else says why there is none, in a sentence for whoever wrote the entry.
    fn make(&self, entry: &Entry, setting: &Setting<'_>) -> Result<Arc<dyn Handler>, String>;
}

impl<F> Factory for F
where
    F: Fn(&Entry, &Setting<'_>) -> Result<Arc<dyn Handler>, String> + Send + Sync + 'static,
{
    fn make(&self, entry: &Entry, setting: &Setting<'_>) -> Result<Arc<dyn Handler>, String> {
        self(entry, setting)
    }
}

/// The factories by type. `command` and `server` are there from the start.
#[derive(Clone)]
pub struct Factories(BTreeMap<String, Arc<dyn Factory>>);

impl Factories {
    /// `command` and `server`.
    pub fn new() -> Self {
        Self(BTreeMap::new())
            .with("command", make_command)
            .with("server", make_server)
    }

    /// Adds a factory for a type, or takes the place of one.
    #[must_use]
    pub fn with(mut self, kind: impl Into<String>, factory: impl Factory) -> Self {
        self.0.insert(kind.into(), Arc::new(factory));
        self
    }

    /// Whether there is one for a type.
    pub fn knows(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// The types that there are factories for.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn of(&self, kind: &str) -> Option<&dyn Factory> {
        self.0.get(kind).map(AsRef::as_ref)
    }
}

impl Default for Factories {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Factories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn make_command(entry: &Entry, setting: &Setting<'_>) -> Result<Arc<dyn Handler>, String> {
    let Action::Command(command) = &entry.action else {
        return Err("the entry is of another type".to_owned());
    };
    Ok(Arc::new(shell_hook(entry, command, setting)))
}

/// The program that `"shell": "powershell"` means.
pub(crate) const POWERSHELL: &str = "pwsh";

/// `${CLAUDE_PROJECT_DIR}` is a variable of the environment; PowerShell has variables of its own.
fn for_powershell(text: &str) -> String {
    let told = [
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_DATA",
    ];
    told.into_iter().fold(text.to_owned(), |text, name| {
        text.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
    })
}

/// The command of an entry.
fn shell_hook(entry: &Entry, command: &CommandAction, setting: &Setting<'_>) -> ShellHook {
    let mut hook = match &command.run {
        Run::Shell(text) if command.shell.as_deref() == Some(POWERSHELL) => {
            ShellHook::new(for_powershell(text))
        }
        Run::Shell(text) => ShellHook::new(text),
        Run::Exec { program, args } => ShellHook::exec(program, args),
    };
    if let Some(shell) = &command.shell {
        hook = hook.shell(shell);
    }
    for (name, value) in &command.env {
        hook = hook.env(name, value);
    }
    if let Some(cwd) = &command.cwd {
        hook = hook.cwd(setting.resolve(cwd));
    }
    if let Some(plugin) = setting.plugin {
        hook = hook.plugin(plugin.clone());
    }
    hook.host(setting.host).dialect(entry.dialect)
}

fn make_server(entry: &Entry, setting: &Setting<'_>) -> Result<Arc<dyn Handler>, String> {
    let Action::Server(ServerAction { command, env, cwd }) = &entry.action else {
        return Err("the entry is of another type".to_owned());
    };
    let mut hook = ServerHook::new(command).host(setting.host);
    for (name, value) in env {
        hook = hook.env(name, value);
    }
    if let Some(cwd) = cwd {
        hook = hook.cwd(setting.resolve(cwd));
    }
    if let Some(plugin) = setting.plugin {
        hook = hook.plugin(plugin.clone());
    }
    Ok(Arc::new(hook))
}
