//! What every hook would do, and why not.

use std::collections::BTreeMap;

use hook_runner::{Explained, Fired, Mode, Runner};
use hook_types::{HookEvent, HookId, SkipReason, Status};
use serde_json::{Value, json};

use super::hooks::Row;
use super::look::{Add, Look, Tone, behind, first_line, indent, took};
use crate::safe::{clean, clean_line};

/// Every hook of the event, with what keeps it from running.
pub(crate) struct Plan {
    pub(crate) event: HookEvent,
    hooks: Vec<Planned>,
    /// Hooks of the files that are not in the set at all.
    absent: Vec<Row>,
}

/// How much is told of a hook, beside what it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its kind, its deadline, its trust.
    Facts,
    /// Also the names of the variables that it is told.
    Variables,
}

struct Planned {
    explained: Explained,
    row: Option<Row>,
    details: Vec<(String, String)>,
}

/// What every hook would do. Runs nothing.
pub(crate) fn plan(runner: &Runner, event: HookEvent, rows: Vec<Row>) -> Plan {
    let set = runner.hooks();
    let (mut known, absent): (BTreeMap<String, Row>, Vec<Row>) = rows
        .into_iter()
        .filter(|row| row.event == event.name())
        .fold(
            (BTreeMap::new(), Vec::new()),
            |(mut known, mut absent), row| {
                if row.id.is_empty() {
                    absent.push(row);
                } else {
                    known.insert(row.id.clone(), row);
                }
                (known, absent)
            },
        );
    let details = |explained: &Explained| {
        let mut all = set.hooks();
        let found = all.find(|(hook, _)| hook.get_id() == Some(&explained.hook.id));
        found
            .map(|(hook, _)| hook.describe().details)
            .unwrap_or_default()
    };
    let hooks = runner.explain(&event).into_iter().map(|explained| Planned {
        details: details(&explained),
        row: known.remove(explained.hook.id.as_str()),
        explained,
    });
    Plan {
        hooks: hooks.collect(),
        event,
        absent,
    }
}

impl Plan {
    /// Whether no hook is there for the event.
    pub(crate) fn is_empty(&self) -> bool {
        self.hooks.is_empty() && self.absent.is_empty()
    }

    /// How many hooks would run.
    pub(crate) fn running(&self) -> usize {
        self.hooks
            .iter()
            .filter(|hook| hook.explained.skipped.is_none())
            .count()
    }

    /// Whether a hook of that name is among those that do not run.
    pub(crate) fn tells_why_not(&self, id: &HookId) -> bool {
        let not = |hook: &&Planned| hook.explained.skipped.is_some();
        self.hooks
            .iter()
            .filter(not)
            .any(|hook| hook.explained.hook.id == *id)
    }

    /// For people: what would run, and what would not.
    pub(crate) fn text(&self, look: Look) -> String {
        let hook = |hook| self.hook(hook, "would not run", Depth::Variables, look);
        let hooks = self.hooks.iter().map(hook);
        hooks.collect::<String>() + &self.absent(look)
    }

    /// For people: what a hook runs, and what else is known of it.
    pub(crate) fn about(&self, id: &HookId, depth: Depth, look: Look) -> String {
        let mut hooks = self.hooks.iter();
        let hook = hooks.find(|hook| hook.explained.hook.id == *id);
        let about = |hook: &Planned| {
            let fits = look.paint(Tone::Faint, &self.fits(&hook.explained));
            format!("{}      {fits}\n{}", runs(hook), known(hook, depth, look))
        };
        hook.map(about).unwrap_or_default()
    }

    /// For people: what did not run, beside what did.
    pub(crate) fn rest(&self, fired: &Fired, depth: Depth, look: Look) -> String {
        let ran = |hook: &Planned| {
            let mut attempts = fired.attempts.iter();
            attempts.any(|attempt| {
                let skipped = matches!(attempt.reply.status, Status::Skipped(_));
                attempt.hook.id == hook.explained.hook.id && !skipped
            })
        };
        let rest = self
            .hooks
            .iter()
            .filter(|hook| hook.explained.skipped.is_some() && !ran(hook));
        let hooks = rest.map(|hook| self.hook(hook, "was not run", depth, look));
        hooks.collect::<String>() + &self.absent(look)
    }

    fn absent(&self, look: Look) -> String {
        let mut text = String::new();
        for row in &self.absent {
            let why = row.off.as_deref().unwrap_or("it is not part of the set");
            text.add(format!(
                "  {} {}:{}  {}\n      {}\n",
                look.mark(Tone::Odd),
                clean_line(&row.file),
                row.line,
                first_line(&row.runs, look.width),
                look.paint(Tone::Odd, &format!("does not run: {}", clean_line(why))),
            ));
        }
        text
    }

