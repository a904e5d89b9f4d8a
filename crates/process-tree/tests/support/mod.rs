//! Fixtures that can be found again, and the checker that looks for them.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![allow(dead_code, reason = "every test binary uses another part")]

use std::{
    fs,
    process::id,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use process_tree::{Command, Control, Finished, Limits};

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(20);

/// Commands that carry a variable of their own. When the fixture is dropped, no process may
/// carry it any more.
#[derive(Debug)]
pub(crate) struct Fixture {
    tag: String,
    patience: Duration,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(AMPLE)
    }

    /// One that does not wait for what is still ending.
    pub(crate) fn impatient() -> Self {
        Self::with(Duration::ZERO)
    }

    fn with(patience: Duration) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            tag: format!("fixture-{}-{number}", id()),
            patience,
        }
    }

    /// The value of the variable.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    pub(crate) fn shell(&self, script: &str) -> Command {
        self.mark(Command::shell(script))
    }

    pub(crate) fn mark(&self, command: Command) -> Command {
        let limits = Limits {
            timeout: Duration::from_mins(1),
            ..Limits::default()
        };
        command.env("FIXTURE_TAG", &self.tag).limits(limits)
    }

    /// Living processes that carry the variable, whatever session or parent they have.
    pub(crate) fn strays(&self) -> Vec<i32> {
        let wanted = format!("FIXTURE_TAG={}", self.tag);
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
    pub(crate) fn remaining(&self) -> Vec<i32> {
        let clock = Instant::now();
        loop {
            let strays = self.strays();
            if strays.is_empty() || clock.elapsed() > self.patience {
                return strays;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until `count` processes carry the variable.
    pub(crate) async fn until_there_are(&self, count: usize) {
        let clock = Instant::now();
        while self.strays().len() < count {
            assert!(clock.elapsed() < AMPLE, "only {:?} started", self.strays());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let remaining = self.remaining();
        assert!(remaining.is_empty(), "still running: {remaining:?}");
    }
}

/// Limits with this deadline and little patience after it.
pub(crate) fn within(milliseconds: u64) -> Limits {
    Limits {
        timeout: Duration::from_millis(milliseconds),
        grace: Duration::from_millis(200),
        ..Limits::default()
    }
}

/// Runs a command with nothing special about its handle.
pub(crate) async fn run(command: &Command) -> Finished {
    command.run(&Control::new()).await
}

/// Descriptors this process has open.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Threads of this process.
pub(crate) fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// Children of this process, zombies included.
pub(crate) fn children() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A field of `/proc/self/status` in KiB.
pub(crate) fn memory(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
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
