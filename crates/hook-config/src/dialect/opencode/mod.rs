//! OpenCode's `hooks.json`: a list of hooks under `hooks`.
//!
//! | key | rule |
//! |---|---|
//! | `event` | a pattern over events and tools: see `pattern.rs` |
//! | `command` | what `sh -c` runs |
//! | `timeout` | seconds, with a fraction if need be; 10 where it is not said |
//! | `working_dir` | where it runs; from the project's root |
//! | `env` | variables that are set for it |
//! | `enabled`, `description` | as everywhere |
//!
//! Beside `hooks`, `stop_on_failure` says whether the first hook that fails ends the others of its
//! firing: on all events, or on none. Where nothing is said it does on the events before something.

mod glob;
mod pattern;

use std::path::PathBuf;
use std::time::Duration;

use hook_shell::Dialect;

use self::pattern::Miss;
use super::fields::Fields;
use super::{claude, flat};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::Document;
use crate::entry::{Action, CommandAction, Entry, Listen, Run};
use crate::parsed::{EntryGroup, Parsed, StopOnFailure};

const USUAL: Duration = Duration::from_secs(10);

/// Reads the hooks of the file. All of them are one sequential group, with those of the next file. A
/// file of another shape is a diagnostic, and no hooks.
pub(super) fn parse(document: &Document) -> Parsed {
    let mut parsed = Parsed::default();
    let mut fields = match Fields::of(document, &document.root, "the file") {
        Ok(fields) => fields,
        Err(problem) => {
            flat::useless(document, &document.root, Vec::new(), *problem, &mut parsed);
            return parsed;
        }
    };
    let list = flat::list(&mut fields);
    let stops = fields.flag("stop_on_failure");
    fields.know("$schema");
    parsed.diagnostics.extend(fields.finish());
    let entries = flat::entries(
        document,
        Dialect::OpenCode,
        list.unwrap_or_default(),
        element,
        &mut parsed,
    );
    if !entries.is_empty() || stops.is_some() {
        parsed.groups.push(EntryGroup {
            stop_on_failure: match stops {
                Some(true) => StopOnFailure::Always,
                Some(false) => StopOnFailure::Never,
                None => StopOnFailure::On(Dialect::OpenCode.pre_events().to_vec()),
            },
            across_files: true,
            ..EntryGroup::sequential(entries)
        });
    }
    parsed
}

fn element(fields: &mut Fields<'_>) -> flat::Element {
    let enabled = fields.flag("enabled").unwrap_or(true);
    let (listens, fits) = listens(fields);
    let entry = entry(fields, listens.clone(), enabled);
    flat::Element {
        entry: entry.filter(|_| fits),
        listens,
        enabled,
    }
}

/// When the hook runs, and whether its pattern is any.
fn listens(fields: &mut Fields<'_>) -> (Vec<Listen>, bool) {
    let Some(written) = fields.required_text("event", "a hook") else {
        return (flat::guards(Dialect::OpenCode), false);
    };
    let found = pattern::read(written);
    let severity = if found.listens.is_empty() {
        Severity::Error
    } else {
        Severity::Warning
    };
    for miss in &found.misses {
        let mut problem = problem(written, miss).severity(severity);
        if let Some(node) = fields.any("event") {
            problem = problem.at(fields.at(node));
        }
        fields.report(problem);
    }
    if severity == Severity::Warning {
        return (found.listens, true);
    }
    let meant = found.misses.iter().filter_map(|miss| miss.meant.as_deref());
    let meant: Vec<&str> = meant.collect();
    (pattern::read(&meant.join(",")).listens, false)
}

/// Says that a part of a pattern fits nothing, and what was probably meant.
fn problem(written: &str, miss: &Miss) -> Diagnostic {
    let problem = Diagnostic::new(Code::UnknownEvent, miss.to_string());
    if let Some(meant) = &miss.meant {
        return problem.suggest(format!("\"{}\"", written.replace(&miss.part, meant)));
    }
    let names = flat::events(Dialect::OpenCode).map(|(_, name)| format!("`{name}`"));
    let names: Vec<String> = names.collect();
    problem.help(format!("the events are {}", names.join(", ")))
}

fn entry(fields: &mut Fields<'_>, listens: Vec<Listen>, enabled: bool) -> Option<Entry> {
    let timeout = claude::seconds(fields);
    let description = fields.caption("description");
    let cwd = fields.text("working_dir").map(PathBuf::from);
    let env = fields.text_map("env").unwrap_or_default();
    let command = fields.required_text("command", "a hook")?;
    let action = Action::Command(CommandAction {
        run: Run::Shell(command.to_owned()),
        shell: None,
        env,
        cwd,
    });
    let mut entry = Entry::new(listens, action, Dialect::OpenCode, fields.place());
    entry.timeout = Some(timeout.unwrap_or(USUAL));
    entry.description = description;
    entry.enabled = enabled;
    Some(entry)
}
