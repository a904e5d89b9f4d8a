//! Entry points for a host: events that happen around an agent, and that only the host knows of.

use std::fmt;
use std::sync::Arc;

use hook_types::{
    ConfigChange, DirectoryAdded, DirectorySource, Elicitation, ElicitationAnswer,
    ElicitationResult, Error, FileChanged, MessageDisplay, Notification, TaskCompleted,
    TeammateIdle, UserPromptExpansion, WorktreeCreate, WorktreeRemove,
};

use crate::apply::host::{ElicitationStep, display, elicitation, elicitation_result, notification};
use crate::apply::prompt::{PromptStep, prompt};
use crate::apply::stop::{StopCounter, StopStep, stop};
use crate::apply::task::{TaskStep, task, teammate_stops};
use crate::apply::workspace::{config_applies, directory_added, moved, worktree};
use crate::firing::{Firing, Interrupted};
use crate::pending::Pending;
use crate::shared::Shared;

/// What only a host knows of, for the hooks of one session. Cheap to clone, and usable while a turn runs.
///
/// What hooks say to the model is kept for its next request; what they decide comes back.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
    firing: Firing,
    pending: Pending,
}

/// What a teammate does that has nothing left to do, or whose turn ended with a task in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TeammateStep {
    /// It rests.
    Rest,
    /// It goes on; this is what it is told.
    KeepWorking(String),
    /// It stops for good, and why.
    Stop(String),
}

/// What becomes of a command that the user typed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpansionStep {
    /// It is expanded. What hooks add goes to the model with the prompt.
    Expand,
    /// It is not; the message is for the user.
    Refuse(String),
    /// The agent stops, and why.
    Halt(String),
}

impl Host {
    pub(crate) fn new(shared: Arc<Shared>, firing: Firing, pending: Pending) -> Self {
        Self {
            shared,
            firing,
            pending,
        }
    }

    /// The user is told something outside the conversation.
    pub async fn notify(&self, event: Notification) -> Result<(), Interrupted> {
        let heard = self.firing.hear(event).await?;
        self.pending.add(notification(&heard));
        Ok(())
    }

    /// The user typed a command that is about to be expanded.
    pub async fn expand(&self, event: UserPromptExpansion) -> Result<ExpansionStep, Interrupted> {
        let typed = event.prompt.clone();
        let heard = self.firing.hear(event).await?;
        Ok(match prompt(&heard, &typed) {
            PromptStep::Submit { said, .. } => {
                self.pending.add(said);
                ExpansionStep::Expand
            }
            PromptStep::Refuse { message } => ExpansionStep::Refuse(message),
            PromptStep::Halt(halt) => ExpansionStep::Halt(halt.said().text),
        })
    }

    /// An MCP server asks the user something.
    pub async fn elicitation(&self, event: Elicitation) -> Result<ElicitationStep, Interrupted> {
        Ok(elicitation(&self.firing.hear(event).await?))
    }

    /// The user has answered an MCP server; what comes back is what the server is told.
    pub async fn elicitation_result(
        &self,
        event: ElicitationResult,
    ) -> Result<ElicitationAnswer, Interrupted> {
        let (action, content) = (event.action.clone(), event.content.clone());
        let heard = self.firing.hear(event).await?;
        Ok(elicitation_result(&heard, &action, content))
    }

    /// Text of the model is about to be shown; what comes back is what is shown.
    pub async fn display(&self, event: MessageDisplay) -> Result<String, Interrupted> {
        let text = event.delta.clone();
        let heard = self.firing.hear(event).await?;
        Ok(display(&heard).unwrap_or(text))
    }

    /// A file of settings changed; whether the change takes effect.
    pub async fn config_changed(&self, event: ConfigChange) -> Result<bool, Interrupted> {
        Ok(config_applies(&self.firing.hear(event).await?))
    }

    /// A watched file changed.
    pub async fn file_changed(&self, event: FileChanged) -> Result<(), Interrupted> {
        let moved = moved(&self.firing.hear(event).await?);
        self.shared.export_here(moved.exports);
        self.shared.watch(moved.watch);
        Ok(())
    }

    /// The agent may work in one more directory. What hooks say of one that the user added is for the
    /// model.
    pub async fn directory_added(&self, event: DirectoryAdded) -> Result<(), Interrupted> {
        let by_user = event.source == DirectorySource::SlashCommand;
        let heard = self.firing.hear(event).await?;
        if by_user {
            self.pending.add(directory_added(&heard));
        }
        Ok(())
    }

    /// A worktree is needed: where hooks have made it. None where no hook makes worktrees; an error where
    /// one tried and failed.
    pub async fn create_worktree(
        &self,
        event: WorktreeCreate,
    ) -> Result<Result<Option<String>, String>, Interrupted> {
        Ok(worktree(&self.firing.hear(event).await?))
    }

    /// A worktree that a hook made is no longer needed; an error where its removal failed.
    pub async fn remove_worktree(
        &self,
        event: WorktreeRemove,
    ) -> Result<Result<(), String>, Interrupted> {
        Ok(worktree(&self.firing.hear(event).await?).map(drop))
    }

    /// A teammate has nothing left to do.
    pub async fn teammate_idle(&self, event: TeammateIdle) -> Result<TeammateStep, Interrupted> {
        let heard = self.firing.hear(event).await?;
        Ok(match stop(&heard, &StopCounter::new(0)) {
            StopStep::Stop | StopStep::Enough { .. } => TeammateStep::Rest,
            StopStep::Halt(halt) => TeammateStep::Stop(halt.said().text),
            StopStep::KeepGoing(said) => {
                let texts: Vec<String> = said.iter().map(crate::said::Said::marked).collect();
                TeammateStep::KeepWorking(texts.join("\n"))
            }
        })
    }

    /// A teammate's turn ended with a task in progress, which counts as done unless a hook refuses.
    pub async fn teammate_task_completed(
        &self,
        event: TaskCompleted,
    ) -> Result<TeammateStep, Interrupted> {
        let heard = self.firing.hear(event).await?;
        if let Some(halt) = teammate_stops(&heard) {
            return Ok(TeammateStep::Stop(halt.said().text));
        }
        Ok(match task(&heard) {
            TaskStep::Accept => TeammateStep::Rest,
            TaskStep::Refuse(said) => TeammateStep::KeepWorking(said.marked()),
        })
    }

    /// Something failed in the host that the agent does not know of.
    pub async fn error(&self, event: Error) -> Result<(), Interrupted> {
        self.firing.hear(event).await.map(drop)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("session", &self.shared.session_id)
            .finish_non_exhaustive()
    }
}
