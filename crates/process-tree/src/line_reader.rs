//! Cuts a stream into lines of bounded length.

use std::{io, os::fd::OwnedFd};

use rustix::buffer::spare_capacity;
use tokio::io::Interest;

use crate::{
    ending::whole_characters,
    unsafe_calls::{Watched, watch},
};

const CHUNK: usize = 64 << 10;

/// One line of a server's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text without its line break; broken UTF-8 is replaced.
    pub text: String,
    /// Whether the line was longer than the limit and its end is missing.
    pub truncated: bool,
}

/// Reads lines; all state is here, so a call that is dropped loses nothing.
#[derive(Debug)]
pub(crate) struct LineReader {
    pipe: Watched,
    lines: Splitter,
    ended: bool,
}

impl LineReader {
    pub(crate) fn new(pipe: OwnedFd, limit: usize) -> io::Result<Self> {
        let pipe = watch(pipe, Interest::READABLE)?;
        Ok(Self {
            pipe,
            lines: Splitter::new(limit),
            ended: false,
        })
    }

    /// The next line; a last one without a line break counts.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            // A flood is always ready: without this, nobody else on the thread would get a turn.
            tokio::task::consume_budget().await;
            if let Some(line) = self.lines.next() {
                return Some(line);
            }
            if self.ended {
                return self.lines.rest();
            }
            self.ended = self.fill().await.is_err();
        }
    }

    /// Reads once; end of file is an error here.
    async fn fill(&mut self) -> io::Result<()> {
        let Self { pipe, lines, .. } = self;
        let chunk = lines.chunk();
        // Tried first: after the process has exited, readiness may not have arrived yet.
        let mut count = rustix::io::read(&*pipe, spare_capacity(chunk)).map_err(io::Error::from);
        while let Err(error) = &count
            && error.kind() == io::ErrorKind::WouldBlock
        {
            let mut guard = pipe.readable().await?;
            count = match guard.try_io(|pipe| Ok(rustix::io::read(pipe, spare_capacity(chunk))?)) {
                Ok(count) => count,
                Err(_would_block) => continue,
            };
        }
        match count {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Bytes in, lines out.
#[derive(Debug)]
pub(crate) struct Splitter {
    chunk: Vec<u8>,
    taken: usize,
    line: Vec<u8>,
    limit: usize,
    truncated: bool,
    /// The rest of a line that was handed out already, since it may never end.
    skipping: bool,
}

impl Splitter {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            chunk: Vec::new(),
            taken: 0,
            line: Vec::new(),
            limit,
            truncated: false,
            skipping: false,
        }
    }

    /// Room for the next read; everything read before has been used.
    pub(crate) fn chunk(&mut self) -> &mut Vec<u8> {
        self.chunk.clear();
        self.taken = 0;
        self.chunk.reserve(CHUNK);
        &mut self.chunk
    }

    /// A line that is longer than the limit is handed out as soon as that is known.
    pub(crate) fn next(&mut self) -> Option<Line> {
        if self.skipping {
            self.skip()?;
        }
        let fresh = &self.chunk[self.taken..];
        let end = fresh.iter().position(|&byte| byte == b'\n');
        let part = &fresh[..end.unwrap_or(fresh.len())];
        let room = self.limit.saturating_sub(self.line.len());
        self.truncated |= part.len() > room;
        self.line.extend_from_slice(&part[..part.len().min(room)]);
        self.taken += part.len();
        match end {
            Some(_) => self.taken += 1,
            None if self.truncated => self.skipping = true,
            None => return None,
        }
        Some(self.finish())
    }

    /// Passes over the rest of a line; nothing where it goes on.
    fn skip(&mut self) -> Option<()> {
        let fresh = &self.chunk[self.taken..];
        let end = fresh.iter().position(|&byte| byte == b'\n');
        self.taken += end.map_or(fresh.len(), |end| end + 1);
        self.skipping = end.is_none();
        end.map(|_| ())
    }

    /// What came after the last line break.
    pub(crate) fn rest(&mut self) -> Option<Line> {
        (!self.line.is_empty() || self.truncated).then(|| self.finish())
    }

    fn finish(&mut self) -> Line {
        let mut bytes = std::mem::take(&mut self.line);
        let truncated = std::mem::take(&mut self.truncated);
        if truncated {
            bytes.truncate(whole_characters(&bytes));
        } else if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned());
        Line { text, truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, reads: &[&str]) -> Vec<(String, bool)> {
        let mut splitter = Splitter::new(limit);
        let mut found = Vec::new();
        for read in reads {
            splitter.chunk().extend_from_slice(read.as_bytes());
            found.extend(std::iter::from_fn(|| splitter.next()));
        }
        found.extend(splitter.rest());
        found
            .into_iter()
            .map(|line| (line.text, line.truncated))
            .collect()
    }

    fn whole(texts: &[&str]) -> Vec<(String, bool)> {
        texts
            .iter()
            .map(|text| ((*text).to_owned(), false))
            .collect()
    }

    #[test]
    fn reads_and_lines_need_not_agree() {
        assert_eq!(
            lines(99, &["a", "b\nc\n\nd", "\r\n", "e"]),
            whole(&["ab", "c", "", "d", "e"])
        );
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let want = vec![("abcd".to_owned(), true), ("xy".to_owned(), false)];
        assert_eq!(lines(4, &["abc", "def", "ghi\nx", "y\n"]), want);
    }

    #[test]
    fn a_line_without_end_is_handed_out_once_and_at_once() {
        let mut splitter = Splitter::new(4);
        splitter.chunk().extend_from_slice(b"abcdef");
        let cut = splitter.next().map(|line| (line.text, line.truncated));
        assert_eq!(cut, Some(("abcd".to_owned(), true)));
        for _ in 0..3 {
            splitter.chunk().extend_from_slice(b"and so on");
            assert_eq!(splitter.next(), None);
        }
        assert_eq!(splitter.rest(), None);
        splitter.chunk().extend_from_slice(b"\nnext\n");
        assert_eq!(
            splitter.next().map(|line| line.text),
            Some("next".to_owned())
        );
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_whole() {
        assert_eq!(lines(4, &["abcd\n"]), whole(&["abcd"]));
    }
}
