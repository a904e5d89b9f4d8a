//! Read: a file, or a part of it, with numbered lines.

use std::fmt::Write as _;
use std::io::BufReader;
use std::path::Path;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::excerpt::{self, Excerpt};
use super::{file, paths, work};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};

/// How many lines are shown where nobody says how many.
const LINES: u64 = 2000;
/// The largest file that is read; its lines are counted to the end.
const LARGEST: u64 = 256 << 20;

/// Reads a text file.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agent_loop::{Tool, ToolContext, tools::Read};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), "one\ntwo\n")?;
/// let output = Read.call(json!({"file_path": "a.txt"}), &ToolContext::standalone(folder.path())).await?;
/// assert_eq!(output.response["file"]["totalLines"], 2);
/// assert_eq!(Read.render(&output.response).as_deref(), Some("     1\tone\n     2\ttwo\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Read;

#[derive(Deserialize)]
struct Input {
    file_path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

#[async_trait]
impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn description(&self) -> &'static str {
        "Reads a text file. Lines come with their numbers, 2000 of them at most; use `offset` and `limit` for \
         other parts of a long file. A file must be read before it can be changed."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["file_path"], "additionalProperties": false,
            "properties": {
                "file_path": {"type": "string", "minLength": 1, "description": "The file's path."},
                "offset": {"type": "integer", "minimum": 0, "description": "The first line to read, counted from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read."},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    fn normalise(&self, input: Value, context: &ToolContext) -> Value {
        paths::with_absolute(input, "file_path", context)
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let input: Input = work::parse(input)?;
        let path = paths::absolute(&input.file_path, context);
        let known = context.read_files.clone();
        work::blocking(context, move |_| {
            let first = input.offset.unwrap_or(1).max(1);
            let excerpt = read(&path, first, input.limit.unwrap_or(LINES))?;
            known.read(&paths::real(&path), excerpt.seen);
            Ok(ToolOutput::structured(response(&path, first, &excerpt)))
        })
        .await
    }

    fn render(&self, response: &Value) -> Option<String> {
        let file = response.get("file")?;
        let number = |name: &str| file.get(name).and_then(Value::as_u64);
        let (first, shown) = (number("startLine")?, number("numLines")?);
        let total = number("totalLines")?;
        let content = file.get("content")?.as_str()?;
        if shown == 0 {
            return Some(nothing_shown(first, total));
        }
        let mut text = String::with_capacity(content.len() + 64);
        for (line, number) in content.split('\n').zip(first..) {
            writeln!(text, "{number:>6}\t{line}").ok()?;
        }
        let after = first + shown;
        if after <= total {
            let last = after - 1;
            write!(
                text,
                "(lines {first} to {last} of {total}; go on with offset {after})"
            )
            .ok()?;
        }
        Some(text)
    }
}

fn read(path: &Path, first: u64, limit: u64) -> Result<Excerpt, ToolError> {
    let (file, facts) = file::open(path, LARGEST)?;
    let reader = BufReader::with_capacity(64 << 10, file);
    let excerpt =
        excerpt::take(reader, first, limit).map_err(|error| file::unreadable(path, &error))?;
    excerpt.ok_or_else(|| {
        ToolError::new(format!(
            "`{}` is binary ({}) and is not shown; use a program in Bash that understands it",
            path.display(),
            file::size(facts.len())
        ))
    })
}

fn response(path: &Path, first: u64, excerpt: &Excerpt) -> Value {
    json!({
        "type": "text",
        "file": {
            "filePath": path, "content": excerpt.content, "numLines": excerpt.shown,
            "startLine": first, "totalLines": excerpt.total,
        }
    })
}

fn nothing_shown(first: u64, total: u64) -> String {
    match total {
        0 => "(the file is empty)".to_owned(),
        total => format!("(there is no line {first}: the file has {total} lines)"),
    }
}
