//! The agent's task list. Tools propose changes to it; the loop asks the hooks, and only then makes them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// How a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody has begun.
    #[default]
    Pending,
    /// Somebody is at it.
    InProgress,
    /// It is done.
    Completed,
    /// It is off the list.
    Deleted,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// The task.
    pub id: String,
    /// What it is about.
    pub subject: String,
    /// What is to be done.
    #[serde(default)]
    pub description: String,
    /// How it stands.
    #[serde(default)]
    pub status: TaskStatus,
    /// What is shown while somebody is at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Who is at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

impl Task {
    /// A task that nobody has begun.
    pub fn new(id: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            subject: subject.into(),
            description: String::new(),
            status: TaskStatus::Pending,
            active_form: None,
            owner: None,
        }
    }
}

/// The tasks of one session. Clones are the same list. Tools read it; only the loop writes to it.
#[derive(Clone, Debug, Default)]
pub struct TaskList(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    tasks: Vec<Task>,
    given: u64,
}

impl TaskList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that no task of this list has had: `1`, `2`, …
    pub fn next_id(&self) -> String {
        let mut state = self.state();
        state.given += 1;
        state.given.to_string()
    }

    /// The task with that id.
    pub fn get(&self, id: &str) -> Option<Task> {
        self.state()
            .tasks
            .iter()
            .find(|task| task.id == id)
            .cloned()
    }

    /// All tasks, in the order in which they were made.
    pub fn all(&self) -> Vec<Task> {
        self.state().tasks.clone()
    }

    /// Puts a task on the list. The loop does, once hooks agree. It takes the place of
    /// the one with its id if there is one; a deleted one leaves the list.
    pub fn put(&self, task: Task) {
        let mut state = self.state();
        if let Ok(number) = task.id.parse::<u64>() {
            state.given = state.given.max(number);
        }
        let place = state.tasks.iter().position(|held| held.id == task.id);
        match (place, task.status == TaskStatus::Deleted) {
            (Some(place), true) => drop(state.tasks.remove(place)),
            (Some(place), false) => state.tasks[place] = task,
            (None, true) => {}
            (None, false) => state.tasks.push(task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_replaced_by_its_id_and_leaves_when_it_is_deleted() {
        let list = TaskList::new();
        let mut task = Task::new(list.next_id(), "write tests");
        list.put(task.clone());
        task.status = TaskStatus::InProgress;
        list.put(task.clone());
        assert_eq!(list.all(), [task.clone()]);
        task.status = TaskStatus::Deleted;
        list.put(task);
        assert_eq!(list.all(), []);
        assert_eq!(list.next_id(), "2");
    }
}
