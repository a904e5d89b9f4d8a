//! Processes that are found again.

use std::fs;
use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The variable that whatever a test starts carries.
pub const TAG: &str = "FIXTURE_TAG";

/// A value of [`TAG`] that nobody else has. When it is dropped, no process may carry it any more.
///
/// ```
/// use std::process::Command;
/// use std::time::Duration;
/// use test_support::{TAG, Tag};
///
/// let tag = Tag::new(Duration::from_secs(30));
/// let mut sleep = Command::new("sleep").arg("300").env(TAG, tag.value()).spawn()?;
/// assert_eq!(tag.strays(), [sleep.id().cast_signed()]);
/// sleep.kill()?;
/// sleep.wait()?;
/// assert_eq!(tag.remaining(), [0; 0]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Tag {
    value: String,
    patience: Duration,
}

impl Tag {
    /// One that waits so long for what is still ending.
    pub fn new(patience: Duration) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            value: format!("fixture-{}-{number}", id()),
            patience,
        }
    }

    /// The value of the variable.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Living processes that carry the variable, whatever session or parent they have. Nobody is
    /// there only when several looks find nobody: a process that is becoming another program has
    /// no variables for a moment.
    pub fn strays(&self) -> Vec<i32> {
        for _ in 0..3 {
            let seen = self.look();
            if !seen.is_empty() {
                return seen;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Vec::new()
    }

    fn look(&self) -> Vec<i32> {
        let wanted = format!("{TAG}={}", self.value);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let carries = |pid: &i32| {
            let environ = environment_of(*pid);
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        };
        pids.filter(carries).collect()
    }

    /// Waits until nothing is left; what is, when it takes far too long.
    pub fn remaining(&self) -> Vec<i32> {
        let clock = Instant::now();
        loop {
            let strays = self.strays();
            if strays.is_empty() || clock.elapsed() >= self.patience {
                return strays;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until `count` processes carry the variable.
    pub async fn until_there_are(&self, count: usize) {
        let clock = Instant::now();
        while self.strays().len() < count {
            let strays = self.strays();
            assert!(clock.elapsed() < self.patience, "only {strays:?} started");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Tag {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let remaining = self.remaining();
        assert!(remaining.is_empty(), "still running: {remaining:?}");
    }
}

/// What a process was started with. In the middle of `exec` it seems to have nothing, so that one
/// is looked at again.
fn environment_of(pid: i32) -> Vec<u8> {
    for _ in 0..20 {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if !environ.is_empty() || fs::read_link(format!("/proc/{pid}/exe")).is_err() {
            return environ;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    Vec::new()
}
