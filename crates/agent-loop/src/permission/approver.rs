//! Whoever answers for the user when a call needs a yes.

use async_trait::async_trait;
use hook_types::{AgentId, McpServer, PermissionUpdate, ToolUseId};
use serde_json::Value;

/// Whoever can be asked whether a call may happen: a person at a terminal, the program around the agent.
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Whether there is anybody to ask. Where not, a call that needs a yes is refused.
    fn is_present(&self) -> bool {
        true
    }

    /// Asks. The future is dropped when the turn is interrupted.
    async fn ask(&self, question: &Question) -> Approval;
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The tool.
    pub tool_name: String,
    /// What it would be called with.
    pub tool_input: Value,
    /// The call.
    pub tool_use_id: ToolUseId,
    /// The subagent that wants it; none: the main agent.
    pub agent_id: Option<AgentId>,
    /// Why it is asked: the words of a hook, the rule, the mode.
    pub reason: String,
    /// Rules that the user could be offered to remember.
    pub suggestions: Vec<PermissionUpdate>,
    /// The server that an MCP tool comes from.
    pub mcp_server: Option<McpServer>,
    /// What hooks have noted of earlier results, for whoever decides in the user's place.
    pub notes: Vec<String>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Approval {
    /// It may happen.
    Allow {
        /// With another input, which is checked against the rules again.
        input: Option<Value>,
        /// Changes to the rules, to be remembered.
        remember: Vec<PermissionUpdate>,
    },
    /// It must not.
    Deny {
        /// What the model is told.
        message: Option<String>,
        /// Whether the turn ends here.
        interrupt: bool,
    },
}

impl Approval {
    /// Yes, this once.
    pub fn allow() -> Self {
        Self::Allow {
            input: None,
            remember: Vec::new(),
        }
    }

    /// No, and why.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny {
            message: Some(message.into()),
            interrupt: false,
        }
    }
}
