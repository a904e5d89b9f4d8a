//! `${path.to.field}` in what a tool is called with. Pure.

use serde_json::{Map, Value};

/// An input with its placeholders filled from an event.
pub(super) fn filled(input: &Map<String, Value>, event: &Value) -> Map<String, Value> {
    let fill = |(key, value): (&String, &Value)| (key.clone(), fill(value, event));
    input.iter().map(fill).collect()
}

fn fill(value: &Value, event: &Value) -> Value {
    match value {
        Value::String(text) => fill_text(text, event),
        Value::Array(values) => values.iter().map(|value| fill(value, event)).collect(),
        Value::Object(members) => Value::Object(filled(members, event)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text that is nothing but one placeholder becomes the value itself.
fn fill_text(text: &str, event: &Value) -> Value {
    let mut made = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let after = &rest[start + 2..];
        let Some(end) = after.find('}') else { break };
        let path = &after[..end];
        if !is_path(path) {
            made.push_str(&rest[..start + 2]);
            rest = after;
            continue;
        }
        let found = look_up(event, path);
        if start == 0 && made.is_empty() && rest.len() == text.len() && after[end + 1..].is_empty()
        {
            return found.cloned().unwrap_or(Value::Null);
        }
        made.push_str(&rest[..start]);
        made.push_str(&as_text(found));
        rest = &after[end + 1..];
    }
    made.push_str(rest);
    Value::String(made)
}

fn is_path(path: &str) -> bool {
    let part = |part: &str| {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        !part.is_empty() && part.chars().all(fits)
    };
    path.split('.').all(part)
}

/// What the event has at a path: members by name, elements by number.
fn look_up<'a>(event: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(event, |value, part| match value {
        Value::Object(members) => members.get(part),
        Value::Array(elements) => elements.get(part.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

fn as_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn event() -> Value {
        json!({"tool_name": "Bash", "n": 7, "yes": true, "none": null,
               "tool_input": {"command": "ls ${n}", "list": [1, {"a": "b"}]}})
    }

    #[test]
    fn a_text_that_is_one_placeholder_keeps_the_type_and_others_stay_texts() {
        let rows = [
            (json!("${tool_name}"), json!("Bash")),
            (json!("${n}"), json!(7)),
            (json!("${yes}"), json!(true)),
            (json!("${none}"), Value::Null),
            (json!("${tool_input.list}"), json!([1, {"a": "b"}])),
            (json!("${tool_input.list.1.a}"), json!("b")),
            (json!("${tool_input.list.9}"), Value::Null),
            (json!("${missing.path}"), Value::Null),
            (json!("${n} "), json!("7 ")),
            (json!("${n}${n}"), json!("77")),
            (json!("<${tool_input.list}>"), json!("<[1,{\"a\":\"b\"}]>")),
            (json!("<${missing}>"), json!("<>")),
            // What an event says is not looked at again.
            (json!("${tool_input.command}"), json!("ls ${n}")),
            (json!("run ${tool_input.command}"), json!("run ls ${n}")),
            // No placeholders.
            (json!("$n ${} ${a b} ${"), json!("$n ${} ${a b} ${")),
            (json!("${a b}${n}"), json!("${a b}7")),
            (json!(5), json!(5)),
            (
                json!(["${n}", {"deep": "${yes}"}]),
                json!([7, {"deep": true}]),
            ),
        ];
        for (input, want) in rows {
            assert_eq!(fill(&input, &event()), want, "{input}");
        }
    }

    #[test]
    fn keys_are_left_alone() {
        let input = json!({"${n}": "${n}"});
        assert_eq!(fill(&input, &event()), json!({"${n}": 7}));
    }

    proptest! {
        #[test]
        fn texts_without_placeholders_stay_as_they_are(text in "[^$]{0,40}") {
            prop_assert_eq!(fill_text(&text, &event()), Value::String(text));
        }

        #[test]
        fn nothing_makes_it_panic(text in "[${}a.n ]{0,30}") {
            let _ = fill_text(&text, &event());
        }
    }
}
