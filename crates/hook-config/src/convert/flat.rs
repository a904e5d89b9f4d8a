//! Opta's and OpenCode's files: a list of hooks that run one after the other.

use hook_runner::{Mode, Wait};
use hook_types::EventName;
use serde_json::{Map, Value, json};

use super::element::{self, Element};
use super::events::name;
use super::order;
use super::plan::{Group, Hook};
use super::remark::{Became, Remarks};
use crate::dialect::Format;

/// The file.
pub(super) fn file(groups: &[Group], to: Format, remarks: &mut Remarks) -> Value {
    one_by_one(groups, remarks);
    let mut queues: Vec<(EventName, Vec<Element<'_>>)> = Vec::new();
    for group in groups {
        if let (Some(text), Some(hook)) = (&group.description, group.hooks.first()) {
            let why = format!("a list has no description: `{text}` is left out");
            remarks.add(hook.about(), "description", Became::Dropped, why);
        }
        for hook in &group.hooks {
            let Some(element) = element::of(hook, to, None, remarks) else {
                continue;
            };
            match queues.iter_mut().find(|(event, _)| *event == hook.event) {
                Some((_, queue)) => queue.push(element),
                None => queues.push((hook.event, vec![element])),
            }
        }
    }
    let merged = order::merged(queues);
    let list: Vec<Value> = merged
        .into_iter()
        .map(|element| written(element, to, remarks))
        .collect();
    let mut file = Map::new();
    if let (Some(stops), Format::OpenCode) = (stop_on_failure(groups, to, remarks), to) {
        file.insert("stop_on_failure".to_owned(), json!(stops));
    }
    file.insert("hooks".to_owned(), Value::Array(list));
    Value::Object(file)
}

/// One element of the list. Of events that the target does not tell apart, an adapter does.
fn written(element: Element<'_>, to: Format, remarks: &mut Remarks) -> Value {
    let told_apart = |event: &EventName| {
        let same = EventName::ALL
            .iter()
            .filter(|other| name(to, **other) == name(to, *event));
        same.copied().all(|other| element.events.contains(&other))
    };
    if !element.events.iter().all(told_apart) {
        let only = element.events.clone();
        let again = element::of(element.hook, to, Some(&only), remarks);
        return again.map_or(Value::Null, Element::into_value);
    }
    element.into_value()
}

/// Says what is different where hooks ran at once.
fn one_by_one(groups: &[Group], remarks: &mut Remarks) {
    for event in EventName::ALL {
        let of_event = groups.iter().filter(|group| group.event == *event);
        let of_event: Vec<&Group> = of_event.collect();
        let hooks: Vec<&Hook> = of_event.iter().flat_map(|group| &group.hooks).collect();
        let awaited = |hook: &&&Hook| hook.enabled && hook.wait == Wait::Awaited;
        let awaited: Vec<&&Hook> = hooks.iter().filter(awaited).collect();
        let at_once =
            of_event.iter().any(|group| group.mode == Mode::Parallel) || of_event.len() > 1;
        if let (Some(second), true) = (awaited.get(1), at_once) {
            let why = format!(
                "the {} hooks of {event} ran at once and run in order: a later one sees what those \
                 before it rewrote",
                awaited.len()
            );
            remarks.add(second.about(), "mode", Became::Approximated, why);
        }
    }
}

/// When the list ends at a failure, where that is not the usual.
fn stop_on_failure(groups: &[Group], to: Format, remarks: &mut Remarks) -> Option<bool> {
    let several = groups.iter().filter(|group| {
        let of_event = groups.iter().filter(|other| other.event == group.event);
        of_event.map(|group| group.hooks.len()).sum::<usize>() > 1
    });
    let several: Vec<&Group> = several.collect();
    let usual = |group: &&Group| to.dialect().pre_events().contains(&group.event);
    if several.iter().all(|group| group.stops == usual(group)) {
        return None;
    }
    if several.iter().all(|group| group.stops) {
        return Some(true);
    }
    if !several.iter().any(|group| group.stops) {
        return Some(false);
    }
    if let Some(hook) = several.first().and_then(|group| group.hooks.first()) {
        let why = "the list ends at a failure on all events or on none: here the usual holds, which is \
                   before something happens and not after";
        remarks.add(hook.about(), "stopOnFailure", Became::Approximated, why);
    }
    None
}
