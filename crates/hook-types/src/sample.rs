//! A sample input of every event: for trying hooks when there is no agent.

use serde_json::{Map, Value};

use crate::event::EventName;

/// What agents might send, an event each. The same samples prove the round trips and the schemas.
const INPUTS: &str = include_str!("../samples/inputs.json");

/// What every event carries: the caller knows better.
const BASE: [&str; 4] = ["session_id", "transcript_path", "cwd", "hook_event_name"];

/// An input of `event` with nothing but what it must have, and without the base.
///
/// ```
/// use hook_types::{Base, EventName, HookEvent, sample};
///
/// let input = sample::input(EventName::PreToolUse);
/// assert_eq!(input["tool_name"], "Bash");
/// assert!(HookEvent::from_json("PreToolUse", input, &Base::default()).is_ok());
/// ```
pub fn input(event: EventName) -> Value {
    let mut samples: Map<String, Value> = serde_json::from_str(INPUTS).unwrap_or_default();
    let mut sample = samples
        .get_mut(event.as_str())
        .and_then(|forms| forms.get_mut("minimal"))
        .map_or_else(|| Value::Object(Map::new()), Value::take);
    if let Some(fields) = sample.as_object_mut() {
        for name in BASE {
            fields.shift_remove(name);
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Base, HookEvent};

    #[test]
    fn every_event_has_a_sample_that_can_be_fired() {
        for event in EventName::ALL {
            let input = input(*event);
            assert!(input.get("session_id").is_none(), "{event}");
            let read = HookEvent::from_json(event.as_str(), input, &Base::default());
            assert_eq!(read.map(|read| read.name()), Ok(*event));
        }
    }
}
