//! The part that waits: events are fired, somebody is asked.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use hook_types::{GrantedBy, McpServer, ToolUseId};
use serde_json::Value;

use super::approver::{Approval, Approver, Question};
use super::judge::{CallFacts, HookOpinion, Permissions, Verdict};
use crate::firing::{Firing, Interrupted};
use crate::tool::Access;
use crate::toolbox::Toolbox;

/// A call that waits for a yes or a no.
#[derive(Clone, Debug)]
pub struct PendingCall {
    /// The call.
    pub tool_use_id: ToolUseId,
    /// The tool.
    pub tool_name: String,
    /// What it is called with: normalised, fit for the schema, as `PreToolUse` hooks rewrote it.
    pub tool_input: Value,
    /// What the call can change.
    pub access: Access,
    /// The server that an MCP tool comes from.
    pub mcp_server: Option<McpServer>,
}

/// Whom the pipeline asks.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Fires events; knows the working directory.
    pub firing: &'a Firing,
    /// Answers for the user.
    pub approver: &'a dyn Approver,
    /// The rules and the mode; changed by what is to be remembered.
    pub permissions: &'a Mutex<Permissions>,
    /// Checks an input that was rewritten on the way.
    pub tools: &'a Toolbox,
    /// The user's home directory.
    pub home: Option<&'a str>,
    /// The project's root.
    pub project_dir: &'a str,
}

impl fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("firing", self.firing)
            .field("permissions", self.permissions)
            .finish_non_exhaustive()
    }
}

/// What became of a call that waited.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled {
    /// It may run.
    Run {
        /// With this input: as it was, or as it was rewritten on the way.
        input: Value,
        /// Who let it through.
        by: GrantedBy,
    },
    /// It must not run.
    Refuse {
        /// What the model is told.
        message: String,
        /// Whether the turn ends here.
        interrupt: bool,
    },
    /// A hook stops the whole agent.
    Halt {
        /// What the user is told.
        reason: Option<String>,
    },
}

/// Settles whether a call may run.
pub async fn settle(
    desk: &Desk<'_>,
    call: &PendingCall,
    hooks: &HookOpinion,
) -> Result<Settled, Interrupted> {
    match judge(desk, call, hooks) {
        Verdict::Allow { by, .. } => Ok(Settled::Run {
            input: call.tool_input.clone(),
            by,
        }),
        Verdict::Deny { reason, .. } => Ok(Settled::Refuse {
            message: reason,
            interrupt: false,
        }),
        Verdict::Ask {
            reason,
            suggestions,
            ..
        } => {
            let question = Question {
                tool_name: call.tool_name.clone(),
                tool_input: call.tool_input.clone(),
                tool_use_id: call.tool_use_id.clone(),
                agent_id: desk.firing.base().agent_id.clone(),
                reason,
                suggestions,
                mcp_server: call.mcp_server.clone(),
            };
            ask(desk, call, &question).await
        }
    }
}

fn judge(desk: &Desk<'_>, call: &PendingCall, hooks: &HookOpinion) -> Verdict {
    let cwd = desk.firing.base().cwd.clone();
    let facts = CallFacts {
        tool_name: &call.tool_name,
        tool_input: &call.tool_input,
        access: call.access,
        cwd: &cwd,
        home: desk.home,
        project_dir: desk.project_dir,
    };
    let permissions = desk
        .permissions
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    permissions.judge(&facts, hooks)
}

async fn ask(
    desk: &Desk<'_>,
    call: &PendingCall,
    question: &Question,
) -> Result<Settled, Interrupted> {
    let answer = tokio::select! {
        biased;
        () = desk.firing.cancellation().cancelled() => return Err(Interrupted),
        answer = desk.approver.ask(question) => answer,
    };
    match answer {
        Approval::Allow { input, .. } => Ok(Settled::Run {
            input: input.unwrap_or_else(|| call.tool_input.clone()),
            by: GrantedBy::User,
        }),
        Approval::Deny { message, interrupt } => Ok(Settled::Refuse {
            message: message.unwrap_or_else(|| "the user refused the call".to_owned()),
            interrupt,
        }),
    }
}
