//! The schemas are checked in, current, and agree with what the reader of answers takes.

#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use hook_types::wire::{Extent, read};
use hook_types::{EventName, schema};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

const REWRITE: &str = "UPDATE=1 cargo test -p hook-types --test schemas";

/// Files below `docs/schemas`, by their path there.
type Files = BTreeMap<PathBuf, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

fn generated() -> Files {
    EventName::ALL
        .iter()
        .flat_map(|event| {
            [
                ("inputs", schema::input(*event)),
                ("answers", schema::answer(*event)),
            ]
            .map(|(folder, schema)| (Path::new(folder).join(format!("{event}.json")), schema))
        })
        .map(|(path, schema)| (path, format!("{schema:#}\n")))
        .collect()
}

fn checked_in() -> io::Result<Files> {
    let mut files = Files::new();
    for folder in ["inputs", "answers"] {
        let entries = match fs::read_dir(root().join(folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = Path::new(folder).join(entry?.file_name());
            let text = fs::read_to_string(root().join(&path))?;
            files.insert(path, text);
        }
    }
    Ok(files)
}

/// What must be done to the files that are `found`, in words.
fn differences(found: &Files, wanted: &Files) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = found.keys().chain(wanted.keys()).collect();
    paths
        .into_iter()
        .filter_map(|path| {
            let problem = match (found.get(path), wanted.get(path)) {
                (Some(found), Some(wanted)) if found == wanted => return None,
                (Some(_), Some(_)) => "is stale",
                (Some(_), None) => "belongs to no event",
                (None, _) => "is missing",
            };
            Some(format!("docs/schemas/{} {problem}", path.display()))
        })
        .collect()
}

fn rewrite(found: &Files, wanted: &Files) -> io::Result<()> {
    for folder in ["inputs", "answers"] {
        fs::create_dir_all(root().join(folder))?;
    }
    for path in found.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(root().join(path))?;
    }
    for (path, text) in wanted {
        fs::write(root().join(path), text)?;
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "how a person asks a test to rewrite files"
)]
fn is_to_rewrite() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

#[test]
fn the_schemas_that_are_checked_in_are_current() {
    let wanted = generated();
    if is_to_rewrite() {
        rewrite(&checked_in().unwrap(), &wanted).unwrap();
    }
    let differences = differences(&checked_in().unwrap(), &wanted);
    assert!(
        differences.is_empty(),
        "{}\nto rewrite them: {REWRITE}",
        differences.join("\n")
    );
}

#[test]
fn a_stale_a_missing_and_a_left_over_schema_are_told_apart() {
    let files = |files: &[(&str, &str)]| -> Files {
        let owned = |(path, text): &(&str, &str)| (PathBuf::from(path), (*text).to_owned());
        files.iter().map(owned).collect()
    };
    let found = files(&[("a.json", "1"), ("b.json", "1"), ("old.json", "1")]);
    let wanted = files(&[("a.json", "1"), ("b.json", "2"), ("new.json", "1")]);
    assert_eq!(
        differences(&found, &wanted),
        [
            "docs/schemas/b.json is stale",
            "docs/schemas/new.json is missing",
            "docs/schemas/old.json belongs to no event",
        ]
    );
}

fn file(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("the samples are an object")
}

/// The samples of `event`: minimal and full.
fn inputs(event: EventName) -> [Value; 2] {
    let samples = file(include_str!("../samples/inputs.json"));
    ["minimal", "full"].map(|kind| samples[event.as_str()][kind].clone())
}

fn answers(event: EventName) -> Vec<Value> {
    let samples = file(include_str!("../samples/answers.json"));
    let answers = samples[event.as_str()].as_array();
    answers.expect("answers are a list").clone()
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("a schema that compiles")
}

fn keys(object: &Value) -> BTreeSet<&str> {
    let object = object.as_object().into_iter();
    object.flat_map(Map::keys).map(String::as_str).collect()
}

