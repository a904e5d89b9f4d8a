//! Events of the task list.

use super::macros::event;

event! {
    /// A task is about to be put on the list.
    TaskCreated {
        needs {
            /// The task.
            task_id: String,
            /// What it is about.
            task_subject: String,
        }
        may {
            /// What is to be done.
            task_description: String,
            /// Who made it.
            teammate_name: String,
            /// The team; kept for hooks that read it.
            team_name: String,
        }
    }
}

event! {
    /// A task is about to be called done.
    TaskCompleted {
        needs {
            /// The task.
            task_id: String,
            /// What it is about.
            task_subject: String,
        }
        may {
            /// What was to be done.
            task_description: String,
            /// Who did it.
            teammate_name: String,
            /// The team; kept for hooks that read it.
            team_name: String,
        }
    }
}
