//! Writes stdin: as much as fits as soon as the command runs, the rest when there is room.

use std::{
    io::{self, IoSlice},
    os::fd::OwnedFd,
    sync::Arc,
    task::{Context, Poll, ready},
};

use rustix::io::Errno;
use tokio::io::Interest;

use crate::{
    os,
    unsafe_calls::{Watched, quietly, watch, write_quietly},
};

/// What a pipe holds by default; larger payloads get a larger pipe.
pub(crate) const SMALL_PIPE: usize = 64 << 10;

/// The part of stdin that did not fit into the pipe.
#[derive(Debug)]
pub(crate) struct Feed {
    pipe: OwnedFd,
    bytes: Arc<[u8]>,
    written: usize,
}

impl Feed {
    /// Fills the pipe. When everything went in, the pipe is closed unless it is to stay `open`.
    pub(crate) fn fill(pipe: OwnedFd, bytes: Arc<[u8]>, open: bool) -> Option<Self> {
        if bytes.len() > SMALL_PIPE {
            os::grow_pipe(&pipe);
        }
        let mut feed = Self {
            pipe,
            bytes,
            written: 0,
        };
        // Our own reading end is still there, so this can only succeed or find the pipe full.
        while feed.written < feed.bytes.len() {
            match rustix::io::write(&feed.pipe, &feed.bytes[feed.written..]) {
                Ok(count) => feed.written += count,
                Err(_) => break,
            }
        }
        (open || feed.written < feed.bytes.len()).then_some(feed)
    }

    /// Fills the pipe of a command that has been running, with `first` and then `bytes`.
    ///
    /// Fails where nobody reads any more.
    pub(crate) fn after(
        pipe: OwnedFd,
        first: &[u8],
        bytes: Arc<[u8]>,
    ) -> Result<Option<Self>, Errno> {
        if bytes.len() > SMALL_PIPE {
            os::grow_pipe(&pipe);
        }
        let both = [IoSlice::new(first), IoSlice::new(&bytes)];
        let written = quietly(|| rustix::io::writev(&pipe, &both))?;
        let mut feed = Self {
            written: written.saturating_sub(first.len()),
            pipe,
            bytes,
        };
        let done = feed.pump();
        Ok((!done).then_some(feed))
    }

    /// Writes what fits; true when the command has everything or does not want it.
    pub(crate) fn pump(&mut self) -> bool {
        while self.written < self.bytes.len() {
            match write_quietly(&self.pipe, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                // A command that closes stdin early is not at fault.
                Err(_) => return true,
            }
        }
        true
    }

    /// What to wait for.
    pub(crate) fn pipe(&self) -> &OwnedFd {
        &self.pipe
    }

    /// Gives up the pipe, for a server that is fed line by line; with what is still to be written.
    pub(crate) fn into_parts(self) -> (OwnedFd, Vec<u8>) {
        let rest = self.bytes[self.written..].to_vec();
        (self.pipe, rest)
    }

    pub(crate) fn register(self) -> io::Result<Feeder> {
        let pipe = watch(self.pipe, Interest::WRITABLE)?;
        Ok(Feeder {
            pipe,
            bytes: self.bytes,
            written: self.written,
        })
    }
}

/// A [`Feed`] that the runtime wakes when there is room.
#[derive(Debug)]
pub(crate) struct Feeder {
    pipe: Watched,
    bytes: Arc<[u8]>,
    written: usize,
}

impl Feeder {
    /// Writes what fits; ready when the command has everything or does not want it.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.written < self.bytes.len() {
            let Ok(mut guard) = ready!(self.pipe.poll_write_ready(cx)) else {
                return Poll::Ready(());
            };
            match write_quietly(guard.get_inner(), &self.bytes[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    // Less went in than there was, so the pipe is full: to try again would only
                    // say so.
                    if self.written < self.bytes.len() {
                        guard.clear_ready();
                    }
                }
                Err(Errno::AGAIN) => guard.clear_ready(),
                Err(Errno::INTR) => {}
                // A command that closes stdin early is not at fault.
                Err(_) => return Poll::Ready(()),
            }
        }
        Poll::Ready(())
    }
}
