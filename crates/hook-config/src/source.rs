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
    /// How many characters come before each block of the text: a line may be the whole file.
    characters: Vec<usize>,
}

/// The size of a block, in bytes.
const BLOCK: usize = 1024;

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
        let blocks = text.as_bytes().chunks(BLOCK);
        let characters = blocks.scan(0, |before, block| {
            let this = *before;
            *before += block.iter().filter(|byte| starts_character(**byte)).count();
            Some(this)
        });
        Arc::new(Self {
            path: path.into(),
            lines,
            characters: characters.collect(),
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
        let column = self.characters_before(byte) - self.characters_before(self.lines[line]);
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        (number(line), number(column))
    }

    fn characters_before(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        let block = byte / BLOCK;
        let before = self.characters.get(block).or(self.characters.last());
        let from = block.min(self.characters.len().saturating_sub(1)) * BLOCK;
        let rest = &self.text.as_bytes()[from..byte];
        before.copied().unwrap_or_default()
            + rest.iter().filter(|byte| starts_character(**byte)).count()
    }
}

/// Whether a byte of UTF-8 is the first of its character.
fn starts_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_however_long_the_line() {
        let text = format!("{}\n{}x", "é".repeat(700), "ü".repeat(3000));
        let file = SourceFile::new("f", text.clone());
        for (byte, _) in text.char_indices() {
            let line_start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
            let line = text[..byte].matches('\n').count() + 1;
            let column = text[line_start..byte].chars().count() + 1;
            let (found_line, found_column) = file.position(byte);
            assert_eq!((found_line as usize, found_column as usize), (line, column));
        }
        assert_eq!(file.position(text.len()), (2, 3002));
        assert_eq!(file.position(usize::MAX), (2, 3002));
        assert_eq!(SourceFile::unread("f").position(7), (1, 1));
    }
}
