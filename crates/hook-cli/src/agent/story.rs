//! What happens, in lines for people.

use std::time::Instant;

use agent_loop::{AgentEvent, AgentEventKind, ChatMessage, ToolCall};
use hook_runner::Runner;
use hook_types::message::{HookResponse, HookStarted, HookVerdict, RunOutcome};
use hook_types::{HookId, Message, RunId, ToolUseId};
use serde_json::Value;

use super::outcome;
use crate::render::{Look, Tone, behind, clean, clean_line, first_line, took};

/// Tells what happens.
pub(crate) struct Story {
    look: Look,
    runner: Runner,
    /// The hooks that run, and what they do.
    hooks: Vec<(RunId, String, Instant)>,
    /// The tools that run.
    tools: Vec<(ToolUseId, String)>,
    /// The calls that the model wanted.
    calls: Vec<ToolCall>,
}

impl Story {
    /// What the hooks of this runner do is told in their own words.
    pub(crate) fn new(look: Look, runner: Runner) -> Self {
        Self {
            look,
            runner,
            hooks: Vec::new(),
            tools: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// What goes on now.
    pub(crate) fn going_on(&self) -> Option<String> {
        let hook = self.hooks.last().map(|(_, label, _)| label.clone());
        hook.or_else(|| self.tools.last().map(|(_, name)| format!("{name} runs")))
    }

    /// The lines of an event, each with its line break; most have none.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is not listed is not for people"
    )]
    pub(crate) fn tell(&mut self, event: &AgentEvent) -> String {
        let look = self.look;
        match &event.kind {
            AgentEventKind::SessionStarted {
                session_id,
                model,
                permission_mode,
                ..
            } => self.faint(&format!(
                "session {session_id} · model {model} · permission mode {permission_mode}"
            )),
            AgentEventKind::Message(message) => self.wanted(message),
            AgentEventKind::ToolStarted { id, name, input } => self.tool_started(id, name, input),
            AgentEventKind::ToolFinished {
                id,
                name,
                result,
                is_error,
                duration,
            } => {
                self.tools.retain(|(running, _)| running != id);
                let tone = if *is_error { Tone::Bad } else { Tone::Good };
                let what = match told(result) {
                    "" => "no output",
                    told => told,
                };
                let what = first_line(what, look.width.saturating_sub(name.len() + 14));
                let time = self.faint_text(&took(*duration));
                format!(
                    "  {} {}  {what}  {time}\n",
                    look.mark(tone),
                    clean_line(name)
                )
            }
            AgentEventKind::Hook(message) => self.hook(message),
            AgentEventKind::HookSays { event, text, .. } => {
                let text = format!("{event} hook says: {}", behind(text, "    "));
                self.odd(&text)
            }
            AgentEventKind::Warning(text) => self.odd(&behind(text, "    ")),
            AgentEventKind::SubagentStarted {
                agent_type,
                description,
            } => self.faint(&format!("  agent {agent_type}: {description}")),
            AgentEventKind::SubagentFinished => self.faint("  the agent is done"),
            AgentEventKind::Compacted { before, after, .. } => {
                self.faint(&format!("summarised: {before} tokens became {after}"))
            }
            AgentEventKind::ModelSwitched { from, to } => {
                self.faint(&format!("model {to}, after {from}"))
            }
            AgentEventKind::CwdChanged(path) => self.faint(&format!("in {}", path.display())),
            AgentEventKind::Title(title) => self.faint(&format!("title: {title}")),
            AgentEventKind::TurnFinished(result) => match outcome::reason(result) {
                Some(reason) => format!(
                    "{} {}\n",
                    look.mark(Tone::Bad),
                    look.paint(Tone::Bad, &behind(&reason, "    "))
                ),
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    /// The calls that the model wants, before anybody has judged them.
    fn wanted(&mut self, message: &ChatMessage) -> String {
        let mut text = String::new();
        for call in message.tool_calls() {
            text += &self.call(Tone::Strong, "", &call.name, &call.input);
            self.calls.push(call.clone());
        }
        text
    }

    /// A call that runs otherwise than the model wanted says so.
    fn tool_started(&mut self, id: &ToolUseId, name: &str, input: &Value) -> String {
        self.tools.push((id.clone(), clean_line(name).into_owned()));
        let place = self.calls.iter().position(|call| call.id == *id);
        let wanted = place.map(|place| self.calls.swap_remove(place));
        if wanted.is_some_and(|call| call.input == *input) {
            return String::new();
        }
        self.call(Tone::Odd, "runs as ", name, input)
    }

    fn call(&self, tone: Tone, how: &str, name: &str, input: &Value) -> String {
        let room = self.look.width.saturating_sub(name.len() + how.len() + 6);
        let input = first_line(&summary(input), room);
        let name = self.look.paint(Tone::Strong, &clean_line(name));
        format!("{} {how}{name}  {input}\n", self.look.mark(tone))
    }

    fn hook(&mut self, message: &Message) -> String {
        match message {
            Message::Started(started) => self.hook_started(started),
            Message::Response(response) => self.hook_ended(response),
            Message::Verdict(verdict) => self.verdict(verdict),
            Message::Progress(_) | _ => String::new(),
        }
    }

    fn hook_started(&mut self, HookStarted { hook }: &HookStarted) -> String {
        let said = hook
            .registered
            .as_ref()
            .and_then(|id| self.status_message(id));
        let label = said.unwrap_or_else(|| format!("{} hook runs", hook.hook_name));
        let label = clean(&label).replace(['\n', '\t'], " ");
        self.hooks
            .push((hook.hook_id.clone(), label, Instant::now()));
        String::new()
    }

    fn status_message(&self, id: &HookId) -> Option<String> {
        let hooks = self.runner.hooks();
        let found = hooks.hooks().find(|(hook, _)| hook.get_id() == Some(id));
        let message = found.and_then(|(hook, _)| hook.get_status_message());
        message.map(str::to_owned)
    }

    /// A hook that failed says how; what the others decided is in the verdict.
    fn hook_ended(&mut self, response: &HookResponse) -> String {
        let hook = &response.hook;
        let place = self.hooks.iter().position(|(run, ..)| *run == hook.hook_id);
        let time = place.map(|place| self.hooks.remove(place).2.elapsed());
        let how = match &response.outcome {
            RunOutcome::Success => return String::new(),
            RunOutcome::Cancelled => "took too long, or was cancelled",
            RunOutcome::Error | RunOutcome::Other(_) => "failed",
        };
        let name = hook
            .registered
            .as_ref()
            .map_or(hook.hook_name.as_str(), HookId::as_str);
        let said = first_line(&response.stderr, self.look.width / 2);
        let time = time.map(took).unwrap_or_default();
        self.odd(&format!("{} {how}: {said}  {time}", clean_line(name)))
    }

    fn verdict(&self, verdict: &HookVerdict) -> String {
        let name = clean_line(&verdict.hook_name);
        let stopped = !verdict.r#continue;
        let reason = if stopped {
            &verdict.stop_reason
        } else {
            &verdict.reason
        };
        let word = if stopped {
            Some("stop")
        } else {
            verdict.decision.as_deref()
        };
        let count = verdict.hooks;
        let Some(word) = word else {
            let s = if count == 1 { "" } else { "s" };
            return match count {
                0 => String::new(),
                _ => self.faint(&format!("  {name}: {count} hook{s}, no objection")),
            };
        };
        let tone = match word {
            "allow" => Tone::Good,
            "ask" | "defer" => Tone::Odd,
            _ => Tone::Bad,
        };
        let decider = verdict.decided_by.as_ref();
        let decider =
            decider.map(|hook| self.faint_text(&format!("  {}", clean_line(hook.as_str()))));
        let reason = reason
            .as_deref()
            .map(|text| first_line(text, self.look.width));
        format!(
            "  {} {name}: {}{}{}\n",
            self.look.mark(tone),
            self.look.paint(tone, word),
            reason.map(|text| format!(": {text}")).unwrap_or_default(),
            decider.unwrap_or_default(),
        )
    }

    fn faint(&self, text: &str) -> String {
        format!("{}\n", self.faint_text(&clean_line(text)))
    }

    fn faint_text(&self, text: &str) -> String {
        self.look.paint(Tone::Faint, text)
    }

    fn odd(&self, text: &str) -> String {
        format!("{} {text}\n", self.look.mark(Tone::Odd))
    }
}

/// What a call came to, without the mark that a model is shown around the words of hooks.
fn told(result: &str) -> &str {
    let result = result.trim();
    let words = result.strip_prefix("<system-reminder>");
    words.map_or(result, |words| words.trim_start())
}

/// A title, a notification or a bell. They were vetted where the hook's answer was read.
pub(crate) fn sequence(event: &AgentEvent) -> Option<&str> {
    let AgentEventKind::TerminalSequence(text) = &event.kind else {
        return None;
    };
    Some(text)
}

/// Text that is shown as it comes: the main agent's.
pub(crate) fn streamed(event: &AgentEvent) -> Option<String> {
    let AgentEventKind::TextDelta(text) = &event.kind else {
        return None;
    };
    event.agent_id.is_none().then(|| clean(text).into_owned())
}

/// Whether the text that was streamed is complete.
pub(crate) fn ends_line(event: &AgentEvent) -> bool {
    let ends = matches!(
        event.kind,
        AgentEventKind::Message(_) | AgentEventKind::TurnFinished(_)
    );
    ends && event.agent_id.is_none()
}

/// What a tool is called with, in a line: what matters most of it.
pub(crate) fn summary(input: &Value) -> String {
    let telling = [
        "command",
        "file_path",
        "pattern",
        "url",
        "prompt",
        "description",
    ];
    let told = telling
        .iter()
        .find_map(|name| input.get(name).and_then(Value::as_str));
    told.map_or_else(|| input.to_string(), str::to_owned)
}
