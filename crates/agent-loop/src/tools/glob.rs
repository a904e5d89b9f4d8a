//! Glob: files by pattern.

use std::path::{Path, PathBuf};
use std::time::Instant;

use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use hook_runner::Cancellation;
use serde::Deserialize;
use serde_json::{Value, json};

use super::walk::{self, Scope};
use super::{paths, work};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};

/// How many files are named.
const SHOWN: usize = 100;
/// How many files that match are held, to find the newest of them.
const HELD: usize = 100_000;

/// Finds files by their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Glob;

#[derive(Deserialize)]
struct Input {
    pattern: String,
    path: Option<String>,
}

#[async_trait]
impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn description(&self) -> &'static str {
        "Finds files by a pattern such as `src/**/*.rs`; those that changed last come first, 100 at most. \
         Files that git ignores are found, too."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["pattern"], "additionalProperties": false,
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "description": "`*`, `?`, `**`, `[a-z]` and `{a,b}` are known."},
                "path": {"type": "string", "description": "The directory to look in; without it the working directory."},
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
        let started = Instant::now();
        let search = Search::new(&input, context)?;
        let found = work::blocking(context, move |until| search.run(until)).await?;
        let shown = &found.files[..found.files.len().min(SHOWN)];
        Ok(ToolOutput::structured(json!({
            "durationMs": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "numFiles": shown.len(),
            "filenames": shown,
            "truncated": found.files.len() > SHOWN || !found.complete,
        })))
    }

    fn render(&self, response: &Value) -> Option<String> {
        let names: Option<Vec<&str>> = response
            .get("filenames")?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect();
        let mut names = names?;
        if names.is_empty() {
            names.push("(no files)");
        }
        if response.get("truncated")?.as_bool()? {
            names.push("(there are more; use a narrower pattern or path)");
        }
        Some(names.join("\n"))
    }
}

struct Search {
    root: PathBuf,
    pattern: GlobMatcher,
}

struct Found {
    files: Vec<PathBuf>,
    complete: bool,
}

impl Search {
    fn new(input: &Input, context: &ToolContext) -> Result<Self, ToolError> {
        let folder = paths::absolute(input.path.as_deref().unwrap_or("."), context);
        let folder = walk::root(folder)?;
        let (plain, wild) = split(&input.pattern);
        let inside = ToolContext {
            cwd: folder,
            ..context.clone()
        };
        let pattern = GlobBuilder::new(&wild).literal_separator(true).build();
        let pattern = pattern.map_err(|error| {
            ToolError::new(format!(
                "`{}` is no pattern: {}",
                input.pattern,
                error.kind()
            ))
        })?;
        Ok(Self {
            root: paths::absolute(plain, &inside),
            pattern: pattern.compile_matcher(),
        })
    }

    fn run(&self, until: &Cancellation) -> Result<Found, ToolError> {
        let mut files = Vec::new();
        let builder = walk::walker(&self.root, Scope::All);
        let complete = walk::visit(&builder, until, |path| {
            if self.fits(path) {
                files.push(path.to_owned());
            }
            files.len() < HELD
        })?;
        let files = walk::newest_first(files);
        Ok(Found { files, complete })
    }

    fn fits(&self, path: &Path) -> bool {
        path.strip_prefix(&self.root)
            .is_ok_and(|below| self.pattern.is_match(below))
    }
}

/// The directories that a pattern starts with by name, and the rest of it.
fn split(pattern: &str) -> (&str, String) {
    let wild = pattern
        .find(['*', '?', '[', '{', '\\'])
        .unwrap_or(pattern.len());
    let (plain, wild) = match pattern[..wild].rfind('/') {
        Some(0) => ("/", &pattern[1..]),
        Some(end) => (&pattern[..end], &pattern[end + 1..]),
        None => (".", pattern),
    };
    // `src/` is everything in it.
    let wild = if wild.is_empty() || wild.ends_with('/') {
        format!("{wild}**")
    } else {
        wild.to_owned()
    };
    (plain, wild)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_split_where_names_end() {
        let table = [
            ("*.rs", ".", "*.rs"),
            ("a.rs", ".", "a.rs"),
            ("src/a.rs", "src", "a.rs"),
            ("src/**/*.rs", "src", "**/*.rs"),
            ("/etc/ho*", "/etc", "ho*"),
            ("/*", "/", "*"),
            ("src/", "src", "**"),
            ("{a,b}/c/", ".", "{a,b}/c/**"),
            ("../x/*", "../x", "*"),
        ];
        for (pattern, plain, wild) in table {
            assert_eq!(split(pattern), (plain, wild.to_owned()), "{pattern}");
        }
    }
}
