//! Events and matchers of the Claude shape.

use hook_runner::matcher::{Matcher, MatcherError};
use hook_types::EventName;
use hook_types::event::Names;

use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Document, Member};

/// The event that a key names to the letter.
pub(super) fn exact(key: &str) -> Option<EventName> {
    EventName::ALL
        .iter()
        .copied()
        .find(|event| event.as_str() == key)
}

/// The event that a key names. For one that is misspelt the nearest, so that a guard is not lost
/// to a slip; and what is wrong with the name.
pub(super) fn event(
    document: &Document,
    member: &Member,
) -> (Option<EventName>, Option<Diagnostic>) {
    let unknown = match member.key.parse::<EventName>() {
        Ok(event) => return (Some(event), None),
        Err(unknown) => unknown,
    };
    let nearest = unknown.nearest();
    let message = format!("no event is called `{}`", member.key);
    let place = document.place(member.key_span);
    let mut problem = Diagnostic::new(Code::UnknownEvent, message).at(place);
    problem = match nearest {
        Some(event) if event.as_str().eq_ignore_ascii_case(&member.key) => problem
            .suggest(format!("\"{event}\""))
            .help("upper and lower case count in the names of events"),
        Some(event) => problem.suggest(format!("\"{event}\"")),
        None => problem.help("`hookline schema` lists the events"),
    };
    (nearest, Some(problem))
}

/// The matcher of an event by the rule of Claude settings.
pub(super) fn matcher(event: EventName, pattern: &str) -> Result<Matcher, MatcherError> {
    match event.row().names {
        Names::Usual => Matcher::claude(pattern),
        Names::Narrow => Matcher::claude_narrow(pattern),
    }
}
