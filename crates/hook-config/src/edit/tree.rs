//! The tree that keeps comments: walking it, and growing it.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::EditError;
use super::way::{Step, shown};

/// What is done about steps that lead nowhere.
#[derive(Clone, Copy)]
pub(super) enum Missing<'a> {
    /// They are made; the step that comes after says what the last one is.
    Make(&'a Step),
    /// They are left alone.
    Leave,
}

pub(super) enum Container {
    Object(CstObject),
    Array(CstArray),
}

impl Container {
    /// The error that the container at the end of a way is not of the kind that a step needs.
    pub(super) fn is_not(&self, way: &[Step], step: &Step) -> EditError {
        EditError::Kind {
            at: shown(way),
            found: match self {
                Self::Object(_) => "an object".to_owned(),
                Self::Array(_) => "a list".to_owned(),
            },
            expected: match step {
                Step::Key(_) => "an object",
                Step::Index(_) => "a list",
            },
        }
    }
}

/// The object or list at the end of a way.
pub(super) fn parent(
    root: &CstRootNode,
    way: &[Step],
    missing: Missing<'_>,
) -> Result<Container, EditError> {
    let mut at = container(root.value()).ok_or_else(|| nothing(&[]))?;
    for (number, step) in way.iter().enumerate() {
        let next = match missing {
            Missing::Make(last) => Some(way.get(number + 1).unwrap_or(last)),
            Missing::Leave => None,
        };
        let so_far = &way[..=number];
        at = match (step, &at) {
            (Step::Key(key), Container::Object(object)) => {
                if let (None, Some(next)) = (object.get(key), next) {
                    object.append(key, empty(next));
                }
                let value = object.get(key).and_then(|property| property.value());
                container(value).ok_or_else(|| nothing(so_far))?
            }
            (Step::Index(index), Container::Array(array)) => {
                let value = array.elements().get(*index).cloned();
                container(value).ok_or_else(|| nothing(so_far))?
            }
            (step, wrong) => return Err(wrong.is_not(&way[..number], step)),
        };
    }
    Ok(at)
}

fn container(node: Option<CstNode>) -> Option<Container> {
    let node = node?;
    let object = node.as_object().map(Container::Object);
    object.or_else(|| node.as_array().map(Container::Array))
}

fn nothing(way: &[Step]) -> EditError {
    EditError::Kind {
        at: shown(way),
        found: "no container".to_owned(),
        expected: "an object or a list",
    }
}

/// The empty container that a step leads into.
fn empty(step: &Step) -> CstInputValue {
    match step {
        Step::Key(_) => CstInputValue::Object(Vec::new()),
        Step::Index(_) => CstInputValue::Array(Vec::new()),
    }
}

pub(super) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            let pair = |(key, value): (&String, &Value)| (key.clone(), input(value));
            CstInputValue::Object(members.iter().map(pair).collect())
        }
    }
}
