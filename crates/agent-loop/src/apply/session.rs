//! `SessionStart`, `SubagentStart` and `Setup`: what stands at the beginning.

use super::{Halt, Heard};
use crate::said::{Manner, Said};

/// How a session, or a subagent, begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Opening {
    /// For the system prompt.
    pub(crate) said: Vec<Said>,
    /// What the user says first, in a hook's words.
    pub(crate) first_message: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) watch: Option<Vec<String>>,
    pub(crate) reload_skills: bool,
    /// Shell lines for the agent's later commands.
    pub(crate) exports: Option<String>,
    /// It does not begin.
    pub(crate) halt: Option<Halt>,
}

pub(crate) fn opening(heard: &Heard) -> Opening {
    let specific = &heard.outcome.specific;
    Opening {
        said: heard.context(Manner::Adds),
        first_message: specific.initial_user_message.clone(),
        title: specific.session_title.clone(),
        watch: specific.watch_paths.clone(),
        reload_skills: specific.reload_skills == Some(true),
        exports: specific.exports.clone(),
        halt: heard.halt(),
    }
}
