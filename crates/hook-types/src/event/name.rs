//! An event's name: to and from text, and its row of the table.

use std::fmt;
use std::str::FromStr;

use super::row::EventRow;
use super::table::{EventName, TABLE};
use crate::nearest::{fold, nearest};

/// No event has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no event is called `{name}`{}", did_you_mean(*.nearest))]
pub struct UnknownEvent {
    name: String,
    nearest: Option<EventName>,
}

impl UnknownEvent {
    /// The name that was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The event that was probably meant.
    pub fn nearest(&self) -> Option<EventName> {
        self.nearest
    }
}

fn did_you_mean(nearest: Option<EventName>) -> String {
    nearest
        .map(|event| format!("; did you mean `{event}`?"))
        .unwrap_or_default()
}

/// What other systems call our events. Only for the suggestion: their files are read elsewhere.
const ELSEWHERE: &[(&str, EventName)] = &[
    ("BeforeTool", EventName::PreToolUse),
    ("AfterTool", EventName::PostToolUse),
    ("BeforeAgent", EventName::UserPromptSubmit),
    ("AfterAgent", EventName::Stop),
    ("BeforeModel", EventName::PreModelRequest),
    ("AfterModel", EventName::PostModelResponse),
    ("BeforeToolSelection", EventName::PreToolSelection),
    ("PreCompress", EventName::PreCompact),
    ("beforeShellExecution", EventName::PreToolUse),
    ("afterFileEdit", EventName::PostToolUse),
    ("beforeSubmitPrompt", EventName::UserPromptSubmit),
    ("session.start", EventName::SessionStart),
    ("session.end", EventName::SessionEnd),
    ("tool.pre", EventName::PreToolUse),
    ("tool.post", EventName::PostToolUse),
    ("compact", EventName::PostCompact),
    ("prompt.pre", EventName::UserPromptSubmit),
    ("tool:pre_execute", EventName::PreToolUse),
    ("tool:post_execute", EventName::PostToolUse),
    ("tool:error", EventName::PostToolUseFailure),
    ("llm:pre_request", EventName::PreModelRequest),
    ("llm:post_response", EventName::PostModelResponse),
    ("llm:stream_start", EventName::ModelStreamStart),
    ("llm:stream_end", EventName::ModelStreamEnd),
    ("session:start", EventName::SessionStart),
    ("session:end", EventName::SessionEnd),
    ("session:message", EventName::SessionMessage),
    ("permission:check", EventName::PermissionCheck),
    ("permission:prompt", EventName::PermissionRequest),
    ("permission:granted", EventName::PermissionGranted),
    ("permission:denied", EventName::PermissionDenied),
    ("user:prompt_submit", EventName::UserPromptSubmit),
    ("user:interrupt", EventName::UserInterrupt),
];

impl EventName {
    /// The event's row of the table.
    ///
    /// ```
    /// use hook_types::EventName;
    /// use hook_types::event::Effect;
    ///
    /// assert_eq!(EventName::Stop.row().effect, Effect::KeepGoing);
    /// assert!(EventName::PreToolUse.row().guard);
    /// ```
    pub fn row(self) -> &'static EventRow {
        &TABLE[self as usize]
    }

    /// The event whose name is nearest to `name`.
    pub fn nearest(name: &str) -> Option<Self> {
        let folded = fold(name);
        let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| fold(theirs) == folded);
        elsewhere.map(|(_, event)| *event).or_else(|| {
            let near = nearest(name, Self::ALL.iter().map(|event| event.as_str()))?;
            near.parse().ok()
        })
    }
}

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, UnknownEvent> {
        Self::ALL
            .iter()
            .copied()
            .find(|event| event.as_str() == name)
            .ok_or_else(|| UnknownEvent {
                name: name.to_owned(),
                nearest: Self::nearest(name),
            })
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for EventName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for EventName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'_, str> as serde::Deserialize>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
