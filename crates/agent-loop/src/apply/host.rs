//! Events that only a host around the agent knows of.

use hook_types::{ElicitationAction, ElicitationAnswer, ElicitationReply};
use serde_json::Value;

use super::Heard;
use crate::said::{Manner, Said};

/// What is done with an MCP server's question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitationStep {
    /// The user is asked.
    AskUser,
    /// It is answered in the user's place.
    Answer(ElicitationAnswer),
    /// It is refused by a hook.
    Refuse,
}

pub(crate) fn elicitation(heard: &Heard) -> ElicitationStep {
    if heard.outcome.is_denied() {
        return ElicitationStep::Refuse;
    }
    match heard.outcome.specific.elicitation.clone() {
        Some(answer) => ElicitationStep::Answer(answer),
        None => ElicitationStep::AskUser,
    }
}

/// What an MCP server is told, given what the user did.
pub(crate) fn elicitation_result(
    heard: &Heard,
    action: &ElicitationReply,
    content: Option<Value>,
) -> ElicitationAnswer {
    let with = |action, content| ElicitationAnswer { action, content };
    if heard.outcome.is_denied() {
        return with(ElicitationAction::Decline, None);
    }
    if let Some(answer) = heard.outcome.specific.elicitation.clone() {
        return answer;
    }
    match action {
        ElicitationReply::Accept => with(ElicitationAction::Accept, content),
        ElicitationReply::Cancel => with(ElicitationAction::Cancel, None),
        // What nobody knows is no yes.
        ElicitationReply::Decline | ElicitationReply::Other(_) => {
            with(ElicitationAction::Decline, None)
        }
    }
}

/// What is shown in place of a text; none: the text.
pub(crate) fn display(heard: &Heard) -> Option<String> {
    heard.outcome.specific.display_content.clone()
}

/// What the model is told of a notification.
pub(crate) fn notification(heard: &Heard) -> Vec<Said> {
    heard.context(Manner::Adds)
}
