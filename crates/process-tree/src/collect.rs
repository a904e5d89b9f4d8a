//! Reads one stream of output: keeps it up to a limit, counts the rest.

use std::{
    io,
    os::fd::OwnedFd,
    task::{Context, Poll, ready},
};

use rustix::{buffer::spare_capacity, io::Errno};
use tokio::io::Interest;

use crate::{
    Captured,
    feed::SMALL_PIPE,
    os,
    unsafe_calls::{Watched, watch},
};

/// The first read; most answers fit.
const FIRST: usize = 4 << 10;
/// The largest single read.
const LARGEST: usize = 256 << 10;
/// How many reads one visit makes before others get their turn.
const READS: usize = 64;

/// One stream of output and what it held so far.
#[derive(Debug)]
pub(crate) struct Collector {
    /// Nothing after end of file.
    pipe: Option<Watched>,
    kept: Vec<u8>,
    limit: usize,
    total: u64,
    grown: bool,
    /// Where bytes beyond the limit go.
    scratch: Vec<u8>,
}

enum Read {
    Some,
    Empty,
    End,
}

impl Collector {
    pub(crate) fn new(pipe: OwnedFd, limit: usize) -> io::Result<Self> {
        let pipe = Some(watch(pipe, Interest::READABLE)?);
        Ok(Self {
            pipe,
            kept: Vec::new(),
            limit,
            total: 0,
            grown: false,
            scratch: Vec::new(),
        })
    }

    /// Reads whatever is there; ready at end of file.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(pipe) = self.pipe.take() {
            let ready = pipe.poll_read_ready(cx);
            if ready.is_pending() {
                drop(ready);
                self.pipe = Some(pipe);
                return Poll::Pending;
            }
            let Ok(mut guard) = ready!(ready) else { break };
            match self.read(guard.get_inner()) {
                Read::Some => {}
                Read::Empty => guard.clear_ready(),
                Read::End => break,
            }
            self.pipe = Some(pipe);
        }
        Poll::Ready(())
    }

    /// Reads what is in the pipe now, without asking the runtime; whether the end was reached.
    pub(crate) fn drain(&mut self) -> bool {
        let Some(pipe) = self.pipe.take() else {
            return true;
        };
        for _ in 0..READS {
            match self.read(pipe.get_ref()) {
                Read::Some => {}
                Read::Empty => break,
                Read::End => return true,
            }
        }
        self.pipe = Some(pipe);
        false
    }

    fn read(&mut self, pipe: &OwnedFd) -> Read {
        let result = if self.kept.len() < self.limit {
            self.read_to_keep(pipe)
        } else {
            self.scratch.resize(LARGEST, 0);
            rustix::io::read(pipe, &mut self.scratch[..])
        };
        match result {
            Ok(0) => Read::End,
            Ok(count) => {
                self.total += count as u64;
                self.grow(pipe);
                Read::Some
            }
            Err(Errno::AGAIN) => Read::Empty,
            Err(Errno::INTR) => Read::Some,
            Err(_) => Read::End,
        }
    }

    fn read_to_keep(&mut self, pipe: &OwnedFd) -> Result<usize, Errno> {
        if self.kept.len() == self.kept.capacity() {
            // Doubles, so that a stream is copied about once however long it gets.
            self.kept.reserve(self.kept.len().clamp(FIRST, LARGEST));
        }
        let count = rustix::io::read(pipe, spare_capacity(&mut self.kept));
        self.kept.truncate(self.limit);
        count
    }

    /// A larger pipe for a stream that turns out to be large: half the wake-ups.
    fn grow(&mut self, pipe: &OwnedFd) {
        if !self.grown && self.total > SMALL_PIPE as u64 {
            self.grown = true;
            os::grow_pipe(pipe);
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// What was kept so far and how much there was.
    pub(crate) fn so_far(&self) -> (&[u8], u64) {
        (&self.kept, self.total)
    }

    /// Closes the pipe and decodes what was kept.
    pub(crate) fn finish(self) -> Captured {
        Captured::decode(self.kept, self.total)
    }
}
