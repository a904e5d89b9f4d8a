//! Write: a whole file.

use std::path::Path;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{self, Change};
use super::{paths, work};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};

/// Writes a file whole. One that is there must have been read, and not have changed since.
#[derive(Clone, Copy, Debug, Default)]
pub struct Write;

#[derive(Deserialize)]
struct Input {
    file_path: String,
    content: String,
}

#[async_trait]
impl Tool for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn description(&self) -> &'static str {
        "Writes a file, with its directories where they are missing. What is in it now is replaced: a file \
         that is there must have been read first. To change a part, use Edit."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["file_path", "content"], "additionalProperties": false,
            "properties": {
                "file_path": {"type": "string", "minLength": 1, "description": "The file's path."},
                "content": {"type": "string", "description": "The whole content."},
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
        let Input { file_path, content } = work::parse(input)?;
        let path = paths::absolute(&file_path, context);
        let known = context.read_files.clone();
        work::blocking(context, move |_| {
            let old = change::current(&path)?;
            if let Some(old) = &old {
                change::may_overwrite(&path, old, &known)?;
            }
            let text = old.map(|old| String::from_utf8_lossy(&old).into_owned());
            let change = Change::carry_out(&path, text, content, &known)?;
            Ok(ToolOutput::structured(response(&path, &change)))
        })
        .await
    }

    fn render(&self, response: &Value) -> Option<String> {
        let path = response.get("filePath")?.as_str()?;
        let done = match response.get("type")?.as_str()? {
            "create" => "created",
            _ => "written",
        };
        Some(format!("`{path}` has been {done}."))
    }
}

fn response(path: &Path, change: &Change) -> Value {
    let kind = if change.old.is_some() {
        "update"
    } else {
        "create"
    };
    json!({
        "type": kind, "filePath": path, "content": change.new,
        // A new file is its content: there is nothing to compare.
        "structuredPatch": change.old.as_ref().map_or(json!([]), |_| change.hunks()),
        "originalFile": change.original(),
    })
}
