//! An event as hooks see it after another hook has changed it.

use serde_json::Value;

use super::table::HookEvent;
use crate::id::ToolUseId;
use crate::output::SyncOutput;

/// The same value out of whichever of these events it is.
macro_rules! either {
    ($erased:expr, $event:ident: $($name:ident)+ => $value:expr) => {
        match $erased {
            $( HookEvent::$name($event) => Some($value), )+
            #[allow(clippy::wildcard_enum_match_arm, reason = "any other event has none")]
            _ => None,
        }
    };
}

impl HookEvent {
    /// The event with what an answer rewrites: the tool's input or output, the request to the
    /// model or its reply. Nothing where the answer rewrites nothing that this event has.
    ///
    /// ```
    /// use hook_types::{Event, HookEvent, PreToolUse};
    /// use serde_json::json;
    ///
    /// let call = HookEvent::from(PreToolUse::new("Bash", json!({"command": "ls"})));
    /// let answer = PreToolUse::rewrite(json!({"command": "ls -a"})).into_output();
    /// let rewritten = call.rewritten(&answer).unwrap();
    /// assert_eq!(PreToolUse::of(&rewritten).unwrap().command(), Some("ls -a"));
    /// assert_eq!(call.rewritten(&PreToolUse::pass().into_output()), None);
    /// ```
    #[must_use]
    pub fn rewritten(&self, answer: &SyncOutput) -> Option<Self> {
        let mut event = self.clone();
        let (slot, value) = event.rewritable(answer)?;
        *slot = value?.clone();
        Some(event)
    }

    /// The part of the event that an answer can replace, and what by.
    fn rewritable<'a>(
        &mut self,
        answer: &'a SyncOutput,
    ) -> Option<(&mut Value, Option<&'a Value>)> {
        let specific = &answer.specific;
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "any other event stays as it is"
        )]
        match self {
            Self::PreToolUse(event) => Some((&mut event.tool_input, answer.updated_input.as_ref())),
            Self::PermissionRequest(event) => {
                Some((&mut event.tool_input, answer.updated_input.as_ref()))
            }
            Self::PostToolUse(event) => {
                let is_mcp = event.tool_name.starts_with("mcp__");
                let older = answer.updated_mcp_output.as_ref().filter(|_| is_mcp);
                let output = answer.updated_output.as_ref().or(older);
                Some((&mut event.tool_response, output))
            }
            Self::PreModelRequest(event) => {
                Some((&mut event.llm_request, specific.llm_request.as_ref()))
            }
            Self::PostModelResponse(event) => {
                Some((&mut event.llm_response, specific.llm_response.as_ref()))
            }
            _ => None,
        }
    }

    /// The tool call that the event is about, where it has an id.
    pub fn tool_use_id(&self) -> Option<&ToolUseId> {
        either!(self, event: PreToolUse PostToolUse PostToolUseFailure PermissionCheck
            PermissionGranted PermissionDenied => &event.tool_use_id)
        .filter(|id| !id.is_empty())
    }

    /// The tool and its input, where the event is about a tool call.
    pub fn tool_call(&self) -> Option<(&str, &Value)> {
        either!(self, event: PreToolUse PostToolUse PostToolUseFailure PermissionRequest
            PermissionDenied PermissionCheck PermissionGranted
            => (event.tool_name.as_str(), &event.tool_input))
    }
}
