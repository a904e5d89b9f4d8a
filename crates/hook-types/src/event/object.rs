//! Takes typed fields out of a JSON object, with errors that name the path.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What is wrong with one field, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct FieldError {
    pub(crate) path: String,
    pub(crate) problem: String,
}

/// What a field must be beyond its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Whatever the type takes.
    Any,
    /// A JSON object.
    Object,
}

/// An event's object while its fields are taken out; what is left was not known.
#[derive(Debug)]
pub struct Object(Map<String, Value>);

impl Object {
    pub(crate) fn new(map: Map<String, Value>) -> Self {
        Self(map)
    }

    /// A field that must be there.
    pub(crate) fn required<T: DeserializeOwned>(
        &mut self,
        key: &str,
        shape: Shape,
    ) -> Result<T, FieldError> {
        match self.0.shift_remove(key) {
            Some(value) => shaped(key, value, shape),
            None => Err(FieldError {
                path: key.to_owned(),
                problem: "is missing".to_owned(),
            }),
        }
    }

    /// A field that takes its default while nobody has set it.
    pub(crate) fn filled<T: DeserializeOwned + Default>(
        &mut self,
        key: &str,
    ) -> Result<T, FieldError> {
        Ok(self.optional(key)?.unwrap_or_default())
    }

    /// A field that may be absent; `null` counts as absent.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        key: &str,
    ) -> Result<Option<T>, FieldError> {
        self.optional_of(key, Shape::Any)
    }

    /// The same, for a field that must be of a certain shape.
    pub(crate) fn optional_of<T: DeserializeOwned>(
        &mut self,
        key: &str,
        shape: Shape,
    ) -> Result<Option<T>, FieldError> {
        match self.0.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => shaped(key, value, shape).map(Some),
        }
    }

    /// The fields that nobody took.
    pub(crate) fn into_rest(self) -> Map<String, Value> {
        self.0
    }
}

fn shaped<T: DeserializeOwned>(key: &str, value: Value, shape: Shape) -> Result<T, FieldError> {
    if shape == Shape::Object && !value.is_object() {
        return Err(FieldError {
            path: key.to_owned(),
            problem: format!("expected an object, found {}", kind_of(&value)),
        });
    }
    parse(key, value)
}

fn parse<T: DeserializeOwned>(key: &str, value: Value) -> Result<T, FieldError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = match error.path().to_string().as_str() {
            "." => key.to_owned(),
            nested if nested.starts_with('[') => format!("{key}{nested}"),
            nested => format!("{key}.{nested}"),
        };
        FieldError {
            path,
            problem: plain(&error.into_inner().to_string()),
        }
    })
}

/// Turns serde's `invalid type: string "x", expected a map` into `expected an object, found a
/// string`.
fn plain(message: &str) -> String {
    let Some((found, expected)) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "))
    else {
        return message.to_owned();
    };
    let expected = match expected {
        "a map" => "an object",
        "a sequence" => "an array",
        "f64" | "u64" | "i64" | "a JSON number" => "a number",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    let found = match found.split(' ').next() {
        Some("boolean") => "a boolean",
        Some("integer" | "floating") => "a number",
        Some("string") => "a string",
        Some("sequence") => "an array",
        Some("map") => "an object",
        _ => found,
    };
    format!("expected {expected}, found {found}")
}

/// A JSON value's kind, with its article.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
