//! Every event and every answer goes from the wire into types and back without a loss.

#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeSet;

use hook_types::wire::{self, Extent, Form, Reading};
use hook_types::{Base, Decision, Diagnostic, Event, EventName, Field, HookEvent, HookOutput};
use serde_json::{Map, Value, json};

const BASE: &[&str] = &["session_id", "transcript_path", "cwd"];
const NAME: &str = "hook_event_name";
const UNKNOWN: &str = "future_field";

/// The fields that are always on the wire and that a reader does without.
const SETS: &[(EventName, &[&str])] = &[
    (EventName::PreToolUse, &["tool_use_id"]),
    (EventName::PostToolUse, &["tool_use_id"]),
    (EventName::PostToolUseFailure, &["tool_use_id"]),
    (EventName::PermissionDenied, &["tool_use_id"]),
    (EventName::PermissionCheck, &["tool_use_id"]),
    (EventName::PermissionGranted, &["tool_use_id"]),
    (EventName::PreCompact, &["custom_instructions"]),
    (EventName::TeammateIdle, &["team_name"]),
    (EventName::PreModelRequest, &["message_count"]),
    (EventName::PreModelSwitch, SWITCH),
    (EventName::PostModelSwitch, SWITCH),
];

const SWITCH: &[&str] = &[
    "requested_model",
    "context_tokens",
    "prompt_cache_warm",
    "cache_ttl",
    "estimated_cache_write_usd",
    "pricing",
];

/// One event's two samples.
struct Sample {
    event: EventName,
    minimal: Map<String, Value>,
    full: Map<String, Value>,
}

impl Sample {
    fn both(&self) -> [&Map<String, Value>; 2] {
        [&self.minimal, &self.full]
    }

    fn sets(&self) -> &'static [&'static str] {
        let row = SETS.iter().find(|(event, _)| *event == self.event);
        row.map_or(&[], |(_, keys)| *keys)
    }

    /// The keys without which the event cannot be read.
    fn needs(&self) -> impl Iterator<Item = &String> {
        let known = |key: &str| BASE.contains(&key) || key == NAME || self.sets().contains(&key);
        self.minimal.keys().filter(move |key| !known(key))
    }
}

fn file(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("the samples are an object")
}

fn inputs() -> Vec<Sample> {
    let samples = file(include_str!("../samples/inputs.json"));
    samples
        .into_iter()
        .map(|(name, sample)| Sample {
            event: name.parse().expect("every sample has an event"),
            minimal: object(&sample["minimal"]),
            full: object(&sample["full"]),
        })
        .collect()
}

fn answers() -> Vec<(EventName, Value)> {
    let samples = file(include_str!("../samples/answers.json"));
    samples
        .into_iter()
        .flat_map(|(name, answers)| {
            let event: EventName = name.parse().expect("every answer has an event");
            let answers = answers.as_array().expect("answers are a list").clone();
            answers.into_iter().map(move |answer| (event, answer))
        })
        .collect()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().expect("a sample is an object").clone()
}

fn without(object: &Map<String, Value>, key: &str) -> Value {
    let mut object = object.clone();
    assert!(object.shift_remove(key).is_some(), "{key}");
    Value::Object(object)
}

fn written(event: &HookEvent) -> Value {
    serde_json::to_value(event).expect("an event can be written")
}

/// Reads an event by its own type; gives it erased, with the fields that were not known.
macro_rules! typed {
    ($($name:ident)*) => {
        fn typed(event: EventName, value: Value) -> (HookEvent, Map<String, Value>) {
            match event.as_str() {
                $(stringify!($name) => {
                    let event: hook_types::$name = serde_json::from_value(value).expect("it fits");
                    let extra = Event::extra(&event).clone();
                    (event.into(), extra)
                })*
                other => panic!("add {other} to the list below"),
            }
        }
    };
}

typed! {
    PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
    UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
    PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup
    TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
    WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded
    MessageDisplay Error PreModelRequest PostModelResponse ModelStreamStart ModelStreamEnd
    PreToolSelection SessionMessage PermissionCheck PermissionGranted UserInterrupt
}

#[test]
fn every_event_has_samples_in_the_order_of_the_table() {
    let named: Vec<EventName> = inputs().iter().map(|sample| sample.event).collect();
    assert_eq!(named, EventName::ALL);

    let mut answered: Vec<EventName> = answers().into_iter().map(|(event, _)| event).collect();
    answered.dedup();
    assert_eq!(answered, EventName::ALL);
}

#[test]
fn what_is_read_is_what_is_written() {
    for sample in inputs() {
        for object in sample.both() {
            let value = Value::Object(object.clone());
            let event = HookEvent::parse(value.clone()).unwrap();
            assert_eq!(event.name(), sample.event);
            assert_eq!(written(&event), value);
        }
    }
}

