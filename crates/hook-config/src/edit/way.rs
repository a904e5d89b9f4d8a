//! Steps into a document.

use crate::document::{Json, Node};
use crate::source::Span;

/// One step into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of a key.
    Key(String),
    /// To an element of a list.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A way as people write it: `hooks.Stop[0]`.
pub(super) fn shown(way: &[Step]) -> String {
    let mut text = String::new();
    for step in way {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    if text.is_empty() {
        "the file".to_owned()
    } else {
        text
    }
}

/// The way to the value that stands at a place.
pub(super) fn to(node: &Node, span: Span) -> Option<Vec<Step>> {
    if node.span == span {
        return Some(Vec::new());
    }
    if span.start < node.span.start || span.end > node.span.end {
        return None;
    }
    let then = |step: Step, rest: Vec<Step>| std::iter::once(step).chain(rest).collect();
    match &node.json {
        Json::Array(elements) => elements.iter().enumerate().find_map(|(index, element)| {
            to(element, span).map(|rest| then(Step::Index(index), rest))
        }),
        Json::Object(members) => members.iter().find_map(|member| {
            to(&member.value, span).map(|rest| then(Step::Key(member.key.clone()), rest))
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}
