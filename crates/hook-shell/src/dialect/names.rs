//! What a dialect calls tools and their arguments.

use serde_json::{Map, Value};

/// What we call the argument that is a path.
const FILE_PATH: &str = "file_path";

/// A dialect's names of tools, and of the argument that is a path. A name that has no counterpart
/// stays as it is, so that an agent with those tools works too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// Ours and theirs. The first of several for one name is the one that is told.
    tools: &'static [(&'static str, &'static str)],
    /// What they call `file_path`.
    file_path: Option<&'static str>,
}

impl Names {
    /// Our own names.
    pub const OURS: Self = Self {
        tools: &[],
        file_path: None,
    };

    /// Opta's names.
    pub const OPTA: Self = Self {
        tools: &[
            ("Bash", "run_command"),
            ("Edit", "edit_file"),
            ("Edit", "multi_edit"),
            ("Write", "write_file"),
            ("Read", "read_file"),
        ],
        file_path: Some("path"),
    };

    /// OpenCode's names.
    pub const OPENCODE: Self = Self {
        tools: &[
            ("Bash", "bash"),
            ("Read", "read"),
            ("Write", "write"),
            ("Edit", "edit"),
            ("Glob", "glob"),
            ("Grep", "grep"),
        ],
        file_path: None,
    };

    /// Our names, each with one of theirs.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.tools.iter().copied()
    }

    /// What they call one of our tools.
    pub fn theirs<'a>(&self, ours: &'a str) -> &'a str {
        self.tools
            .iter()
            .find(|(name, _)| *name == ours)
            .map_or(ours, |(_, theirs)| theirs)
    }

    /// Everything they call one of our tools: what a matcher of theirs is tested against.
    pub fn all_theirs<'a>(&self, ours: &'a str) -> Vec<&'a str> {
        let mut theirs: Vec<&str> = self
            .tools
            .iter()
            .filter(|(name, _)| *name == ours)
            .map(|(_, theirs)| *theirs)
            .collect();
        theirs.push(ours);
        theirs
    }

    /// What we call one of their tools.
    pub fn ours<'a>(&self, theirs: &'a str) -> &'a str {
        self.tools
            .iter()
            .find(|(_, name)| *name == theirs)
            .map_or(theirs, |(ours, _)| ours)
    }

    /// Renames what a hook made of arguments that it knows under their names, where the call has them
    /// under ours.
    pub(crate) fn make_ours(&self, original: &Value, updated: &mut Value) {
        let (Some(path), Value::Object(updated)) = (self.file_path, updated) else {
            return;
        };
        let was_renamed = original.get(FILE_PATH).is_some() && original.get(path).is_none();
        if was_renamed && !updated.contains_key(FILE_PATH) && updated.contains_key(path) {
            *updated = renamed(updated, path, FILE_PATH);
        }
    }

    /// A tool's arguments under their names.
    pub fn their_arguments(&self, input: &Value) -> Value {
        match (self.file_path, input) {
            (Some(path), Value::Object(arguments)) => {
                Value::Object(renamed(arguments, FILE_PATH, path))
            }
            _ => input.clone(),
        }
    }
}

fn renamed(arguments: &Map<String, Value>, from: &str, to: &str) -> Map<String, Value> {
    let rename = |key: &String| if key == from { to } else { key }.to_owned();
    arguments
        .iter()
        .map(|(key, value)| (rename(key), value.clone()))
        .collect()
}
