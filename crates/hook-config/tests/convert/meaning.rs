//! What a file amounts to, however it is written: for each event the hooks in their order, each with
//! the subjects that it fits.

use hook_config::{Document, Entry, EntryGroup, Format, Listen, convert, parse, read};
use hook_runner::Mode;
use hook_types::EventName;
use serde_json::{Value, json};

/// Subjects that tell matchers apart.
const SUBJECTS: [&str; 24] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "MultiEdit",
    "WebFetch",
    "Agent",
    "Task",
    "mcp__memory__read",
    "mcp__disk__edit_file",
    "mcp__disk__run_command",
    "mcp__disk__write_file",
    "xBash",
    "Bashx",
    "my_file",
    "b",
    "x",
    "startup",
    "resume",
    "clear",
    "manual",
];

pub(crate) fn document(file: &Value) -> Document {
    read("hooks.json", file.to_string().as_bytes()).unwrap()
}

/// A file in another dialect.
pub(crate) fn converted(file: &Value, from: Format, to: Format) -> Value {
    convert(&document(file), from, to).value
}

/// What a file amounts to. Hooks that run at once are one list, in order.
pub(crate) fn meaning(file: &Value, format: Format) -> Value {
    let parsed = parse(&document(file), format);
    let errors: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(parsed.broken.len(), 0, "{file:#}\n{errors:?}");
    let mut events = serde_json::Map::new();
    for event in EventName::ALL {
        let mut at_once = Vec::new();
        let mut lists = Vec::new();
        for group in &parsed.groups {
            let hooks = hooks(group, *event);
            match group.mode {
                _ if hooks.is_empty() => {}
                Mode::Parallel => at_once.extend(hooks),
                Mode::Sequential => {
                    // Alone there is nothing to end.
                    let stops = hooks.len() > 1 && group.stop_on_failure.applies_to(*event);
                    let shared = group.timeout.map(|time| time.as_secs_f64());
                    lists.push(json!({"stops": stops, "shared": shared, "hooks": hooks}));
                }
            }
        }
        if !at_once.is_empty() || !lists.is_empty() {
            events.insert(
                event.to_string(),
                json!({"at once": at_once, "in order": lists}),
            );
        }
    }
    json!({"off": parsed.switches.disable_all_hooks.map(|switch| switch.on), "events": events})
}

fn hooks(group: &EntryGroup, event: EventName) -> Vec<Value> {
    let on = |entry: &Entry| {
        let listens = entry.listens.iter().filter(|listen| listen.event == event);
        listens
            .map(|listen| hook(entry, listen))
            .collect::<Vec<_>>()
    };
    group.entries.iter().flat_map(on).collect()
}

fn hook(entry: &Entry, listen: &Listen) -> Value {
    let fits = |subject: &&&str| listen.matcher.matches(subject).is_match();
    let subjects: Vec<&&str> = SUBJECTS.iter().filter(fits).collect();
    let mut content = entry.normalised();
    content["listens"] = json!(subjects);
    content["timeout"] = json!(entry.timeout_on(listen.event).as_secs_f64());
    content["texts"] = json!([entry.status_message, entry.description]);
    content["enabled"] = json!(entry.enabled);
    let same_as_ours = !matches!(listen.event, EventName::Stop | EventName::SubagentStop);
    if content["dialect"] == "Hookline" && same_as_ours {
        content["dialect"] = json!("Claude");
    }
    content
}
