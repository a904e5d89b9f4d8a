//! The untyped door: an event's name and a JSON value in, a typed event out.

use serde::de::Error as _;
use serde_json::Value;

use super::name::UnknownEvent;
use super::object::{Object, kind_of};
use super::table::{EventName, HookEvent};
use super::wire::{NAME_KEY, check_name};
use crate::Base;

/// Why a JSON value is not an event. The message names the event, the path and what was expected
/// there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// No event has that name.
    #[error(transparent)]
    Unknown(#[from] UnknownEvent),
    /// The value does not say which event it is.
    #[error("hook_event_name: is missing; it says which event this is")]
    Unnamed,
    /// What should name the event is no name.
    #[error("hook_event_name: expected a string, found {found}")]
    Misnamed {
        /// What it is.
        found: &'static str,
    },
    /// The value is not an object.
    #[error("an event is an object, found {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// A field is missing or of the wrong kind.
    #[error("{event}: {path}: {problem}")]
    Field {
        /// The event.
        event: EventName,
        /// Where, as in `permission_suggestions[0].rules`.
        path: String,
        /// What was expected there, and what was found.
        problem: String,
    },
}

impl HookEvent {
    /// Makes an event of a name and a JSON value; what the value leaves out of the base is taken
    /// from `facts`.
    ///
    /// ```
    /// use hook_types::{Base, HookEvent};
    /// use serde_json::json;
    ///
    /// let session = Base::new("s-1", "/tmp/s-1.jsonl", "/srv/app");
    /// let input = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    /// let event = HookEvent::from_json("PreToolUse", input, &session)?;
    /// assert_eq!(event.base().cwd, "/srv/app");
    /// assert_eq!(event.subject().text(), Some("Bash"));
    ///
    /// let wrong = json!({"tool_name": "Bash", "tool_input": "ls"});
    /// let error = HookEvent::from_json("PreToolUse", wrong, &session).unwrap_err();
    /// assert_eq!(error.to_string(), "PreToolUse: tool_input: expected an object, found a string");
    ///
    /// let error = HookEvent::from_json("preToolUse", json!({}), &session).unwrap_err();
    /// assert_eq!(error.to_string(), "no event is called `preToolUse`; did you mean `PreToolUse`?");
    /// # Ok::<(), hook_types::event::EventError>(())
    /// ```
    pub fn from_json(name: &str, input: Value, facts: &Base) -> Result<Self, EventError> {
        let mut event = Self::typed(name.parse()?, input)?;
        event.base_mut().fill_from(facts);
        Ok(event)
    }

    /// Reads an event that says itself, in `hook_event_name`, which one it is.
    pub fn parse(input: Value) -> Result<Self, EventError> {
        let name = match input.get(NAME_KEY) {
            Some(Value::String(name)) => name.parse()?,
            _ if !input.is_object() => {
                return Err(EventError::NotAnObject {
                    found: kind_of(&input),
                });
            }
            Some(other) => {
                return Err(EventError::Misnamed {
                    found: kind_of(other),
                });
            }
            None => return Err(EventError::Unnamed),
        };
        Self::typed(name, input)
    }

    fn typed(name: EventName, input: Value) -> Result<Self, EventError> {
        let Value::Object(mut map) = input else {
            return Err(EventError::NotAnObject {
                found: kind_of(&input),
            });
        };
        check_name(name, map.shift_remove(NAME_KEY).as_ref())
            .and_then(|()| Self::read(name, Object::new(map)))
            .map_err(|error| EventError::Field {
                event: name,
                path: error.path,
                problem: error.problem,
            })
    }
}

impl<'de> serde::Deserialize<'de> for HookEvent {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(value).map_err(D::Error::custom)
    }
}
