//! What has changed since a session was recorded.

use std::path::Path;

use serde_json::Value;

use super::look::{Add, Look, Tone, first_line, indent};
use super::review::difference;
use crate::recording::{Change, Differing, Judged, What};
use crate::safe::clean_line;

/// How long a value may be to stand in a line with another one.
const SHORT: usize = 40;

/// A recording, then and now: what differs, and nothing else.
pub(crate) fn judged(path: &Path, judged: &Judged, look: Look) -> String {
    if judged.differing.is_empty() {
        return String::new();
    }
    let path = clean_line(&path.display().to_string()).into_owned();
    let mut text = format!("{}\n", look.paint(Tone::Strong, &path));
    for one in &judged.differing {
        text += &differing(one, look);
    }
    text
}

fn differing(one: &Differing, look: Look) -> String {
    let number = one.n.map(|n| format!("{n} ")).unwrap_or_default();
    let about = first_line(&one.about, look.width.saturating_sub(40).max(30));
    let about = look.paint(Tone::Faint, &about);
    let name = look.paint(Tone::Strong, &format!("{number}{}", clean_line(&one.name)));
    let mut text = format!("  {} {name}  {about}", look.mark(Tone::Bad));
    text.truncate(text.trim_end().len());
    text.push('\n');
    let mut last = None;
    for change in &one.changes {
        let whose = change.hook.as_deref().unwrap_or("the verdict");
        if last.replace(whose) != Some(whose) {
            text.add(format!(
                "      {}\n",
                look.paint(Tone::Strong, &clean_line(whose))
            ));
        }
        text += &changed(change, look);
    }
    text
}

fn changed(change: &Change, look: Look) -> String {
    let line = |words: &str| format!("        {}\n", look.paint(Tone::Odd, words));
    match change.what {
        What::Gone => line(&format!(
            "runs no more; then: {}",
            clean_line(&word(&change.wanted))
        )),
        What::New => line(&format!(
            "runs now; then it did not: {}",
            clean_line(&word(&change.now))
        )),
        What::Reordered => {
            line("hooks run in another order") + &lines(&change.wanted, &change.now, look)
        }
        What::Changed => field(change, look),
    }
}

fn field(change: &Change, look: Look) -> String {
    let name = look.paint(Tone::Faint, &clean_line(&change.field));
    let (wanted, now) = (word(&change.wanted), word(&change.now));
    let is_short = |text: &str| text.chars().count() <= SHORT && !text.contains('\n');
    if is_short(&wanted) && is_short(&now) {
        let wanted = look.paint(Tone::Bad, &clean_line(&wanted));
        let now = look.paint(Tone::Good, &clean_line(&now));
        return format!("        {name}: {wanted} -> {now}\n");
    }
    format!(
        "        {name}\n{}",
        lines(&change.wanted, &change.now, look)
    )
}

/// A value in a word.
fn word(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Both values line by line.
fn lines(wanted: &Value, now: &Value, look: Look) -> String {
    let lines = hook_config::trust::diff(&spread(wanted), &spread(now));
    let shown = difference(&lines, look);
    indent(&shown, "    ")
}

/// A value in as many lines as it has parts.
fn spread(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(elements) => {
            let lines: Vec<String> = elements.iter().map(element).collect();
            lines.join("\n")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
    }
}

/// What a hook said, and which one; anything else as it is.
fn element(value: &Value) -> String {
    let said = value["text"].as_str().or(value["message"].as_str());
    match (said, value["hook"].as_str()) {
        (Some(said), Some(hook)) => format!("{said} ({hook})"),
        (Some(said), None) => said.to_owned(),
        (None, _) => word(value),
    }
}

/// All recordings in a line.
pub(crate) fn sum(all: &[Judged], update: bool, look: Look) -> String {
    let compared: usize = all.iter().map(|judged| judged.compared).sum();
    let firings: usize = all.iter().map(|judged| judged.firings).sum();
    let differing: usize = all.iter().map(|judged| judged.differing.len()).sum();
    let count = |number: usize| match number {
        1 => "one firing".to_owned(),
        number => format!("{number} firings"),
    };
    let of = match all.len() {
        1 => String::new(),
        files => format!(" of {files} recordings"),
    };
    let left_out = match firings - compared {
        0 => String::new(),
        left => format!("; {left} not compared"),
    };
    let (tone, what) = match differing {
        0 => (Tone::Good, "no difference".to_owned()),
        1 if update => (Tone::Odd, "one difference, taken over".to_owned()),
        number if update => (Tone::Odd, format!("{number} differences, taken over")),
        1 => (Tone::Bad, "one comes to something else".to_owned()),
        number => (Tone::Bad, format!("{number} come to something else")),
    };
    let what = look.paint(tone, &what);
    format!("{}{of}: {what}{left_out}", count(compared))
}
