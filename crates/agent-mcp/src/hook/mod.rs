//! Hooks of type `mcp_tool`: a server's tool answers an event.
//!
//! What the tool says is read as what a command prints. An error of the tool, or a server that is not
//! connected, is a failure and no decision; on a guard, a refusal that can be read counts all the same.
//!
//! | on | a server that is not connected |
//! |---|---|
//! | events that a hook can hold up | is started and waited for, within the hook's time |
//! | events that are only watched | is a failure at once, and is started for the next time |
//! | `Setup`, `SessionStart` at launch | does not matter: the hook is skipped |

mod arguments; // `${path.to.field}`
#[cfg(feature = "config")]
mod factory; // from an entry of a file

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_shell::{Dialect, protocol};
use hook_types::wire::Extent;
use hook_types::{
    Code, Decision, Diagnostic, Effect, EventName, HookEvent, HookKind, Reply, SessionSource,
    Status,
};
use process_tree::Ending;
use serde_json::{Map, Value, json};

#[cfg(feature = "config")]
pub use factory::McpToolFactory;

use crate::error::CallError;
use crate::result::CallResult;
use crate::servers::McpServers;
use arguments::filled;

/// A hook that asks a tool of a server.
///
/// ```
/// use agent_mcp::{McpServers, McpToolHook};
/// use hook_runner::HookSet;
/// use hook_types::PreToolUse;
/// use serde_json::json;
///
/// # fn main() -> Result<(), hook_runner::BuildError> {
/// let servers = McpServers::none();
/// let scan = McpToolHook::new(&servers, "security", "scan")
///     .input(json!({"command": "${tool_input.command}", "whole": "${tool_input}"}));
/// let hooks = HookSet::builder().hook::<PreToolUse>("Bash", scan).build()?;
/// # let _ = hooks;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct McpToolHook {
    servers: McpServers,
    server: String,
    tool: String,
    input: Map<String, Value>,
    dialect: Dialect,
    timeout: Option<Duration>,
}

impl McpToolHook {
    /// A hook that calls a tool, by the name that its server has for it, with nothing.
    pub fn new(servers: &McpServers, server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            servers: servers.clone(),
            server: server.into(),
            tool: tool.into(),
            input: Map::new(),
            dialect: Dialect::Claude,
            timeout: None,
        }
    }

    /// What the tool is called with: an object, in whose texts `${path.to.field}` stands for what the
    /// event has there. A text that is nothing but one such placeholder becomes the value itself, of
    /// whatever type; elsewhere a value is written into the text. What the event does not have is `null`,
    /// or nothing.
    #[must_use]
    pub fn input(mut self, input: Value) -> Self {
        if let Value::Object(input) = input {
            self.input = input;
        }
        self
    }

    /// How long it may take; without it, as long as the event says.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whose rules the answer is read by.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    async fn call(&self, input: &Input) -> Result<CallResult, CallError> {
        let event: Value = serde_json::from_str(input.json()).unwrap_or_default();
        let arguments = filled(&self.input, &event);
        if can_hold_up(input.name()) {
            self.servers.call(&self.server, &self.tool, arguments).await
        } else {
            let call = self
                .servers
                .call_if_connected(&self.server, &self.tool, arguments);
            call.await
        }
    }

    /// What the tool says, read as what a command prints.
    fn read(&self, input: &Input, result: &CallResult) -> Reply {
        let text = result.text();
        let cut = if result.cut {
            Extent::Cut
        } else {
            Extent::Whole
        };
        let collected = protocol::Collected {
            ending: &Ending::Exited(0),
            stdout: &text,
            stderr: "",
            cut,
            limit: Duration::ZERO,
        };
        let mut reply = protocol::reply(self.dialect, input.event(), &collected);
        reply.evidence.exit_code = None;
        if !result.is_error {
            return reply;
        }
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        let why = format!(
            "the tool failed: {}",
            first.unwrap_or("it does not say why")
        );
        let refuses = input.name().row().guard && reply.output.decision == Decision::Deny;
        if !refuses {
            let evidence = reply.evidence;
            reply = Reply::failed(why);
            reply.evidence = evidence;
            return reply;
        }
        reply.status = Status::Failed(why);
        reply
    }
}

#[async_trait]
impl Handler for McpToolHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        if let Some(why) = skipped(input.event()) {
            let mut reply = Reply::no_opinion();
            reply.diagnostics.push(Diagnostic::new(Code::NoEffect, why));
            return reply;
        }
        match context.in_time(self.call(&input)).await {
            Some(Ok(result)) => self.read(&input, &result),
            Some(Err(error)) => Reply::failed(error.to_string()),
            None => Reply::with_status(Status::TimedOut {
                limit: context.limit(),
            }),
        }
    }

    fn describe(&self) -> Description {
        let kind = HookKind::Other("mcp_tool".to_owned());
        let mut description = Description::new(kind, format!("{} {}", self.server, self.tool));
        if !self.input.is_empty() {
            let input = Value::Object(self.input.clone()).to_string();
            description.details.push(("input".to_owned(), input));
        }
        description
    }

    fn identity(&self) -> Option<String> {
        let what = json!(["mcp_tool", self.server, self.tool, self.input]);
        Some(what.to_string())
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }
}

/// Whether a hook can hold up what the event is about: only then is a server worth a wait.
fn can_hold_up(event: EventName) -> bool {
    match event.row().effect {
        Effect::Prevent | Effect::KeepGoing | Effect::EndTurn | Effect::Fail => true,
        Effect::Feedback | Effect::Ignore => false,
    }
}

/// Why the hook is not run, where it is not: servers are not there yet.
fn skipped(event: &HookEvent) -> Option<&'static str> {
    let at_launch = |source: &SessionSource| {
        matches!(
            source,
            SessionSource::Startup | SessionSource::Resume | SessionSource::Fork
        )
    };
    if let HookEvent::Setup(_) = event {
        return Some("hooks of type `mcp_tool` are skipped on Setup");
    }
    if let HookEvent::SessionStart(event) = event
        && at_launch(&event.source)
    {
        return Some("hooks of type `mcp_tool` are skipped when a session is launched");
    }
    None
}
