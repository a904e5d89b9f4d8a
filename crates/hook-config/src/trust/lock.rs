//! One writer at a time, among all processes.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::store_error::{StoreError, StoreErrorKind};

/// A writer needs milliseconds: whoever holds the lock for longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// The lock, held until this is dropped; the system frees it when its holder dies.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "held, not read")] File);

impl Lock {
    pub(super) fn take(path: &Path) -> Result<Self, StoreError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        let io = |error: Errno| StoreError::io(path, &error.into());
        let file = File::from(rustix::fs::open(path, flags, mode).map_err(io)?);
        let start = Instant::now();
        loop {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(Errno::WOULDBLOCK) => return Err(StoreError::new(path, StoreErrorKind::Busy)),
                Err(error) => return Err(io(error)),
            }
        }
    }
}
