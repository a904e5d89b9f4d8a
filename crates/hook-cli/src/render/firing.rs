//! What every hook did, and what it amounts to.

use hook_runner::Fired;
use hook_types::{Attempt, Outcome, Status, wire};
use serde_json::Value;

use super::look::{Add, Look, Tone, behind, indent, shorten, took};
use super::plan::{Depth, Plan};
use crate::safe::{clean, clean_line};

/// How many lines of a hook's output are shown.
const LINES: usize = 12;

/// What every hook did, and what it amounts to. Those that the plan tells of are not told of again.
pub(crate) fn firing(fired: &Fired, plan: &Plan, depth: Depth, look: Look) -> String {
    let told = |attempt: &&Attempt| {
        let skipped = matches!(attempt.reply.status, Status::Skipped(_));
        !(skipped && plan.tells_why_not(&attempt.hook.id))
    };
    let attempts = fired.attempts.iter().filter(told);
    let attempts = attempts.map(|attempt| attempted(attempt, plan, depth, look));
    let mut text: String = attempts.collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text + &verdict(fired, look)
}

fn attempted(attempt: &Attempt, plan: &Plan, depth: Depth, look: Look) -> String {
    let status = &attempt.reply.status;
    let stops = !attempt.should_continue();
    let tone = match status {
        _ if stops => Tone::Bad,
        Status::Answered | Status::NoOpinion | Status::Background => Tone::Good,
        Status::Blocked { .. } => Tone::Bad,
        Status::Skipped(_) => Tone::Faint,
        Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_)
        | Status::TimedOut { .. }
        | Status::Cancelled => Tone::Odd,
    };
    let name = attempt.hook.id.to_string();
    let mut text = format!(
        "  {} {}  {}\n",
        look.mark(tone),
        look.paint(Tone::Strong, &clean_line(&name)),
        look.paint(Tone::Faint, &took(attempt.duration)),
    );
    if let Some(description) = &attempt.hook.description {
        text.add(format!("      {}\n", behind(description, "      ")));
    }
    text += &plan.about(&attempt.hook.id, depth, look);
    text.add(format!("      {}\n", look.paint(tone, &ending(attempt))));
    text + &said(attempt, look)
}

/// How it ended, with its exit code.
fn ending(attempt: &Attempt) -> String {
    let status = behind(&attempt.reply.status.to_string(), "      ");
    match (&attempt.reply.status, attempt.reply.evidence.exit_code) {
        (Status::Blocked { .. }, _) | (_, None) => status,
        (_, Some(code)) => format!("{status} (exit code {code})"),
    }
}

/// What it said: the answer, field by field, what was ignored and why, and its output.
fn said(attempt: &Attempt, look: Look) -> String {
    let mut text = String::new();
    if let Value::Object(fields) = wire::write(attempt.event, &attempt.reply.output) {
        for (name, value) in fields {
            text += &field(&name, &value, look);
        }
    }
    for odd in &attempt.reply.diagnostics {
        let advice = odd
            .suggestion
            .as_ref()
            .map(|near| format!("; write `{near}`"))
            .unwrap_or_default();
        let line = behind(&format!("ignored: {odd}{advice}"), "      ");
        text.add(format!("      {}\n", look.paint(Tone::Odd, &line)));
    }
    let evidence = &attempt.reply.evidence;
    let answered = attempt.reply.status == Status::Answered;
    if !answered {
        text += &stream("stdout", &evidence.stdout, look);
    }
    text += &stream("stderr", &evidence.stderr, look);
    for (name, fact) in &evidence.facts {
        text += &stream(name, fact, look);
    }
    if evidence.truncated {
        text.add(format!(
            "      {}\n",
            look.paint(Tone::Odd, "its output was cut")
        ));
    }
    text
}

fn field(name: &str, value: &Value, look: Look) -> String {
    match value {
        Value::Object(fields) if name == "hookSpecificOutput" => {
            let fields = fields.iter().filter(|(name, _)| *name != "hookEventName");
            fields
                .map(|(name, value)| field(name, value, look))
                .collect()
        }
        Value::String(value) => {
            let value = shorten(&clean(value).replace('\n', "\n        "), 2000);
            format!(
                "      {}: {value}\n",
                look.paint(Tone::Faint, &clean_line(name))
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            let value = shorten(&clean_line(&value.to_string()), 2000);
            format!(
                "      {}: {value}\n",
                look.paint(Tone::Faint, &clean_line(name))
            )
        }
    }
}

fn stream(name: &str, text: &str, look: Look) -> String {
    let text = text.trim_end();
    if text.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<String> = lines
        .iter()
        .take(LINES)
        .map(|line| shorten(&clean(line), 400))
        .collect();
    let mut block = indent(
        &shown.join("\n"),
        &format!(
            "      {} ",
            look.paint(Tone::Faint, &format!("{} |", clean_line(name)))
        ),
    );
    if lines.len() > LINES {
        block.add(format!(
            "      {}\n",
            look.paint(
                Tone::Faint,
                &format!("and {} lines more", lines.len() - LINES)
            )
        ));
    }
    block
}

/// What the agent must do, and who decided.
fn verdict(fired: &Fired, look: Look) -> String {
    let outcome = &fired.outcome;
    let (tone, word) = meaning(outcome);
    let mut text = format!(
        "{} {}\n",
        look.paint(Tone::Strong, "verdict:"),
        look.paint(tone, &word)
    );
    let mut add = |name: &str, value: &str| {
        text.add(format!(
            "  {}: {}\n",
            look.paint(Tone::Faint, name),
            clean(value).trim_end().replace('\n', "\n    ")
        ));
    };
    if let Some(decider) = &outcome.decided_by {
        add(
            "decided by",
            &format!(
                "{} ({})",
                decider.hook,
                decider.cause.as_str().replace('_', " ")
            ),
        );
    }
    if let Some(reason) = &outcome.reason {
        add("reason", reason);
    }
    if let Some(stop) = &outcome.stop {
        add("stopped by", stop.hook.as_str());
        add(
            "stop reason",
            stop.reason.as_deref().unwrap_or("none was given"),
        );
    }
    if let Some(input) = &outcome.updated_input {
        add("the tool gets", &input.to_string());
    }
    if let Some(output) = &outcome.updated_output {
        add("the model sees", &output.to_string());
    }
    for note in &outcome.additional_context {
        add(
            "the model is told",
            &format!("{} ({})", note.text, note.hook),
        );
    }
    for note in &outcome.system_messages {
        add(
            "the user is told",
            &format!("{} ({})", note.text, note.hook),
        );
    }
    for finding in &outcome.diagnostics {
        add("note", &finding.diagnostic.to_string());
    }
    text
}

/// The outcome in a few words.
fn meaning(outcome: &Outcome) -> (Tone, String) {
    if outcome.stop.is_some() {
        return (Tone::Bad, "the agent stops".to_owned());
    }
    if outcome.keeps_going() {
        return (Tone::Odd, "the agent keeps going".to_owned());
    }
    let word = outcome.decision_word();
    match word {
        Some(word) if outcome.is_denied() => (Tone::Bad, format!("{word}: it does not happen")),
        Some(word @ ("deny" | "block")) => {
            (Tone::Odd, format!("{word}: the agent is told, and goes on"))
        }
        Some("ask") => (Tone::Odd, "ask: the user decides".to_owned()),
        Some("defer") => (Tone::Odd, "defer: decided later".to_owned()),
        Some(word) => (Tone::Good, word.to_owned()),
        None => (
            Tone::Good,
            "no decision: things take their course".to_owned(),
        ),
    }
}
