//! From text to the commands in it, within limits.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::{Script, known::Known, listing::Listing, text::Text, walk::walk, word::Word};

/// A longer command is not looked at.
const MAX_BYTES: usize = 64 * 1024;
/// `sh -c "sh -c '…'"`: so many texts within texts are read.
const MAX_NESTING: usize = 8;
/// So many texts inside one command are read.
const MAX_TEXTS: usize = 64;
/// Wrapped and nested commands are read several times: so many characters in all.
const MAX_SIGNS: usize = 4 * MAX_BYTES;
/// The scanner forgets about some when there are very many of them at once.
const MAX_HERE_DOCUMENTS: usize = 32;
/// Some hundred milliseconds of looking for the ends of here-documents.
const MAX_HERE_WORK: usize = 32 << 20;
/// How often the parser may report progress, which it does every hundred steps or so.
const MAX_PROGRESS: usize = 20_000;

/// The commands in the text. What cannot be read is a command that could be anything.
pub(super) fn script(source: &str) -> Script {
    Reader::new(Known::default(), None).script(source)
}

/// The same, with the values of variables filled in and a list of all words that were met.
pub(super) fn listed(source: &str, known: Known) -> (Script, Listing) {
    let mut reader = Reader::new(known, Some(Listing::default()));
    let script = reader.script(source);
    (script, reader.listing.unwrap_or_default())
}

/// Reads texts within texts, and keeps count.
#[derive(Debug)]
pub(super) struct Reader {
    nesting: usize,
    texts_left: usize,
    signs_left: usize,
    known: Known,
    /// Kept for those who ask what a command names, not whether a pattern fits.
    listing: Option<Listing>,
}

impl Reader {
    fn new(known: Known, listing: Option<Listing>) -> Self {
        Self {
            nesting: 0,
            texts_left: MAX_TEXTS,
            signs_left: MAX_SIGNS,
            known,
            listing,
        }
    }

    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// Takes note of a command, as written or without its wrappers.
    pub(super) fn note_command(&mut self, words: &[Word]) {
        if let Some(listing) = &mut self.listing {
            listing.commands.push(words.to_vec());
        }
    }

    /// Takes note of words that are no command's: a value, a file to read from.
    pub(super) fn note_words(&mut self, read: impl FnOnce(&Known) -> Vec<Word>) {
        if let Some(listing) = &mut self.listing {
            listing.beside.extend(read(&self.known));
        }
    }

    /// Takes note of a variable that is set.
    pub(super) fn note_assignment(&mut self, name: &str) {
        if let Some(listing) = &mut self.listing {
            listing.assigned.push(name.to_owned());
        }
    }

    /// Reads one text.
    fn script(&mut self, source: &str) -> Script {
        match parse(source) {
            Some(tree) => walk(&tree, source, self),
            None => Script::opaque(),
        }
    }

    /// Reads a text that was found inside another one.
    pub(super) fn nested(&mut self, source: &str) -> Script {
        if self.texts_left == 0 {
            return Script::opaque();
        }
        self.texts_left -= 1;
        self.deeper(|reader| reader.script(source))
            .unwrap_or_else(Script::opaque)
    }

    /// Goes one level deeper; `None` if that is one too many.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nesting == MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let found = read(self);
        self.nesting -= 1;
        Some(found)
    }

    /// Whether there is room for one more text to compare.
    pub(super) fn affords(&mut self, text: &Text) -> bool {
        let left = self.signs_left.checked_sub(text.len());
        self.signs_left = left.unwrap_or(0);
        left.is_some()
    }
}

/// `None` if the text is too long, takes too many steps, or is not shell.
fn parse(source: &str) -> Option<Tree> {
    if source.len() > MAX_BYTES || !is_readable(source) {
        return None;
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let mut steps_left = MAX_PROGRESS;
    let mut progress = |_: &ParseState| {
        steps_left = steps_left.saturating_sub(1);
        if steps_left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let source = masked(source);
    let mut bytes = |at: usize, _| source.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut bytes, None, Some(options))?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// Whether the grammar's scanner is up to the text.
fn is_readable(source: &str) -> bool {
    // Shells disagree on what a NUL does. A carriage return is a letter to them, but not to
    // the grammar, and whoever wrote it meant neither.
    if source.contains(['\0', '\r']) {
        return false;
    }
    let here_documents = source.matches("<<").count();
    // After each expansion in a here-document the scanner looks for the end once more.
    let work = source.matches(['$', '`']).count() * source.len();
    here_documents == 0 || (here_documents <= MAX_HERE_DOCUMENTS && work <= MAX_HERE_WORK)
}

/// The text with a sign that means nothing in place of each byte beyond ASCII.
///
/// The grammar's scanner (0.25) looks such characters up in a table of 256, so that some of
/// them crash the process. They mean nothing to a shell either: it takes them for letters of
/// a word that are not letters of a variable's name, and never for blanks.
fn masked(source: &str) -> String {
    let plain = |byte: u8| {
        if byte.is_ascii() {
            char::from(byte)
        } else {
            ':'
        }
    };
    source.bytes().map(plain).collect()
}
