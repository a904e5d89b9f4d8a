//! One matcher with its handlers.

use std::time::Duration;

use hook_runner::Mode;
use hook_runner::matcher::Matcher;
use hook_types::{EventName, OnFailure};

use super::handler::{self, Expected};
use super::{Extras, Reading, listen};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::fields::{Fields, first_error};
use crate::document::Node;
use crate::entry::Listen;
use crate::parsed::{EntryGroup, StopOnFailure};

/// What `onFailure` can be.
pub(super) const ON_FAILURE: [(&str, OnFailure); 2] = [
    ("continue", OnFailure::Continue),
    ("block", OnFailure::Block),
];

const MODE: [(&str, Mode); 2] = [
    ("parallel", Mode::Parallel),
    ("sequential", Mode::Sequential),
];

impl<'a> Reading<'a> {
    /// One matcher with its handlers. `misnamed` says that the event is not what is written.
    pub(super) fn group(
        &mut self,
        event: EventName,
        node: &'a Node,
        misnamed: Option<&Diagnostic>,
    ) {
        let all = || vec![Listen::all(event)];
        let mut fields = match Fields::of(self.document, node, "an entry of an event") {
            Ok(fields) => fields,
            Err(problem) => return self.useless(node, all(), *problem),
        };
        let matcher = matcher(event, &mut fields);
        let listens = || {
            vec![Listen::new(
                event,
                matcher.clone().unwrap_or_else(Matcher::all),
            )]
        };
        let mut group = self.settings(&mut fields);
        let enabled = match self.extras {
            Extras::Hookline => fields.flag("enabled").unwrap_or(true),
            Extras::None => true,
        };
        fields.know("description");
        let hooks = fields.any("hooks");
        if hooks.is_none() {
            fields.report_missing("hooks", no_hooks(self, node));
        }
        let handlers = hooks.and_then(|hooks| {
            let handlers = hooks.as_array();
            if handlers.is_none() {
                let message = format!("`hooks` must be a list, not {}", hooks.kind());
                let place = fields.at(hooks);
                let problem = Diagnostic::new(Code::WrongType, message).at(place);
                fields.report(problem.help("write \"hooks\": [{…}]"));
            }
            handlers
        });
        let problems = fields.finish();
        let error = first_error(&problems).or(misnamed).cloned();
        self.parsed.diagnostics.extend(problems);

        for handler in handlers.unwrap_or_default() {
            let expected = Expected {
                extras: self.extras,
                listens: listens(),
            };
            let read = handler::read(self.document, handler, expected);
            self.parsed.diagnostics.extend(read.problems);
            match (read.entry, &error) {
                (Ok(mut entry), None) => {
                    entry.enabled &= enabled;
                    entry.timeout = entry.timeout.or(group.timeout);
                    entry.on_failure = entry.on_failure.or(group.on_failure);
                    group.entries.push(entry);
                }
                (Ok(entry), Some(error)) if entry.enabled && enabled => {
                    self.broken(handler, read.listens, error);
                }
                (Err(Some(why)), _) if enabled => self.broken(handler, read.listens, &why),
                (Ok(_) | Err(_), _) => {}
            }
        }
        if let (None, Some(error), true) = (handlers, &error, enabled) {
            self.broken(node, listens(), error);
        }
        if !group.entries.is_empty() {
            self.parsed.groups.push(group);
        }
    }

    /// What holds for all handlers of the group; only in Hookline's own files is there anything.
    fn settings(&self, fields: &mut Fields<'a>) -> EntryGroup {
        let mut group = EntryGroup::parallel(Vec::new());
        if self.extras == Extras::Hookline {
            group.mode = fields.word("mode", &MODE).unwrap_or(Mode::Parallel);
            group.timeout = fields.time("timeout", Duration::from_secs(1));
            group.on_failure = fields.word("onFailure", &ON_FAILURE);
            if fields.flag("stopOnFailure") == Some(true) {
                group.stop_on_failure = StopOnFailure::Always;
            }
        } else {
            for key in ["onFailure", "timeout", "if", "once"] {
                fields.useless(key, "write it into each hook of the list");
            }
            for key in ["mode", "stopOnFailure", "enabled"] {
                fields.useless(
                    key,
                    "it counts in Hookline's own files: `.hookline/hooks.json`",
                );
            }
        }
        group
    }
}

/// The matcher, if it can be read.
pub(super) fn matcher(event: EventName, fields: &mut Fields<'_>) -> Option<Matcher> {
    let node = fields.any("matcher");
    let pattern = fields.text("matcher");
    let (Some(node), Some(pattern)) = (node, pattern) else {
        return node.is_none().then(Matcher::all);
    };
    let matcher = listen::matcher(event, pattern);
    if event.row().subject.is_none() {
        let is_all = matcher.as_ref().is_ok_and(Matcher::is_all);
        if !is_all {
            let message = format!("{event} has nothing to match; the matcher is ignored");
            let place = fields.at(node);
            fields.report(Diagnostic::new(Code::UselessMatcher, message).at(place));
        }
        return Some(Matcher::all());
    }
    matcher
        .map_err(|error| {
            let mut problem =
                Diagnostic::new(Code::BadMatcher, error.to_string()).at(fields.at(node));
            problem = problem.help("names such as `Edit|Write`, or a regular expression");
            fields.report(problem);
        })
        .ok()
}

/// Says that the list of handlers is missing, and what was probably meant.
fn no_hooks(reading: &Reading<'_>, node: &Node) -> Diagnostic {
    let problem = Diagnostic::new(Code::MissingKey, "an entry of an event needs `hooks`")
        .at(reading.document.place(node.span));
    if node.get("command").is_some() || node.get("type").is_some() {
        problem.help("a hook stands one level deeper: {\"matcher\": \"…\", \"hooks\": [{…}]}")
    } else {
        problem
            .help("{\"matcher\": \"…\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}")
    }
}
