//! Does an input fit a tool's schema?
//!
//! Known of JSON Schema: `type`, `enum`, `const`, `minimum`, `maximum`, `minLength`, `maxLength`, `minItems`,
//! `maxItems`, `required`, `properties`, `additionalProperties`, `items`, `anyOf`, `oneOf` (as `anyOf`),
//! `nullable`. What else a schema says, `$ref` above all, asks for nothing here: a tool from elsewhere checks its own
//! input too.

mod check; // a value against a schema
mod compile; // a schema from its JSON

use serde_json::Value;

use compile::Node;

/// How many things that are wrong are told at once.
const TOLD: usize = 5;

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
pub(crate) struct Schema(Node);

impl Schema {
    /// Reads a schema once.
    pub(crate) fn compile(schema: &Value) -> Self {
        Self(Node::compile(schema))
    }

    /// Whether an input fits. A tool's input is an object, whatever the schema says.
    pub(crate) fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        if !input.is_object() {
            return Err(InvalidInput::new("the input must be an object"));
        }
        let faults = self.0.faults(input);
        if faults.is_empty() {
            return Ok(());
        }
        let mut told: Vec<String> = faults.iter().take(TOLD).map(ToString::to_string).collect();
        if faults.len() > TOLD {
            told.push(format!("and {} more", faults.len() - TOLD));
        }
        Err(InvalidInput::new(told.join("; ")))
    }
}

#[cfg(test)]
mod tests;
