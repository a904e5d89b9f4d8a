//! What tools ask the loop to do: another directory, a change to the task list.

use std::path::Path;

use hook_types::{CwdChanged, TaskCompleted, TaskCreated};
use serde_json::Value;

use crate::apply::Heard;
use crate::apply::task::{TaskStep, task};
use crate::apply::workspace::moved;
use crate::event::AgentEventKind;
use crate::firing::Interrupted;
use crate::said::Said;
use crate::shared::lock;
use crate::task::{Task, TaskStatus};
use crate::thread::Thread;
use crate::tool::{Effect, ToolError, ToolOutput};

impl Thread {
    /// Does what a tool asks for, as hooks let it. The first refusal is the call's failure.
    pub(crate) async fn take_effects(
        &self,
        ran: Result<ToolOutput, ToolError>,
    ) -> Result<Result<Value, ToolError>, Interrupted> {
        let (effects, result) = match ran {
            Ok(output) => (output.effects, Ok(output.response)),
            Err(error) => (error.effects.clone(), Err(error)),
        };
        for effect in effects {
            if let Some(refused) = self.take_effect(effect).await? {
                return Ok(Err(ToolError::new(refused.marked())));
            }
        }
        Ok(result)
    }

    /// Does one thing; the words of a hook that refuses it.
    async fn take_effect(&self, effect: Effect) -> Result<Option<Said>, Interrupted> {
        match effect {
            Effect::MovedTo(directory) => {
                self.move_to(&directory).await?;
                Ok(None)
            }
            Effect::CreateTask(task) => {
                let event = TaskCreated::new(task.id.clone(), task.subject.clone())
                    .task_description(task.description.clone());
                let heard = self.firing.hear(event).await?;
                Ok(self.settle_task(&heard, task))
            }
            Effect::ChangeTask(task) if self.completes(&task) => {
                let event = TaskCompleted::new(task.id.clone(), task.subject.clone())
                    .task_description(task.description.clone());
                let heard = self.firing.hear(event).await?;
                Ok(self.settle_task(&heard, task))
            }
            Effect::ChangeTask(task) => {
                self.shared.tasks.put(task);
                Ok(None)
            }
        }
    }

    fn completes(&self, task: &Task) -> bool {
        let before = self.shared.tasks.get(&task.id).map(|held| held.status);
        task.status == TaskStatus::Completed && before != Some(TaskStatus::Completed)
    }

    fn settle_task(&self, heard: &Heard, proposed: Task) -> Option<Said> {
        match task(heard) {
            TaskStep::Accept => {
                self.shared.tasks.put(proposed);
                None
            }
            TaskStep::Refuse(said) => Some(said),
        }
    }

    /// Works in another directory from now on. Only the main agent's moves are told of.
    async fn move_to(&self, directory: &Path) -> Result<(), Interrupted> {
        let new = directory.to_string_lossy().into_owned();
        let old = std::mem::replace(&mut self.firing.base().cwd, new.clone());
        if old == new || self.subagent.is_some() {
            return Ok(());
        }
        self.firing
            .hooks()
            .session_changed(&mut |session| session.base.cwd.clone_from(&new));
        self.shared.leave_directory();
        self.firing
            .tell(AgentEventKind::CwdChanged(directory.to_owned()));
        let heard = self.firing.hear(CwdChanged::new(old, new)).await?;
        let moved = moved(&heard);
        self.shared.export_here(moved.exports);
        self.shared.watch(moved.watch);
        Ok(())
    }
}

impl crate::shared::Shared {
    /// Has other files watched, where hooks say so.
    pub(crate) fn watch(&self, paths: Option<Vec<String>>) {
        if let Some(paths) = paths {
            lock(&self.watched).clone_from(&paths);
            self.voice.tell(AgentEventKind::WatchPaths(paths));
        }
    }
}
