//! A firing for programs, and in a line for people.

use std::time::Duration;

use serde_json::{Value, json};

use super::firing::{Firing, Run};
use crate::render::{Look, Tone, clean_line, first_line, shorten, took};

/// For programs: everything that is kept of it.
pub(crate) fn json(firing: &Firing, epoch: Option<u64>) -> Value {
    let verdict = firing.verdict.as_ref();
    let began = firing.began.zip(epoch);
    json!({
        "number": firing.number,
        "session_id": firing.session,
        "event": firing.event,
        "subject": firing.subject,
        "at_ms": began.map(|(at, epoch)| at.saturating_sub(epoch)),
        "duration_ms": firing.took().map(millis),
        "verdict": firing.word(),
        "decision": verdict.and_then(|verdict| verdict.decision.clone()),
        "reason": verdict.and_then(|verdict| verdict.reason.clone()),
        "decided_by": verdict.and_then(|verdict| verdict.decided_by.clone()),
        "cause": verdict.and_then(|verdict| verdict.cause.clone()),
        "continue": verdict.is_none_or(|verdict| verdict.goes_on),
        "stop_reason": verdict.and_then(|verdict| verdict.stop_reason.clone()),
        "input": firing.input.as_deref().map(parsed),
        "hooks": firing.runs.iter().map(run).collect::<Vec<_>>(),
    })
}

fn run(run: &Run) -> Value {
    json!({
        "hook_id": run.id,
        "hook": run.hook,
        "status": run.word(),
        "outcome": run.outcome,
        "exit_code": run.exit_code,
        "duration_ms": run.took.map(millis),
        "stdout": run.stdout,
        "stderr": run.stderr,
        "diagnostics": run.diagnostics,
    })
}

/// JSON as it is; the text where some of it is not kept.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

#[expect(clippy::cast_precision_loss, reason = "nobody waits that long")]
fn millis(micros: u64) -> f64 {
    micros as f64 / 1000.0
}

/// In a line.
pub(crate) fn text(firing: &Firing, epoch: Option<u64>, look: Look) -> String {
    let tone = tone(firing);
    let facts = format!(
        "{:>9}  {:<30}  {}  {:>8}",
        since(firing.began, epoch),
        shorten(&clean_line(&title(firing)), 30),
        look.paint(tone, &format!("{:<7}", first_line(firing.word(), 12))),
        firing.took().map(lasted).unwrap_or_default(),
    );
    let room = look.width.saturating_sub(64).max(30);
    let line = format!(
        "{} {facts}  {}",
        look.mark(tone),
        first_line(&gist(firing), room)
    );
    line.trim_end().to_owned()
}

/// The event and what it is about.
pub(crate) fn title(firing: &Firing) -> String {
    if firing.subject.is_empty() {
        firing.event.clone()
    } else {
        format!("{}:{}", firing.event, firing.subject)
    }
}

/// What matters most about it: why it came to that, else which hook failed, else which hooks ran.
pub(crate) fn gist(firing: &Firing) -> String {
    let verdict = firing.verdict.as_ref();
    let reason = verdict.and_then(|verdict| {
        let stopped = verdict.stop_reason.as_ref().filter(|_| !verdict.goes_on);
        stopped.or(verdict.reason.as_ref())
    });
    if let Some(reason) = reason {
        return reason.clone();
    }
    let runs = firing.runs.iter().enumerate();
    let failed = runs.clone().find(|(_, run)| run.has_failed());
    if let Some((place, run)) = failed {
        let said = run.stderr.trim();
        let word = run.word().replace('_', " ");
        let colon = if said.is_empty() { "" } else { ": " };
        return format!("{word}{colon}{said} ({})", run.name(place));
    }
    let names: Vec<String> = runs.map(|(place, run)| run.name(place)).collect();
    names.join(", ")
}

/// How a firing is to be seen.
pub(crate) fn tone(firing: &Firing) -> Tone {
    match firing.word() {
        "deny" | "block" | "stop" => Tone::Bad,
        "ask" | "defer" => Tone::Odd,
        "running" => Tone::Strong,
        _ if firing.failed() > 0 => Tone::Odd,
        "allow" => Tone::Good,
        _ => Tone::Faint,
    }
}

/// How a run is to be seen.
#[cfg(feature = "tui")]
pub(crate) fn tone_of_run(run: &Run) -> Tone {
    match run.word() {
        "blocked" => Tone::Bad,
        "running" | "background" => Tone::Strong,
        _ if run.has_failed() => Tone::Odd,
        _ => Tone::Good,
    }
}

/// How long after the first message, in seconds.
pub(crate) fn since(at: Option<u64>, epoch: Option<u64>) -> String {
    let Some((at, epoch)) = at.zip(epoch) else {
        return String::new();
    };
    let millis = at.saturating_sub(epoch);
    format!("+{}.{:03}", millis / 1000, millis % 1000)
}

/// A time as people say it.
pub(crate) fn lasted(micros: u64) -> String {
    took(Duration::from_micros(micros))
}
