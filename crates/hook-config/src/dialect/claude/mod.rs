//! Claude settings, and Hookline's own files, which have the same shape and more keys.
//!
//! ```text
//! hooks: { Event: [ { matcher, hooks: [ handler, … ] }, … ] }
//! ```

mod group;
mod handler;
mod listen;
mod own;

pub(super) use handler::{other, timeout as seconds};

use std::collections::HashSet;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::fields::Fields;
use crate::disabled::{self, DisabledHook};
use crate::document::{Document, Json, Member, Node};
use crate::entry::Listen;
use crate::parsed::{Broken, Listed, Parsed, Switch};
use crate::source::Place;

/// Which keys count beyond the contract's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extras {
    /// None.
    None,
    /// Those of Hookline's own files.
    Hookline,
}

/// Reads the hooks of the file.
pub(super) fn parse(document: &Document, extras: Extras) -> Parsed {
    let mut reading = Reading {
        document,
        extras,
        parsed: Parsed::default(),
    };
    reading.root();
    reading.parsed
}

/// A file while it is read.
struct Reading<'a> {
    document: &'a Document,
    extras: Extras,
    parsed: Parsed,
}

/// What else Hookline's own file may have at its top.
const OUR_KEYS: [&str; 2] = ["$schema", "description"];

/// With so many keys that are no events nobody looks for what was meant any more: any guard may be
/// among the rest.
const MOST_MISSPELT: usize = 100;

impl<'a> Reading<'a> {
    fn root(&mut self) {
        let document = self.document;
        let mut fields = match Fields::of(document, &document.root, "the file") {
            Ok(fields) => fields,
            Err(problem) => return self.useless(&document.root, Listen::every_guard(), *problem),
        };
        let hooks = fields.any("hooks");
        self.switches(&mut fields);
        for key in OUR_KEYS {
            fields.know(key);
        }
        let problems = fields.finish();
        // Settings are full of keys that are none of ours.
        let ours = self.extras == Extras::Hookline;
        let about_hooks = |problem: &Diagnostic| problem.suggestion.as_deref() == Some("\"hooks\"");
        let heeded =
            |problem: &Diagnostic| ours || problem.code != Code::UnknownKey || about_hooks(problem);
        self.parsed
            .diagnostics
            .extend(problems.into_iter().filter(heeded));
        if let Some(hooks) = hooks {
            self.events(hooks);
        }
        self.events_at_the_top();
    }

    fn switches(&mut self, fields: &mut Fields<'a>) {
        let mut switch = |key| {
            let place = fields.any(key).map(|node| fields.at(node))?;
            let on = fields.flag(key)?;
            Some(Switch { on, place })
        };
        let switches = &mut self.parsed.switches;
        switches.disable_all_hooks = switch("disableAllHooks");
        switches.allow_managed_hooks_only = switch("allowManagedHooksOnly");
        if self.extras == Extras::Hookline {
            switches.tripwires = switch("tripwires");
            switches.disabled_hooks = disabled_hooks(fields);
        }
        switches.plugins_only = fields
            .any("strictPluginOnlyCustomization")
            .and_then(|node| {
                let names_hooks =
                    |list: &[Node]| list.iter().any(|part| part.as_str() == Some("hooks"));
                let on = node.as_bool().or(node.as_array().map(names_hooks))?;
                Some(Switch {
                    on,
                    place: fields.at(node),
                })
            });
        let mut list = |key| {
            let place = fields.any(key).map(|node| fields.at(node))?;
            let texts = fields.texts(key);
            Some(Listed { texts, place })
        };
        switches.http_urls = list("allowedHttpHookUrls");
        switches.http_variables = list("httpHookAllowedEnvVars");
        switches.http_addresses = list("allowedHttpHookAddresses");
        let configs = fields.any("pluginConfigs").and_then(Node::as_object);
        for member in configs.unwrap_or_default() {
            let options = member.value.get("options").and_then(Node::as_object);
            let set = options.unwrap_or_default().iter().filter_map(|option| {
                let value = option.value.to_plain_text()?;
                Some((member.key.clone(), option.key.clone(), value))
            });
            switches.plugin_options.extend(set);
        }
        let plugins = fields.any("enabledPlugins").and_then(Node::as_object);
        for member in plugins.unwrap_or_default() {
            // A list pins versions; it switches the plugin on.
            let on = member
                .value
                .as_bool()
                .or(member.value.as_array().map(|_| true));
            if let Some(on) = on {
                let place = self.document.place(member.key_span);
                let switch = Switch { on, place };
                switches.enabled_plugins.push((member.key.clone(), switch));
            }
        }
    }

