//! A text that is looked at: a command in a file of hooks, or a script of its own.

use std::path::Path;
use std::sync::Arc;

use crate::entry::Entry;
use crate::source::{Place, SourceFile, Span};

/// A text, and where what stands in it can be pointed at.
pub(super) struct Text {
    /// The text itself.
    pub(super) content: String,
    /// The file that it stands in.
    file: Arc<SourceFile>,
    /// Where in the file it may stand, in the form that it has there.
    within: Option<Span>,
}

impl Text {
    /// The command of an entry. In its file it is a JSON string.
    pub(super) fn of_entry(entry: &Entry, command: &str) -> Self {
        Self {
            content: command.to_owned(),
            file: Arc::clone(&entry.place.file),
            within: Some(entry.place.span),
        }
    }

    /// A script of its own.
    pub(super) fn of_script(path: &Path, text: String) -> Self {
        Self {
            file: SourceFile::new(path, text.clone()),
            content: text,
            within: None,
        }
    }

    /// Where a piece of the text stands, from byte `at` on.
    pub(super) fn place(&self, at: usize, piece: &str) -> Place {
        match self.within {
            None => Place::new(&self.file, Span::new(at, at + piece.len())),
            Some(entry) => self.place_in_json(entry, at, piece),
        }
    }

    /// A piece of a JSON string: the same occurrence of what the string spells it as.
    fn place_in_json(&self, entry: Span, at: usize, piece: &str) -> Place {
        let spelled = serde_json::to_string(piece).unwrap_or_default();
        let spelled = spelled.trim_matches('"');
        let before = self.content[..at].matches(piece).count();
        let written = self.file.text().get(entry.range()).unwrap_or_default();
        match written.match_indices(spelled).nth(before) {
            Some((start, _)) if !spelled.is_empty() => {
                let start = entry.start + start;
                Place::new(&self.file, Span::new(start, start + spelled.len()))
            }
            _ => Place::new(&self.file, entry),
        }
    }

    /// The lines with the byte that each starts at; comments of scripts left out.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        self.content.split_inclusive('\n').filter_map(move |line| {
            let start = at;
            at += line.len();
            let comment = line.trim_start().starts_with('#') || line.trim_start().starts_with("//");
            (!comment).then(|| (start, line.trim_end_matches('\n')))
        })
    }
}
