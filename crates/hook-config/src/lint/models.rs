//! Hooks that ask a model where nobody heeds what it says.

use crate::diagnostic::{Code, Diagnostic};
use crate::entry::{Action, Entry};

pub(super) fn check(entry: &Entry, found: &mut Vec<Diagnostic>) {
    let Action::Other {
        kind, kind_place, ..
    } = &entry.action
    else {
        return;
    };
    if !matches!(kind.as_str(), "prompt" | "agent") {
        return;
    }
    let unheeded = |event: hook_types::EventName| !event.row().heeds_models();
    for listen in entry.listens.iter().filter(|listen| unheeded(listen.event)) {
        let message = format!(
            "{} does not heed hooks of type `{kind}`: no model is asked",
            listen.event
        );
        let problem = Diagnostic::new(Code::NotHeeded, message).at(kind_place.clone());
        found.push(problem.help("use a hook of type `command` there, or another event"));
    }
}
