//! The events of directories, files and settings.

use hook_types::outcome::Note;

use super::Heard;
use crate::said::{Manner, Said};

/// What hooks want of a changed directory or file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Files to watch from now on; an empty list ends all watching.
    pub(crate) watch: Option<Vec<String>>,
    /// Shell lines for the agent's later commands.
    pub(crate) exports: Option<String>,
}

pub(crate) fn moved(heard: &Heard) -> Moved {
    let specific = &heard.outcome.specific;
    Moved {
        watch: specific.watch_paths.clone(),
        exports: specific.exports.clone(),
    }
}

/// What the model is told of a directory that was added.
pub(crate) fn directory_added(heard: &Heard) -> Vec<Said> {
    let said = |note: &Note| Said {
        hook: Some(note.hook.clone()),
        event: heard.outcome.event,
        manner: Manner::Adds,
        text: note.text.clone(),
        quiet: heard.is_quiet(&note.hook),
    };
    heard.outcome.system_messages.iter().map(said).collect()
}

/// Whether a changed file of settings takes effect.
pub(crate) fn config_applies(heard: &Heard) -> bool {
    !heard.outcome.is_denied()
}

/// Where the worktree is that was asked for; else why there is none. Without hooks there is none, and no
/// reason either.
pub(crate) fn worktree(heard: &Heard) -> Result<Option<String>, String> {
    if heard.outcome.is_denied() {
        return Err(heard.why());
    }
    Ok(heard.outcome.specific.worktree_path.clone())
}
