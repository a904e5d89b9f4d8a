//! Keeps the end of a server's stderr.

use std::{
    collections::VecDeque,
    future::pending,
    io,
    os::fd::OwnedFd,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::io::Errno;
use tokio::io::Interest;

use crate::{
    Captured,
    unsafe_calls::{Watched, watch},
};

const CHUNK: usize = 16 << 10;

#[derive(Debug)]
pub(crate) struct Tail {
    pipe: Watched,
    limit: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    total: u64,
    ended: bool,
}

impl Tail {
    pub(crate) fn new(pipe: OwnedFd, limit: usize) -> io::Result<Self> {
        let pipe = watch(pipe, Interest::READABLE)?;
        Ok(Self {
            pipe,
            limit,
            kept: Mutex::default(),
        })
    }

    /// Reads as long as it is polled; never returns.
    pub(crate) async fn read_on(&self) {
        while !self.kept().ended {
            tokio::task::consume_budget().await;
            let Ok(mut guard) = self.pipe.readable().await else {
                break;
            };
            if self.read_now() {
                guard.clear_ready();
            }
        }
        pending::<()>().await;
    }

    /// Reads what is there; whether the pipe is empty now.
    pub(crate) fn read_now(&self) -> bool {
        let mut kept = self.kept();
        let mut chunk = [0; CHUNK];
        // Bounded, so that a flood cannot hold up the caller.
        for _ in 0..64 {
            match rustix::io::read(&self.pipe, &mut chunk[..]) {
                Ok(count) if count > 0 => kept.push(&chunk[..count], self.limit),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Ok(_) | Err(_) => {
                    kept.ended = true;
                    return true;
                }
            }
        }
        false
    }

    pub(crate) fn captured(&self) -> Captured {
        let kept = self.kept();
        Captured::end_of(kept.bytes.iter().copied().collect(), kept.total)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8], limit: usize) {
        self.total += bytes.len() as u64;
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(limit);
        self.bytes.drain(..surplus);
    }
}
