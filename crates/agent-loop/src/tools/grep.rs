//! Grep: files by what is in them.

mod lines; // which lines of a text match, and what is around them
mod search; // all files of a search

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use self::search::{Found, Search};
use super::{paths, work};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};

/// How many entries are shown where nobody says how many.
const SHOWN: usize = 250;
/// How many entries can be asked for.
const MOST: usize = 10_000;

/// Finds lines, or the files that have them, by a regular expression.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grep;

#[derive(Deserialize)]
struct Input {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    output_mode: Mode,
    #[serde(rename = "-i", default)]
    ignore_case: bool,
    #[serde(rename = "-n")]
    numbers: Option<bool>,
    #[serde(rename = "-A")]
    after: Option<usize>,
    #[serde(rename = "-B")]
    before: Option<usize>,
    #[serde(rename = "-C")]
    around: Option<usize>,
    context: Option<usize>,
    head_limit: Option<usize>,
    offset: Option<usize>,
    #[serde(default)]
    multiline: bool,
}

/// What is shown of what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[async_trait]
impl Tool for Grep {
    fn name(&self) -> &'static str {
        "Grep"
    }

    fn description(&self) -> &'static str {
        "Searches files for a regular expression. What git ignores is left out, and so are binary files. \
         Shows the files, the lines (`output_mode` content) or how many there are (count)."
    }

    fn input_schema(&self) -> Value {
        let lines = |what: &str| json!({"type": "integer", "minimum": 0, "maximum": 1000, "description": what});
        json!({
            "type": "object", "required": ["pattern"], "additionalProperties": false,
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "description": "The regular expression."},
                "path": {"type": "string", "description": "The file or directory to search; without it the working directory."},
                "glob": {"type": "string", "description": "Only files with names like this, such as `*.{ts,tsx}`; `!` before it: all but them."},
                "type": {"type": "string", "description": "Only files of this language, such as `rust` or `py`."},
                "output_mode": {"type": "string", "enum": ["content", "files_with_matches", "count"],
                                "default": "files_with_matches"},
                "-i": {"type": "boolean", "description": "Upper and lower case are the same."},
                "-n": {"type": "boolean", "description": "Whether lines come with their numbers.", "default": true},
                "-A": lines("Lines to show after each match."),
                "-B": lines("Lines to show before each match."),
                "-C": lines("Lines to show around each match."),
                "context": lines("The same as -C."),
                "head_limit": {"type": "integer", "minimum": 0, "maximum": MOST, "default": SHOWN,
                               "description": "How many lines or files to show; 0: as many as can be."},
                "offset": {"type": "integer", "minimum": 0, "description": "How many lines or files to skip first."},
                "multiline": {"type": "boolean", "description": "A match may go over several lines, and `.` matches line ends."},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    fn normalise(&self, input: Value, context: &ToolContext) -> Value {
        paths::with_absolute(input, "path", context)
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let input: Input = work::parse(input)?;
        let page = Page {
            skip: input.offset.unwrap_or(0),
            show: input.head_limit.filter(|limit| *limit > 0).map_or_else(
                || {
                    if input.head_limit.is_some() {
                        MOST
                    } else {
                        SHOWN
                    }
                },
                |limit| limit.min(MOST),
            ),
        };
        let search = Search::new(&input, page, context)?;
        let mode = input.output_mode;
        let found = work::blocking(context, move |until| search.run(until)).await?;
        Ok(ToolOutput::structured(response(mode, page, found)))
    }

    fn render(&self, response: &Value) -> Option<String> {
        let names: Option<Vec<&str>> = response
            .get("filenames")?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect();
        let content = response.get("content").and_then(Value::as_str);
        let mut text = match content {
            Some(content) => content.to_owned(),
            None => names?.join("\n"),
        };
        if text.is_empty() {
            text.push_str("(nothing found)");
        }
        for note in ["appliedLimit", "note"]
            .iter()
            .filter_map(|name| response.get(name))
        {
            text = match note.as_str() {
                Some(note) => format!("{text}\n({note})"),
                None => format!(
                    "{text}\n(the first {note} are shown; go on with offset, or search for less)"
                ),
            };
        }
        Some(text)
    }
}

/// Which part of the entries is shown.
#[derive(Clone, Copy, Debug)]
struct Page {
    skip: usize,
    show: usize,
}

impl Page {
    /// How many entries must be found to fill it and to know that there are more.
    fn enough(self) -> usize {
        self.skip.saturating_add(self.show).saturating_add(1)
    }

    /// Its entries, and whether there are more.
    fn cut<T>(self, entries: Vec<T>) -> (Vec<T>, bool) {
        let more = entries.len() > self.skip.saturating_add(self.show);
        (
            entries
                .into_iter()
                .skip(self.skip)
                .take(self.show)
                .collect(),
            more,
        )
    }
}

fn response(mode: Mode, page: Page, found: Found) -> Value {
    let (entries, more) = page.cut(found.entries);
    let mut response = match mode {
        Mode::FilesWithMatches => json!({
            "mode": "files_with_matches", "numFiles": entries.len(), "filenames": entries,
        }),
        Mode::Content => json!({
            "mode": "content", "numFiles": found.files.len(), "filenames": found.files,
            "content": entries.join("\n"), "numLines": entries.len(),
        }),
        Mode::Count => json!({
            "mode": "count", "numFiles": found.files.len(), "filenames": found.files,
            "content": entries.join("\n"), "numMatches": found.matches,
        }),
    };
    if more {
        response["appliedLimit"] = json!(page.show);
    }
    if page.skip > 0 {
        response["appliedOffset"] = json!(page.skip);
    }
    if let Some(note) = found.note {
        response["note"] = json!(note);
    }
    response
}