#[test]
fn keys_are_written_in_the_order_of_the_contract() {
    for sample in inputs() {
        for object in sample.both() {
            let event = HookEvent::parse(Value::Object(object.clone())).unwrap();
            let text = serde_json::to_string(&event).unwrap();
            assert_eq!(text, serde_json::to_string(object).unwrap());
        }
    }
}

#[test]
fn the_full_sample_has_every_field_of_the_minimal_one_and_of_the_base() {
    let base = [
        "prompt_id",
        "permission_mode",
        "agent_id",
        "agent_type",
        "effort",
        "scratchpad_dir",
    ];
    for sample in inputs() {
        for key in sample.minimal.keys().map(String::as_str).chain(base) {
            assert!(sample.full.contains_key(key), "{}: {key}", sample.event);
        }
    }
}

#[test]
fn an_event_without_a_field_it_needs_is_refused_by_that_fields_name() {
    for sample in inputs() {
        for key in sample.needs() {
            let error = HookEvent::parse(without(&sample.minimal, key)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("{}: {key}: is missing", sample.event)
            );
        }
    }
}

#[test]
fn a_reader_does_without_the_base_and_without_what_has_a_default() {
    for sample in inputs() {
        for key in BASE.iter().chain(sample.sets()) {
            let event = HookEvent::parse(without(&sample.minimal, key));
            let event = event.unwrap_or_else(|error| panic!("{error}"));
            assert!(
                written(&event).get(key).is_some(),
                "{key} is always written"
            );
        }
    }
}

#[test]
fn an_optional_field_that_is_null_is_absent() {
    for sample in inputs() {
        let optional = |key: &&String| !sample.minimal.contains_key(*key) && *key != UNKNOWN;
        for key in sample.full.keys().filter(optional) {
            let mut object = sample.full.clone();
            object[key] = Value::Null;
            let event = HookEvent::parse(Value::Object(object)).unwrap();
            assert_eq!(written(&event), without(&sample.full, key), "{key}");
        }
    }
}

#[test]
fn an_event_read_by_its_own_type_is_the_event_read_by_its_name() {
    for sample in inputs() {
        for object in sample.both() {
            let value = Value::Object(object.clone());
            let (event, _) = typed(sample.event, value.clone());
            assert_eq!(event, HookEvent::parse(value).unwrap());
        }
    }
}

#[test]
fn only_what_is_not_known_is_kept_aside() {
    for sample in inputs() {
        let [minimal, full] = sample.both().map(|object| {
            let (_, extra) = typed(sample.event, Value::Object(object.clone()));
            extra
        });
        assert!(minimal.is_empty(), "{}: {minimal:?}", sample.event);
        assert_eq!(full.keys().collect::<Vec<_>>(), [UNKNOWN]);
        assert_eq!(full[UNKNOWN], sample.full[UNKNOWN]);
    }
}

#[test]
fn a_text_that_nobody_knows_yet_is_kept_wherever_a_text_stands() {
    let mut replaced = 0;
    for sample in inputs() {
        let value = Value::Object(sample.full.clone());
        for pointer in texts(&value, "") {
            let mut value = value.clone();
            *value.pointer_mut(&pointer).unwrap() = json!("something_new");
            let event = HookEvent::parse(value.clone())
                .unwrap_or_else(|error| panic!("{pointer}: {error}"));
            assert_eq!(written(&event), value, "{pointer}");
            replaced += 1;
        }
    }
    assert!(replaced > 500, "only {replaced} texts were found");
}

