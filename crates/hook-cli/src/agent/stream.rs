//! What happens, in lines of JSON: `--output-format stream-json`.

use std::io::{self, Write};
use std::time::Instant;

use agent_loop::{AgentEvent, AgentEventKind, Role};
use hook_types::SessionId;
use serde_json::{Value, json};
use uuid::Uuid;

use super::display::{Show, View};
use super::hook_events::HookEvents;
use super::outcome;
use crate::mcp::Mcp;
use crate::safe;

/// Writes one JSON object a line.
pub(crate) struct Stream<W> {
    out: W,
    lines: Lines,
}

/// Makes the objects.
pub(crate) struct Lines {
    hooks: HookEvents,
    session_id: Option<SessionId>,
    mcp: Mcp,
}

impl<W: Write + Send + 'static> Stream<W> {
    /// With all of the hooks' messages, or with few.
    pub(crate) fn new(out: W, all_hook_events: bool, mcp: Mcp) -> Self {
        let lines = Lines {
            hooks: HookEvents::new(all_hook_events),
            session_id: None,
            mcp,
        };
        Self { out, lines }
    }
}

impl<W: Write + Send + 'static> View for Stream<W> {
    fn show(&mut self, what: Show) -> io::Result<()> {
        let line = match what {
            Show::Event(event) => self.lines.of(&event),
            Show::Note(text) => Some(self.lines.informational(&text, "notice")),
            Show::Said(_)
            | Show::Prompt(_)
            | Show::Question { .. }
            | Show::Answered(_)
            | Show::Flush(_) => None,
        };
        match line {
            Some(line) => {
                writeln!(self.out, "{}", safe::json(&line.to_string()))?;
                self.out.flush()
            }
            None => Ok(()),
        }
    }
}

impl Lines {
    /// The line of an event; none where programs are not told of it.
    fn of(&mut self, event: &AgentEvent) -> Option<Value> {
        let mut line = self.line(&event.kind)?;
        if let Some(agent) = &event.agent_id {
            line["agent_id"] = json!(agent);
        }
        Some(line)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what is not listed is for people, or is told by other lines"
    )]
    fn line(&mut self, kind: &AgentEventKind) -> Option<Value> {
        match kind {
            AgentEventKind::SessionStarted {
                session_id,
                source,
                model,
                tools,
                cwd,
                permission_mode,
            } => {
                self.session_id = Some(session_id.clone());
                Some(self.system(
                    "init",
                    json!({"cwd": cwd, "model": model, "tools": tools, "source": source,
                           "mcp_servers": self.mcp.for_programs(),
                           "permissionMode": permission_mode}),
                ))
            }
            AgentEventKind::Message(message) => {
                let kind = match message.role {
                    Role::User => "user",
                    Role::Assistant => "assistant",
                };
                Some(self.with_ids(json!({"type": kind, "message": message,
                                          "parent_tool_use_id": null})))
            }
            AgentEventKind::Hook(message) => {
                let sends = self.hooks.sends(message, Instant::now());
                sends.then(|| json!(message))
            }
            AgentEventKind::HookSays { text, .. } => Some(self.informational(text, "info")),
            AgentEventKind::Warning(text) => Some(self.informational(text, "warning")),
            AgentEventKind::Compacted {
                trigger,
                before,
                after,
            } => {
                let about = json!({"trigger": trigger, "pre_tokens": before, "post_tokens": after});
                Some(self.system("compact_boundary", json!({"compact_metadata": about})))
            }
            AgentEventKind::TurnFinished(result) => Some(outcome::as_json(result)),
            // What is left is for people, or is told by the lines above.
            _ => None,
        }
    }

    fn informational(&self, text: &str, level: &str) -> Value {
        self.system("informational", json!({"content": text, "level": level}))
    }

    fn system(&self, subtype: &str, rest: Value) -> Value {
        let mut line = json!({"type": "system", "subtype": subtype});
        if let (Some(line), Value::Object(rest)) = (line.as_object_mut(), rest) {
            line.extend(rest);
        }
        self.with_ids(line)
    }

    fn with_ids(&self, mut line: Value) -> Value {
        line["session_id"] = json!(self.session_id);
        line["uuid"] = Uuid::now_v7().to_string().into();
        line
    }
}
