//! A value against a schema.

use std::fmt;

use serde_json::{Map, Value};

use super::compile::{Additional, Node};

/// One thing that is wrong with a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    place: Place,
    what: String,
}

/// Where in the input: `edits[2].old_string`. Empty: the input itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place(String);

impl Place {
    fn field(&self, name: &str) -> Self {
        let dot = if self.0.is_empty() { "" } else { "." };
        Self(format!("{}{dot}{name}", self.0))
    }

    fn item(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.0.as_str() {
            "" => write!(f, "the input {}", self.what),
            place => write!(f, "`{place}` {}", self.what),
        }
    }
}

impl Node {
    /// All that is wrong with a value.
    pub(super) fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut found = Vec::new();
        self.look(value, &Place::default(), &mut found);
        found
    }

    fn look(&self, value: &Value, place: &Place, found: &mut Vec<Fault>) {
        if let Some(what) = self.wrong_itself(value) {
            found.push(Fault {
                place: place.clone(),
                what,
            });
            return;
        }
        match value {
            Value::Object(fields) => self.look_at_fields(fields, place, found),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(node) = &self.items {
                        node.look(item, &place.item(index), found);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn look_at_fields(&self, fields: &Map<String, Value>, place: &Place, found: &mut Vec<Fault>) {
        let missing = self
            .required
            .iter()
            .filter(|name| !fields.contains_key(*name));
        found.extend(missing.map(|name| Fault {
            place: place.field(name),
            what: "is missing".to_owned(),
        }));
        for (name, value) in fields {
            let place = place.field(name);
            let known = self.properties.iter().find(|(known, _)| known == name);
            match (known, &self.additional) {
                (Some((_, node)), _) => node.look(value, &place, found),
                (None, Additional::Each(node)) => node.look(value, &place, found),
                (None, Additional::Anything) => {}
                (None, Additional::Nothing) => found.push(Fault {
                    place,
                    what: self.unknown_name(),
                }),
            }
        }
    }

    fn unknown_name(&self) -> String {
        let known: Vec<String> = self
            .properties
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        format!("is not known; there are {}", known.join(", "))
    }

    /// What is wrong with the value apart from what it holds.
    fn wrong_itself(&self, value: &Value) -> Option<String> {
        let expected = self
            .wrong_kind(value)
            .or_else(|| self.wrong_value(value))
            .or_else(|| self.wrong_size(value))
            .or_else(|| self.wrong_form(value))?;
        Some(format!("must be {expected}, but is {}", shown(value)))
    }

    fn wrong_kind(&self, value: &Value) -> Option<String> {
        let kinds = self.kinds.as_ref()?;
        if kinds.iter().any(|kind| kind.fits(value)) {
            return None;
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        Some(match names.as_slice() {
            [] => "left out".to_owned(),
            names => names.join(" or "),
        })
    }

    fn wrong_value(&self, value: &Value) -> Option<String> {
        let values = self.values.as_ref()?;
        if values.iter().any(|one| same(one, value)) {
            return None;
        }
        let all: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some(match all.as_slice() {
            [only] => only.clone(),
            all => format!("one of {}", all.join(", ")),
        })
    }

    fn wrong_size(&self, value: &Value) -> Option<String> {
        match value {
            Value::Number(number) => {
                let number = number.as_f64()?;
                let least = self.minimum.filter(|least| number < *least);
                let most = self.maximum.filter(|most| number > *most);
                outside(least, most, "")
            }
            Value::String(text) => {
                let count = text.chars().count() as u64;
                let least = self.min_length.filter(|least| count < *least);
                let most = self.max_length.filter(|most| count > *most);
                outside(least, most, " characters long")
            }
            Value::Array(items) => {
                let count = items.len() as u64;
                let least = self.min_items.filter(|least| count < *least);
                let most = self.max_items.filter(|most| count > *most);
                outside(least, most, " items long")
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => None,
        }
    }

    fn wrong_form(&self, value: &Value) -> Option<String> {
        let fits =
            self.any_of.is_empty() || self.any_of.iter().any(|form| form.faults(value).is_empty());
        (!fits).then(|| format!("of one of {} forms", self.any_of.len()))
    }
}

fn outside<N: fmt::Display>(least: Option<N>, most: Option<N>, unit: &str) -> Option<String> {
    match (least, most) {
        (Some(least), _) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

/// Numbers are the same however they are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

/// The value, cut where it is long.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    let mut start: String = text.chars().take(MOST).collect();
    start.push('…');
    start
}
