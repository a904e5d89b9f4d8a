//! JSON Schemas (draft 2020-12) of what hooks are told and of what they may answer.
//!
//! An input's schema comes from the event's struct. An answer's schema comes from the event's row
//! of the table and from the list of keys that the reader of answers goes by, so that the three
//! cannot disagree.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::decision::Decision;
use crate::event::wire::NAME_KEY;
use crate::event::{EventName, Field, Spelling};
use crate::output::{ElicitationAction, ToolConfig};
use crate::permission::PermissionUpdate;
use crate::wire::keys::{KEYS, Key, Kind};
use crate::wire::scan::Place;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of the object that a hook for `event` is handed. Fields that it does not list are
/// allowed: a newer version may send more.
///
/// ```
/// use hook_types::{EventName, schema};
///
/// let input = schema::input(EventName::PreToolUse);
/// assert_eq!(input["title"], "PreToolUse");
/// assert_eq!(input["properties"]["hook_event_name"]["const"], "PreToolUse");
/// assert_eq!(input["properties"]["tool_input"]["type"], "object");
/// ```
pub fn input(event: EventName) -> Value {
    let mut schema = event.struct_schema();
    let name = json!({ "description": "The event.", "const": event });
    put_first(&mut schema["properties"], NAME_KEY, name);
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, NAME_KEY.into());
    }
    for key in ["description", "title", "$schema"] {
        let value = schema[key].take();
        put_first(&mut schema, key, value);
    }
    schema
}

/// The schema of what a hook may answer to `event`: the keys that the event honours and no
/// others, or a promise to answer later.
///
/// ```
/// use hook_types::{EventName, schema};
/// use serde_json::json;
///
/// let answer = schema::answer(EventName::PreModelSwitch);
/// let specific = &answer["anyOf"][0]["properties"]["hookSpecificOutput"];
/// let words = &specific["properties"]["permissionDecision"]["enum"];
/// assert_eq!(words, &json!(["allow", "ask", "deny"]));
/// ```
pub fn answer(event: EventName) -> Value {
    json!({
        "$schema": DRAFT,
        "title": event,
        "description": format!("What a hook may answer to {event}."),
        "anyOf": [now(event), later()],
    })
}

/// The schema of a type as it is written, with its subschemas in place.
pub(crate) fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(absent_is_not_null as fn(&mut Schema)))
        .with_transform(RecursiveTransform(readable as fn(&mut Schema)))
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// The schema of a type as a part of another schema.
fn part<T: JsonSchema>() -> Value {
    let mut schema = of::<T>();
    if let Some(schema) = schema.as_object_mut() {
        for key in ["$schema", "title", "description"] {
            schema.shift_remove(key);
        }
    }
    schema
}

/// What may be absent is left out; it is never written as `null`.
fn absent_is_not_null(schema: &mut Schema) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |key: &str| {
        let mut required = required.as_array().into_iter().flatten();
        required.any(|name| name == key)
    };
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (key, property) in properties.into_iter().flatten() {
        if !is_required(key) {
            remove_null(property);
        }
    }
}

fn remove_null(property: &mut Value) {
    let Some(Value::Array(types)) = property.get_mut("type") else {
        return;
    };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        property["type"] = only.clone();
    }
}

/// Makes rustdoc into prose: without examples, links and line breaks. It stands first.
fn readable(schema: &mut Schema) {
    let Some(Value::String(docs)) = schema.remove("description") else {
        return;
    };
    let prose = docs.split("```").next().unwrap_or_default();
    let paragraphs = prose
        .trim()
        .split("\n\n")
        .map(|text| text.replace('\n', " "));
    let prose = paragraphs.collect::<Vec<_>>().join("\n\n");
    let prose = prose.replace("[`", "`").replace("`]", "`");
    schema
        .ensure_object()
        .shift_insert(0, "description".to_owned(), prose.into());
}

fn put_first(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.shift_insert(0, key.to_owned(), value);
    }
}

/// An answer for now.
fn now(event: EventName) -> Value {
    object(&properties(event, Place::Top), &[])
}

/// A promise to answer later.
fn later() -> Value {
    let promise = KEYS.iter().filter(|key| is_promise(key)).map(|key| {
        let schema = match key.name {
            "async" => json!({ "const": true }),
            _ => plain(key.kind),
        };
        (key.name.to_owned(), described(schema, key))
    });
    object(&promise.collect(), &["async"])
}

/// The part of an answer that only this event has; nothing where it has none.
fn specific(event: EventName) -> Option<Value> {
    let properties = properties(event, Place::Specific);
    let required: Vec<&str> = ["hookEventName", "decision", "worktreePath"]
        .into_iter()
        .filter(|key| properties.contains_key(*key))
        .collect();
    (properties.len() > 1).then(|| object(&properties, &required))
}

/// The keys at `place` that count in an answer to `event`.
fn properties(event: EventName, place: Place) -> Map<String, Value> {
    KEYS.iter()
        .filter(|key| key.place == place && counts(event, key))
        .filter_map(|key| Some((key.name.to_owned(), described(value(event, key)?, key))))
        .collect()
}

