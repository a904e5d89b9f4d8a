//! Opta's `config.json`: a list of hooks under `hooks`, beside settings that are none of ours.
//!
//! | key | rule |
//! |---|---|
//! | `event` | one of the names below |
//! | `command` | what `sh -c` runs |
//! | `matcher` | a regular expression that fits anywhere in a tool's name; on tool events |
//! | `timeout` | milliseconds, 100 to 60,000; 10,000 where it is not said |
//! | `background` | nobody waits for it, and nothing that becomes of it changes anything |
//! | `type` | `command`; another one needs somebody who makes it |
//! | `statusMessage`, `description`, `enabled` | as everywhere |

use std::time::Duration;

use hook_runner::Wait;
use hook_runner::matcher::Matcher;
use hook_shell::Dialect;
use hook_types::{EventName, nearest};

use super::fields::Fields;
use super::{claude, flat, tools};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Document;
use crate::entry::{Action, CommandAction, Entry, Listen};
use crate::parsed::{EntryGroup, Parsed, StopOnFailure};

const UNIT: Duration = Duration::from_millis(1);
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_mins(1);
const USUAL: Duration = Duration::from_secs(10);

/// The keys that a hook of any type has, and the entry holds.
const SHARED: [&str; 3] = ["event", "matcher", "background"];

/// Reads the hooks of the file. All of them are one sequential group, with those of the next file.
pub(super) fn parse(document: &Document) -> Parsed {
    let mut parsed = Parsed::default();
    let mut fields = match Fields::of(document, &document.root, "the file") {
        Ok(fields) => fields,
        Err(problem) => {
            let listens = flat::guards(Dialect::Opta);
            flat::useless(document, &document.root, listens, *problem, &mut parsed);
            return parsed;
        }
    };
    // The file holds the settings of a whole agent.
    fields.know_all();
    let list = flat::list(&mut fields);
    for problem in fields.finish() {
        if problem.code == Code::WrongType {
            let listens = flat::guards(Dialect::Opta);
            flat::useless(document, &document.root, listens, problem, &mut parsed);
        }
    }
    let entries = flat::entries(
        document,
        Dialect::Opta,
        list.unwrap_or_default(),
        element,
        &mut parsed,
    );
    if !entries.is_empty() {
        parsed.groups.push(EntryGroup {
            stop_on_failure: StopOnFailure::On(Dialect::Opta.pre_events().to_vec()),
            across_files: true,
            ..EntryGroup::sequential(entries)
        });
    }
    parsed
}

fn element(fields: &mut Fields<'_>) -> flat::Element {
    let enabled = fields.flag("enabled").unwrap_or(true);
    let events = events(fields);
    let listens = listens(fields, &events.listened);
    let entry = entry(fields, listens.clone(), enabled);
    flat::Element {
        entry: entry.filter(|_| events.known),
        listens,
        enabled,
    }
}

/// The events of a hook: of one that is misspelt the nearest, so that a guard is not lost to a slip.
struct Events {
    listened: Vec<EventName>,
    known: bool,
}

fn events(fields: &mut Fields<'_>) -> Events {
    let Some(name) = fields.required_text("event", "a hook") else {
        return Events {
            listened: Dialect::Opta.pre_events().to_vec(),
            known: false,
        };
    };
    let listened = named(name);
    if !listened.is_empty() {
        return Events {
            listened,
            known: true,
        };
    }
    let names = || flat::events(Dialect::Opta).map(|(_, name)| name);
    let meant = flat::of_any_dialect(name)
        .and_then(|event| Dialect::Opta.event_name(event))
        .or_else(|| nearest(name, names()));
    let message = format!("no event is called `{name}`");
    let mut problem = Diagnostic::new(Code::UnknownEvent, message);
    if let Some(node) = fields.any("event") {
        problem = problem.at(fields.at(node));
    }
    problem = if let Some(meant) = meant {
        problem.suggest(format!("\"{meant}\""))
    } else {
        let mut names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        names.dedup();
        problem.help(format!("the events are {}", names.join(", ")))
    };
    fields.report(problem);
    Events {
        listened: meant.map(named).unwrap_or_default(),
        known: false,
    }
}

