//! The validator beside one that is known to be right, and what it says.

use jsonschema::draft7;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn said(schema: &Value, input: &Value) -> String {
    match Schema::compile(schema).check(input) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_fault_names_its_place_and_what_was_expected() {
    let schema = json!({
        "type": "object", "required": ["command"], "additionalProperties": false,
        "properties": {
            "command": {"type": "string", "minLength": 1},
            "timeout": {"type": "integer", "minimum": 1, "maximum": 600},
            "mode": {"enum": ["a", "b"]},
            "never": {"enum": [false]},
            "edits": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["old"]}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }
    });
    let table = [
        (json!({"command": "ls"}), ""),
        (json!({"command": "ls", "either": null}), ""),
        (json!({"command": "ls", "timeout": 2.0}), ""),
        (json!([]), "the input must be an object"),
        (json!({}), "`command` is missing"),
        (
            json!({"command": 7}),
            "`command` must be a string, but is 7",
        ),
        (
            json!({"command": ""}),
            "`command` must be at least 1 characters long, but is \"\"",
        ),
        (
            json!({"command": "ls", "timeout": "fast"}),
            "`timeout` must be a whole number, but is \"fast\"",
        ),
        (
            json!({"command": "ls", "timeout": 2.5}),
            "`timeout` must be a whole number, but is 2.5",
        ),
        (
            json!({"command": "ls", "timeout": 0}),
            "`timeout` must be at least 1, but is 0",
        ),
        (
            json!({"command": "ls", "timeout": 601}),
            "`timeout` must be at most 600, but is 601",
        ),
        (
            json!({"command": "ls", "mode": "c"}),
            "`mode` must be one of \"a\", \"b\", but is \"c\"",
        ),
        (
            json!({"command": "ls", "never": true}),
            "`never` must be false, but is true",
        ),
        (
            json!({"command": "ls", "edits": [{}]}),
            "`edits[0].old` is missing",
        ),
        (
            json!({"command": "ls", "edits": [1, 2, 3]}),
            "`edits` must be at most 2 items long, but is a list",
        ),
        (
            json!({"command": "ls", "either": 1}),
            "`either` must be of one of 2 forms, but is 1",
        ),
        (
            json!({"command": "ls", "comand": 1}),
            "`comand` is not known; there are `command`, `timeout`, `mode`, `never`, `edits`, `either`",
        ),
        (
            json!({"timeout": 0, "mode": 1}),
            "`command` is missing; `timeout` must be at least 1, but is 0; \
             `mode` must be one of \"a\", \"b\", but is 1",
        ),
    ];
    for (input, expected) in table {
        assert_eq!(said(&schema, &input), expected, "{input}");
    }
}

#[test]
fn what_is_not_read_of_a_schema_asks_for_nothing() {
    let table = [
        json!({"properties": {"a": {"$ref": "#/$defs/x", "type": "null"}}}),
        json!({"properties": {"a": {"type": "date"}}}),
        json!({"properties": {"a": {"format": "uri", "pattern": "^x"}}}),
        json!({"additionalProperties": false, "patternProperties": {"^a": {}}}),
        json!({"properties": {"a": true}}),
        json!(true),
        json!("nonsense"),
    ];
    for schema in table {
        assert_eq!(said(&schema, &json!({"a": 7})), "", "{schema}");
    }
}

#[test]
fn many_faults_are_told_in_part() {
    let required: Vec<String> = (0..9).map(|number| format!("f{number}")).collect();
    let message = said(&json!({"required": required}), &json!({}));
    assert!(message.starts_with("`f0` is missing; `f1` is missing"));
    assert!(
        message.ends_with("`f4` is missing; and 4 more"),
        "{message}"
    );
}

/// Values that hit and miss the schemas below about evenly.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3_i64..4).prop_map(Value::from),
        (-6_i32..7).prop_map(|half| json!(f64::from(half) / 2.0)),
        "[ab€]{0,3}".prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            any_object(inner),
        ]
    })
}

fn any_object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(("[abc]", inner), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]);
    let leaf = prop_oneof![
        kind.clone().prop_map(|kind| json!({"type": kind})),
        (kind.clone(), kind)
            .prop_filter_map("a list of kinds has no kind twice", |(one, other)| {
                (one != other).then(|| json!({"type": [one, other]}))
            }),
        (-2_i64..3).prop_map(|least| json!({"minimum": least})),
        (-2_i64..3).prop_map(|most| json!({"maximum": most})),
        (0_u64..3).prop_map(|least| json!({"minLength": least, "minItems": least})),
        (0_u64..3).prop_map(|most| json!({"maxLength": most, "maxItems": most})),
        any_value().prop_map(|one| json!({"enum": [one, 1, "a", null]})),
        any_value().prop_map(|one| json!({"const": one})),
        any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"items": items})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|forms| json!({"anyOf": forms})),
            any_object_schema(inner),
        ]
    })
}

fn any_object_schema(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let properties = prop::collection::vec(("[abc]", inner.clone()), 0..3);
    let required = prop::collection::btree_set("[abc]", 0..3);
    (properties, required, inner).prop_map(|(properties, required, additional)| {
        let properties: Value = Value::Object(properties.into_iter().collect());
        json!({"type": "object", "properties": properties, "required": required,
               "additionalProperties": additional})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_verdict_is_that_of_a_full_validator(schema in any_schema(), input in any_object(any_value())) {
        let expected = draft7::is_valid(&schema, &input);
        let got = Schema::compile(&schema).check(&input);
        prop_assert_eq!(got.is_ok(), expected, "{:?}", got);
    }

    #[test]
    fn the_verdict_on_an_inner_value_is_that_of_a_full_validator(schema in any_schema(), value in any_value()) {
        let (schema, input) = (json!({"properties": {"a": schema}}), json!({"a": value}));
        let expected = draft7::is_valid(&schema, &input);
        let got = Schema::compile(&schema).check(&input);
        prop_assert_eq!(got.is_ok(), expected, "{:?}", got);
    }
}
