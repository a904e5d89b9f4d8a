//! Claude settings and Hookline's own files: events with lists of hooks.

use hook_runner::{Mode, Wait};
use serde_json::{Map, Value, json};

use super::events::{name, no_event, same_contract};
use super::plan::{Group, Hook};
use super::remark::{Became, Remarks};
use super::wrap::{self, command_keys, seconds};
use crate::dialect::Format;
use crate::entry::{Action, CommandAction};

/// The `hooks` of a file.
pub(super) fn hooks(groups: &[Group], to: Format, remarks: &mut Remarks) -> Value {
    let mut events = Map::new();
    for group in groups {
        let lists = lists(group, to, remarks);
        if lists.is_empty() {
            continue;
        }
        let event = events.entry(group.event.as_str());
        let event = event.or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(event) = event {
            event.extend(lists);
        }
    }
    Value::Object(events)
}

/// The lists that a group is: of Claude's one for each matcher.
fn lists(group: &Group, to: Format, remarks: &mut Remarks) -> Vec<Value> {
    let there = |hook: &&Hook| is_there(hook, to);
    let hooks: Vec<&Hook> = group.hooks.iter().filter(there).collect();
    for hook in group.hooks.iter().filter(|hook| !is_there(hook, to)) {
        left_out(hook, to, remarks);
    }
    if to == Format::Hookline {
        return own(group, &hooks).into_iter().collect();
    }
    at_once(group, &hooks, remarks);
    let runs = hooks.chunk_by(|one, next| one.matcher == next.matcher);
    let list = |hooks: &[&Hook]| {
        let handlers: Vec<Value> = hooks.iter().map(|hook| claude(hook, remarks)).collect();
        let matcher = hooks.first().and_then(|hook| hook.matcher.clone());
        let mut list = head(group, matcher);
        list.insert("hooks".to_owned(), Value::Array(handlers));
        Value::Object(list)
    };
    runs.map(list).collect()
}

/// Whether the target can have the hook at all.
fn is_there(hook: &Hook, to: Format) -> bool {
    name(to, hook.event).is_some() && (hook.enabled || to == Format::Hookline)
}

fn left_out(hook: &Hook, to: Format, remarks: &mut Remarks) {
    if name(to, hook.event).is_none() {
        return no_event(hook, to, remarks);
    }
    let why = "it is switched off, and a hook of Claude settings cannot be: it is left out";
    remarks.add(hook.about(), "enabled", Became::Dropped, why);
}

/// Says what is lost where hooks can only run at once.
fn at_once(group: &Group, hooks: &[&Hook], remarks: &mut Remarks) {
    let (Some(second), Mode::Sequential) = (hooks.get(1), group.mode) else {
        return;
    };
    let why = format!(
        "the {} hooks of {} ran in order and run at once: none sees what another rewrote, none is \
         ended by a refusal; any refusal still counts, of several rewrites the last",
        hooks.len(),
        group.event
    );
    remarks.add(second.about(), "mode", Became::Approximated, why);
    if group.timeout.is_some() {
        let why = "each hook has the time of its own that all of them shared";
        remarks.add(second.about(), "timeout", Became::Approximated, why);
    }
}

fn head(group: &Group, matcher: Option<String>) -> Map<String, Value> {
    let mut list = Map::new();
    if let Some(matcher) = matcher {
        list.insert("matcher".to_owned(), json!(matcher));
    }
    if let Some(description) = &group.description {
        list.insert("description".to_owned(), json!(description));
    }
    list
}

/// One list of our own file.
fn own(group: &Group, hooks: &[&Hook]) -> Option<Value> {
    let first = hooks.first()?;
    let shared = hooks.iter().all(|hook| hook.matcher == first.matcher);
    let mut list = head(group, first.matcher.clone().filter(|_| shared));
    if group.mode == Mode::Sequential {
        list.insert("mode".to_owned(), json!("sequential"));
        if group.stops {
            list.insert("stopOnFailure".to_owned(), json!(true));
        }
    }
    if let Some(timeout) = group.timeout {
        list.insert("timeout".to_owned(), seconds(timeout));
    }
    let handler = |hook: &&Hook| {
        let mut keys = handler(hook, &hook.action);
        if !shared {
            let matcher = hook.matcher.as_deref().unwrap_or("*");
            keys.insert("matcher".to_owned(), json!(matcher));
        }
        let needs = !same_contract(hook.speaks, Format::Hookline, hook.event);
        if needs && matches!(hook.action, Action::Command(_)) {
            keys.insert("dialect".to_owned(), json!(hook.speaks.as_str()));
        }
        if !hook.enabled {
            keys.insert("enabled".to_owned(), json!(false));
        }
        Value::Object(keys)
    };
    let handlers: Vec<Value> = hooks.iter().map(handler).collect();
    list.insert("hooks".to_owned(), Value::Array(handlers));
    Some(Value::Object(list))
}

/// A hook of Claude settings, behind an adapter where it needs one.
fn claude(hook: &Hook, remarks: &mut Remarks) -> Value {
    let plain = match &hook.action {
        Action::Command(command) => {
            command.env.is_empty()
                && command.cwd.is_none()
                && same_contract(hook.speaks, Format::Claude, hook.event)
        }
        Action::Server(_) => false,
        Action::Other { .. } => true,
    };
    let adapter = if plain {
        None
    } else {
        wrap::adapter(hook, Format::Claude)
    };
    let Some(adapter) = adapter else {
        return Value::Object(handler(hook, &hook.action));
    };
    wrap::remark(hook, Format::Claude, remarks);
    let action = Action::Command(CommandAction::shell(adapter.to_command()));
    let mut keys = handler(hook, &action);
    let outer = hook.limit().saturating_add(wrap::MARGIN);
    keys.insert("timeout".to_owned(), seconds(outer));
    Value::Object(keys)
}

/// The keys that a hook has in both kinds of files.
fn handler(hook: &Hook, action: &Action) -> Map<String, Value> {
    let mut keys = command_keys(action);
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            keys.insert(key.to_owned(), value);
        }
    };
    put("if", hook.condition.as_ref().map(|text| json!(text)));
    put("timeout", hook.timeout.map(seconds));
    put(
        "statusMessage",
        hook.status_message.as_ref().map(|text| json!(text)),
    );
    put(
        "description",
        hook.description.as_ref().map(|text| json!(text)),
    );
    put("once", hook.once.then(|| json!(true)));
    put("onFailure", hook.blocks.then(|| json!("block")));
    let waits = match hook.wait {
        Wait::Awaited => None,
        Wait::Background => Some("async"),
        Wait::Rewake => Some("asyncRewake"),
    };
    if let Some(key) = waits {
        put(key, Some(json!(true)));
    }
    keys
}
