//! A schema from its JSON.

use serde_json::{Map, Value};

/// What one value must be like. By default it may be anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) kinds: Option<Vec<Kind>>,
    pub(super) values: Option<Vec<Value>>,
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) required: Vec<String>,
    pub(super) properties: Vec<(String, Self)>,
    pub(super) additional: Additional,
    pub(super) items: Option<Box<Self>>,
    pub(super) any_of: Vec<Self>,
}

/// What an object may hold beside what its schema names.
#[derive(Clone, Debug, Default)]
pub(super) enum Additional {
    #[default]
    Anything,
    Nothing,
    Each(Box<Node>),
}

/// A kind of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    Array,
    Object,
}

impl Node {
    pub(super) fn compile(schema: &Value) -> Self {
        if *schema == Value::Bool(false) {
            return Self {
                kinds: Some(Vec::new()),
                ..Self::default()
            };
        }
        // What a reference leads to is not read here.
        let rules = schema
            .as_object()
            .filter(|rules| !rules.contains_key("$ref"));
        rules.map(Self::from_rules).unwrap_or_default()
    }

    fn from_rules(rules: &Map<String, Value>) -> Self {
        let number = |name: &str| rules.get(name).and_then(Value::as_f64);
        let count = |name: &str| rules.get(name).and_then(Value::as_u64);
        let mut node = Self {
            kinds: kinds(rules),
            values: values(rules),
            minimum: number("minimum"),
            maximum: number("maximum"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            required: texts(rules.get("required")),
            additional: additional(rules),
            items: rules
                .get("items")
                .filter(|items| !items.is_array())
                .map(boxed),
            ..Self::default()
        };
        if let Some(Value::Object(properties)) = rules.get("properties") {
            let compiled = properties
                .iter()
                .map(|(name, rules)| (name.clone(), Self::compile(rules)));
            node.properties = compiled.collect();
        }
        let forms = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|name| rules.get(name)?.as_array());
        node.any_of = forms.into_iter().flatten().map(Self::compile).collect();
        node
    }
}

fn boxed(schema: &Value) -> Box<Node> {
    Box::new(Node::compile(schema))
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let all = value.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

fn kinds(rules: &Map<String, Value>) -> Option<Vec<Kind>> {
    let given = rules.get("type")?;
    let one = given.as_str().map(|name| vec![name.to_owned()]);
    let names = one.unwrap_or_else(|| texts(Some(given)));
    // A kind that is not known could be anything.
    let mut kinds: Vec<Kind> = names
        .iter()
        .map(|name| Kind::named(name))
        .collect::<Option<_>>()?;
    if rules.get("nullable") == Some(&Value::Bool(true)) {
        kinds.push(Kind::Null);
    }
    (!kinds.is_empty()).then_some(kinds)
}

fn values(rules: &Map<String, Value>) -> Option<Vec<Value>> {
    match (rules.get("const"), rules.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, several) => several?.as_array().cloned(),
    }
}

fn additional(rules: &Map<String, Value>) -> Additional {
    match rules.get("additionalProperties") {
        // Names can be allowed by a pattern, too.
        _ if rules.contains_key("patternProperties") => Additional::Anything,
        Some(Value::Bool(false)) => Additional::Nothing,
        Some(each @ Value::Object(_)) => Additional::Each(boxed(each)),
        _ => Additional::Anything,
    }
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::Text,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    pub(super) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => is_whole(value),
            Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

/// `2.0` is whole, too.
fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}
