//! The flat object that an event is on the wire: base, `hook_event_name`, the event's own
//! fields, then whatever this version does not know.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::{Map, Value};

use super::object::{FieldError, Object};
use super::{Event, EventName};

pub(crate) const NAME_KEY: &str = "hook_event_name";

/// A field's key on the wire: its name, without the mark of a raw identifier.
pub(crate) const fn key(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// An event's own fields, one by one. Declared by the `event!` macro and nowhere else, so that no
/// other crate can add an event that the table does not know.
pub trait Fields: Sized {
    /// The keys of the fields that the event declares itself.
    const OWN: &'static [&'static str];

    fn read(object: Object) -> Result<Self, FieldError>;

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

pub(crate) fn serialize<E: Event, S: Serializer>(
    event: &E,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    event.base().write(&mut map, E::OWN)?;
    map.serialize_entry(NAME_KEY, E::NAME.as_str())?;
    event.write(&mut map)?;
    for (key, value) in event.extra() {
        if !E::OWN.contains(&key.as_str()) && !is_base(key) {
            map.serialize_entry(key, value)?;
        }
    }
    map.end()
}

pub(crate) fn deserialize<'de, E: Event, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<E, D::Error> {
    let mut map = Map::<String, Value>::deserialize(deserializer)?;
    check_name(E::NAME, map.shift_remove(NAME_KEY).as_ref()).map_err(D::Error::custom)?;
    E::read(Object::new(map)).map_err(D::Error::custom)
}

/// An object may leave its event's name out, but may not name another one.
pub(crate) fn check_name(expected: EventName, found: Option<&Value>) -> Result<(), FieldError> {
    match found {
        None => Ok(()),
        Some(Value::String(name)) if name == expected.as_str() => Ok(()),
        Some(other) => Err(FieldError {
            path: NAME_KEY.to_owned(),
            problem: format!("expected \"{expected}\", found {other}"),
        }),
    }
}

fn is_base(key: &str) -> bool {
    matches!(
        key,
        NAME_KEY
            | "session_id"
            | "transcript_path"
            | "cwd"
            | "prompt_id"
            | "permission_mode"
            | "agent_id"
            | "agent_type"
            | "effort"
            | "scratchpad_dir"
    )
}
