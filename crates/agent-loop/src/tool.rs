//! Tools: what the model can have done.
//!
//! A tool does its work and hands back what came of it. What concerns the session (another working
//! directory, a task for the list) it does not do itself but asks for, as an [`Effect`]: the loop asks the
//! hooks first. Data flows one way.

use std::path::PathBuf;

use async_trait::async_trait;
use hook_runner::Cancellation;
use hook_types::{AgentId, McpServer, SessionId, ToolUseId};
use process_tree::{Environment, Registry};
use serde_json::Value;

use crate::task::{Task, TaskList};
use crate::tools::ReadFiles;

/// Something the model can have done.
///
/// ```
/// use agent_loop::{Access, Tool, ToolContext, ToolError, ToolOutput};
/// use async_trait::async_trait;
/// use serde_json::{Value, json};
///
/// struct Dice;
///
/// #[async_trait]
/// impl Tool for Dice {
///     fn name(&self) -> &str {
///         "Dice"
///     }
///
///     fn description(&self) -> &str {
///         "Rolls a die with that many sides."
///     }
///
///     fn input_schema(&self) -> Value {
///         json!({"type": "object", "required": ["sides"],
///                "properties": {"sides": {"type": "integer", "minimum": 2}}})
///     }
///
///     fn access(&self, _: &Value) -> Access {
///         Access::Read
///     }
///
///     async fn call(&self, input: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
///         let sides = input["sides"].as_u64().unwrap_or(6);
///         Ok(ToolOutput::text(format!("{}", sides.min(4)))) // chosen by fair dice roll
///     }
/// }
/// ```
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Its name, as the model, hooks and rules have it.
    fn name(&self) -> &str;

    /// What it does, for the model.
    fn description(&self) -> &str;

    /// What it takes: a JSON Schema of an object.
    fn input_schema(&self) -> Value;

    /// What a call with this input can change. Permissions depend on it.
    fn access(&self, input: &Value) -> Access;

    /// Whether a call may run beside other calls of the same reply. By default those that change nothing
    /// may.
    fn runs_beside_others(&self, input: &Value) -> bool {
        self.access(input) == Access::Read
    }

    /// The MCP server that it comes from.
    fn mcp_server(&self) -> Option<McpServer> {
        None
    }

    /// The input as hooks and rules see it: paths made absolute, for instance. By default as it is.
    fn normalise(&self, input: Value, _context: &ToolContext) -> Value {
        input
    }

    /// Does the work. The input fits the schema. When `context.cancellation` is cancelled the future is
    /// dropped a little later: end what was started, or start nothing that outlives the future.
    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError>;

    /// What the model sees of a response; nothing where the value is no response of this tool's, as when
    /// a hook made it up. By default a text is shown as it is, and anything else as JSON.
    fn render(&self, response: &Value) -> Option<String> {
        let text = response.as_str().map(str::to_owned);
        Some(text.unwrap_or_else(|| response.to_string()))
    }
}

/// What a call can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing but the agent's own notes: never asked about.
    Own,
    /// Nothing: it reads.
    Read,
    /// The file that its input names.
    Edit,
    /// Anything: it runs commands, or reaches beyond the machine.
    Run,
}

/// What a tool knows of the session that it works for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    /// The session.
    pub session_id: SessionId,
    /// The subagent that called; none: the main agent.
    pub agent_id: Option<AgentId>,
    /// The call.
    pub tool_use_id: ToolUseId,
    /// The working directory. To leave it, hand back [`Effect::MovedTo`].
    pub cwd: PathBuf,
    /// The project's root.
    pub project_dir: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// What commands see of the environment.
    pub environment: Environment,
    /// Shell lines that hooks have exported, such as `export A=b`: to run before every command.
    pub exports: String,
    /// The shell that runs commands; the same as for hooks.
    pub shell: String,
    /// Ends the call.
    pub cancellation: Cancellation,
    /// The tasks. To change them, hand back an effect.
    pub tasks: TaskList,
    /// What this session knows of the files that it has read: see [`ReadFiles`].
    pub read_files: ReadFiles,
    /// What commands leave running. Whoever ends the session closes it, and they end too.
    pub processes: Registry,
}

impl ToolContext {
    /// A context by itself, to try a tool without an agent around it.
    pub fn standalone(cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        Self {
            session_id: SessionId::default(),
            agent_id: None,
            tool_use_id: ToolUseId::default(),
            project_dir: cwd.clone(),
            cwd,
            home: None,
            environment: Environment::inherited(),
            exports: String::new(),
            shell: "/bin/sh".to_owned(),
            cancellation: Cancellation::new(),
            tasks: TaskList::new(),
            read_files: ReadFiles::default(),
            processes: Registry::new(),
        }
    }

    /// A path of an input: relative ones start in the working directory, `~` is the home.
    pub fn resolve(&self, path: &str) -> PathBuf {
        let home = self.home.as_deref();
        match (path.strip_prefix('~'), home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.cwd.join(path),
        }
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// What hooks see as `tool_response`; the model sees what [`Tool::render`] makes of it.
    pub response: Value,
    /// What the loop is asked to do.
    pub effects: Vec<Effect>,
}

impl ToolOutput {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::structured(Value::String(text.into()))
    }

    /// A response with parts.
    pub fn structured(response: Value) -> Self {
        Self {
            response,
            effects: Vec::new(),
        }
    }

    /// Asks the loop to do something as well.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// What a tool asks the loop to do. The loop fires the event that belongs to it first; where hooks refuse,
/// it is not done, and the call has failed with their reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Work in another directory from now on: `CwdChanged`.
    MovedTo(PathBuf),
    /// Put a task on the list: `TaskCreated`.
    CreateTask(Task),
    /// Change a task: `TaskCompleted` where it becomes completed, else nothing is fired.
    ChangeTask(Task),
}

/// A call failed after it had been started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ToolError {
    /// What went wrong, as the model sees it.
    pub message: String,
    /// Whether it was cancelled.
    pub interrupted: bool,
    /// What the loop is asked to do all the same.
    pub effects: Vec<Effect>,
}

impl ToolError {
    /// The call failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            interrupted: false,
            effects: Vec::new(),
        }
    }

    /// The call was cancelled.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self {
            interrupted: true,
            ..Self::new(message)
        }
    }

    /// Asks the loop to do something all the same.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}