fn texts(array: &Value) -> BTreeSet<&str> {
    let items = array.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

#[test]
fn every_schema_is_a_schema_of_the_draft_it_names() {
    for event in EventName::ALL.iter().copied() {
        for schema in [schema::input(event), schema::answer(event)] {
            assert_eq!(
                schema["$schema"],
                "https://json-schema.org/draft/2020-12/schema"
            );
            assert_eq!(schema["title"], event.as_str());
            assert!(
                schema["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert!(jsonschema::draft202012::meta::is_valid(&schema), "{event}");
        }
    }
}

#[test]
fn every_sample_input_fits_its_schema() {
    for event in EventName::ALL.iter().copied() {
        let validator = validator(&schema::input(event));
        for sample in inputs(event) {
            let errors: Vec<_> = validator.iter_errors(&sample).collect();
            assert!(errors.is_empty(), "{event}: {errors:?}");
        }
    }
}

#[test]
fn every_sample_answer_fits_its_schema() {
    for event in EventName::ALL.iter().copied() {
        let validator = validator(&schema::answer(event));
        for sample in answers(event) {
            let errors: Vec<_> = validator.iter_errors(&sample).collect();
            assert!(errors.is_empty(), "{event}: {sample}: {errors:?}");
        }
    }
}

#[test]
fn the_minimal_sample_is_what_an_input_must_have_and_the_full_one_what_it_can_have() {
    for event in EventName::ALL.iter().copied() {
        let schema = schema::input(event);
        let [minimal, full] = inputs(event);
        assert_eq!(texts(&schema["required"]), keys(&minimal), "{event}");

        let mut known = keys(&schema["properties"]);
        known.insert("future_field");
        assert_eq!(known, keys(&full), "{event}");
    }
}

#[test]
fn an_input_without_a_field_that_is_always_there_does_not_fit() {
    for event in EventName::ALL.iter().copied() {
        let validator = validator(&schema::input(event));
        let [minimal, _] = inputs(event);
        for key in keys(&minimal) {
            let mut input = minimal.clone();
            input
                .as_object_mut()
                .and_then(|input| input.shift_remove(key));
            assert!(!validator.is_valid(&input), "{event} without {key}");
        }
    }
}

#[test]
fn an_input_fits_no_other_events_schema() {
    for event in EventName::ALL.iter().copied() {
        let validator = validator(&schema::input(event));
        for other in EventName::ALL
            .iter()
            .copied()
            .filter(|other| *other != event)
        {
            for sample in inputs(other) {
                assert!(!validator.is_valid(&sample), "{other} as {event}");
            }
        }
    }
}

#[test]
fn prose_for_rust_is_prose_for_everybody() {
    for (path, schema) in generated() {
        for mark in ["```", "[`", "hook_types::"] {
            assert!(!schema.contains(mark), "{}: {mark}", path.display());
        }
    }
}

#[test]
fn every_key_of_an_answer_is_described() {
    fn check(event: EventName, schema: &Value) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(!description.is_empty(), "{event}: {key}");
            check(event, property);
        }
        for one in schema["anyOf"].as_array().into_iter().flatten() {
            check(event, one);
        }
    }
    for event in EventName::ALL.iter().copied() {
        check(event, &schema::answer(event));
    }
}

/// Each row a test: a sample with one member set to a value that does not fit.
macro_rules! input_does_not_fit {
    ($($test:ident: $event:ident, $key:literal = $value:tt;)*) => {
        mod an_input_does_not_fit {
            use super::*;

            $(
                #[test]
                fn $test() {
                    let validator = validator(&schema::input(EventName::$event));
                    let [_, mut input] = inputs(EventName::$event);
                    assert!(validator.is_valid(&input));
                    *input.pointer_mut($key).unwrap() = json!($value);
                    assert!(!validator.is_valid(&input));
                }
            )*
        }
    };
}

input_does_not_fit! {
    with_the_name_of_another_event: Stop, "/hook_event_name" = "SubagentStop";
    with_an_input_that_is_text: PreToolUse, "/tool_input" = "ls";
    with_a_request_that_is_a_list: PreModelRequest, "/llm_request" = [];
    with_a_tool_that_is_a_number: PostToolUse, "/tool_name" = 7;
    with_a_flag_that_is_text: Stop, "/stop_hook_active" = "true";
    with_a_count_that_is_text: Stop, "/stop_hook_count" = "1";
    with_an_optional_field_that_is_null: Notification, "/title" = null;
    with_a_base_field_that_is_null: Setup, "/prompt_id" = null;
    with_a_subagent_that_is_null: SubagentStart, "/agent_id" = null;
    with_an_effort_that_is_text: PreToolUse, "/effort" = "high";
    with_a_server_without_a_source: PreToolUse, "/mcp_server" = {"name": "github"};
    with_a_suggestion_that_is_text: PermissionRequest, "/permission_suggestions/0" = "allow";
    with_instructions_that_are_a_number: PreCompact, "/custom_instructions" = 3;
}

/// Each row a test: an answer that does not fit.
macro_rules! answer_does_not_fit {
    ($($test:ident: $event:ident, $answer:tt;)*) => {
        mod an_answer_does_not_fit {
            use super::*;

            $(
                #[test]
                fn $test() {
                    let answer = json!($answer);
                    assert!(!validator(&schema::answer(EventName::$event)).is_valid(&answer));
                    let reading = read(EventName::$event, &answer.to_string(), Extent::Whole);
                    assert_ne!(reading.diagnostics, [], "the reader takes it: {reading:?}");
                }
            )*
        }
    };
}

answer_does_not_fit! {
    with_a_decision_that_is_none: PreToolUse,
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "maybe"}};
    with_an_input_that_is_text: PreToolUse,
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": "ls"}};
    that_is_another_events: PostToolUse,
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "x"}};
    that_does_not_say_whose_it_is: Stop,
        {"hookSpecificOutput": {"additionalContext": "x"}};
    with_a_word_that_the_event_does_not_honour: PreModelSwitch,
        {"hookSpecificOutput": {"hookEventName": "PreModelSwitch", "permissionDecision": "defer"}};
    with_an_allow_where_only_asking_counts: PermissionCheck,
        {"hookSpecificOutput": {"hookEventName": "PermissionCheck", "permissionDecision": "allow"}};
    with_a_block_where_none_counts: Notification, {"decision": "block"};
    with_another_word_for_block: Stop, {"decision": "deny"};
    with_a_behavior_that_is_none: PermissionRequest,
        {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "ask"}}};
    with_a_decision_that_is_text: PermissionRequest,
        {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": "allow"}};
    with_an_update_that_nobody_knows: PermissionRequest,
        {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision":
            {"behavior": "allow", "updatedPermissions": [{"type": "addEverything"}]}}};
    with_an_update_without_its_rules: PermissionRequest,
        {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision":
            {"behavior": "allow", "updatedPermissions":
                [{"type": "addRules", "behavior": "allow", "destination": "session"}]}}};
    with_an_action_that_is_none: Elicitation,
        {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "agree"}};
    with_a_mode_that_is_none: PreToolSelection,
        {"hookSpecificOutput": {"hookEventName": "PreToolSelection", "toolConfig": {"mode": "SOME"}}};
    with_paths_that_are_one_text: FileChanged,
        {"hookSpecificOutput": {"hookEventName": "FileChanged", "watchPaths": "/tmp"}};
    with_a_key_in_the_wrong_place: Stop, {"additionalContext": "x"};
    with_a_slip_in_a_key: Stop, {"systemMesage": "x"};
    with_a_stop_that_the_event_does_not_honour: PreCompact, {"continue": false};
    with_a_promise_that_is_text: PostToolUse, {"async": "true"};
}

