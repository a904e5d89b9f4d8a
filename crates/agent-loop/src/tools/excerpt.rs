//! Some lines of a text, read in bounded memory however long the text and its lines are.

use std::io::{self, BufRead};

use super::file;
use super::read_files::{Digest, Seen};

/// How many characters of a line are shown.
const LONGEST_LINE: usize = 2000;
/// How many bytes are shown of all lines together.
const LONGEST: usize = 256 << 10;
/// How much of the start tells text from other things.
const START: usize = 8 << 10;

/// Some lines of a text, and what was found out about all of it.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) content: String,
    /// How many lines are shown.
    pub(super) shown: u64,
    /// How many there are.
    pub(super) total: u64,
    pub(super) seen: Seen,
}

/// Takes `limit` lines, from line `first` on. Nothing where the text is none.
pub(super) fn take(
    mut reader: impl BufRead,
    first: u64,
    limit: u64,
) -> io::Result<Option<Excerpt>> {
    let mut taker = Taker::new(first, limit);
    let mut digest = Digest::default();
    let mut at_start = true;
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        if at_start && file::is_binary(&piece[..piece.len().min(START)]) {
            return Ok(None);
        }
        let skipped = if at_start { byte_order_mark(piece) } else { 0 };
        at_start = false;
        digest.add(piece);
        taker.feed(&piece[skipped..]);
        let length = piece.len();
        reader.consume(length);
    }
    Ok(Some(taker.finish(digest.finish())))
}

fn byte_order_mark(piece: &[u8]) -> usize {
    if piece.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    }
}

struct Taker {
    first: u64,
    limit: u64,
    content: String,
    shown: u64,
    full: bool,
    /// The line under way: its number, its start, and its whole length.
    number: u64,
    line: Vec<u8>,
    length: usize,
}

impl Taker {
    fn new(first: u64, limit: u64) -> Self {
        Self {
            first,
            limit,
            content: String::new(),
            shown: 0,
            full: false,
            number: 1,
            line: Vec::new(),
            length: 0,
        }
    }

    fn feed(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.extend(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    fn is_wanted(&self) -> bool {
        !self.full && self.number >= self.first && self.shown < self.limit
    }

    fn extend(&mut self, part: &[u8]) {
        self.length += part.len();
        if self.is_wanted() {
            // No character has more than four bytes.
            let room = (4 * LONGEST_LINE).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
        }
    }

    fn end_line(&mut self) {
        if self.is_wanted() {
            self.show();
        }
        self.line.clear();
        self.length = 0;
        self.number += 1;
    }

    fn show(&mut self) {
        let text = String::from_utf8_lossy(&self.line);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        let mut line: String = text.chars().take(LONGEST_LINE).collect();
        if line.len() < text.len() || self.line.len() < self.length {
            line = format!("{line}… (cut: the line has {} bytes)", self.length);
        }
        if self.content.len() + line.len() > LONGEST {
            self.full = true;
            return;
        }
        if self.shown > 0 {
            self.content.push('\n');
        }
        self.content.push_str(&line);
        self.shown += 1;
    }

    fn finish(mut self, seen: Seen) -> Excerpt {
        if self.length > 0 {
            self.end_line();
        }
        Excerpt {
            content: self.content,
            shown: self.shown,
            total: self.number - 1,
            seen,
        }
    }
}
