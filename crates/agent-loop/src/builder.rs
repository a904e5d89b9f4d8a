//! Putting an agent together. Everything has a default but the model.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hook_runner::{HookRunner, HookSet, Policy};
use process_tree::{Environment, Watchdog};
use serde_json::{Map, Value};

use crate::agent::{Agent, Hooks};
use crate::clock::{Clock, SystemClock};
use crate::instructions::Instructions;
use crate::limits::Limits;
use crate::model::Model;
use crate::permission::{Approver, Nobody, Permissions};
use crate::scripted::Scripted;
use crate::shared::Parts;
use crate::subagent::Subagent;
use crate::tool::Tool;
use crate::toolbox::Toolbox;
use crate::transcript::{FileTranscripts, NoTranscripts, TranscriptStore};
use crate::voice::Observer;

const WHO: &str = "You are an agent that works with tools in a directory of the user's. Do what is asked, \
    check that it worked, and say briefly what you did.";

/// Puts an agent together.
///
/// | part | without it |
/// |---|---|
/// | `model` | a script that says it is one |
/// | `tools` | none |
/// | `hooks` | none |
/// | `approver` | nobody: what needs permission is refused |
/// | `permissions` | mode `default`, no rules |
/// | `cwd`, `project_dir` | the directory of this process |
/// | `environment`, `home` | that of this process; its `HOME` |
/// | `transcripts` | none are kept |
/// | `subagent` | one, for any purpose |
#[must_use = "a builder does nothing until it is built"]
pub struct AgentBuilder {
    model: Arc<dyn Model>,
    tools: Toolbox,
    hooks: Hooks,
    approver: Arc<dyn Approver>,
    permissions: Permissions,
    observers: Vec<Arc<dyn Observer>>,
    clock: Arc<dyn Clock>,
    transcripts: Arc<dyn TranscriptStore>,
    limits: Limits,
    system_prompt: String,
    instructions: Vec<Instructions>,
    subagents: Vec<Subagent>,
    cwd: Option<PathBuf>,
    project_dir: Option<PathBuf>,
    home: Option<PathBuf>,
    environment: Option<Environment>,
    shell: String,
    watchdog: Option<Watchdog>,
    config: Map<String, Value>,
}

impl AgentBuilder {
    pub(crate) fn new() -> Self {
        Self {
            model: Arc::new(Scripted::greeting()),
            tools: Toolbox::empty(),
            hooks: Hooks::Set(HookSet::default(), Policy::default()),
            approver: Arc::new(Nobody),
            permissions: Permissions::default(),
            observers: Vec::new(),
            clock: Arc::new(SystemClock),
            transcripts: Arc::new(NoTranscripts),
            limits: Limits::default(),
            system_prompt: WHO.to_owned(),
            instructions: Vec::new(),
            subagents: vec![Subagent::general()],
            cwd: None,
            project_dir: None,
            home: None,
            environment: None,
            shell: "/bin/sh".to_owned(),
            watchdog: None,
            config: Map::new(),
        }
    }

    /// The model.
    pub fn model(self, model: impl Model) -> Self {
        self.shared_model(Arc::new(model))
    }

    /// The model, shared with others.
    pub fn shared_model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = model;
        self
    }

    /// The tools, in place of those so far.
    pub fn tools(mut self, tools: Toolbox) -> Self {
        self.tools = tools;
        self
    }

    /// One more tool.
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.tools = self.tools.with(tool);
        self
    }

    /// The hooks. Every session has a runner of its own for them.
    pub fn hooks(mut self, hooks: HookSet) -> Self {
        self.hooks = Hooks::Set(hooks, Policy::default());
        self
    }

    /// The hooks, and what their runner does where they leave it a choice.
    pub fn hooks_with(mut self, hooks: HookSet, policy: Policy) -> Self {
        self.hooks = Hooks::Set(hooks, policy);
        self
    }

    /// A runner of your own. A runner serves one session, so start only one.
    pub fn runner(mut self, runner: Arc<dyn HookRunner>) -> Self {
        self.hooks = Hooks::Runner(runner);
        self
    }

    /// Whoever answers for the user.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// The permission mode and rules that sessions start with.
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Somebody who is called in line with every event.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// What tells the time of day.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Keeps transcripts as files in a directory.
    pub fn transcripts_in(self, directory: impl Into<PathBuf>) -> Self {
        self.transcripts(FileTranscripts::new(directory))
    }

    /// Keeps transcripts somewhere else.
    pub fn transcripts(mut self, store: impl TranscriptStore) -> Self {
        self.transcripts = Arc::new(store);
        self
    }

    /// How far the agent may go by itself.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Who the agent is, for the model.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system_prompt = text.into();
        self
    }

    /// A file of instructions, which follows the system prompt.
    pub fn instructions(mut self, instructions: Instructions) -> Self {
        self.instructions.push(instructions);
        self
    }

    /// One more kind of subagent.
    pub fn subagent(mut self, subagent: Subagent) -> Self {
        self.subagents.retain(|kind| kind.name != subagent.name);
        self.subagents.push(subagent);
        self
    }

    /// No subagents.
    pub fn without_subagents(mut self) -> Self {
        self.subagents.clear();
        self
    }

    /// Where the agent starts to work; an absolute path.
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// The project's root, where it is not the working directory.
    pub fn project_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project_dir = Some(directory.into());
        self
    }

    /// The user's home directory.
    pub fn home(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// What commands see of the environment.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// The shell that runs commands; use the same for hooks.
    pub fn shell(mut self, shell: impl Into<String>) -> Self {
        self.shell = shell.into();
        self
    }

    /// Has commands end with this process, even when it is killed; share the watchdog with the hooks.
    pub fn watched(mut self, watchdog: Watchdog) -> Self {
        self.watchdog = Some(watchdog);
        self
    }

    /// Anything else that goes into every request: `temperature`, `max_tokens`, …
    pub fn config(mut self, config: Map<String, Value>) -> Self {
        self.config = config;
        self
    }

    /// The agent.
    pub fn build(self) -> Agent {
        let cwd = self.cwd.or_else(|| std::env::current_dir().ok());
        let cwd = cwd.unwrap_or_else(|| PathBuf::from("/"));
        let environment = self.environment.unwrap_or_else(Environment::inherited);
        let home = environment.get("HOME").map(PathBuf::from);
        let parts = Parts {
            tools: self.tools,
            approver: self.approver,
            clock: self.clock,
            transcripts: self.transcripts,
            limits: self.limits,
            system_prompt: self.system_prompt,
            instructions: self.instructions,
            subagents: self.subagents,
            project_dir: self.project_dir.unwrap_or_else(|| cwd.clone()),
            cwd,
            home: self.home.or(home),
            environment,
            shell: self.shell,
            watchdog: self.watchdog,
            config: self.config,
        };
        Agent {
            parts: Arc::new(parts),
            model: self.model,
            hooks: self.hooks,
            permissions: self.permissions,
            observers: self.observers,
        }
    }
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("model", &self.model.name())
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
