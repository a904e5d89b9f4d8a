//! A number as JSON has it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest whole number that a double holds exactly: 2 to the power of 53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON number. Whole numbers are written without a fraction (`12`, not `12.0`), so what was
/// read is what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Number(f64);

impl Number {
    /// The number as a double.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
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

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
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
        for text in ["0", "12", "-3", "0.25", "1700000000000"] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }
}
