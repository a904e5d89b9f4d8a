//! Does an input fit a tool's schema?

use serde_json::Value;

/// An input that the tool does not take. The message is for the model: what is wrong, where, and what
/// was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(String);

impl InvalidInput {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// There is no tool of that name.
    pub(crate) fn no_such_tool<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.collect();
        Self::new(format!(
            "there is no tool `{name}`; there are {}",
            known.join(", ")
        ))
    }
}

/// A tool's schema, ready to be asked.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    required: Vec<String>,
}

impl Schema {
    /// Reads a schema once.
    pub(crate) fn compile(schema: &Value) -> Self {
        let required = schema["required"].as_array().into_iter().flatten();
        Self {
            required: required
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        }
    }

    /// Whether an input fits.
    pub(crate) fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        let Value::Object(fields) = input else {
            return Err(InvalidInput::new("the input must be an object"));
        };
        match self
            .required
            .iter()
            .find(|name| !fields.contains_key(*name))
        {
            Some(name) => Err(InvalidInput::new(format!("`{name}` is missing"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_that_must_be_there_is_missed() {
        let schema = Schema::compile(&json!({"type": "object", "required": ["command"]}));
        assert!(schema.check(&json!({"command": "ls"})).is_ok());
        let error = schema.check(&json!({})).unwrap_err();
        assert_eq!(error.to_string(), "`command` is missing");
    }
}
