//! What came of a firing then, and what comes of it now. Pure.

use serde::Serialize;
use serde_json::{Map, Value};

use super::format::Told;
use super::pairs::{Pairs, id, pairs};

/// What a hook answered. What it printed beside is compared only when that is asked for.
const ANSWER: [&str; 5] = ["status", "exit_code", "output", "diagnostics", "detail"];
const PRINTED: [&str; 3] = ["stdout", "stderr", "truncated"];

/// Fields of an outcome that name hooks.
const DECIDERS: [&str; 1] = ["decided_by"];
const NOTES: [&str; 3] = ["additional_context", "system_messages", "diagnostics"];

/// Something that is not as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    /// The hook that it is about, by its id of today; none: the verdict.
    pub(crate) hook: Option<String>,
    pub(crate) what: What,
    /// What it is about: `decision`, `output.systemMessage`.
    pub(crate) field: String,
    pub(crate) wanted: Value,
    pub(crate) now: Value,
}

/// In what way it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// A field has another value.
    Changed,
    /// The hook does not run any more.
    Gone,
    /// The hook did not run then.
    New,
    /// Hooks that run one after the other do so in another order.
    Reordered,
}

/// How much is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Verdicts and answers.
    #[default]
    Answers,
    /// What hooks printed, too.
    Printed,
}

/// Everything that is not as it was; empty where all is.
pub(crate) fn compare(then: &Told, now: &Told, scope: Scope) -> Vec<Change> {
    let pairs = pairs(&then.hooks, &now.hooks);
    let mut changes = Vec::new();
    let outcome = with_todays_ids(&then.outcome, &pairs);
    fields("", &outcome, &now.outcome, None, &mut changes);
    for (then, now) in &pairs.both {
        changes.extend(hooks(then, now, &pairs, scope));
    }
    let ran = |hook: &&&Value| hook["status"] != "skipped";
    changes.extend(pairs.gone.iter().filter(ran).map(|hook| Change {
        hook: Some(id(hook).to_owned()),
        what: What::Gone,
        field: "status".to_owned(),
        wanted: hook["status"].clone(),
        now: Value::Null,
    }));
    changes.extend(pairs.new.iter().filter(ran).map(|hook| Change {
        hook: Some(id(hook).to_owned()),
        what: What::New,
        field: "status".to_owned(),
        wanted: Value::Null,
        now: hook["status"].clone(),
    }));
    if pairs.is_reordered(&now.hooks) {
        changes.push(reordered(then, now, &pairs));
    }
    changes
}

/// One hook, then and now.
pub(crate) fn compare_late(then: &Value, now: &Value, scope: Scope) -> Vec<Change> {
    hooks(then, now, &Pairs::default(), scope)
}

fn hooks(then: &Value, now: &Value, pairs: &Pairs<'_>, scope: Scope) -> Vec<Change> {
    let printed: &[&str] = match scope {
        Scope::Answers => &[],
        Scope::Printed => &PRINTED,
    };
    let mut changes = Vec::new();
    for field in ANSWER.iter().chain(printed) {
        let wanted = match (&then[*field], *field) {
            // It may name another hook.
            (Value::String(text), "detail") => Value::from(renamed_within(text, pairs)),
            (value, _) => value.clone(),
        };
        fields(field, &wanted, &now[*field], Some(id(now)), &mut changes);
    }
    changes
}

fn reordered(then: &Told, now: &Told, pairs: &Pairs<'_>) -> Change {
    let wanted = then.hooks.iter().map(|hook| pairs.renamed(id(hook)));
    let today = now.hooks.iter().map(|hook| id(hook).to_owned());
    Change {
        hook: None,
        what: What::Reordered,
        field: "order".to_owned(),
        wanted: wanted.collect(),
        now: today.collect(),
    }
}

/// Adds what differs, field by field. No field at all and one that says nothing are the same.
fn fields(path: &str, wanted: &Value, now: &Value, hook: Option<&str>, changes: &mut Vec<Change>) {
    if wanted == now || (is_nothing(wanted) && is_nothing(now)) {
        return;
    }
    let has_fields = |value: &Value| value.is_object() || value.is_null();
    if is_ours(path) && has_fields(wanted) && has_fields(now) {
        for name in names(wanted, now) {
            let below = match path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            fields(&below, &wanted[name], &now[name], hook, changes);
        }
        return;
    }
    changes.push(Change {
        hook: hook.map(str::to_owned),
        what: What::Changed,
        field: path.to_owned(),
        wanted: wanted.clone(),
        now: now.clone(),
    });
}

