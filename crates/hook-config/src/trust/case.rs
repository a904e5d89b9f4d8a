//! What an approval needs to know of an entry, kept for as long as its hook lives.

use std::path::{Path, PathBuf};

use hook_runner::Layer;
use hook_shell::Plugin;
use serde_json::Value;

use super::digest::Digest;
use super::judge::Subject;
use crate::entry::{Action, Entry, Listen, Run};

/// One entry, as trust sees it.
#[derive(Clone, Debug)]
pub struct Case {
    layer: Layer,
    /// The layer that switches its plugin on.
    enabled_by: Option<Layer>,
    file: PathBuf,
    line: u32,
    content: Value,
    entry: Digest,
    listens: Vec<String>,
    summary: String,
    command: Option<CommandLine>,
    /// What else an entry of another type says.
    fields: Vec<String>,
}

/// The command of an entry, and what its words are looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub(super) run: Run,
    /// The shell that reads the text, where the entry names one.
    pub(super) shell: Option<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) place: WorkingDirectory,
    pub(super) plugin: Option<Plugin>,
}

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WorkingDirectory {
    /// Where the agent is, which may move.
    Agent,
    /// Always in the project's root.
    Project,
    /// Always there.
    Fixed(PathBuf),
}

impl Case {
    /// The case of an entry.
    pub fn of(subject: &Subject<'_>) -> Self {
        let entry = subject.entry;
        let plugin = subject.origin.plugin.as_ref();
        let enabled_by = plugin.map(|plugin| plugin.enabled_by);
        let plugin = plugin.map(|plugin| plugin.plugin.clone());
        Self {
            layer: subject.origin.layer,
            enabled_by,
            file: subject.place.file.path().to_owned(),
            line: subject.place.line(),
            content: subject.content.clone(),
            entry: Digest::of_json(subject.content),
            listens: listens(subject.listens),
            summary: entry.map_or_else(|| of_no_hook(subject.content), Entry::summary),
            command: entry.and_then(|entry| CommandLine::of(&entry.action, plugin)),
            fields: entry.map(|entry| fields(&entry.action)).unwrap_or_default(),
        }
    }

    /// The layer that it belongs to.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The layer that switches its plugin on, of a plugin's hooks.
    pub fn enabled_by(&self) -> Option<Layer> {
        self.enabled_by
    }

    /// The file that it stands in.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The line that it starts on.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// What it amounts to, however it is written.
    pub fn content(&self) -> &Value {
        &self.content
    }

    /// The digest of that.
    pub fn digest(&self) -> Digest {
        self.entry
    }

    /// When it runs: `PreToolUse:Bash`.
    pub fn listens(&self) -> &[String] {
        &self.listens
    }

    /// What it runs, in a line.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// What else decides what it does, in lines: the variables that it sets, where it runs, its shell;
    /// of a type that is no command, everything that the entry says beside its summary.
    pub fn details(&self) -> Vec<String> {
        let Some(line) = &self.command else {
            return self.fields.clone();
        };
        let variables = line.env.iter();
        let mut details: Vec<String> = variables
            .map(|(name, value)| format!("with {name}={value}"))
            .collect();
        if let WorkingDirectory::Fixed(place) = &line.place {
            details.push(format!("in {}", place.display()));
        }
        details.extend(line.shell.as_ref().map(|shell| format!("read by {shell}")));
        details
    }

    pub(super) fn command(&self) -> Option<&CommandLine> {
        self.command.as_ref()
    }
}

/// What is no hook, in a line: a broken entry as it is written, or a switch.
fn of_no_hook(content: &Value) -> String {
    if let (Some(key), Some(list)) = (content["switch"].as_str(), content.get("list")) {
        return format!("{key}: {list}, beside what your own settings say");
    }
    match (content.get("broken"), content.get("plugin")) {
        (Some(written), _) => format!("a broken entry: {written}"),
        (None, Some(plugin)) => format!("enabledPlugins: your plugin {plugin} is switched off"),
        (None, None) => "disableAllHooks: no hook runs any more, your own neither".to_owned(),
    }
}

/// What an entry of another type says, beside what its summary shows.
fn fields(action: &Action) -> Vec<String> {
    let Action::Other { kind, fields, .. } = action else {
        return Vec::new();
    };
    let summary = action.to_string();
    let shown = |value: &Value| value.as_str() == Some(&summary);
    let unseen = fields.iter().filter(|(_, value)| !shown(value));
    let unseen = unseen.map(|(name, value)| format!("{name}: {value}"));
    std::iter::once(format!("of type {kind}"))
        .chain(unseen)
        .collect()
}

fn listens(listens: &[Listen]) -> Vec<String> {
    let mut listens: Vec<String> = listens
        .iter()
        .map(|listen| format!("{}:{}", listen.event, listen.pattern()))
        .collect();
    listens.sort();
    listens
}

impl CommandLine {
    fn of(action: &Action, plugin: Option<Plugin>) -> Option<Self> {
        let fixed = |cwd: &Option<PathBuf>| cwd.clone().map(WorkingDirectory::Fixed);
        match action {
            Action::Command(command) => Some(Self {
                run: command.run.clone(),
                shell: command.shell.clone(),
                env: command.env.clone(),
                place: fixed(&command.cwd).unwrap_or(WorkingDirectory::Agent),
                plugin,
            }),
            Action::Server(server) => Some(Self {
                run: Run::Shell(server.command.clone()),
                shell: None,
                env: server.env.clone(),
                place: fixed(&server.cwd).unwrap_or(WorkingDirectory::Project),
                plugin,
            }),
            Action::Other { .. } => None,
        }
    }
}
