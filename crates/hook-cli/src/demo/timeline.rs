//! What happened, as a newcomer reads it: who wanted what, which hook said what, what happened instead.

use std::path::PathBuf;

use hook_runner::Fired;
use hook_types::{Attempt, Decision, EventName, HookKind, Status};
use serde_json::Value;

use super::moment::Moment;
use crate::render::{Look, Tone, behind, clean, clean_line, took};

/// Turns moments into text.
pub(crate) struct Timeline {
    look: Look,
    /// Paths are shown from here.
    root: PathBuf,
    /// What the tool was really called with; nothing where it has not been called.
    ran: Option<Value>,
    /// Whether a hook has answered from the background since the last prompt.
    late: bool,
}

impl Timeline {
    pub(crate) fn new(look: Look, root: impl Into<PathBuf>) -> Self {
        Self {
            look,
            root: root.into(),
            ran: None,
            late: false,
        }
    }

    /// The text for a moment; empty where there is nothing to see.
    pub(crate) fn tell(&mut self, moment: &Moment) -> String {
        match moment {
            Moment::Prompt(text) => self.prompt(text),
            Moment::Wants { tool, input } => {
                self.ran = None;
                self.head("agent", &format!("wants to {}", self.call(tool, input)))
            }
            Moment::Says(text) => {
                let says = format!("says {}, and wants to stop", quoted(text));
                self.head("agent", &says)
            }
            Moment::Fired(fired) => self.fired(fired),
            Moment::Runs { input, .. } => {
                self.ran = Some(input.clone());
                String::new()
            }
            Moment::Over {
                tool,
                result,
                is_error,
            } => self.over(tool, result, *is_error),
            Moment::Late(late) => {
                self.late = true;
                let head = self.head("later", "the hook in the background is done");
                head + &self.attempt(&late.attempt)
            }
            Moment::Warning(text) => self.line(Tone::Odd, &behind(text, "         ")),
        }
    }

    fn prompt(&mut self, text: &str) -> String {
        let mut shown = self.head("you", &clean(text));
        if std::mem::take(&mut self.late) {
            shown += &self.line(
                Tone::Strong,
                "with it, the model is told what the hook found",
            );
        }
        shown
    }

    /// What hooks answered. Those with nothing to say are not shown.
    fn fired(&self, fired: &Fired) -> String {
        let attempts = fired.attempts.iter().map(|attempt| self.attempt(attempt));
        let shown: String = attempts.collect();
        if fired.event != EventName::Stop {
            return shown;
        }
        let then = if fired.outcome.keeps_going() {
            "it does not stop: it goes on, and knows what is missing"
        } else {
            "no hook objects: it stops"
        };
        shown + &self.line(Tone::Strong, then)
    }

    fn attempt(&self, attempt: &Attempt) -> String {
        let Some(Answer { tone, does, words }) = answer(attempt) else {
            return String::new();
        };
        let does = self.look.paint(tone, &format!("hook {does}"));
        let place = self.look.paint(Tone::Faint, &self.place(attempt));
        self.line(tone, &format!("{does}{words}")) + &format!("         {place}\n")
    }

    /// Where a hook is written, what it is, how long it took.
    fn place(&self, attempt: &Attempt) -> String {
        let hook = &attempt.hook;
        let written = match &hook.source {
            Some(source) => {
                let file = std::path::Path::new(&source.file);
                let file = file.strip_prefix(&self.root).unwrap_or(file);
                format!("{}:{}", file.display(), source.line)
            }
            None => hook.id.to_string(),
        };
        let kind = if hook.kind == HookKind::Function {
            "Rust closure"
        } else {
            hook.kind.as_str()
        };
        let time = if attempt.reply.status == Status::Background {
            String::new()
        } else {
            format!(", {}", took(attempt.duration))
        };
        format!("{}, {kind}{time}", clean_line(&written))
    }

