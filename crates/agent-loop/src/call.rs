//! One tool call, from what the model wants to what it sees.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hook_types::{Error, ErrorType, InterruptedDuring, PostToolUse, PostToolUseFailure};
use serde_json::Value;
use tokio::time::Instant;

use crate::apply::Halt;
use crate::apply::tool::{AfterCall, after_call};
use crate::asking::milliseconds;
use crate::conversation::{ToolCall, ToolResult};
use crate::event::AgentEventKind;
use crate::firing::Interrupted;
use crate::gate::Gate;
use crate::result::Denial;
use crate::said::Said;
use crate::thread::Thread;
use crate::tool::{Tool, ToolContext, ToolError, ToolOutput};

/// A call that is over.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    /// The call, with the input that it ran with.
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
    /// To stand next to the result.
    pub(crate) said: Vec<Said>,
}

/// What becomes of the turn after a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum After {
    /// It goes on.
    GoOn,
    /// A hook stops the agent.
    Halt(Halt),
    /// Whoever was asked for permission ends the turn.
    PermissionRefused(String),
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum CallEnd {
    Done(Box<Done>, After),
    /// It is left to whoever resumes the session.
    Deferred,
    /// It did not begin: meanwhile somebody has stopped the agent.
    Stopped,
}

impl Thread {
    /// Runs one call. `alone`: whether it is the only one of its reply.
    pub(crate) async fn run_call(
        &self,
        call: &ToolCall,
        alone: bool,
    ) -> Result<CallEnd, Interrupted> {
        let context = self.tool_context(&call.id);
        let (tool, input) = match self.prepare(&call.name, call.input.clone(), &context) {
            Ok(ready) => ready,
            Err(problem) => {
                let done = self.finished(call, problem, true, Duration::ZERO, Vec::new());
                return Ok(CallEnd::Done(Box::new(done), After::GoOn));
            }
        };
        let call = ToolCall::new(call.id.clone(), call.name.clone(), input);
        match self.gate(&tool, &call, alone, &context).await? {
            Gate::Deferred => Ok(CallEnd::Deferred),
            Gate::Shut {
                message,
                said,
                after,
            } => {
                self.shared.refused(Denial {
                    tool_name: call.name.clone(),
                    tool_use_id: call.id.clone(),
                    tool_input: call.input.clone(),
                    reason: message.clone(),
                });
                let done = self.finished(&call, message, true, Duration::ZERO, said);
                Ok(CallEnd::Done(Box::new(done), after))
            }
            Gate::Open { .. } if self.shared.has_ended() => Ok(CallEnd::Stopped),
            Gate::Open { input, said } => {
                let call = ToolCall { input, ..call };
                self.carry_out(&tool, call, said, &context).await
            }
        }
    }

    /// The tool, and an input that it takes; else what the model is told.
    pub(crate) fn prepare(
        &self,
        name: &str,
        input: Value,
        context: &ToolContext,
    ) -> Result<(Arc<dyn Tool>, Value), String> {
        if self.tools.get(name).is_some() && !self.is_offered(name) {
            return Err(format!(
                "`{name}` is not one of the tools that this request told of"
            ));
        }
        let checked = self.tools.check(name, &input);
        match (self.tools.get(name), checked) {
            (Some(tool), Ok(())) => Ok((Arc::clone(tool), tool.normalise(input, context))),
            (_, Err(problem)) => Err(problem.to_string()),
            (None, Ok(())) => Err(format!("there is no tool `{name}`")),
        }
    }

    /// Whether the model was told of a tool: hooks may keep some from it.
    fn is_offered(&self, name: &str) -> bool {
        let offered = self.offered.as_ref();
        offered.is_none_or(|offered| offered.iter().any(|held| held == name))
    }

    /// Runs the tool and tells hooks what came of it.
    async fn carry_out(
        &self,
        tool: &Arc<dyn Tool>,
        call: ToolCall,
        mut said: Vec<Said>,
        context: &ToolContext,
    ) -> Result<CallEnd, Interrupted> {
        self.firing.tell(AgentEventKind::ToolStarted {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.input.clone(),
        });
        let started = Instant::now();
        let ran = self.run_tool(tool, &call, context).await?;
        let took = started.elapsed();
        let ran = self.take_effects(ran).await?;
        let (text, is_error, after) = match ran {
            Ok(response) => self.succeeded(tool, &call, response, took).await?,
            Err(error) => self.failed(tool, &call, error, took).await?,
        };
        context.read_files.hooks_have_run().await;
        said.extend(after.said);
        self.shared.note(after.note);
        let then = after.halt.map_or(After::GoOn, After::Halt);
        let done = self.finished(&call, text, is_error, took, said);
        Ok(CallEnd::Done(Box::new(done), then))
    }

    /// Runs the tool until it is done, or an interruption and a grace are over. A panic is a failure.
    async fn run_tool(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        context: &ToolContext,
    ) -> Result<Result<ToolOutput, ToolError>, Interrupted> {
        let _tool = self.firing.enter(InterruptedDuring::Tool, Some(&call.name));
        let work = AssertUnwindSafe(async { tool.call(call.input.clone(), context).await });
        let mut work = std::pin::pin!(work.catch_unwind());
        let done = tokio::select! {
            biased;
            () = self.firing.cancellation().cancelled() => {
                let grace = self.shared.parts.limits.tool_grace;
                let _ = tokio::time::timeout(grace, work).await;
                return Err(Interrupted);
            }
            done = &mut work => done,
        };
        if let Ok(done) = done {
            return Ok(done);
        }
        let message = format!("the tool {} panicked", call.name);
        let event = Error::new(ErrorType::Tool, message.clone());
        self.firing.hear(event).await?;
        Ok(Err(ToolError::new(message)))
    }

    async fn succeeded(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        response: Value,
        took: Duration,
    ) -> Result<(String, bool, AfterCall), Interrupted> {
        let shown = tool.render(&response);
        let shown = shown.unwrap_or_else(|| response.to_string());
        let mut event = PostToolUse::new(call.name.clone(), call.input.clone(), response)
            .tool_use_id(call.id.clone())
            .duration_ms(milliseconds(took));
        event.mcp_server = tool.mcp_server();
        let after = after_call(&self.firing.hear(event).await?);
        let replaced = after.output.as_ref().map(|output| tool.render(output));
        match replaced {
            None => Ok((shown, false, after)),
            Some(Some(other)) => Ok((other, false, after)),
            Some(None) => {
                self.firing.voice().warn(format!(
                    "a hook's updatedToolOutput is ignored: {} has no such output",
                    call.name
                ));
                Ok((shown, false, after))
            }
        }
    }

    async fn failed(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        error: ToolError,
        took: Duration,
    ) -> Result<(String, bool, AfterCall), Interrupted> {
        let mut event =
            PostToolUseFailure::new(call.name.clone(), call.input.clone(), error.message.clone())
                .tool_use_id(call.id.clone())
                .duration_ms(milliseconds(took))
                .is_interrupt(error.interrupted);
        event.mcp_server = tool.mcp_server();
        let after = after_call(&self.firing.hear(event).await?);
        Ok((error.message, true, after))
    }

    fn finished(
        &self,
        call: &ToolCall,
        text: String,
        is_error: bool,
        duration: Duration,
        said: Vec<Said>,
    ) -> Done {
        self.firing.tell(AgentEventKind::ToolFinished {
            id: call.id.clone(),
            name: call.name.clone(),
            result: text.clone(),
            is_error,
            duration,
        });
        Done {
            call: call.clone(),
            result: ToolResult::new(call.id.clone(), text, is_error),
            said,
        }
    }
}
