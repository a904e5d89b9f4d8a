//! A number as JSON has it.

use serde::{Deserialize, Serialize};

/// A JSON number: what was read is what is written, whatever its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(serde_json::Number);

impl Number {
    /// The number as a double.
    pub fn get(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }
}

impl Default for Number {
    fn default() -> Self {
        Self(0.into())
    }
}

impl From<f64> for Number {
    /// JSON has no number that is infinite or none at all; such a value becomes 0.
    fn from(value: f64) -> Self {
        serde_json::Number::from_f64(value)
            .map(Self)
            .unwrap_or_default()
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self(value.into())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Number {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_what_is_written() {
        for text in [
            "0",
            "12",
            "-3",
            "0.25",
            "1.0",
            "1700000000000",
            "9007199254740993",
        ] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }
}