    fn hook(&self, hook: &Planned, not: &str, depth: Depth, look: Look) -> String {
        let explained = &hook.explained;
        let runs = explained.skipped.is_none();
        let tone = if runs { Tone::Good } else { Tone::Faint };
        let name = explained.hook.id.to_string();
        let mut text = format!(
            "  {} {}\n",
            look.mark(tone),
            look.paint(Tone::Strong, &clean_line(&name))
        );
        if let Some(description) = &explained.hook.description {
            text.add(format!("      {}\n", behind(description, "      ")));
        }
        text += &self::runs(hook);
        let why = match &explained.skipped {
            None => format!("would run: {}", self.fits(explained)),
            Some(reason) => format!("{not}: {}", self.unfit(explained, reason)),
        };
        let tone = if runs { Tone::Good } else { Tone::Odd };
        text.add(format!("      {}\n", look.paint(tone, &clean_line(&why))));
        text + &known(hook, depth, look)
    }

    fn fits(&self, explained: &Explained) -> String {
        match self.event.subject().text() {
            Some(subject) if !explained.matcher.is_empty() && explained.matcher != "*" => {
                format!(
                    "`{}` fits `{}`",
                    clean_line(&explained.matcher),
                    clean_line(subject)
                )
            }
            _ => format!("it is for every {}", self.event.name()),
        }
    }

    fn unfit(&self, explained: &Explained, reason: &SkipReason) -> String {
        match (reason, self.event.subject().text()) {
            (SkipReason::NotMatched, Some(subject)) => {
                format!(
                    "`{}` does not fit `{}`",
                    clean_line(&explained.matcher),
                    clean_line(subject)
                )
            }
            (SkipReason::Untrusted | SkipReason::Changed, _) => {
                format!("{reason}; `hookline trust` shows and approves it")
            }
            _ => reason.to_string(),
        }
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let hook = |hook: &Planned| {
            let explained = &hook.explained;
            json!({
                "id": explained.hook.id,
                "description": explained.hook.description,
                "kind": explained.hook.kind.as_str(),
                "source": explained.hook.source,
                "runs": explained.runs,
                "environment": explained.variables,
                "matcher": explained.matcher,
                "if": hook.row.as_ref().and_then(|row| row.condition.clone()),
                "would_run": explained.skipped.is_none(),
                "why": match &explained.skipped {
                    None => self.fits(explained),
                    Some(reason) => self.unfit(explained, reason),
                },
                "mode": mode(explained.mode),
                "deadline_ms": explained.limit.as_secs_f64() * 1000.0,
                "trust": hook.row.as_ref().map(|row| row.trust),
                "opaque": hook.row.as_ref().map(|row| row.opaque.clone()).unwrap_or_default(),
                "details": hook.details.iter().cloned().collect::<BTreeMap<_, _>>(),
            })
        };
        json!({
            "event": self.event.name(),
            "input": self.event,
            "hooks": self.hooks.iter().map(hook).collect::<Vec<_>>(),
            "not_in_the_set": self.absent,
        })
    }
}

/// What a hook runs, or asks.
fn runs(hook: &Planned) -> String {
    let margin = match hook.explained.hook.kind.as_str() {
        "prompt" | "agent" => "      ? ",
        "broken" => "      ", // why it is
        _ => "      $ ",
    };
    indent(&clean(&hook.explained.runs), margin)
}

/// What else is known of a hook, and the names of the variables that it is told.
fn known(hook: &Planned, depth: Depth, look: Look) -> String {
    let faint = |text: &str| format!("      {}\n", look.paint(Tone::Faint, text));
    let variables = &hook.explained.variables;
    let mut text = faint(&facts(hook));
    if depth == Depth::Variables && !variables.is_empty() {
        text += &faint(&format!("told {}", clean_line(&variables.join(" "))));
    }
    text
}

/// What else is known of a hook, in a line.
fn facts(hook: &Planned) -> String {
    let explained = &hook.explained;
    let mut facts = vec![
        explained.hook.kind.as_str().to_owned(),
        format!("at most {}", took(explained.limit)),
        mode(explained.mode).to_owned(),
    ];
    if let Some(row) = &hook.row {
        facts.push(row.trust.to_owned());
        facts.extend(row.condition.as_ref().map(|rule| format!("if {rule}")));
        if !row.opaque.is_empty() {
            facts.push("opaque (see `hookline trust --list`)".to_owned());
        }
    }
    facts.extend(
        hook.details
            .iter()
            .map(|(name, value)| format!("{name} {value}")),
    );
    clean_line(&facts.join(", ")).into_owned()
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Sequential => "in order",
        Mode::Parallel => "all at once",
    }
}
