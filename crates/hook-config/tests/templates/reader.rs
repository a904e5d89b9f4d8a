//! The reader of JSON that the scripts share, against one that is known to be right.

use std::io::Write;
use std::process::{Command, Stdio};

use hook_config::Template;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What the scripts' own reader finds under keys.
fn field(input: &[u8], keys: &[&str]) -> Option<String> {
    let script = Template::find("validation").unwrap().scripts[0].text();
    let start = script.find("field() {").unwrap();
    let end = start + script[start..].find("\n}\n").unwrap() + 3;
    let program = format!("{}field {}", &script[start..end], keys.join(" "));
    let mut child = Command::new("sh")
        .args(["-c", &program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(text)
}

#[test]
fn it_finds_what_stands_under_keys_and_nothing_else() {
    let cases = [
        (r#"{"command":"ls"}"#, "command", Some("ls")),
        (
            r#" { "a" : [ 1 , {"command":"no"} ] , "command" : "yes" } "#,
            "command",
            Some("yes"),
        ),
        (
            r#"{"tool_input":{"command":"x"},"command":"y"}"#,
            "tool_input command",
            Some("x"),
        ),
        (r#"{"a":true,"b":-1.5e3}"#, "b", Some("-1.5e3")),
        (r#"{"a":null}"#, "a", None),
        (r#"{"a":["x"]}"#, "a", None),
        (r#"{"a":{"a":"x"}}"#, "a", None),
        (
            r#"{"command":"first","command":"second"}"#,
            "command",
            Some("second"),
        ),
        (r#"{"command":"x""#, "command", None),
        (r#"{"command":"x"} {}"#, "command", None),
        (r#"{"command":"x",}"#, "command", None),
        (r#"{"command":"\x"}"#, "command", None),
        ("", "command", None),
        ("nonsense", "command", None),
        ("[]", "command", None),
    ];
    for (input, keys, expected) in cases {
        let keys: Vec<&str> = keys.split(' ').collect();
        assert_eq!(
            field(input.as_bytes(), &keys).as_deref(),
            expected,
            "{input}"
        );
    }
}

#[test]
fn it_reads_escapes_and_long_texts() {
    let text =
        "quote \" back \\ slash / tab \t line \n end é 😀 \u{1}".to_owned() + &"x".repeat(5000);
    let plain = json!({ "filler": text.repeat(20), "command": text });
    assert_eq!(
        field(plain.to_string().as_bytes(), &["command"]).as_deref(),
        Some(text.as_str())
    );
    let escaped = r#"{"command":"\u00e9\ud83d\ude00\u0041\/"}"#;
    assert_eq!(
        field(escaped.as_bytes(), &["command"]).as_deref(),
        Some("é😀A/")
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-zA-Z0-9 \"\\\\/{}\\[\\]:,\n\téß😀]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab\"]{0,2}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn it_agrees_with_a_reader_that_is_known_to_be_right(value in any_json(), pretty: bool) {
        let input = json!({ "before": value, "a": { "b": value }, "after": value });
        let text = if pretty { serde_json::to_string_pretty(&input).unwrap() } else { input.to_string() };
        let expected = match &value {
            Value::String(text) => Some(text.clone()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            other @ (Value::Bool(_) | Value::Number(_)) => Some(other.to_string()),
        };
        prop_assert_eq!(field(text.as_bytes(), &["a", "b"]), expected);
        // Half of it is no JSON, and so holds nothing.
        let cut = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap();
        prop_assert_eq!(field(&text.as_bytes()[..cut], &["a", "b"]), None);
    }
}