/// Our events that have that name: what follows a tool call is two of ours.
fn named(name: &str) -> Vec<EventName> {
    let called = flat::events(Dialect::Opta).filter(|(_, theirs)| *theirs == name);
    called.map(|(event, _)| event).collect()
}

fn listens(fields: &mut Fields<'_>, events: &[EventName]) -> Vec<Listen> {
    let matcher = matcher(fields);
    let about_tools = |event: &EventName| event.row().is_about_a_tool_call();
    if let Some(node) = fields.any("matcher")
        && !matcher.is_all()
        && let Some(event) = events.iter().find(|event| !about_tools(event))
    {
        let name = Dialect::Opta.event_name(*event).unwrap_or_default();
        let message = format!("`{name}` is about no tool; the matcher is ignored");
        let problem = Diagnostic::new(Code::UselessMatcher, message).at(fields.at(node));
        fields.report(problem);
    }
    let listen = |event: &EventName| {
        if about_tools(event) {
            Listen::new(*event, matcher.clone())
        } else {
            Listen::all(*event)
        }
    };
    events.iter().map(listen).collect()
}

/// The matcher; one that cannot be read is reported, and everything matches.
fn matcher(fields: &mut Fields<'_>) -> Matcher {
    let node = fields.any("matcher");
    let (Some(node), Some(written)) = (node, fields.text("matcher")) else {
        return Matcher::all();
    };
    if written.is_empty() {
        return Matcher::all();
    }
    match Matcher::regex(written) {
        Ok(regex) => tools::matcher(Dialect::Opta.names(), written, regex),
        Err(error) => {
            let mut problem =
                Diagnostic::new(Code::BadMatcher, error.to_string()).at(fields.at(node));
            problem = match written {
                "*" => problem.suggest("\".*\""),
                _ => problem.help("a regular expression, such as `edit_file|write_file`"),
            };
            fields.report(problem);
            Matcher::all()
        }
    }
}

fn entry(fields: &mut Fields<'_>, listens: Vec<Listen>, enabled: bool) -> Option<Entry> {
    let timeout = timeout(fields);
    let background = fields.flag("background").unwrap_or(false);
    let status_message = fields.caption("statusMessage");
    let description = fields.caption("description");
    let mut entry = Entry::new(listens, action(fields)?, Dialect::Opta, fields.place());
    entry.timeout = Some(timeout.unwrap_or(USUAL));
    entry.status_message = status_message;
    entry.description = description;
    entry.enabled = enabled;
    if background {
        entry.wait = Wait::Background;
    }
    Some(entry)
}

/// What the hook does: a command, unless it says otherwise.
fn action(fields: &mut Fields<'_>) -> Option<Action> {
    let kind = fields.text("type").unwrap_or("command");
    if kind == "command" {
        let command = fields.required_text("command", "a hook")?;
        return Some(Action::Command(CommandAction::shell(command)));
    }
    let node = fields.node();
    let mut action = claude::other(fields, node, kind);
    if let Action::Other { fields, .. } = &mut action {
        fields.retain(|key, _| !SHARED.contains(&key.as_str()));
    }
    Some(action)
}

fn timeout(fields: &mut Fields<'_>) -> Option<Duration> {
    let node = fields.any("timeout")?;
    let timeout = fields.time("timeout", UNIT)?;
    if (SHORTEST..=LONGEST).contains(&timeout) {
        return Some(timeout);
    }
    let message = "`timeout` is between 100 and 60,000 milliseconds";
    let mut problem = Diagnostic::new(Code::BadTimeout, message).at(fields.at(node));
    if timeout < SHORTEST
        && let Some(number) = node.as_f64()
    {
        problem = problem
            .suggest((number * 1000.0).to_string())
            .help("this looks like seconds");
    }
    fields.report(problem);
    None
}
