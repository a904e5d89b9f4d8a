//! What an outcome means for the agent: one pure function an event family, from what was heard to a step.
//! The loop only carries the steps out.
//!
//! | file | events |
//! |---|---|
//! | `prompt.rs` | `UserPromptSubmit`, `UserPromptExpansion` |
//! | `session.rs` | `SessionStart`, `SubagentStart`, `Setup` |
//! | `model.rs` | `PreToolSelection`, `PreModelRequest`, `PostModelResponse`, `PreModelSwitch`, `PostModelSwitch` |
//! | `tool.rs` | `PreToolUse`, `PostToolUse`, `PostToolUseFailure`, `PostToolBatch` |
//! | `stop.rs` | `Stop`, `SubagentStop`, `TeammateIdle` |
//! | `compact.rs` | `PreCompact` |
//! | `task.rs` | `TaskCreated`, `TaskCompleted` |
//! | `workspace.rs` | `CwdChanged`, `FileChanged`, `DirectoryAdded`, `ConfigChange`, `WorktreeCreate`, `WorktreeRemove` |
//! | `host.rs` | `Elicitation`, `ElicitationResult`, `MessageDisplay`, `Notification` |
//! | `table.rs` | all of them: where each fires, and what each part of an answer does |
//!
//! `PermissionCheck`, `PermissionRequest`, `PermissionDenied` and `PermissionGranted` are in
//! [`permission`](crate::permission). The rest is only told.

pub(crate) mod compact;
pub(crate) mod host;
pub(crate) mod model;
pub(crate) mod prompt;
pub(crate) mod session;
pub(crate) mod stop;
pub mod table;
pub(crate) mod task;
pub(crate) mod tool;
pub(crate) mod workspace;

use std::ops::Deref;

use hook_runner::Fired;
use hook_types::outcome::{Note, StopOrder};
use hook_types::{EventName, HookId};

use crate::said::{Manner, Said};

/// What came of a firing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard(pub(crate) Fired);

impl Deref for Heard {
    type Target = Fired;

    fn deref(&self) -> &Fired {
        &self.0
    }
}

/// Whether a hook wants its output kept out of transcript and display.
pub(crate) fn is_quiet(fired: &Fired, hook: &HookId) -> bool {
    let mut attempts = fired.attempts.iter();
    attempts.any(|attempt| attempt.hook.id == *hook && attempt.reply.output.suppress_output)
}

impl Heard {
    pub(crate) fn is_quiet(&self, hook: &HookId) -> bool {
        is_quiet(&self.0, hook)
    }

    /// The order to stop the whole agent, which is stronger than every decision.
    pub(crate) fn halt(&self) -> Option<Halt> {
        let stop = self.outcome.stop.as_ref()?;
        Some(Halt {
            event: self.outcome.event,
            hook: stop.hook.clone(),
            reason: stop.reason.clone(),
            quiet: self.is_quiet(&stop.hook),
        })
    }

    /// The context that hooks add, in order.
    pub(crate) fn context(&self, manner: Manner) -> Vec<Said> {
        let notes = self.outcome.additional_context.iter();
        notes.map(|note| self.said(note, manner)).collect()
    }

    fn said(&self, note: &Note, manner: Manner) -> Said {
        Said {
            hook: Some(note.hook.clone()),
            event: self.outcome.event,
            manner,
            text: note.text.clone(),
            quiet: self.is_quiet(&note.hook),
        }
    }

    /// The reason of the decision, as whoever made it says it.
    pub(crate) fn reason(&self, manner: Manner) -> Said {
        let hook = self.outcome.decided_by.as_ref().map(|by| by.hook.clone());
        Said {
            quiet: hook.as_ref().is_some_and(|hook| self.is_quiet(hook)),
            hook,
            event: self.outcome.event,
            manner,
            text: self.why(),
        }
    }

    /// The reason of the decision, or the words for there being none.
    pub(crate) fn why(&self) -> String {
        let reason = self.outcome.reason.clone();
        reason.unwrap_or_else(|| "no reason was given".to_owned())
    }
}

/// A hook stops the whole agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Halt {
    pub(crate) event: EventName,
    pub(crate) hook: HookId,
    pub(crate) reason: Option<String>,
    pub(crate) quiet: bool,
}

impl Halt {
    /// A hook stops the agent that was asked about a permission.
    pub(crate) fn at_permission(event: EventName, order: StopOrder) -> Self {
        Self {
            event,
            hook: order.hook,
            reason: order.reason,
            quiet: false,
        }
    }

    /// What the model is told of it, should the conversation ever go on.
    pub(crate) fn said(&self) -> Said {
        Said {
            hook: Some(self.hook.clone()),
            event: self.event,
            manner: Manner::Stops,
            text: self
                .reason
                .clone()
                .unwrap_or_else(|| "no reason was given".to_owned()),
            quiet: self.quiet,
        }
    }
}

/// Whether messages for the user are shown to the user. Those about a directory that the user added are
/// for the model.
pub(crate) fn user_hears(event: EventName) -> bool {
    event != EventName::DirectoryAdded
}
