//! The tools that an agent has where nobody says otherwise.

use super::{Bash, Edit, Read, TaskCreate, TaskUpdate, Write};
use crate::toolbox::Toolbox;

impl Toolbox {
    /// All tools of this crate that work on files, commands and tasks.
    ///
    /// ```
    /// use agent_loop::Toolbox;
    /// use serde_json::json;
    ///
    /// let tools = Toolbox::standard();
    /// let error = tools.check("Read", &json!({"file": "a.rs"})).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`file_path` is missing; `file` is not known; there are `file_path`, `offset`, `limit`"
    /// );
    /// ```
    #[must_use]
    pub fn standard() -> Self {
        Self::empty()
            .with(Bash)
            .with(Read)
            .with(Write)
            .with(Edit)
            .with(TaskCreate)
            .with(TaskUpdate)
    }
}