    /// What became of a call.
    fn over(&mut self, tool: &str, result: &str, is_error: bool) -> String {
        let last = result.trim().lines().last().unwrap_or_default();
        let text = match self.ran.take() {
            None => "not run; the model is told why".to_owned(),
            Some(_) if is_error => format!("failed: {}", quoted(last)),
            Some(input) if tool == "Bash" => {
                let ran = input["command"].as_str().unwrap_or_default();
                format!("ran `{}`, which said {}", clean(ran), quoted(last))
            }
            Some(_) => "done; the agent goes on".to_owned(),
        };
        self.line(Tone::Strong, &text)
    }

    /// What a call does, in words.
    fn call(&self, tool: &str, input: &Value) -> String {
        let text = |key: &str| clean(input[key].as_str().unwrap_or_default()).into_owned();
        let what = match tool {
            "Bash" => format!("run `{}`", text("command")),
            "Write" => format!("write {}", text("file_path")),
            other => format!("use {}", clean(other)),
        };
        self.look.paint(Tone::Strong, &what)
    }

    fn head(&self, who: &str, text: &str) -> String {
        let who = self.look.paint(Tone::Strong, &format!("{who:<7}"));
        format!("\n{who}{text}\n")
    }

    fn line(&self, tone: Tone, text: &str) -> String {
        format!("       {} {text}\n", self.look.mark(tone))
    }
}

/// What a hook answered: what it does, and its words.
struct Answer {
    tone: Tone,
    does: String,
    words: String,
}

impl Answer {
    fn new(tone: Tone, does: impl Into<String>) -> Self {
        Self {
            tone,
            does: does.into(),
            words: String::new(),
        }
    }

    fn saying(self, words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            ..self
        }
    }
}

/// What a hook answered; nothing where it had no opinion.
fn answer(attempt: &Attempt) -> Option<Answer> {
    let output = &attempt.reply.output;
    let reason = || {
        let reason = output.reason.as_deref().unwrap_or("no reason given");
        format!(": {}", quoted(reason))
    };
    let status = &attempt.reply.status;
    Some(match status {
        Status::NoOpinion | Status::Skipped(_) => return None,
        Status::Background => {
            Answer::new(Tone::Faint, "goes on in the background").saying("; nobody waits")
        }
        Status::TimedOut { limit } => Answer::new(Tone::Odd, "hangs").saying(format!(
            ": ended after {}, with all that it had started",
            took(*limit)
        )),
        Status::Answered | Status::Blocked { .. } if output.decision == Decision::Deny => {
            refusal(attempt.event).saying(reason())
        }
        Status::Answered
        | Status::Blocked { .. }
        | Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_)
        | Status::Cancelled => changes(attempt)
            .unwrap_or_else(|| Answer::new(Tone::Odd, clean(&status.to_string()).as_ref())),
    })
}

/// What a refusal does.
fn refusal(event: EventName) -> Answer {
    if event == EventName::Stop {
        Answer::new(Tone::Odd, "holds it back")
    } else {
        Answer::new(Tone::Bad, "denies")
    }
}

/// What a hook added or changed.
fn changes(attempt: &Attempt) -> Option<Answer> {
    let output = &attempt.reply.output;
    if let Some(input) = &output.updated_input {
        let command = input["command"].as_str();
        let command = command.map_or_else(|| input.to_string(), str::to_owned);
        let words = format!(" to `{}`", clean(&command));
        return Some(Answer::new(Tone::Odd, "rewrites it").saying(words));
    }
    if let Some(changed) = &output.updated_output {
        let text = changed["stdout"].as_str().unwrap_or_default();
        let first = quoted(text.lines().next().unwrap_or_default());
        let words = format!(": the model sees {first}");
        return Some(Answer::new(Tone::Odd, "masks the output").saying(words));
    }
    let context = output.additional_context.as_deref()?;
    Some(Answer::new(Tone::Good, "adds context").saying(format!(": {}", quoted(context))))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", clean(text.trim()))
}