/// Objects of the contract are compared field by field; those of tools are shown as a whole.
fn is_ours(path: &str) -> bool {
    matches!(
        path,
        "" | "output" | "output.hookSpecificOutput" | "specific"
    )
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(elements) => elements.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The names of all fields. That an answer to an event names the event says nothing.
fn names<'a>(one: &'a Value, other: &'a Value) -> Vec<&'a String> {
    let of = |value: &'a Value| value.as_object().into_iter().flat_map(Map::keys);
    let more = of(other).filter(|name| one.get(name).is_none());
    let all = of(one).chain(more);
    all.filter(|name| *name != "hookEventName").collect()
}

/// The outcome of then with the ids of now: that a line has moved is no difference.
fn with_todays_ids(outcome: &Value, pairs: &Pairs<'_>) -> Value {
    let mut outcome = outcome.clone();
    let rename = |value: &mut Value| {
        if let Value::String(id) = value {
            *id = pairs.renamed(id);
        }
    };
    for field in DECIDERS {
        if let Some(field) = outcome.get_mut(field) {
            rename(field);
        }
    }
    for field in NOTES {
        let notes = outcome.get_mut(field).and_then(Value::as_array_mut);
        for note in notes.into_iter().flatten() {
            if let Some(hook) = note.get_mut("hook") {
                rename(hook);
            }
        }
    }
    outcome
}

/// A sentence of then with the ids of now, word by word.
fn renamed_within(text: &str, pairs: &Pairs<'_>) -> String {
    let words: Vec<String> = text.split(' ').map(|word| pairs.renamed(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(outcome: Value, hooks: &[Value]) -> Told {
        Told {
            outcome,
            hooks: hooks.to_vec(),
        }
    }

    fn seen(then: &Told, now: &Told) -> Vec<String> {
        let changes = compare(then, now, Scope::Answers);
        let say = |change: &Change| {
            let hook = change.hook.as_deref().unwrap_or("verdict");
            format!("{hook} {} {} {}", change.field, change.wanted, change.now)
        };
        changes.iter().map(say).collect()
    }

    #[test]
    fn a_field_that_is_missing_and_one_that_says_nothing_are_the_same() {
        let then = told(
            json!({"decision": null, "specific": {}, "diagnostics": []}),
            &[],
        );
        assert_eq!(seen(&then, &told(json!({}), &[])), [""; 0]);
    }

    #[test]
    fn answers_are_compared_field_by_field_and_what_tools_get_as_a_whole() {
        let hook = |output: Value| json!({"id": "a", "status": "answered", "output": output});
        let then = told(
            json!({"updated_input": {"command": "ls", "timeout": 1}}),
            &[hook(
                json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}),
            )],
        );
        let now = told(
            json!({"updated_input": {"command": "ls", "timeout": 2}}),
            &[hook(json!({"systemMessage": "hm"}))],
        );
        assert_eq!(
            seen(&then, &now),
            [
                r#"verdict updated_input {"command":"ls","timeout":1} {"command":"ls","timeout":2}"#,
                r#"a output.hookSpecificOutput.permissionDecision "deny" null"#,
                r#"a output.systemMessage null "hm""#,
            ]
        );
    }

    #[test]
    fn that_a_line_has_moved_is_no_difference_wherever_it_is_named() {
        let hook = |id: &str, detail: &str| json!({"id": id, "runs": "a.sh", "status": "failed", "detail": detail});
        let other = |id: &str| json!({"id": id, "runs": "b.sh", "status": "answered"});
        let outcome =
            |id: &str| json!({"decided_by": id, "additional_context": [{"hook": id, "text": "x"}]});
        let then = told(
            outcome("h:5"),
            &[hook("h:3", "h:5 ended the group"), other("h:5")],
        );
        let now = told(
            outcome("h:7"),
            &[hook("h:5", "h:7 ended the group"), other("h:7")],
        );
        assert_eq!(seen(&then, &now), [""; 0]);
    }

    #[test]
    fn a_hook_that_was_skipped_is_not_missed() {
        let hook = json!({"id": "a", "status": "skipped"});
        let then = told(json!({}), &[hook]);
        assert_eq!(seen(&then, &told(json!({}), &[])), [""; 0]);
    }
}
