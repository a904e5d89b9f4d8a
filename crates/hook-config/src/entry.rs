//! One hook of any dialect, in one form for all.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use hook_runner::Wait;
use hook_runner::matcher::{Matcher, Rule};
use hook_shell::Dialect;
use hook_types::{EventName, OnFailure};
use serde_json::{Map, Value, json};

use crate::source::Place;

/// An event that a hook listens to, and for which subjects.
#[derive(Clone, Debug)]
pub struct Listen {
    /// The event.
    pub event: EventName,
    /// For which subjects.
    pub matcher: Matcher,
}

impl Listen {
    /// Listens to some subjects of an event.
    pub fn new(event: EventName, matcher: Matcher) -> Self {
        Self { event, matcher }
    }

    /// Listens to all of an event.
    pub fn all(event: EventName) -> Self {
        Self::new(event, Matcher::all())
    }

    /// Listens to all of every guard: where nobody knows what a broken entry was to guard.
    pub fn every_guard() -> Vec<Self> {
        let guards = EventName::ALL.iter().filter(|event| event.row().guard);
        guards.map(|event| Self::all(*event)).collect()
    }

    /// The pattern as text; `*` for all, however that is written.
    pub fn pattern(&self) -> String {
        if self.matcher.is_all() {
            "*".to_owned()
        } else {
            self.matcher.to_string()
        }
    }
}

/// What a hook does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Runs a command.
    Command(CommandAction),
    /// Asks a long-lived process, which a shell starts.
    Server(ServerAction),
    /// Anything else: `http`, `prompt`, `agent`, `mcp_tool`, or a kind of your own.
    Other {
        /// The kind.
        kind: String,
        /// Where the kind is written.
        kind_place: Place,
        /// Its own fields, as they are written.
        fields: Map<String, Value>,
    },
}

impl Action {
    /// The kind, as `type` has it.
    pub fn kind(&self) -> &str {
        match self {
            Self::Command(_) => "command",
            Self::Server(_) => "server",
            Self::Other { kind, .. } => kind,
        }
    }

    /// How long hooks of its kind may take where nobody says otherwise; none: as long as the event says.
    pub fn limit(&self) -> Option<Duration> {
        match self.kind() {
            "prompt" => Some(Duration::from_secs(30)),
            "agent" => Some(Duration::from_mins(1)),
            _ => None,
        }
    }
}

/// A command that is started for each event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandAction {
    /// What is run.
    pub run: Run,
    /// The shell, of the shell form; none: `/bin/sh`.
    pub shell: Option<String>,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Where it runs; none: where the agent is. Relative to the project's root.
    pub cwd: Option<PathBuf>,
}

impl CommandAction {
    /// A command that `/bin/sh` reads.
    pub fn shell(command: impl Into<String>) -> Self {
        Self {
            run: Run::Shell(command.into()),
            shell: None,
            env: Vec::new(),
            cwd: None,
        }
    }
}

/// What a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// A text that a shell reads.
    Shell(String),
    /// A program with arguments, without a shell.
    Exec {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// A process that answers many events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAction {
    /// The text that a shell reads.
    pub command: String,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Where it runs; none: the project's root. Relative to that.
    pub cwd: Option<PathBuf>,
}

/// One hook of any dialect.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When it runs.
    pub listens: Vec<Listen>,
    /// For which tool calls only.
    pub condition: Option<Rule>,
    /// What it does.
    pub action: Action,
    /// How long it may take; none: as long as the group or the event says.
    pub timeout: Option<Duration>,
    /// What its failure means; none: what the group or the runner says.
    pub on_failure: Option<OnFailure>,
    /// Whether it runs only until it has succeeded once.
    pub once: bool,
    /// Whether the agent waits for it.
    pub wait: Wait,
    /// What people are shown while it runs.
    pub status_message: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whose rules it is written for.
    pub dialect: Dialect,
    /// Where it stands.
    pub place: Place,
}

impl Entry {
    /// An entry with nothing but what it must have.
    pub fn new(listens: Vec<Listen>, action: Action, dialect: Dialect, place: Place) -> Self {
        Self {
            listens,
            condition: None,
            action,
            timeout: None,
            on_failure: None,
            once: false,
            wait: Wait::Awaited,
            status_message: None,
            description: None,
            enabled: true,
            dialect,
            place,
        }
    }

    /// What the entry amounts to, however it is written: where it stands, defaults that are spelled
    /// out, and texts for people make no difference. Trust is given to this.
    pub fn normalised(&self) -> Value {
        let listens = self.listens.iter().map(|listen| {
            let timeout = self.timeout_on(listen.event).as_secs_f64();
            json!([listen.event, listen.pattern(), timeout])
        });
        let mut listens: Vec<Value> = listens.collect();
        listens.sort_by_key(Value::to_string);
        json!({
            "dialect": format!("{:?}", self.dialect),
            "listens": listens,
            "if": self.condition.as_ref().map(ToString::to_string),
            "action": self.action.normalised(),
            "on_failure": self.on_failure == Some(OnFailure::Block),
            "once": self.once,
            "wait": format!("{:?}", self.wait),
        })
    }

    /// How long the hook may take over an event, where its group says nothing.
    pub fn timeout_on(&self, event: EventName) -> Duration {
        let own = self.timeout.or_else(|| self.action.limit());
        own.unwrap_or_else(|| event.row().deadline.limit())
    }

    /// The command or whatever it does, in a line.
    pub fn summary(&self) -> String {
        self.action.to_string()
    }
}

impl Action {
    fn normalised(&self) -> Value {
        match self {
            Self::Command(command) => {
                let run = match &command.run {
                    Run::Shell(text) => {
                        let shell = command.shell.as_deref().unwrap_or("/bin/sh");
                        json!({"shell": shell, "text": text})
                    }
                    Run::Exec { program, args } => json!({"program": program, "args": args}),
                };
                json!({"command": run, "env": sorted(&command.env), "cwd": command.cwd})
            }
            Self::Server(server) => {
                json!({"server": server.command, "env": sorted(&server.env), "cwd": server.cwd})
            }
            Self::Other { kind, fields, .. } => {
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_by_key(|(key, _)| *key);
                json!({"kind": kind, "fields": fields})
            }
        }
    }
}

fn sorted(env: &[(String, String)]) -> Vec<&(String, String)> {
    let mut env: Vec<&(String, String)> = env.iter().collect();
    env.sort();
    env
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => match &command.run {
                Run::Shell(text) => f.write_str(text),
                Run::Exec { program, args } => {
                    f.write_str(program)?;
                    args.iter().try_for_each(|arg| write!(f, " {arg}"))
                }
            },
            Self::Server(server) => f.write_str(&server.command),
            Self::Other { kind, fields, .. } => {
                let telling = ["url", "prompt", "tool", "command"];
                let told = telling.iter().find_map(|key| fields.get(*key)?.as_str());
                f.write_str(told.unwrap_or(kind))
            }
        }
    }
}