#[test]
fn what_is_no_object_fits_no_schema() {
    for event in EventName::ALL.iter().copied() {
        for schema in [schema::input(event), schema::answer(event)] {
            let validator = validator(&schema);
            for value in [json!(null), json!("x"), json!([]), json!(1)] {
                assert!(!validator.is_valid(&value), "{event}: {value}");
            }
        }
    }
}

#[test]
fn an_answers_schema_lists_what_the_event_honours_and_nothing_else() {
    let specific_of = |event| {
        let mut answer = schema::answer(event);
        answer["anyOf"][0]["properties"]["hookSpecificOutput"]["properties"].take()
    };
    for event in EventName::ALL.iter().copied() {
        let answer = schema::answer(event);
        let mut listed = keys(&answer["anyOf"][0]["properties"]);
        let specific = specific_of(event);
        listed.extend(keys(&specific));
        listed.extend(keys(&specific["decision"]["properties"]));

        for part in hook_types::Field::ALL.iter().copied() {
            let key = match part.key() {
                "permissionDecision" => continue, // Its words are tested beside.
                key => key,
            };
            let honoured = event.row().honours(part);
            assert_eq!(listed.contains(key), honoured, "{event}: {key}");
        }
        assert!(listed.contains("suppressOutput") && listed.contains("terminalSequence"));
    }
}

#[test]
fn a_decision_is_listed_in_the_words_that_the_event_honours() {
    for (event, pointer, words) in [
        (
            EventName::PreToolUse,
            "/hookSpecificOutput/properties/permissionDecision/enum",
            json!(["allow", "ask", "defer", "deny"]),
        ),
        (
            EventName::PreToolUse,
            "/decision/enum",
            json!(["approve", "block"]),
        ),
        (
            EventName::PreModelSwitch,
            "/hookSpecificOutput/properties/permissionDecision/enum",
            json!(["allow", "ask", "deny"]),
        ),
        (
            EventName::PermissionCheck,
            "/hookSpecificOutput/properties/permissionDecision/enum",
            json!(["ask", "deny"]),
        ),
        (
            EventName::PermissionCheck,
            "/decision/enum",
            json!(["block"]),
        ),
        (
            EventName::PermissionRequest,
            "/hookSpecificOutput/properties/decision/properties/behavior/enum",
            json!(["allow", "deny"]),
        ),
        (EventName::Stop, "/decision/enum", json!(["block"])),
    ] {
        let answer = schema::answer(event);
        let found = answer["anyOf"][0]["properties"].pointer(pointer);
        assert_eq!(found, Some(&words), "{event}");
    }
    for event in [EventName::PermissionRequest, EventName::SessionStart] {
        let answer = schema::answer(event);
        let top = &answer["anyOf"][0]["properties"];
        assert!(
            top.get("decision").is_none() && top.get("reason").is_none(),
            "{event}"
        );
    }
}
