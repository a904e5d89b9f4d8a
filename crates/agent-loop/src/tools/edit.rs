//! Edit: a part of a file.

use std::path::Path;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{self, Change};
use super::read_files::ReadFiles;
use super::replace::{Mismatch, replace};
use super::{paths, work};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};

/// Replaces a text in a file that has been read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edit;

#[derive(Deserialize)]
struct Input {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[async_trait]
impl Tool for Edit {
    fn name(&self) -> &'static str {
        "Edit"
    }

    fn description(&self) -> &'static str {
        "Replaces a text in a file that has been read. `old_string` must be there exactly once, to the last \
         blank and without line numbers, unless `replace_all` is set. An empty `old_string` makes a new file."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["file_path", "old_string", "new_string"],
            "additionalProperties": false,
            "properties": {
                "file_path": {"type": "string", "minLength": 1, "description": "The file's path."},
                "old_string": {"type": "string", "description": "The text to replace."},
                "new_string": {"type": "string", "description": "What to put in its place."},
                "replace_all": {"type": "boolean", "description": "Whether to replace it everywhere.", "default": false},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Edit
    }

    fn normalise(&self, input: Value, context: &ToolContext) -> Value {
        paths::with_absolute(input, "file_path", context)
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let input: Input = work::parse(input)?;
        let path = paths::absolute(&input.file_path, context);
        let known = context.read_files.clone();
        work::blocking(context, move |_| edit(&path, &input, &known)).await
    }

    fn render(&self, response: &Value) -> Option<String> {
        let path = response.get("filePath")?.as_str()?;
        response.get("structuredPatch")?.as_array()?;
        Some(format!("`{path}` has been changed."))
    }
}

fn edit(path: &Path, input: &Input, known: &ReadFiles) -> Result<ToolOutput, ToolError> {
    let (old, new) = match change::current(path)? {
        Some(content) => {
            change::may_edit(path, &content, known)?;
            let text = String::from_utf8(content).map_err(|_| not_text(path))?;
            let new = replace(
                &text,
                &input.old_string,
                &input.new_string,
                input.replace_all,
            )
            .map_err(|mismatch| refused(path, &mismatch))?;
            (Some(text), new)
        }
        None if input.old_string.is_empty() => (None, input.new_string.clone()),
        None => {
            return Err(ToolError::new(format!(
                "`{}` does not exist; use Write to make it",
                path.display()
            )));
        }
    };
    let change = Change::carry_out(path, old, new, known)?;
    Ok(ToolOutput::structured(json!({
        "filePath": path,
        "oldString": input.old_string, "newString": input.new_string,
        "originalFile": change.old.is_none().then_some("").or(change.original()),
        "structuredPatch": change.hunks(),
        "userModified": false,
        "replaceAll": input.replace_all,
    })))
}

fn not_text(path: &Path) -> ToolError {
    ToolError::new(format!(
        "`{}` is not UTF-8, and to change it as text would damage it; use a program in Bash",
        path.display()
    ))
}

fn refused(path: &Path, mismatch: &Mismatch) -> ToolError {
    ToolError::new(format!("`{}` was not changed: {mismatch}", path.display()))
}
