//! Hooks in a line each.

use hook_config::{Entry, Fate, HookReport, Listen, Report, TrustState};
use hook_types::EventName;
use serde::Serialize;

use super::look::{Add, Look, Tone, first_line, shorten, took};
use crate::safe::clean_line;

/// How wide the column of the matchers is; a longer one has a row of its own.
const MATCHER: usize = 18;

/// The kind of an entry that cannot be used.
const BROKEN: &str = "broken";

/// One hook of one event, as `list` shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) event: EventName,
    pub(crate) matcher: String,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    pub(crate) kind: String,
    pub(crate) description: Option<String>,
    pub(crate) runs: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) layer: String,
    pub(crate) timeout_ms: u128,
    pub(crate) trust: &'static str,
    /// What the approval does not cover.
    pub(crate) opaque: Vec<String>,
    pub(crate) enabled: bool,
    /// Why it does not run, if something in the files keeps it from running.
    pub(crate) off: Option<String>,
}

/// Every hook of every file, an event each, in order.
pub(crate) fn rows(report: &Report) -> Vec<Row> {
    report.hooks.iter().flat_map(of_entry).collect()
}

fn of_entry(hook: &HookReport) -> Vec<Row> {
    let entry = hook.entry.as_deref();
    let row = |(place, listen): (usize, &Listen)| {
        let own = entry.map(|entry| entry.timeout_on(listen.event));
        Row {
            id: hook
                .ids
                .get(place)
                .map(ToString::to_string)
                .unwrap_or_default(),
            event: listen.event,
            matcher: listen.pattern(),
            condition: entry
                .and_then(|entry| entry.condition.as_ref())
                .map(ToString::to_string),
            kind: entry.map_or(BROKEN, |entry| entry.action.kind()).to_owned(),
            description: entry.and_then(|entry| entry.description.clone()),
            runs: entry.map(Entry::summary).unwrap_or_default(),
            file: hook.place.file.path().display().to_string(),
            line: hook.place.line(),
            column: hook.place.column(),
            layer: format!("{:?}", hook.origin.layer).to_lowercase(),
            timeout_ms: own.unwrap_or_default().as_millis(),
            trust: hook.trust.as_str(),
            opaque: hook.opaque.clone(),
            enabled: entry.is_some_and(|entry| entry.enabled),
            off: off(hook),
        }
    };
    hook.listens.iter().enumerate().map(row).collect()
}

/// Why a hook does not run, whatever happens.
fn off(hook: &HookReport) -> Option<String> {
    let trust = match hook.trust {
        TrustState::Untrusted => Some("not approved; see `hookline trust`".to_owned()),
        TrustState::Changed => {
            Some("changed since it was approved; see `hookline trust`".to_owned())
        }
        TrustState::Managed | TrustState::Trusted => None,
    };
    match &hook.fate {
        Fate::Broken(why) => Some(format!("broken: {why}")),
        Fate::SwitchedOff(why) => Some(why.clone()),
        Fate::Disabled => Some("switched off in its file".to_owned()),
        Fate::Active | _ => trust,
    }
}

/// The rows as a table, events in the order of the contract.
pub(crate) fn table(rows: &[Row], look: Look) -> String {
    let mut text = String::new();
    for event in EventName::ALL {
        let of_event: Vec<&Row> = rows.iter().filter(|row| row.event == *event).collect();
        if of_event.is_empty() {
            continue;
        }
        text.add(format!("{}\n", look.paint(Tone::Strong, event.as_str())));
        for row in of_event {
            text += &line(row, look);
        }
    }
    text
}

fn line(row: &Row, look: Look) -> String {
    let tone = if row.off.is_none() {
        Tone::Good
    } else {
        Tone::Odd
    };
    let broken = row.kind == BROKEN;
    let what = match &row.description {
        _ if broken => "(cannot be used)",
        Some(description) => description,
        None => &row.runs,
    };
    let limit = std::time::Duration::from_millis(u64::try_from(row.timeout_ms).unwrap_or(u64::MAX));
    let limit = if broken {
        String::new()
    } else {
        format!(", at most {}", took(limit))
    };
    let condition = row
        .condition
        .as_ref()
        .map(|rule| format!(" if {}", clean_line(rule)))
        .unwrap_or_default();
    let matcher = format!("{}{condition}", clean_line(&row.matcher));
    let mut text = format!("  {} ", look.mark(tone));
    if matcher.chars().count() <= MATCHER {
        let room = look.width.saturating_sub(MATCHER + 5).max(30);
        text.add(format!("{matcher:<MATCHER$} {}\n", first_line(what, room)));
    } else {
        let room = look.width.saturating_sub(6).max(30);
        let what = first_line(what, room);
        text.add(format!("{}\n      {what}\n", shorten(&matcher, 200)));
    }
    let place = if row.id.is_empty() {
        format!("{}:{}", row.file, row.line)
    } else {
        row.id.clone()
    };
    let place = clean_line(&place);
    let facts = format!("{place}, {}, {}{limit}", row.kind, row.trust);
    text.add(format!("      {}\n", look.paint(Tone::Faint, &facts)));
    if let Some(why) = &row.off {
        text.add(format!(
            "      {}\n",
            look.paint(Tone::Odd, &format!("does not run: {}", clean_line(why)))
        ));
    }
    if !row.opaque.is_empty() {
        let words = "opaque: an approval does not cover all of it; see `hookline trust --list`";
        text.add(format!("      {}\n", look.paint(Tone::Faint, words)));
    }
    text
}