    /// The events of `hooks`. One that stands twice is read twice: nothing is dropped.
    fn events(&mut self, hooks: &'a Node) {
        let Some(members) = hooks.as_object() else {
            let message = format!("`hooks` must be an object of events, not {}", hooks.kind());
            let place = self.document.place(hooks.span);
            let mut problem = Diagnostic::new(Code::WrongType, message).at(place);
            if hooks.as_array().is_some() {
                problem = problem.help(
                    "a list of hooks is Opta's or OpenCode's form; in this file it is \
                     {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}",
                );
            }
            let empty = hooks.as_array().is_some_and(<[_]>::is_empty);
            let guards = if empty {
                Vec::new()
            } else {
                Listen::every_guard()
            };
            return self.useless(hooks, guards, problem);
        };
        let mut seen = HashSet::new();
        let mut misspelt = 0_usize;
        for member in members {
            misspelt += usize::from(listen::exact(&member.key).is_none());
            if misspelt > MOST_MISSPELT {
                let message = format!("more than {MOST_MISSPELT} keys of `hooks` are no events");
                let place = self.document.place(member.key_span);
                let problem = Diagnostic::new(Code::UnknownEvent, message).at(place);
                return self.useless(hooks, Listen::every_guard(), problem);
            }
            if !seen.insert(&member.key) {
                let message = format!("`{}` stands twice; both are read", member.key);
                let place = self.document.place(member.key_span);
                let problem = Diagnostic::new(Code::DuplicateKey, message).at(place);
                self.parsed
                    .diagnostics
                    .push(problem.help("other programs read only the last one"));
            }
            self.event(member);
        }
    }

    fn event(&mut self, member: &'a Member) {
        let (event, problem) = listen::event(self.document, member);
        let Some(event) = event else {
            // A key that is no event of anybody's: said, and no hook.
            self.parsed.diagnostics.extend(problem);
            return;
        };
        let Some(groups) = member.value.as_array() else {
            if member.value.json == Json::Null {
                return self.parsed.diagnostics.extend(problem);
            }
            let message = format!(
                "`{}` must be a list, not {}",
                member.key,
                member.value.kind()
            );
            let place = self.document.place(member.value.span);
            let problem = Diagnostic::new(Code::WrongType, message).at(place).help(
                "write [{\"matcher\": \"…\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]",
            );
            return self.useless(&member.value, vec![Listen::all(event)], problem);
        };
        self.parsed.diagnostics.extend(problem.clone());
        for group in groups {
            self.group(event, group, problem.as_ref());
        }
    }

    /// Events that stand beside `hooks` instead of in it: a mistake that a published guide makes.
    fn events_at_the_top(&mut self) {
        let members = self.document.root.as_object().unwrap_or_default();
        for member in members {
            let Some(event) = listen::exact(&member.key) else {
                continue;
            };
            let message = format!(
                "`{}` stands beside `hooks`, where it is not read",
                member.key
            );
            let problem = Diagnostic::new(Code::Misplaced, message)
                .at(self.document.place(member.key_span))
                .help(format!(
                    "move it: {{\"hooks\": {{\"{}\": […]}}}}",
                    member.key
                ));
            self.useless(&member.value, vec![Listen::all(event)], problem);
        }
    }

    /// Keeps a part of the file that cannot be used.
    fn useless(&mut self, node: &Node, listens: Vec<Listen>, problem: Diagnostic) {
        if !listens.is_empty() {
            self.broken(node, listens, &problem);
        }
        self.parsed.diagnostics.push(problem);
    }

    fn broken(&mut self, node: &Node, listens: Vec<Listen>, why: &Diagnostic) {
        let broken = Broken::of(self.document, node, listens, why);
        let broken = broken.with_kind(self.document, node);
        self.parsed.broken.push(broken);
    }
}

/// Hooks that are switched off one by one. What names none is told of, and switches nothing off.
fn disabled_hooks(fields: &mut Fields<'_>) -> Vec<(DisabledHook, Place)> {
    let Some(list) = fields.any(disabled::KEY) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let hooks = list.as_array().unwrap_or(std::slice::from_ref(list));
    for node in hooks {
        let place = fields.at(node);
        if let Some(hook) = DisabledHook::read(node) {
            found.push((hook, place));
            continue;
        }
        let message = "a disabled hook is an object with `from`, `event`, `matcher` and `runs`";
        let problem = Diagnostic::new(Code::WrongType, message).at(place);
        fields.report(problem.help("`hookline hooks` writes this list"));
    }
    found
}
