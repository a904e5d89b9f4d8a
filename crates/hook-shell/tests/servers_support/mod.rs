//! Servers that can be found again, and short words for what is asked of them.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hook_runner::{Handler, HookContext, Input, Session};
use hook_shell::ServerHook;
use hook_types::{Base, Decision, HookEvent, HookInfo, HookKind, PreToolUse, Reply, Status};
use serde_json::json;
use tempfile::TempDir;

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(30);
pub(crate) const TAG: &str = "SERVER_FIXTURE_TAG";
pub(crate) const DENY: &str = r#"{"decision":"block","reason":"no"}"#;

pub(crate) const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Servers that carry a variable of their own. When it is dropped, no process may carry it.
pub(crate) struct Fixture {
    pub(crate) tag: String,
    directory: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            tag: format!("server-{}-{number}", std::process::id()),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A server, in the fixture's directory. Every start is a line in the file `starts`.
    pub(crate) fn server(&self, script: &str) -> ServerHook {
        ServerHook::new(format!("echo $$ >>starts\n{script}"))
            .env(TAG, &self.tag)
            .cwd(self.path())
    }

    /// A server that does `body` for each request; it has `$id` and `$line`.
    pub(crate) fn each(&self, body: &str) -> ServerHook {
        self.server(&each(body))
    }

    pub(crate) fn starts(&self) -> usize {
        let starts = fs::read_to_string(self.path().join("starts"));
        starts.map_or(0, |starts| starts.lines().count())
    }

    /// Living processes that carry the variable, whatever session or parent they have.
    pub(crate) fn strays(&self) -> Vec<i32> {
        let wanted = format!("{TAG}={}", self.tag);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let carries = |pid: &i32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        };
        pids.filter(carries).collect()
    }

    pub(crate) async fn until(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let clock = Instant::now();
        while !holds(self) {
            assert!(clock.elapsed() < AMPLE, "waited in vain until {what}");
            tokio::time::sleep(millis(10)).await;
        }
    }

    pub(crate) async fn until_nothing_runs(&self) {
        self.until("nothing runs", |fixture| fixture.strays().is_empty())
            .await;
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let clock = Instant::now();
        while !self.strays().is_empty() {
            assert!(
                clock.elapsed() < AMPLE,
                "still running: {:?}",
                self.strays()
            );
            std::thread::sleep(millis(10));
        }
    }
}

pub(crate) fn each(body: &str) -> String {
    format!("while IFS= read -r line; do id=${{line#'{{\"id\":'}}; id=${{id%%,*}}\n{body}\ndone")
}

pub(crate) fn bash(command: &str) -> HookEvent {
    PreToolUse::new("Bash", json!({ "command": command })).into()
}

pub(crate) fn context(limit: Duration) -> HookContext {
    let mut session = Session::new(Base::default());
    session.project_dir = std::env::temp_dir().to_string_lossy().into_owned();
    let info = HookInfo::new("server", HookKind::Other("server".to_owned()));
    HookContext::standalone(info, session, limit)
}

pub(crate) async fn tell(hook: &ServerHook, event: HookEvent, limit: Duration) -> Reply {
    hook.handle(Arc::new(Input::new(event)), &context(limit))
        .await
}

pub(crate) async fn ask(hook: &ServerHook, command: &str) -> Reply {
    tell(hook, bash(command), AMPLE).await
}

pub(crate) async fn ask_within(hook: &ServerHook, command: &str, limit: Duration) -> Reply {
    tell(hook, bash(command), limit).await
}

pub(crate) fn assert_denies(reply: &Reply) {
    assert_eq!(reply.output.decision, Decision::Deny, "{reply:?}");
}

pub(crate) fn assert_word(reply: &Reply, word: &str) {
    assert_eq!(reply.status.word(), word, "{reply:?}");
    assert_eq!(reply.output.decision, Decision::Pass, "{reply:?}");
}

pub(crate) fn failure(reply: &Reply) -> &str {
    let Status::Failed(why) = &reply.status else {
        panic!("{reply:?}");
    };
    why
}

/// Gives the server time to start.
pub(crate) async fn fixture_warm(hook: &ServerHook, fixture: &Fixture) {
    let first = ask_within(hook, "warm", millis(100)).await;
    assert!(first.status.is_failure());
    fixture
        .until("it has started", |fixture| fixture.starts() > 0)
        .await;
}