/// Whether a key counts in an answer to `event` that is no promise.
fn counts(event: EventName, key: &Key) -> bool {
    let row = event.row();
    let spelt = match (key.place, key.name) {
        (Place::Top, "decision" | "reason") => speaks_at_the_top(row.spelling),
        (Place::Specific, "permissionDecision" | "permissionDecisionReason") => {
            row.spelling == Spelling::PermissionDecision
        }
        (Place::Specific, "decision") => row.spelling == Spelling::Behavior,
        // A permission request's input stands in its decision.
        (Place::Specific, "updatedInput") => row.spelling != Spelling::Behavior,
        _ => !is_promise(key),
    };
    spelt && key.part.is_none_or(|part| row.honours(part))
}

fn is_promise(key: &Key) -> bool {
    matches!(key.name, "async" | "asyncTimeout")
}

fn speaks_at_the_top(spelling: Spelling) -> bool {
    match spelling {
        Spelling::Decision | Spelling::PermissionDecision => true,
        Spelling::Behavior | Spelling::Unspoken => false,
    }
}

/// What stands at a key; nothing where the event leaves nothing to say there.
fn value(event: EventName, key: &Key) -> Option<Value> {
    Some(match (key.place, key.name) {
        (Place::Top, "hookSpecificOutput") => return specific(event),
        (Place::Top, "decision") => json!({ "enum": blocking_words(event) }),
        (Place::Specific, "hookEventName") => json!({ "const": event }),
        (Place::Specific, "decision") => object(&properties(event, Place::Decision), &["behavior"]),
        (Place::Specific, "permissionDecision") | (Place::Decision, "behavior") => {
            json!({ "enum": permission_words(event) })
        }
        (Place::Specific, "action") => part::<ElicitationAction>(),
        (Place::Specific, "toolConfig") => part::<ToolConfig>(),
        (Place::Decision, "updatedPermissions") => {
            json!({ "type": "array", "items": part::<PermissionUpdate>() })
        }
        _ => plain(key.kind),
    })
}

/// The words of the top-level `decision`: `approve` is the older word for letting a call through.
fn blocking_words(event: EventName) -> Vec<&'static str> {
    let approve = event.row().honours(Field::Allow).then_some("approve");
    approve.into_iter().chain(["block"]).collect()
}

/// The words of a decision where the contract speaks of permission.
fn permission_words(event: EventName) -> Vec<&'static str> {
    [
        (Some(Field::Allow), Decision::Allow),
        (Some(Field::Ask), Decision::Ask),
        (Some(Field::Defer), Decision::Defer),
        (None, Decision::Deny),
    ]
    .into_iter()
    .filter(|(part, _)| part.is_none_or(|part| event.row().honours(part)))
    .filter_map(|(_, decision)| decision.word())
    .collect()
}

/// The schema of a value without a reader of its own.
fn plain(kind: Kind) -> Value {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Object => json!({ "type": "object" }),
        Kind::Anything | Kind::Own => json!({}),
    }
}

/// An object with these keys and no others.
fn object(properties: &Map<String, Value>, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

fn described(mut schema: Value, key: &Key) -> Value {
    put_first(&mut schema, "description", json!(description(key)));
    schema
}

/// What a key is for.
fn description(key: &Key) -> &'static str {
    match key.name {
        "continue" => "`false` stops the agent, whatever else is decided.",
        "stopReason" => "What the user is told when the agent stops.",
        "suppressOutput" => "Keep this hook's output out of transcript and display.",
        "decision" if key.place == Place::Top => "What is decided; absent: no opinion.",
        "decision" => "What is decided, in the user's place.",
        "reason" | "permissionDecisionReason" | "message" => "Why.",
        "systemMessage" => "A message for the user.",
        "terminalSequence" => "A title, a notification or a bell for the terminal.",
        "async" => "The hook goes on in the background; the agent does not wait.",
        "asyncTimeout" => "How long the hook may go on, in milliseconds.",
        "hookSpecificOutput" => "What not every event has.",
        "hookEventName" => "The event that is answered.",
        "permissionDecision" | "behavior" => "What is decided.",
        "updatedInput" => "Another input for the tool: all of it.",
        "additionalContext" => "Context for the model.",
        "updatedToolOutput" => "Another result for the model to see.",
        "updatedMCPToolOutput" => "Another result of an MCP tool; the older key.",
        "classifierContext" => "A note for the classifier that decides in the user's place.",
        "sessionTitle" => "A title for the session.",
        "suppressOriginalPrompt" => "Keep a blocked prompt's text out of the message about it.",
        "initialUserMessage" => "What the user says first.",
        "watchPaths" => "Files to watch, as absolute paths; they replace those of before.",
        "reloadSkills" => "Read the skills again.",
        "retry" => "The model may try again.",
        "action" => "What is done with the server's question.",
        "content" => "What is answered, where it is answered.",
        "worktreePath" => "Where the worktree is.",
        "displayContent" => "What to show in place of the text.",
        "llmRequest" => "Another request for the model.",
        "llmResponse" => "A reply in the model's place.",
        "toolConfig" => "Which tools the model may choose from.",
        "updatedPermissions" => "Rules to remember.",
        "interrupt" => "Stop the agent along with the refusal.",
        _ => "",
    }
}
