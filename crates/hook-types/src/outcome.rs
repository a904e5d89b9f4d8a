//! What one firing amounts to: the answers of all hooks, merged.

use serde::Serialize;
use serde::ser::SerializeStruct;
use serde_json::Value;

use crate::decision::Decision;
use crate::diagnostic::Diagnostic;
use crate::event::{Effect, EventName};
use crate::id::HookId;
use crate::open_enum::open_enum;
use crate::specific::Specific;

open_enum! {
    /// Why a decision was made.
    Cause {
        /// A hook said so.
        Answer = "answer",
        /// A hook's exit code said so.
        ExitCode = "exit_code",
        /// A hook failed, and was told to block when it does.
        FailurePolicy = "failure_policy",
    }
}

/// Who made the decision that won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decider {
    /// The first hook, in order, that made it.
    pub hook: HookId,
    /// What its author says of it.
    pub description: Option<String>,
    /// Why.
    pub cause: Cause,
}

/// An order to stop the whole agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopOrder {
    /// The first hook, in order, that gave it.
    pub hook: HookId,
    /// What its author says of it.
    pub description: Option<String>,
    /// What the user is told.
    pub reason: Option<String>,
    /// What other hooks would have told the user.
    pub others: Vec<Note>,
}

/// A text with the hook that it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The hook.
    pub hook: HookId,
    /// The text.
    pub text: String,
}

/// An oddity with the hook that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The oddity.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// The hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookId>,
}

/// What the agent must do.
///
/// Serialises as the `outcome` that the command line prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The event.
    pub event: EventName,
    /// The strongest decision.
    pub decision: Decision,
    /// The reasons of the hooks that made it, in order.
    pub reason: Option<String>,
    /// Who made it.
    pub decided_by: Option<Decider>,
    /// An order to stop the agent. Stronger than every decision.
    pub stop: Option<StopOrder>,
    /// Keep output out of transcript and display.
    pub suppress_output: bool,
    /// Another input for the tool.
    pub updated_input: Option<Value>,
    /// Another result for the model to see.
    pub updated_output: Option<Value>,
    /// What only a few events have.
    pub specific: Specific,
    /// Context for the model, in order.
    pub additional_context: Vec<Note>,
    /// Messages for the user, in order.
    pub system_messages: Vec<Note>,
    /// Sequences for the terminal, in order.
    pub terminal_sequences: Vec<Note>,
    /// What was odd.
    pub diagnostics: Vec<Finding>,
}

impl Outcome {
    /// The outcome of an event that no hook had an opinion on.
    pub const fn none(event: EventName) -> Self {
        Self {
            event,
            decision: Decision::Pass,
            reason: None,
            decided_by: None,
            stop: None,
            suppress_output: false,
            updated_input: None,
            updated_output: None,
            specific: Specific::none(),
            additional_context: Vec::new(),
            system_messages: Vec::new(),
            terminal_sequences: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The decision's word for this event: `deny` or `block` for a refusal.
    pub fn decision_word(&self) -> Option<&'static str> {
        match self.decision {
            Decision::Deny => Some(self.event.row().block_word()),
            Decision::Pass | Decision::Allow | Decision::Ask | Decision::Defer => {
                self.decision.word()
            }
        }
    }

    /// Whether a hook refused, and the event heeds refusals.
    pub fn is_denied(&self) -> bool {
        self.decision == Decision::Deny && self.event.row().block_prevents()
    }

    /// Whether hooks keep an agent going that wants to stop: by refusing, or by adding context.
    pub fn keeps_going(&self) -> bool {
        self.event.row().effect == Effect::KeepGoing
            && self.stop.is_none()
            && (self.decision == Decision::Deny || !self.additional_context.is_empty())
    }

    /// An error where a hook refused or stopped the agent; else the outcome itself.
    ///
    /// Feedback about what has already happened, and a block that the event ignores, are no
    /// errors.
    ///
    /// ```
    /// use hook_types::outcome::{Cause, Decider};
    /// use hook_types::{Decision, EventName, Outcome};
    ///
    /// let mut outcome = Outcome::none(EventName::PreToolUse);
    /// outcome.decision = Decision::Deny;
    /// outcome.reason = Some("sudo is not allowed here".into());
    /// outcome.decided_by = Some(Decider {
    ///     hook: "no-sudo".into(),
    ///     description: Some("keeps root out".into()),
    ///     cause: Cause::Answer,
    /// });
    /// let blocked = outcome.into_result().unwrap_err();
    /// assert_eq!(
    ///     blocked.to_string(),
    ///     "PreToolUse denied by hook `no-sudo` (keeps root out): sudo is not allowed here",
    /// );
    /// ```
    pub fn into_result(self) -> Result<Self, Blocked> {
        if let Some(stop) = self.stop {
            return Err(Blocked {
                event: self.event,
                how: Block::Stopped,
                hook: Some(stop.hook),
                description: stop.description,
                reason: stop.reason,
            });
        }
        if !self.is_denied() {
            return Ok(self);
        }
        let (hook, description) = match self.decided_by {
            Some(decider) => (Some(decider.hook), decider.description),
            None => (None, None),
        };
        Err(Blocked {
            event: self.event,
            how: Block::Denied,
            hook,
            description,
            reason: self.reason,
        })
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let decider = self.decided_by.as_ref();
        let stop = self.stop.as_ref();
        let mut map = serializer.serialize_struct("Outcome", 13)?;
        map.serialize_field("decision", &self.decision_word())?;
        map.serialize_field("reason", &self.reason)?;
        map.serialize_field("decided_by", &decider.map(|decider| &decider.hook))?;
        map.serialize_field("cause", &decider.map(|decider| &decider.cause))?;
        map.serialize_field("continue", &stop.is_none())?;
        map.serialize_field("stop_reason", &stop.and_then(|stop| stop.reason.as_ref()))?;
        map.serialize_field("suppress_output", &self.suppress_output)?;
        map.serialize_field("updated_input", &self.updated_input)?;
        map.serialize_field("updated_output", &self.updated_output)?;
        map.serialize_field("specific", &self.specific)?;
        map.serialize_field("additional_context", &self.additional_context)?;
        map.serialize_field("system_messages", &self.system_messages)?;
        map.serialize_field("diagnostics", &self.diagnostics)?;
        map.end()
    }
}

/// How an event was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// A hook refused.
    Denied,
    /// A hook stopped the whole agent.
    Stopped,
}

/// An event was blocked: by whom, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{}{}", .how.said_of(*.event), by(.hook.as_ref()), said(.description.as_ref()), why(.reason.as_ref()))]
pub struct Blocked {
    /// The event.
    pub event: EventName,
    /// How.
    pub how: Block,
    /// The hook that decided.
    pub hook: Option<HookId>,
    /// What its author says of it.
    pub description: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Block {
    fn said_of(self, event: EventName) -> String {
        match self {
            Self::Stopped => format!("the agent was stopped at {event}"),
            Self::Denied if event.row().block_word() == "deny" => format!("{event} denied"),
            Self::Denied => format!("{event} blocked"),
        }
    }
}

fn by(hook: Option<&HookId>) -> String {
    hook.map(|hook| format!(" by hook `{hook}`"))
        .unwrap_or_default()
}

fn said(description: Option<&String>) -> String {
    description
        .map(|text| format!(" ({text})"))
        .unwrap_or_default()
}

fn why(reason: Option<&String>) -> String {
    reason.map(|text| format!(": {text}")).unwrap_or_default()
}
