//! What a call passes before it runs: hooks, and then permission.

use std::sync::Arc;

use hook_types::{EventName, HookId, PreToolUse};
use serde_json::Value;

use crate::apply::Halt;
use crate::apply::tool::{BeforeCall, before_call};
use crate::call::After;
use crate::conversation::ToolCall;
use crate::firing::Interrupted;
use crate::permission::{Desk, HookOpinion, PendingCall, Settled, settle};
use crate::reception::Reception;
use crate::said::{Manner, Said};
use crate::thread::Thread;
use crate::tool::{Tool, ToolContext};

/// A call on its way through hooks and permissions.
pub(crate) enum Gate {
    /// It may run, with this input.
    Open { input: Value, said: Vec<Said> },
    /// It may not; this is what the model is told.
    Shut {
        message: String,
        said: Vec<Said>,
        after: After,
    },
    /// It is left to whoever resumes the session.
    Deferred,
}

impl Gate {
    fn shut(message: String, said: Vec<Said>) -> Self {
        Self::Shut {
            message,
            said,
            after: After::GoOn,
        }
    }
}

impl Thread {
    /// Asks hooks, and then for permission.
    pub(crate) async fn gate(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        alone: bool,
        context: &ToolContext,
    ) -> Result<Gate, Interrupted> {
        let mut event =
            PreToolUse::new(call.name.clone(), call.input.clone()).tool_use_id(call.id.clone());
        event.mcp_server = tool.mcp_server();
        match before_call(&self.firing.hear(event).await?) {
            BeforeCall::Halt(halt) => Ok(Gate::Shut {
                message: halt.said().marked(),
                said: Vec::new(),
                after: After::Halt(halt),
            }),
            BeforeCall::Refuse { reason, said } => Ok(Gate::shut(reason.marked(), said)),
            BeforeCall::Judge {
                opinion,
                input,
                said,
            } => {
                let input = match input {
                    None => call.input.clone(),
                    Some(input) => match self.prepare(&call.name, input, context) {
                        Ok((_, input)) => input,
                        Err(problem) => {
                            let message = format!(
                                "a hook rewrote the input of {} to one that the tool does not take: {problem}",
                                call.name
                            );
                            return Ok(Gate::shut(message, said));
                        }
                    },
                };
                self.permission(tool, call, input, &opinion, said, alone)
                    .await
            }
        }
    }

    async fn permission(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        input: Value,
        opinion: &HookOpinion,
        said: Vec<Said>,
        alone: bool,
    ) -> Result<Gate, Interrupted> {
        let parts = &self.shared.parts;
        let reception = Reception::new(&self.shared, &self.firing, &self.pending);
        let home = parts.home.as_ref().map(|home| home.to_string_lossy());
        let desk = Desk {
            firing: &self.firing,
            approver: &reception,
            permissions: &self.shared.permissions,
            tools: &self.tools,
            home: home.as_deref(),
            project_dir: &parts.project_dir.to_string_lossy(),
        };
        let pending = PendingCall {
            tool_use_id: call.id.clone(),
            tool_name: call.name.clone(),
            access: tool.access(&input),
            tool_input: input,
            mcp_server: tool.mcp_server(),
            alone,
        };
        let settlement = settle(&desk, &pending, opinion).await?;
        for odd in settlement.diagnostics {
            self.firing.voice().warn(odd.message);
        }
        Ok(gate(settlement.settled, said))
    }
}

fn gate(settled: Settled, said: Vec<Said>) -> Gate {
    match settled {
        Settled::Run { input, .. } => Gate::Open { input, said },
        Settled::Defer { .. } => Gate::Deferred,
        Settled::Refuse {
            message,
            interrupt,
            hook,
            ..
        } => {
            let after = if interrupt {
                After::PermissionRefused(message.clone())
            } else {
                After::GoOn
            };
            let message = match hook {
                Some(hook) => in_words_of(hook, message),
                None => message,
            };
            Gate::Shut {
                message,
                said,
                after,
            }
        }
        Settled::Halt { event, order } => {
            let halt = Halt::at_permission(event, order);
            Gate::Shut {
                message: halt.said().marked(),
                said,
                after: After::Halt(halt),
            }
        }
    }
}

/// A refusal in the words of a hook that was asked for permission.
fn in_words_of(hook: HookId, text: String) -> String {
    let said = Said {
        hook: Some(hook),
        event: EventName::PermissionRequest,
        manner: Manner::Refuses,
        text,
        quiet: false,
    };
    said.marked()
}
