//! What is judged: one call.

use hook_runner::matcher::Call;
use serde_json::Value;

use crate::tool::Access;

/// One call, as permissions see it.
#[derive(Clone, Copy, Debug)]
pub struct CallFacts<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// What it is called with, as [`Tool::normalise`](crate::Tool::normalise) made it.
    pub tool_input: &'a Value,
    /// What the call can change.
    pub access: Access,
    /// The working directory.
    pub cwd: &'a str,
    /// The user's home directory.
    pub home: Option<&'a str>,
    /// The project's root.
    pub project_dir: &'a str,
    /// Whether the call can be put off: it is the only one of its reply, and nobody can be asked.
    pub deferrable: bool,
    /// The same call where links lead elsewhere; none: they do not, or nobody looked.
    pub followed: Option<&'a Followed>,
}

/// A call as it is once the links on its paths are followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The input, with the paths as they really are.
    pub tool_input: Value,
    /// The working directory.
    pub cwd: String,
    /// The user's home directory.
    pub home: Option<String>,
    /// The project's root.
    pub project_dir: String,
    /// The directories beside the working directory.
    pub directories: Vec<String>,
}

impl<'a> CallFacts<'a> {
    /// A call in a project whose root is the working directory.
    pub fn new(tool_name: &'a str, tool_input: &'a Value, access: Access, cwd: &'a str) -> Self {
        Self {
            tool_name,
            tool_input,
            access,
            cwd,
            home: None,
            project_dir: cwd,
            deferrable: false,
            followed: None,
        }
    }

    /// Whether the call leaves everything as it is, but for the agent's own notes.
    pub(super) fn is_harmless(&self) -> bool {
        match self.access {
            Access::Own | Access::Read => true,
            Access::Edit | Access::Run => false,
        }
    }

    /// The call as it is written.
    pub(super) fn written(&self) -> Call<'a> {
        Call {
            tool_name: self.tool_name,
            tool_input: self.tool_input,
            cwd: self.cwd,
            home: self.home,
            project_root: Some(self.project_dir),
        }
    }

    /// The call as it is written and, where that differs, as links make it. What forbids looks at each of
    /// them; what allows needs all of them.
    pub(super) fn views(&self) -> impl Iterator<Item = Call<'a>> + use<'a> {
        let tool_name = self.tool_name;
        let followed = self.followed.map(|followed| Call {
            tool_name,
            tool_input: &followed.tool_input,
            cwd: &followed.cwd,
            home: followed.home.as_deref(),
            project_root: Some(&followed.project_dir),
        });
        std::iter::once(self.written()).chain(followed)
    }
}
