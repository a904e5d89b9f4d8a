//! The keys of an answer: where each belongs, what it must be, and what people write instead.

use serde_json::Value;

use super::scan::Place;
use crate::event::{EventName, Field};
use crate::nearest::{fold, nearest};

/// What a key's value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Text,
    Texts,
    Number,
    Object,
    Anything,
    /// A value with a reader of its own.
    Own,
}

impl Kind {
    pub(super) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Bool => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Texts => value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Number => value.is_number(),
            Self::Object => value.is_object(),
            Self::Anything | Self::Own => true,
        }
    }

    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Text => "a string",
            Self::Texts => "an array of strings",
            Self::Number => "a number",
            Self::Object => "an object",
            Self::Anything | Self::Own => "another value",
        }
    }
}

/// One key of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) place: Place,
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The part of an answer that an event must honour for the key to count; none: always.
    pub(crate) part: Option<Field>,
}

const fn key(place: Place, name: &'static str, kind: Kind, part: Option<Field>) -> Key {
    Key {
        place,
        name,
        kind,
        part,
    }
}

/// Every key that the contract has. `decision` and `permissionDecision` are read by their own
/// rules.
pub(crate) const KEYS: &[Key] = &[
    key(Place::Top, "continue", Kind::Bool, Some(Field::Continue)),
    key(Place::Top, "stopReason", Kind::Text, Some(Field::Continue)),
    key(Place::Top, "suppressOutput", Kind::Bool, None),
    key(Place::Top, "decision", Kind::Own, None),
    key(Place::Top, "reason", Kind::Text, None),
    key(
        Place::Top,
        "systemMessage",
        Kind::Text,
        Some(Field::SystemMessage),
    ),
    key(Place::Top, "terminalSequence", Kind::Text, None),
    key(Place::Top, "async", Kind::Bool, None),
    key(Place::Top, "asyncTimeout", Kind::Number, None),
    key(Place::Top, "hookSpecificOutput", Kind::Object, None),
    key(Place::Specific, "hookEventName", Kind::Text, None),
    key(Place::Specific, "permissionDecision", Kind::Own, None),
    key(
        Place::Specific,
        "permissionDecisionReason",
        Kind::Text,
        None,
    ),
    key(Place::Specific, "decision", Kind::Own, None),
    key(
        Place::Specific,
        "updatedInput",
        Kind::Object,
        Some(Field::UpdatedInput),
    ),
    key(
        Place::Specific,
        "additionalContext",
        Kind::Text,
        Some(Field::AdditionalContext),
    ),
    key(
        Place::Specific,
        "updatedToolOutput",
        Kind::Anything,
        Some(Field::UpdatedToolOutput),
    ),
    key(
        Place::Specific,
        "updatedMCPToolOutput",
        Kind::Anything,
        Some(Field::UpdatedToolOutput),
    ),
    key(
        Place::Specific,
        "classifierContext",
        Kind::Text,
        Some(Field::ClassifierContext),
    ),
    key(
        Place::Specific,
        "sessionTitle",
        Kind::Text,
        Some(Field::SessionTitle),
    ),
    key(
        Place::Specific,
        "suppressOriginalPrompt",
        Kind::Bool,
        Some(Field::SuppressOriginalPrompt),
    ),
    key(
        Place::Specific,
        "initialUserMessage",
        Kind::Text,
        Some(Field::InitialUserMessage),
    ),
    key(
        Place::Specific,
        "watchPaths",
        Kind::Texts,
        Some(Field::WatchPaths),
    ),
    key(
        Place::Specific,
        "reloadSkills",
        Kind::Bool,
        Some(Field::ReloadSkills),
    ),
    key(Place::Specific, "retry", Kind::Bool, Some(Field::Retry)),
    key(Place::Specific, "action", Kind::Own, Some(Field::Action)),
    key(
        Place::Specific,
        "content",
        Kind::Object,
        Some(Field::Action),
    ),
    key(
        Place::Specific,
        "worktreePath",
        Kind::Text,
        Some(Field::WorktreePath),
    ),
    key(
        Place::Specific,
        "displayContent",
        Kind::Text,
        Some(Field::DisplayContent),
    ),
    key(
        Place::Specific,
        "llmRequest",
        Kind::Object,
        Some(Field::LlmRequest),
    ),
    key(
        Place::Specific,
        "llmResponse",
        Kind::Object,
        Some(Field::LlmResponse),
    ),
    key(
        Place::Specific,
        "toolConfig",
        Kind::Own,
        Some(Field::ToolConfig),
    ),
    key(Place::Decision, "behavior", Kind::Own, None),
    key(Place::Decision, "message", Kind::Text, None),
    key(
        Place::Decision,
        "updatedInput",
        Kind::Object,
        Some(Field::UpdatedInput),
    ),
    key(
        Place::Decision,
        "updatedPermissions",
        Kind::Own,
        Some(Field::UpdatedPermissions),
    ),
    key(
        Place::Decision,
        "interrupt",
        Kind::Bool,
        Some(Field::Interrupt),
    ),
];

/// What people write, or other systems have, in place of our keys.
const INSTEAD: &[(&str, &str)] = &[
    ("modifiedToolInput", "updatedInput"),
    ("modifiedInput", "updatedInput"),
    ("modifiedArgs", "updatedInput"),
    ("newInput", "updatedInput"),
    ("toolInput", "updatedInput"),
    ("modifiedToolOutput", "updatedToolOutput"),
    ("modifiedResult", "updatedToolOutput"),
    ("toolOutput", "updatedToolOutput"),
    ("context", "additionalContext"),
    ("message", "systemMessage"),
    ("userMessage", "systemMessage"),
    ("agentMessage", "permissionDecisionReason"),
    ("followupMessage", "reason"),
    ("permission", "permissionDecision"),
    ("halt", "continue"),
    ("stop", "continue"),
    ("eventName", "hookEventName"),
    ("timeout", "asyncTimeout"),
];

/// The key of that name at that place.
pub(super) fn at(place: Place, name: &str) -> Option<&'static Key> {
    KEYS.iter()
        .find(|key| key.place == place && key.name == name)
}

/// The key of that name anywhere else.
pub(super) fn elsewhere(place: Place, name: &str) -> Option<&'static Key> {
    KEYS.iter()
        .find(|key| key.place != place && key.name == name)
}

/// The key that was probably meant: what this event honours comes first.
pub(super) fn meant(event: EventName, name: &str) -> Option<&'static str> {
    let folded = fold(name);
    let instead = INSTEAD.iter().find(|(theirs, _)| fold(theirs) == folded);
    instead.map(|(_, ours)| *ours).or_else(|| {
        let counts = |key: &&Key| key.part.is_none_or(|part| event.row().honours(part));
        let (honoured, others): (Vec<&Key>, Vec<&Key>) = KEYS.iter().partition(counts);
        nearest(name, honoured.into_iter().chain(others).map(|key| key.name))
    })
}
