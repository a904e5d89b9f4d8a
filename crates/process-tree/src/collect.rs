//! Reads one stream of output: keeps it up to a limit, and its end; counts the rest.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io,
    os::fd::{AsFd, OwnedFd},
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
/// The largest read of what is not kept, but for its end.
const BEYOND: usize = 64 << 10;
/// How many reads one visit makes before others get their turn.
const READS: usize = 64;

thread_local! {
    /// Where bytes beyond the limit go. One for each thread and not for each stream: many commands
    /// that flood at once cost no more than their limits.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// One stream of output and what it held so far: read by a thread that may block, or by the
/// runtime, once it is [registered](Self::register).
#[derive(Debug)]
pub(crate) struct Collector<P> {
    /// Nothing after end of file.
    pipe: Option<P>,
    kept: Vec<u8>,
    limit: usize,
    /// The end of what goes beyond the limit.
    tail: VecDeque<u8>,
    tail_limit: usize,
    total: u64,
    grown: bool,
}

enum Read {
    /// There may be more.
    Some,
    /// Less came than there was room for, so there is no more for now. Who is told of what comes
    /// later need not ask again; who is not finds the end by asking.
    Last,
    /// There was nothing.
    Empty,
    End,
}

impl Collector<OwnedFd> {
    pub(crate) fn new(pipe: OwnedFd, limit: usize, tail: usize) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            limit,
            tail: VecDeque::new(),
            tail_limit: tail,
            total: 0,
            grown: false,
        }
    }

    /// What to wait for; nothing after the end.
    pub(crate) fn pipe(&self) -> Option<&OwnedFd> {
        self.pipe.as_ref()
    }

    /// Lets the runtime say when there is something to read. Where it cannot, that is noted in
    /// `trouble`, and what was read so far is all.
    pub(crate) fn register(self, trouble: &mut io::Result<()>) -> Collector<Watched> {
        let registered = self.pipe.map(|pipe| watch(pipe, Interest::READABLE));
        Collector {
            pipe: registered.and_then(|pipe| or_note(pipe, trouble)),
            kept: self.kept,
            limit: self.limit,
            tail: self.tail,
            tail_limit: self.tail_limit,
            total: self.total,
            grown: self.grown,
        }
    }
}

/// The value, or nothing and a note of what went wrong.
pub(crate) fn or_note<T>(result: io::Result<T>, trouble: &mut io::Result<()>) -> Option<T> {
    result.map_err(|error| *trouble = Err(error)).ok()
}

impl Collector<Watched> {
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
                Read::Last | Read::Empty => guard.clear_ready(),
                Read::End => break,
            }
            self.pipe = Some(pipe);
        }
        Poll::Ready(())
    }
}

impl<P: AsFd> Collector<P> {
    /// Reads what is in the pipe now, without asking the runtime; whether the end was reached.
    pub(crate) fn drain(&mut self) -> bool {
        let Some(pipe) = self.pipe.take() else {
            return true;
        };
        for _ in 0..READS {
            match self.read(&pipe) {
                Read::Some | Read::Last => {}
                Read::Empty => break,
                Read::End => return true,
            }
        }
        self.pipe = Some(pipe);
        false
    }

    fn read(&mut self, pipe: &impl AsFd) -> Read {
        let room = self.kept.capacity() - self.kept.len();
        let (result, offered) = if self.kept.len() >= self.limit {
            (self.read_beyond(pipe), BEYOND)
        } else if room > 0 {
            let result = rustix::io::read(pipe, spare_capacity(&mut self.kept));
            (result, room)
        } else {
            (self.read_and_grow(pipe), FIRST)
        };
        self.cut();
        match result {
            Ok(0) => Read::End,
            Ok(count) => {
                self.total += count as u64;
                self.grow(pipe);
                if count < offered {
                    Read::Last
                } else {
                    Read::Some
                }
            }
            Err(Errno::AGAIN) => Read::Empty,
            Err(Errno::INTR) => Read::Some,
            Err(_) => Read::End,
        }
    }

    /// Makes room only once there is something to put there: what ends where its room does takes
    /// no more, and memory that is given back too large is not handed out again but mapped anew.
    fn read_and_grow(&mut self, pipe: &impl AsFd) -> Result<usize, Errno> {
        let mut first = [0; FIRST];
        let count = rustix::io::read(pipe, &mut first)?;
        if count > 0 {
            // Doubles, so that a stream is copied about once however long it gets.
            self.kept.reserve(self.kept.len().clamp(FIRST, LARGEST));
            self.kept.extend_from_slice(&first[..count]);
        }
        Ok(count)
    }

    /// Keeps no more than the limit; of the rest, its end.
    fn cut(&mut self) {
        if self.kept.len() > self.limit {
            let beyond = &self.kept[self.limit..];
            keep_end(&mut self.tail, self.tail_limit, beyond);
            self.kept.truncate(self.limit);
        }
    }

    fn read_beyond(&mut self, pipe: &impl AsFd) -> Result<usize, Errno> {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(BEYOND, 0);
            let count = rustix::io::read(pipe, &mut scratch[..])?;
            keep_end(&mut self.tail, self.tail_limit, &scratch[..count]);
            Ok(count)
        })
    }

    /// A larger pipe for a stream that turns out to be large: half the wake-ups.
    fn grow(&mut self, pipe: &impl AsFd) {
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

    /// Closes the pipe and gives what was kept.
    pub(crate) fn finish(self) -> Captured {
        Captured::new(self.kept, self.tail.into(), self.total)
    }
}

fn keep_end(tail: &mut VecDeque<u8>, limit: usize, bytes: &[u8]) {
    let bytes = &bytes[bytes.len().saturating_sub(limit)..];
    let surplus = (tail.len() + bytes.len()).saturating_sub(limit);
    tail.drain(..surplus);
    tail.extend(bytes);
}
