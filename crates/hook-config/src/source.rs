//! Files and places in them: byte ranges that know their line and column.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file as it was read, shared by everything that points into it.
pub struct SourceFile {
    path: PathBuf,
    text: String,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl SourceFile {
    /// A file with its text.
    ///
    /// ```
    /// use hook_config::{Place, SourceFile, Span};
    ///
    /// let file = SourceFile::new("hooks.json", "{\n  \"hooks\": []\n}");
    /// let place = Place::new(&file, Span::new(4, 11));
    /// assert_eq!((place.line(), place.column()), (2, 3));
    /// assert_eq!(place.to_string(), "hooks.json:2:3");
    /// assert_eq!(place.text(), "\"hooks\"");
    /// ```
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let after_newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(after_newlines).collect();
        Arc::new(Self {
            path: path.into(),
            lines,
            text,
        })
    }

    /// A file that could not be read: it has a name, and no text.
    pub fn unread(path: impl Into<PathBuf>) -> Arc<Self> {
        Self::new(path, "")
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and the column of a byte, both from 1; columns count characters.
    pub fn position(&self, byte: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= byte).max(1) - 1;
        let before = self.text.get(self.lines[line]..byte).unwrap_or_default();
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        (number(line), number(before.chars().count()))
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({})", self.path.display())
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.text == other.text
    }
}

impl Eq for SourceFile {}

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// A range.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The same, as a range of the standard library.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Where in it.
    pub span: Span,
}

impl Place {
    /// A place.
    pub fn new(file: &Arc<SourceFile>, span: Span) -> Self {
        Self {
            file: Arc::clone(file),
            span,
        }
    }

    /// The whole file, shown at its start.
    pub fn start_of(file: &Arc<SourceFile>) -> Self {
        Self::new(file, Span::default())
    }

    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.file.position(self.span.start).0
    }

    /// The column, from 1, in characters.
    pub fn column(&self) -> u32 {
        self.file.position(self.span.start).1
    }

    /// What is written there.
    pub fn text(&self) -> &str {
        self.file.text().get(self.span.range()).unwrap_or_default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.file.position(self.span.start);
        write!(f, "{}:{line}:{column}", self.file.path().display())
    }
}
