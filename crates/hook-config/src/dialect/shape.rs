//! Which format a file is written in, told by its shape: for files that somebody names.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Format;
use crate::document::{Document, Node};
use crate::source::Place;

/// What a file's shape says of its format.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The format.
    pub format: Format,
    /// Said where it could be another one.
    pub doubt: Option<Diagnostic>,
}

/// The format of a file, by its shape. A list of hooks with a `:` or `*` in an event is OpenCode's,
/// with a `.` Opta's; an object of events is Claude's, or our own where a key says so.
///
/// ```
/// use hook_config::{Format, guess, read};
///
/// let of = |text: &str| guess(&read("x.json", text.as_bytes()).unwrap()).format;
/// assert_eq!(of(r#"{"hooks": {"Stop": []}}"#), Format::Claude);
/// assert_eq!(of(r#"{"hooks": [{"event": "tool.pre", "command": "x"}]}"#), Format::Opta);
/// assert_eq!(of(r#"{"hooks": [{"event": "tool:*", "command": "x"}]}"#), Format::OpenCode);
/// ```
pub fn guess(document: &Document) -> Guess {
    let sure = |format| Guess {
        format,
        doubt: None,
    };
    let hooks = document.root.get("hooks");
    let Some(list) = hooks.and_then(Node::as_array) else {
        return sure(if is_ours(document) {
            Format::Hookline
        } else {
            Format::Claude
        });
    };
    let mut events = list.iter().filter_map(|hook| hook.get("event")?.as_str());
    let told = events.find_map(by_event);
    match told {
        Some(format) => sure(format),
        None => Guess {
            format: Format::OpenCode,
            doubt: Some(
                Diagnostic::new(
                    Code::UnsureDialect,
                    "this could be an Opta or an OpenCode file; it is read as OpenCode's",
                )
                .at(hooks.map_or_else(
                    || Place::start_of(&document.file),
                    |hooks| document.place(hooks.span),
                ))
                .help("events such as `tool.pre` make it Opta's, such as `tool:pre_execute` OpenCode's"),
            ),
        },
    }
}

fn by_event(event: &str) -> Option<Format> {
    if event.contains([':', '*', ',']) {
        Some(Format::OpenCode)
    } else if event.contains('.') || matches!(event, "compact" | "error" | "stop") {
        Some(Format::Opta)
    } else {
        None
    }
}

/// Whether the file says that it is Hookline's own, or is called so.
fn is_ours(document: &Document) -> bool {
    let folder = document
        .file
        .path()
        .parent()
        .and_then(|folder| folder.file_name());
    let named = folder.is_some_and(|folder| folder == ".hookline" || folder == "hookline");
    let schema = document.root.get("$schema").and_then(Node::as_str);
    named || schema.is_some_and(|schema| schema.contains("hookline")) || names_a_dialect(document)
}

/// Whether a hook says whose rules its command is written for: only ours can.
fn names_a_dialect(document: &Document) -> bool {
    let events = document.root.get("hooks").and_then(Node::as_object);
    let lists = events.into_iter().flatten();
    let lists = lists.filter_map(|event| event.value.as_array()).flatten();
    let mut hooks = lists
        .filter_map(|list| list.get("hooks")?.as_array())
        .flatten();
    hooks.any(|hook| hook.get("dialect").is_some())
}
