//! The events around one request to the model, and around the choice of the model.

use hook_types::{Decision, ToolConfig};
use serde_json::Value;

use super::{Halt, Heard};
use crate::said::{Manner, Said};

/// Which tools the model is told of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Selection {
    /// All, or those that hooks leave.
    Offer(Option<ToolConfig>),
    /// The model is not asked; the turn ends.
    Refuse(Said),
    /// The agent stops.
    Halt(Halt),
}

pub(crate) fn selection(heard: &Heard) -> Selection {
    if let Some(halt) = heard.halt() {
        return Selection::Halt(halt);
    }
    if heard.outcome.is_denied() {
        return Selection::Refuse(heard.reason(Manner::Refuses));
    }
    Selection::Offer(heard.outcome.specific.tool_config.clone())
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BeforeRequest {
    /// It is sent, as it is or as hooks want it, with what they add.
    Send {
        request: Option<Value>,
        said: Vec<Said>,
    },
    /// A hook has answered it; the model is not asked.
    Answered { response: Value, said: Vec<Said> },
    /// It is not sent; the turn ends.
    Refuse(Said),
    /// The agent stops.
    Halt(Halt),
}

pub(crate) fn before_request(heard: &Heard) -> BeforeRequest {
    if let Some(halt) = heard.halt() {
        return BeforeRequest::Halt(halt);
    }
    if heard.outcome.is_denied() {
        return BeforeRequest::Refuse(heard.reason(Manner::Refuses));
    }
    let said = heard.context(Manner::Adds);
    let specific = &heard.outcome.specific;
    match specific.llm_response.clone() {
        Some(response) => BeforeRequest::Answered { response, said },
        None => BeforeRequest::Send {
            request: specific.llm_request.clone(),
            said,
        },
    }
}

/// What becomes of a reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AfterResponse {
    /// What the agent takes for the reply.
    pub(crate) response: Option<Value>,
    /// The agent stops: the reply is kept, its tool calls are not run.
    pub(crate) halt: Option<Halt>,
}

pub(crate) fn after_response(heard: &Heard) -> AfterResponse {
    AfterResponse {
        response: heard.outcome.specific.llm_response.clone(),
        halt: heard.halt(),
    }
}

/// Whether another model is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SwitchStep {
    /// It is.
    Switch,
    /// If the user says so; where nobody can be asked it is not.
    Ask { reason: String },
    /// It is not; the user is told why.
    Refuse { reason: String },
}

pub(crate) fn switch(heard: &Heard) -> SwitchStep {
    if let Some(halt) = heard.halt() {
        let reason = halt.said().text;
        return SwitchStep::Refuse { reason };
    }
    let reason = heard.why();
    match heard.outcome.decision {
        Decision::Deny => SwitchStep::Refuse { reason },
        Decision::Ask | Decision::Defer => SwitchStep::Ask { reason },
        Decision::Allow | Decision::Pass => SwitchStep::Switch,
    }
}

/// What the model is told with its first request after a switch.
pub(crate) fn switched(heard: &Heard) -> Vec<Said> {
    heard.context(Manner::Adds)
}
