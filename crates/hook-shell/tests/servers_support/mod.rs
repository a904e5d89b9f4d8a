//! Servers that can be found again, and short words for what is asked of them.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_runner::{Handler, HookContext, Input, Session};
use hook_shell::ServerHook;
use hook_types::{Base, Decision, HookEvent, HookInfo, HookKind, PreToolUse, Reply, Status};
use serde_json::json;
use tempfile::TempDir;
use test_support::{TAG, Tag};

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(30);
pub(crate) const DENY: &str = r#"{"decision":"block","reason":"no"}"#;

pub(crate) const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Servers that carry a variable of their own. When it is dropped, no process may carry it.
pub(crate) struct Fixture {
    tag: Tag,
    directory: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self {
            tag: Tag::new(AMPLE),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// The value of the variable.
    pub(crate) fn tag(&self) -> &str {
        self.tag.value()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A server, in the fixture's directory. Every start is a line in the file `starts`.
    pub(crate) fn server(&self, script: &str) -> ServerHook {
        ServerHook::new(format!("echo $$ >>starts\n{script}"))
            .env(TAG, self.tag())
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
        self.tag.strays()
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
