//! What is said beside a result: warnings, and what hooks tell the user. To stderr.

use std::io::{self, Write};

use agent_loop::AgentEventKind;

use super::display::{Show, View};
use crate::render::behind;

/// Says little.
pub(crate) struct Quiet;

impl View for Quiet {
    fn show(&mut self, what: Show) -> io::Result<()> {
        let text = match what {
            Show::Event(event) => match said(event.kind) {
                Some(text) => text,
                None => return Ok(()),
            },
            Show::Note(text) => format!("note: {text}"),
            Show::Said(_)
            | Show::Prompt(_)
            | Show::Question { .. }
            | Show::Answered(_)
            | Show::Flush(_) => return Ok(()),
        };
        // That nobody reads it is no failure.
        let _ = writeln!(io::stderr(), "{}", behind(&text, "    "));
        Ok(())
    }
}

fn said(kind: AgentEventKind) -> Option<String> {
    if let AgentEventKind::Warning(text) = kind {
        return Some(format!("warning: {text}"));
    }
    if let AgentEventKind::HookSays { event, text, .. } = kind {
        return Some(format!("{event} hook: {text}"));
    }
    None
}
