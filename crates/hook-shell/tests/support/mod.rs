//! Hooks that can be found again, wherever they hide, and the checker that looks for them.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::id;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use hook_runner::{Fire, Fired, Group, Hook, HookSet, Policy, Runner, Session};
use hook_shell::ShellHook;
use hook_types::{Attempt, Base, Code, Decision, Event, PreToolUse};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::{TAG, Tag, children, descriptors};

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(30);

/// A deny as the contract has it.
pub(crate) const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

/// An allow as the contract has it.
pub(crate) const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;

pub(crate) const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Commands that carry a variable of their own, and a directory for them. When it is dropped, no
/// process may carry the variable any more.
#[derive(Debug)]
pub(crate) struct Fixture {
    tag: Tag,
    directory: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self {
            tag: Tag::new(AMPLE),
            directory: TempDir::new().unwrap(),
        }
    }

    /// The value of the variable.
    pub(crate) fn tag(&self) -> &str {
        self.tag.value()
    }

    /// Where the hooks run.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// A path in the directory, as text.
    pub(crate) fn text_path(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// What a hook has written to a file in the directory.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Waits for what a hook writes to a file in the directory, up to the end of a line.
    pub(crate) async fn written(&self, name: &str) -> String {
        let clock = Instant::now();
        loop {
            let text = self.read(name);
            if text.ends_with('\n') {
                return text;
            }
            assert!(clock.elapsed() < AMPLE, "nobody writes `{name}`");
            tokio::time::sleep(millis(10)).await;
        }
    }

    /// An executable file.
    pub(crate) fn program(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A command that a shell reads.
    pub(crate) fn hook(&self, script: &str) -> ShellHook {
        self.mark(ShellHook::new(script))
    }

    pub(crate) fn mark(&self, hook: ShellHook) -> ShellHook {
        hook.env(TAG, self.tag()).grace(millis(300))
    }

    /// A session in the directory.
    pub(crate) fn session(&self) -> Session {
        let directory = self.directory().to_str().unwrap();
        Session::new(Base::new(
            "session-1",
            "/nowhere/session-1.jsonl",
            directory,
        ))
    }

    /// A runner of one hook.
    pub(crate) fn runner<E: Event>(&self, hook: ShellHook) -> Runner {
        self.runner_of(Group::parallel().hook(Hook::new(E::NAME, hook).id("hook")))
    }

    /// A runner of a group of hooks.
    pub(crate) fn runner_of(&self, group: Group) -> Runner {
        let hooks = HookSet::builder().group(group).build().unwrap();
        Runner::with(hooks, self.session(), Policy::default())
    }

    /// Fires an event at one hook, and closes the session.
    pub(crate) async fn fire<E: Event>(&self, event: E, hook: ShellHook) -> Fired {
        fire_and_close(&self.runner::<E>(hook), event).await
    }

    /// Fires a call of the shell at one hook.
    pub(crate) async fn call(&self, hook: ShellHook) -> Fired {
        self.fire(bash("ls"), hook).await
    }

    /// Fires a call of the shell at a script.
    pub(crate) async fn script(&self, script: &str) -> Fired {
        self.call(self.hook(script)).await
    }

    /// Living processes that carry the variable, whatever session or parent they have.
    pub(crate) fn strays(&self) -> Vec<i32> {
        self.tag.strays()
    }

    /// Waits until nothing is left; what is, when it takes far too long.
    pub(crate) fn remaining(&self) -> Vec<i32> {
        self.tag.remaining()
    }

    /// Waits until `count` processes carry the variable.
    pub(crate) async fn until_there_are(&self, count: usize) {
        self.tag.until_there_are(count).await;
    }
}

/// Fires an event and closes the session.
pub(crate) async fn fire_and_close<E: Event>(runner: &Runner, event: E) -> Fired {
    let fired = runner.fire(event).await.into_fired();
    runner.close(Duration::ZERO).await;
    fired
}

/// A call of the shell.
pub(crate) fn bash(command: &str) -> PreToolUse {
    PreToolUse::new("Bash", json!({ "command": command }))
}

/// A call with so many bytes of input.
pub(crate) fn large(bytes: usize) -> PreToolUse {
    PreToolUse::new("Write", json!({ "content": "x".repeat(bytes) }))
}

/// The only attempt of a firing.
pub(crate) fn only(fired: &Fired) -> &Attempt {
    assert_eq!(fired.attempts.len(), 1, "{fired:?}");
    &fired.attempts[0]
}

/// How the only hook of a firing ended, in a word, and what it all amounts to.
pub(crate) fn said(fired: &Fired) -> (&'static str, Decision) {
    (only(fired).reply.status.word(), fired.outcome.decision)
}

pub(crate) fn reason(fired: &Fired) -> &str {
    fired.outcome.reason.as_deref().unwrap_or("")
}

/// What the only hook of a firing printed.
pub(crate) fn stdout(fired: &Fired) -> &str {
    &only(fired).reply.evidence.stdout
}

/// What was odd, as codes.
pub(crate) fn codes(fired: &Fired) -> Vec<Code> {
    let findings = fired.outcome.diagnostics.iter();
    findings.map(|finding| finding.diagnostic.code).collect()
}

/// A firing as the command line prints it.
pub(crate) fn as_json(fired: &Fired) -> Value {
    serde_json::to_value(fired).unwrap()
}

/// Files and directories of this process in the directory for temporary ones.
pub(crate) fn temporary_files() -> Vec<PathBuf> {
    let ours = format!("hookline-env-{}-", id());
    let entries = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours))
        .map(|entry| entry.path())
        .collect()
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Runs a test alone in its process, and then looks for everything that it could have left:
/// processes, zombies, descriptors, temporary files.
pub(crate) fn alone(test: impl AsyncFnOnce(&Fixture)) {
    static ALONE: Mutex<()> = Mutex::new(());
    static WARM: Once = Once::new();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // The first runtime of a process opens a pipe for signals that stays.
    WARM.call_once(|| drop(runtime()));
    let descriptors_before = descriptors();
    let fixture = Fixture::new();
    let runtime = runtime();
    runtime.block_on(test(&fixture));
    drop(runtime);
    drop(fixture);

    // The thread that kills may still be about its last round.
    let clock = Instant::now();
    let counts = || (descriptors(), children(), temporary_files());
    let wanted = (descriptors_before, Vec::new(), Vec::new());
    while counts() != wanted && clock.elapsed() < AMPLE {
        std::thread::sleep(millis(10));
    }
    assert_eq!(counts(), wanted, "descriptors, children, temporary files");
}
