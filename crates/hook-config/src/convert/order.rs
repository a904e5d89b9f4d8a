//! Lists of many events, each in its order, to one list in which all orders hold.

use hook_types::EventName;

use super::element::Element;
use super::events::name;
use crate::dialect::Format;

/// One list of all. What is the same on several events is one element, where the orders allow it.
pub(super) fn merged<'a>(queues: Vec<(EventName, Vec<Element<'a>>)>) -> Vec<Element<'a>> {
    let mut queues: Vec<Vec<Element<'a>>> = queues.into_iter().map(|(_, queue)| queue).collect();
    for queue in &mut queues {
        queue.reverse(); // the first is the last
    }
    let mut list = Vec::new();
    while let Some(next) = next(&queues) {
        let Some(mut element) = queues.get_mut(next).and_then(Vec::pop) else {
            break;
        };
        for queue in &mut queues {
            let joins = |head: &Element<'_>| {
                let is_new = !head
                    .events
                    .iter()
                    .any(|event| element.events.contains(event));
                is_new && is_same(head, &element)
            };
            if queue.last().is_some_and(joins)
                && let Some(same) = queue.pop()
            {
                element.patterns.extend(same.patterns);
                element.events.extend(same.events);
            }
        }
        list.push(element);
    }
    list
}

/// The queue whose head comes next: the first whose head stands at the head of all that have it.
fn next(queues: &[Vec<Element<'_>>]) -> Option<usize> {
    let is_ready = |head: &Element<'_>| {
        queues.iter().all(|queue| {
            let at_head = queue.last().is_some_and(|other| is_same(other, head));
            at_head || !queue.iter().any(|other| is_same(other, head))
        })
    };
    let ready = |queue: &Vec<Element<'_>>| queue.last().is_some_and(is_ready);
    let first_of_file = |(at, queue): &(usize, &Vec<Element<'_>>)| {
        let head = queue.last()?;
        Some((head.hook.place.span.start, *at))
    };
    let heads = || queues.iter().enumerate();
    let ready = heads()
        .filter(|(_, queue)| ready(queue))
        .filter_map(|head| first_of_file(&head));
    let any = heads().filter_map(|head| first_of_file(&head));
    ready.min().or_else(|| any.min()).map(|(_, at)| at)
}

/// Whether two elements are the same but for when they run.
fn is_same(one: &Element<'_>, other: &Element<'_>) -> bool {
    one.fields == other.fields
}

/// Patterns as short as OpenCode has them; Opta has but one.
pub(super) fn short(patterns: &[String]) -> String {
    let opencode = |event: &EventName| name(Format::OpenCode, *event);
    let all: Vec<&str> = EventName::ALL.iter().filter_map(opencode).collect();
    let has = |name: &str| patterns.iter().any(|pattern| pattern == name);
    if all.iter().all(|name| has(name)) {
        return "*".to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    for pattern in patterns {
        let category = pattern.split(':').next().unwrap_or_default();
        let of_category = all
            .iter()
            .filter(|name| name.split(':').next() == Some(category));
        let of_category: Vec<&&str> = of_category.collect();
        let whole = of_category.len() > 1 && of_category.iter().all(|name| has(name));
        let part = if whole && all.contains(&pattern.as_str()) {
            format!("{category}:*")
        } else {
            pattern.clone()
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(",")
}
