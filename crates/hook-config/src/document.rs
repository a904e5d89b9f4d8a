//! A JSON document as a tree that knows where everything stands.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::source::{Place, SourceFile, Span};

/// A file as JSON.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub file: Arc<SourceFile>,
    /// What is in it.
    pub root: Node,
}

impl Document {
    /// The place of a range in this file.
    pub fn place(&self, span: Span) -> Place {
        Place::new(&self.file, span)
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub json: Json,
}

/// A JSON value whose parts know their places.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written: some do not fit any type.
    Number(String),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Keys with their values, in order, those that stand twice too.
    Object(Vec<Member>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// What kind of value it is, with its article: `a string`.
    pub fn kind(&self) -> &'static str {
        match &self.json {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "a list",
            Json::Object(_) => "an object",
        }
    }

    /// The same, with the first part that is no text: `a list with a number in it`.
    pub(crate) fn kind_with_odd_part(&self) -> String {
        let odd = match &self.json {
            Json::Array(parts) => parts.iter().find(|part| part.as_str().is_none()),
            Json::Object(members) => {
                let mut values = members.iter().map(|member| &member.value);
                values.find(|value| value.to_plain_text().is_none())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        };
        match odd {
            Some(part) => format!("{} with {} in it", self.kind(), part.kind()),
            None => self.kind().to_owned(),
        }
    }

    /// The text, of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.json {
            Json::String(text) => Some(text),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.json {
            Json::Bool(value) => Some(*value),
            Json::Null | Json::String(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                None
            }
        }
    }

    /// The value of a number; infinite where it is too large.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.json {
            Json::Number(text) => text.parse().ok(),
            Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// A string, a number or a boolean as text.
    pub fn to_plain_text(&self) -> Option<String> {
        match &self.json {
            Json::String(text) | Json::Number(text) => Some(text.clone()),
            Json::Bool(value) => Some(value.to_string()),
            Json::Null | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// The elements of a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.json {
            Json::Array(elements) => Some(elements),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                None
            }
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[Member]> {
        match &self.json {
            Json::Object(members) => Some(members),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => None,
        }
    }

    /// The value of a key of an object; of one that stands twice the last, as everywhere in JSON.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let members = self.as_object()?;
        let member = members.iter().rev().find(|member| member.key == key)?;
        Some(&member.value)
    }

    /// The value without its places. A number that fits no type is its text.
    pub fn to_value(&self) -> Value {
        match &self.json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            Json::String(text) => Value::String(text.clone()),
            Json::Array(elements) => elements.iter().map(Self::to_value).collect(),
            Json::Object(members) => {
                let pairs = members.iter();
                let pairs = pairs.map(|member| (member.key.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}
