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
        let value = self.rewrite_by(answer)?.clone();
        let mut event = self.clone();
        *event.rewritable()? = value;
        Some(event)
    }

    /// The part of the event that an answer can replace.
    fn rewritable(&mut self) -> Option<&mut Value> {
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "any other event stays as it is"
        )]
        match self {
            Self::PreToolUse(event) => Some(&mut event.tool_input),
            Self::PermissionRequest(event) => Some(&mut event.tool_input),
            Self::PostToolUse(event) => Some(&mut event.tool_response),
            Self::PreModelRequest(event) => Some(&mut event.llm_request),
            Self::PostModelResponse(event) => Some(&mut event.llm_response),
            _ => None,
        }
    }

    /// What an answer replaces that part by.
    fn rewrite_by<'a>(&self, answer: &'a SyncOutput) -> Option<&'a Value> {
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "any other event stays as it is"
        )]
        match self {
            Self::PreToolUse(_) | Self::PermissionRequest(_) => answer.updated_input.as_ref(),
            Self::PostToolUse(event) => {
                let is_mcp = event.tool_name.starts_with("mcp__");
                let older = answer.updated_mcp_output.as_ref().filter(|_| is_mcp);
                answer.updated_output.as_ref().or(older)
            }
            Self::PreModelRequest(_) => answer.specific.llm_request.as_ref(),
            Self::PostModelResponse(_) => answer.specific.llm_response.as_ref(),
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