/// Where texts stand, as JSON pointers; the event's name is not free to change.
fn texts(value: &Value, at: &str) -> Vec<String> {
    let deeper = |key: String, value| texts(value, &format!("{at}/{key}"));
    match value {
        Value::String(_) if at != "/hook_event_name" => vec![at.to_owned()],
        Value::Object(object) => object
            .iter()
            .flat_map(|(key, value)| deeper(key.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(i, value)| deeper(i.to_string(), value))
            .collect(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[test]
fn the_untyped_door_fills_the_base() {
    for sample in inputs() {
        let facts: Base = {
            let event = HookEvent::parse(Value::Object(sample.full.clone())).unwrap();
            event.base().clone()
        };
        let mut own = sample.minimal.clone();
        for key in BASE.iter().chain([&NAME]) {
            own.shift_remove(*key);
        }
        let event = HookEvent::from_json(sample.event.as_str(), own.into(), &facts).unwrap();
        assert_eq!(event.base(), &facts, "{}", sample.event);
    }
}

#[test]
fn the_untyped_door_keeps_a_base_that_is_there() {
    for sample in inputs() {
        let facts = Base::new("other", "/tmp/other.jsonl", "/tmp");
        let value = Value::Object(sample.full);
        let event = HookEvent::from_json(sample.event.as_str(), value.clone(), &facts).unwrap();
        assert_eq!(written(&event), value);
    }
}

/// Each row a test: an event's name, its JSON, and why it is refused.
macro_rules! refused {
    ($($test:ident: $name:literal, $input:tt => $message:literal;)*) => {
        mod the_door_refuses {
            use hook_types::{Base, HookEvent};
            use serde_json::json;

            $(
                #[test]
                fn $test() {
                    let error = HookEvent::from_json($name, json!($input), &Base::default());
                    assert_eq!(error.unwrap_err().to_string(), $message);
                }
            )*
        }
    };
}

refused! {
    an_input_that_is_text: "PreToolUse", {"tool_name": "Bash", "tool_input": "ls"}
        => "PreToolUse: tool_input: expected an object, found a string";
    an_input_that_is_null: "PermissionCheck", {"tool_name": "Bash", "tool_input": null}
        => "PermissionCheck: tool_input: expected an object, found null";
    a_request_that_is_a_list: "PreModelRequest", {"model": "model-large-4", "llm_request": []}
        => "PreModelRequest: llm_request: expected an object, found an array";
    a_name_that_is_a_number: "PreToolUse", {"tool_name": 7, "tool_input": {}}
        => "PreToolUse: tool_name: expected a string, found a number";
    a_flag_that_is_text: "Stop", {"stop_hook_active": "yes"}
        => "Stop: stop_hook_active: expected a boolean, found a string";
    a_needed_field_that_is_null: "UserPromptSubmit", {"prompt": null}
        => "UserPromptSubmit: prompt: expected a string, found null";
    a_number_that_is_text: "ModelStreamStart", {"model": "model-small-2", "duration_ms": "12"}
        => "ModelStreamStart: duration_ms: expected a number, found a string";
    a_list_that_is_an_object: "PostToolBatch", {"tool_calls": {}}
        => "PostToolBatch: tool_calls: expected an array, found an object";
    a_list_with_a_wrong_item: "PreToolSelection",
        {"model": "model-small-2", "tool_names": ["Read", 3], "llm_request": {}}
        => "PreToolSelection: tool_names[1]: expected a string, found a number";
    a_call_without_its_input: "PostToolBatch",
        {"tool_calls": [{"tool_name": "Read", "tool_use_id": "toolu_1"}]}
        => "PostToolBatch: tool_calls[0]: missing field `tool_input`";
    a_call_whose_name_is_an_object: "PostToolBatch",
        {"tool_calls": [{"tool_name": {}, "tool_input": {}, "tool_use_id": "toolu_1"}]}
        => "PostToolBatch: tool_calls[0].tool_name: expected a string, found an object";
    a_server_whose_source_is_a_list: "PermissionDenied",
        {"tool_name": "Bash", "tool_input": {}, "reason": "no", "mcp_server": {"name": "x", "source": []}}
        => "PermissionDenied: mcp_server.source: expected a string, found an array";
    an_effort_that_is_text: "Setup", {"trigger": "init", "effort": "high"}
        => "Setup: effort: expected an object, found a string";
    a_session_that_is_a_number: "Setup", {"trigger": "init", "session_id": 12}
        => "Setup: session_id: expected a string, found a number";
    a_suggestion_that_is_text: "PermissionRequest",
        {"tool_name": "Bash", "tool_input": {}, "permission_suggestions": ["allow"]}
        => "PermissionRequest: permission_suggestions[0]: expected an object, found a string";
    suggestions_that_are_text: "PermissionRequest",
        {"tool_name": "Bash", "tool_input": {}, "permission_suggestions": "allow"}
        => "PermissionRequest: permission_suggestions: expected an array, found a string";
    another_events_name: "Stop", {"hook_event_name": "SubagentStop", "stop_hook_active": false}
        => "Stop: hook_event_name: expected \"Stop\", found \"SubagentStop\"";
    an_event_that_is_a_list: "Stop", [false]
        => "an event is an object, found an array";
    an_event_that_is_text: "Stop", "stop"
        => "an event is an object, found a string";
    a_name_in_another_case: "pretooluse", {}
        => "no event is called `pretooluse`; did you mean `PreToolUse`?";
    a_name_with_a_slip: "PermisionRequest", {}
        => "no event is called `PermisionRequest`; did you mean `PermissionRequest`?";
    a_name_of_another_system: "BeforeModel", {}
        => "no event is called `BeforeModel`; did you mean `PreModelRequest`?";
    a_name_like_no_other: "Teatime", {}
        => "no event is called `Teatime`";
}

#[test]
fn an_event_that_must_say_its_name_and_does_not_is_refused() {
    for (input, message) in [
        (
            json!({"stop_hook_active": false}),
            "hook_event_name: is missing; it says which event this is",
        ),
        (json!(null), "an event is an object, found null"),
        (
            json!({"hook_event_name": "Stopp"}),
            "no event is called `Stopp`; did you mean `Stop`?",
        ),
    ] {
        let error = HookEvent::parse(input).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

fn read(event: EventName, answer: &Value) -> Reading {
    wire::read(event, &answer.to_string(), Extent::Whole)
}

#[test]
fn every_sample_answer_is_read_without_a_complaint() {
    for (event, answer) in answers() {
        let reading = read(event, &answer);
        assert_eq!(reading.diagnostics, [], "{event}: {answer}");
        assert!(matches!(reading.form, Form::Answer(_)), "{event}: {answer}");
        assert_eq!(wire::read_value(event, &answer), reading);
    }
}

#[test]
fn an_answer_that_is_written_and_read_again_is_the_same() {
    for (event, answer) in answers() {
        let reading = read(event, &answer);
        let Form::Answer(output) = &reading.form else {
            panic!("{event}: {answer} is no answer");
        };
        let again = match output {
            HookOutput::Sync(output) => wire::write(event, output),
            HookOutput::Async(promise) => wire::write_async(*promise),
        };
        assert_eq!(read(event, &again), reading, "{event}: {again}");
    }
}

/// The older spellings, which are written in the newer one.
#[test]
fn an_answer_is_written_as_it_was_read_save_for_older_spellings() {
    for (event, answer) in answers() {
        let older = event.row().block_word() == "deny" && answer.get("decision").is_some();
        if let Some(output) = read(event, &answer).answer().filter(|_| !older) {
            assert_eq!(wire::write(event, output), answer, "{event}");
        }
    }
}

#[test]
fn the_sample_answers_use_every_part_that_their_event_honours() {
    for event in EventName::ALL.iter().copied() {
        let samples: Vec<Value> = answers()
            .into_iter()
            .filter(|(name, _)| *name == event)
            .map(|(_, answer)| answer)
            .collect();
        let used: BTreeSet<&str> = samples.iter().flat_map(keys).collect();
        let decided: Vec<Decision> = samples
            .iter()
            .map(|answer| read(event, answer).decision())
            .collect();
        for part in event.row().honours.iter() {
            let there = match decision(part) {
                Some(decision) => decided.contains(&decision),
                None => used.contains(part.key()),
            };
            assert!(there, "{event}: no answer uses {part:?}");
        }
    }
}

fn decision(part: Field) -> Option<Decision> {
    [
        (Field::Allow, Decision::Allow),
        (Field::Ask, Decision::Ask),
        (Field::Defer, Decision::Defer),
    ]
    .into_iter()
    .find_map(|(field, decision)| (field == part).then_some(decision))
}

/// Every key of an answer, however deep.
fn keys(value: &Value) -> Vec<&str> {
    let Value::Object(object) = value else {
        return Vec::new();
    };
    let nested = |(key, value)| std::iter::once(String::as_str(key)).chain(keys(value));
    object.iter().flat_map(nested).collect()
}

#[test]
fn a_question_declined_by_the_book_is_answered_and_not_blocked() {
    for event in [EventName::Elicitation, EventName::ElicitationResult] {
        for action in ["decline", "cancel"] {
            let specific = json!({"hookEventName": event, "action": action});
            let reading = read(event, &json!({"hookSpecificOutput": specific}));
            assert_eq!(reading.decision(), Decision::Pass);
            assert_eq!(reading.diagnostics, []);
        }
    }
}

#[test]
fn a_question_declined_in_an_answer_that_cannot_be_taken_as_it_stands_is_blocked() {
    for answer in [
        r#"{"action": "decline"}"#,
        r#"{"hookSpecificOutput": {"action": "cancel"}}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline", "content": 3}}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline", "action": "accept"}}"#,
        r#"{"async": true, "hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline"}}"#,
        "asking\n{\"hookSpecificOutput\": {\"action\": \"decline\"}}",
    ] {
        let reading = wire::read(EventName::Elicitation, answer, Extent::Whole);
        assert_eq!(reading.decision(), Decision::Deny, "{answer}");
        let odd = |diagnostic: &&Diagnostic| diagnostic.code.as_str() == "odd_deny";
        assert_eq!(
            reading.diagnostics.iter().filter(odd).count(),
            1,
            "{answer}"
        );
    }
}
