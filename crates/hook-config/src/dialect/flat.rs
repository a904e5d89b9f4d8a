//! A flat list of hooks, `{"hooks": [{"event": …, "command": …}, …]}`, as Opta and OpenCode have it.

use hook_shell::Dialect;
use hook_types::EventName;

use super::fields::{Fields, first_error};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Document, Node};
use crate::entry::{Entry, Listen};
use crate::parsed::{Broken, Parsed};

/// One element of the list, as far as it can be read.
pub(super) struct Element {
    /// The hook; none where something is missing.
    pub(super) entry: Option<Entry>,
    /// When it would run, if it could.
    pub(super) listens: Vec<Listen>,
    /// Whether it is switched on.
    pub(super) enabled: bool,
}

/// The events of a dialect, each with what the dialect calls it.
pub(super) fn events(dialect: Dialect) -> impl Iterator<Item = (EventName, &'static str)> {
    let known = move |event: &EventName| Some((*event, dialect.event_name(*event)?));
    EventName::ALL.iter().filter_map(known)
}

/// Where an entry would have run of which nobody knows where it would: on all events that it could
/// have guarded.
pub(super) fn guards(dialect: Dialect) -> Vec<Listen> {
    let guards = dialect.pre_events().iter();
    guards.map(|event| Listen::all(*event)).collect()
}

/// The event that a name means in any dialect: people know several.
pub(super) fn of_any_dialect(name: &str) -> Option<EventName> {
    let called = |event: &&EventName| {
        let theirs = [Dialect::Opta, Dialect::OpenCode].map(|dialect| dialect.event_name(**event));
        event.as_str() == name || theirs.contains(&Some(name))
    };
    EventName::ALL.iter().find(called).copied()
}

/// The list itself: none where there is none. One of the wrong type is reported.
pub(super) fn list<'a>(fields: &mut Fields<'a>) -> Option<&'a [Node]> {
    let hooks = fields.any("hooks")?;
    let list = hooks.as_array();
    if list.is_none() {
        let message = format!("`hooks` must be a list, not {}", hooks.kind());
        let place = fields.at(hooks);
        let mut problem = Diagnostic::new(Code::WrongType, message).at(place);
        problem = problem.help(if hooks.as_object().is_some() {
            "an object of events is the form of Claude settings; in this file it is \
             [{\"event\": \"…\", \"command\": \"…\"}]"
        } else {
            "write \"hooks\": [{\"event\": \"…\", \"command\": \"…\"}]"
        });
        fields.report(problem);
    }
    list
}

/// Reads the elements of the list. One that cannot be used is kept as broken.
pub(super) fn entries<'a>(
    document: &'a Document,
    dialect: Dialect,
    list: &'a [Node],
    read: impl Fn(&mut Fields<'a>) -> Element,
    parsed: &mut Parsed,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for node in list {
        let mut fields = match Fields::of(document, node, "a hook") {
            Ok(fields) => fields,
            Err(problem) => {
                useless(document, node, guards(dialect), *problem, parsed);
                continue;
            }
        };
        let element = read(&mut fields);
        let problems = fields.finish();
        match (element.entry, first_error(&problems)) {
            (Some(entry), None) => entries.push(entry),
            (_, Some(error)) if element.enabled && !element.listens.is_empty() => {
                let broken = Broken::of(document, node, element.listens, error);
                parsed.broken.push(if dialect == Dialect::Opta {
                    broken.with_kind(document, node)
                } else {
                    broken
                });
            }
            (_, Some(_) | None) => {}
        }
        parsed.diagnostics.extend(problems);
    }
    entries
}

/// Keeps a part of the file that cannot be used.
pub(super) fn useless(
    document: &Document,
    node: &Node,
    listens: Vec<Listen>,
    problem: Diagnostic,
    parsed: &mut Parsed,
) {
    if !listens.is_empty() {
        let broken = Broken::of(document, node, listens, &problem);
        parsed.broken.push(broken);
    }
    parsed.diagnostics.push(problem);
}
