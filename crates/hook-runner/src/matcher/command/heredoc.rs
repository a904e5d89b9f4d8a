//! Checks the grammar's idea of where a here-document starts and ends.
//!
//! The grammar's scanner is not the shell's: `<<E;` is a delimiter to it, and a `$` before a
//! line's end makes it miss the end. A wrong end turns commands into text, so it is found
//! again here, in the plain way of the shell, and both have to agree.

use std::ops::Range;

/// A here-document as the shell would read it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HereDocument {
    /// Whether the body is taken as it is, without expansions.
    pub(super) is_quoted: bool,
    /// Where the line with `<<` ends.
    pub(super) line_end: usize,
    /// Where the delimiter stands that ends it.
    pub(super) end: Range<usize>,
}

/// Reads the here-document whose delimiter stands at `start`; `None` if that is not certain.
pub(super) fn read(source: &str, start: Range<usize>) -> Option<HereDocument> {
    let operator = source.get(..start.start)?.trim_end();
    let strips_tabs = operator.ends_with("<<-");
    let written = source.get(start.clone())?;
    let is_quoted = written.contains(['\'', '"', '\\']);
    let delimiter = written.replace(['\'', '"', '\\'], "");
    if delimiter.is_empty() || !delimiter.chars().all(is_delimiter_char) {
        return None;
    }
    let line_end = start.end + source.get(start.end..)?.find('\n')?;
    let mut at = line_end + 1;
    let mut is_continued = false;
    // Shells take the end of the text for the end of the document, and warn; here it is `None`.
    loop {
        let line = source.get(at..)?.split('\n').next()?;
        let text = if strips_tabs {
            line.trim_start_matches('\t')
        } else {
            line
        };
        let end = at + line.len();
        if text == delimiter && !is_continued {
            return Some(HereDocument {
                is_quoted,
                line_end,
                end: end - text.len()..end,
            });
        }
        is_continued = !is_quoted && ends_in_backslash(line);
        at = end + 1;
    }
}

/// Other signs end the word, or the grammar and the shell disagree on them.
fn is_delimiter_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-' | '.' | '!' | '@' | '%' | '+' | ',' | ':' | '/')
}

fn ends_in_backslash(line: &str) -> bool {
    line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}
