//! How fast things are shown: slow enough to be read, and never for long.

use std::time::{Duration, Instant};

/// How long a person looks at one thing.
const BEAT: Duration = Duration::from_millis(300);
/// When nobody is kept waiting any longer.
const ENOUGH: Duration = Duration::from_secs(7);

/// How fast things are shown.
#[derive(Debug)]
pub(crate) enum Pace {
    /// As they happen.
    AtOnce,
    /// One after the other, until it has been enough.
    Readable { since: Instant },
}

impl Pace {
    /// For a person who looks on.
    pub(crate) fn readable() -> Self {
        Self::Readable {
            since: Instant::now(),
        }
    }

    /// Waits before the next thing.
    pub(crate) async fn beat(&self) {
        match self {
            Self::Readable { since } if since.elapsed() + BEAT < ENOUGH => {
                tokio::time::sleep(BEAT).await;
            }
            Self::AtOnce | Self::Readable { .. } => {}
        }
    }
}
