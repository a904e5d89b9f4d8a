//! What a file says, in one form for all targets: groups of one event, whose hooks say themselves whose
//! rules their commands are written for.

use std::time::Duration;

use hook_runner::{Mode, Wait};
use hook_types::{EventName, OnFailure};
use serde_json::json;

use super::adapter::{Adapter, Rewrites};
use super::patterns::{self, Claude};
use super::remark::{About, Became, Remarks};
use crate::dialect::{Format, parse};
use crate::document::{Document, Node};
use crate::entry::{Action, Entry, Listen};
use crate::parsed::{EntryGroup, Parsed};
use crate::read::read;
use crate::source::{Place, Span};

/// Hooks of one event that belong together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) event: EventName,
    pub(super) mode: Mode,
    /// Whether the first that fails or refuses ends it.
    pub(super) stops: bool,
    /// A deadline that its hooks share.
    pub(super) timeout: Option<Duration>,
    pub(super) description: Option<String>,
    pub(super) hooks: Vec<Hook>,
}

/// One hook on one event.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub(super) event: EventName,
    /// For which subjects, as Claude settings have it.
    pub(super) matcher: Claude,
    /// Whose rules its command is written for.
    pub(super) speaks: Format,
    pub(super) action: Action,
    pub(super) condition: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) blocks: bool,
    /// What a rewrite becomes where the agent may know exit codes alone.
    pub(super) rewrites: Rewrites,
    pub(super) once: bool,
    pub(super) wait: Wait,
    pub(super) status_message: Option<String>,
    pub(super) description: Option<String>,
    pub(super) enabled: bool,
    pub(super) place: Place,
}

impl Hook {
    /// Whom a remark about it is about.
    pub(super) fn about(&self) -> About<'_> {
        About {
            action: Some(&self.action),
            event: Some(self.event.as_str()),
            place: &self.place,
        }
    }

    /// Whether a word of it could change anything on its event.
    pub(super) fn may_say_no(&self) -> bool {
        self.enabled && self.wait != Wait::Background && super::events::may_say_no(self.event)
    }

    /// How long it may take.
    pub(super) fn limit(&self) -> Duration {
        self.timeout
            .unwrap_or_else(|| self.event.row().deadline.limit())
    }
}

/// The groups of a file.
pub(super) fn groups(
    document: &Document,
    format: Format,
    parsed: &Parsed,
    remarks: &mut Remarks,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for group in &parsed.groups {
        let mut made: Vec<Group> = Vec::new();
        for entry in &group.entries {
            for listen in &entry.listens {
                let Some(hook) = hook(format, entry, listen, remarks) else {
                    continue;
                };
                match made.iter_mut().find(|made| made.event == listen.event) {
                    Some(made) => made.hooks.push(hook),
                    None => made.push(empty(document, group, entry, listen.event).with(hook)),
                }
            }
        }
        groups.extend(made);
    }
    groups
}

impl Group {
    fn with(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }
}

fn empty(document: &Document, group: &EntryGroup, first: &Entry, event: EventName) -> Group {
    Group {
        event,
        mode: group.mode,
        stops: group.mode == Mode::Sequential && group.stop_on_failure.applies_to(event),
        timeout: group.timeout,
        description: description(document, first.place.span),
        hooks: Vec::new(),
    }
}

/// What a list of hooks says of itself: the hook at a place stands in it.
fn description(document: &Document, span: Span) -> Option<String> {
    let events = document.root.get("hooks")?.as_object()?;
    let mut lists = events
        .iter()
        .filter_map(|event| event.value.as_array())
        .flatten();
    let list = lists.find(|list| list.span.start < span.start && span.end <= list.span.end)?;
    list.get("description")
        .and_then(Node::as_str)
        .map(str::to_owned)
}

fn hook(format: Format, entry: &Entry, listen: &Listen, remarks: &mut Remarks) -> Option<Hook> {
    let about = About {
        action: Some(&entry.action),
        event: Some(listen.event.as_str()),
        place: &entry.place,
    };
    let matcher = patterns::to_claude(format, listen).unwrap_or_else(|| {
        let why = format!(
            "nothing else says `{}`: it runs for every tool",
            listen.matcher
        );
        remarks.add(about, "matcher", Became::Approximated, why);
        None
    });
    let hook = Hook {
        event: listen.event,
        matcher,
        speaks: Format::of(entry.dialect),
        action: entry.action.clone(),
        condition: entry.condition.as_ref().map(ToString::to_string),
        timeout: entry.timeout,
        blocks: entry.on_failure == Some(OnFailure::Block),
        rewrites: Rewrites::default(),
        once: entry.once,
        wait: entry.wait,
        status_message: entry.status_message.clone(),
        description: entry.description.clone(),
        enabled: entry.enabled,
        place: entry.place.clone(),
    };
    unwrapped(hook)
}

/// A command behind an adapter is the command, for whom it was written. None where the adapter runs it
/// on other events only.
fn unwrapped(mut hook: Hook) -> Option<Hook> {
    let Action::Command(outer) = &hook.action else {
        return Some(hook);
    };
    let adapter = match &outer.run {
        crate::entry::Run::Shell(text) => Adapter::from_command(text),
        crate::entry::Run::Exec { .. } => None,
    };
    let Some(adapter) = adapter else {
        return Some(hook);
    };
    let is_its = |event: &String| event == hook.event.as_str();
    if !adapter.events.is_empty() && !adapter.events.iter().any(is_its) {
        return None;
    }
    let Some(inner) = inner(&adapter, hook.event) else {
        return Some(hook);
    };
    let mut action = inner.action;
    if let Action::Command(action) = &mut action {
        let mut env = outer.env.clone();
        env.append(&mut action.env);
        action.env = env;
        action.cwd = action.cwd.take().or_else(|| outer.cwd.clone());
    }
    hook.speaks = Format::of(inner.dialect);
    hook.timeout = adapter.timeout;
    hook.blocks |= adapter.on_failure == OnFailure::Block;
    hook.rewrites = adapter.rewrites;
    hook.condition = adapter.condition.or(hook.condition);
    hook.matcher = adapter.matcher.or(hook.matcher);
    if adapter.background {
        hook.wait = Wait::Background;
    }
    hook.action = action;
    Some(hook)
}

/// The hook that an adapter runs.
fn inner(adapter: &Adapter, event: EventName) -> Option<Entry> {
    let text = json!({"hooks": {event.as_str(): [{"hooks": [adapter.handler()]}]}}).to_string();
    let parsed = parse(&read("adapter", text.as_bytes()).ok()?, Format::Hookline);
    parsed.groups.into_iter().next()?.entries.into_iter().next()
}
