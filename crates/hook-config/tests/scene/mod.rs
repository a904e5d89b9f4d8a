//! A user and a project in a scratch directory, with files of other systems.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hook_config::{Diagnostic, Loaded, Options, Places, TrustEverything, load};
use hook_runner::{Fire, Fired, Policy, Runner, Session};
use hook_shell::Host;
use hook_types::{Attempt, Base, Decision, Event, PostToolUse, PreToolUse, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

/// A scratch directory with `home` and `project` in it.
#[derive(Debug)]
pub(crate) struct Scene {
    directory: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        for folder in ["home", "project"] {
            fs::create_dir(directory.path().join(folder)).unwrap();
        }
        Self { directory }
    }

    /// A project with an Opta file.
    pub(crate) fn opta(text: &str) -> Self {
        let scene = Self::new();
        scene.write("project/.opta/config.json", text);
        scene
    }

    /// A project with an OpenCode file.
    pub(crate) fn opencode(text: &str) -> Self {
        let scene = Self::new();
        scene.write("project/.opencode/hooks.json", text);
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// Writes a file, with its folders.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// What is in a file; nothing where there is none.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The lines of a file of the project.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = self.read(&format!("project/{name}"));
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn places(&self) -> Places {
        let home = self.path("home");
        let mut places = Places::from_environment(|name| {
            (name == "HOME").then(|| home.clone().into_os_string())
        });
        places.managed_claude = Vec::new();
        places.managed_hookline = Vec::new();
        places.project(self.project())
    }

    pub(crate) fn load(&self) -> Loaded {
        load(&self.places(), &options(Host::new()))
    }

    /// A session in the project.
    pub(crate) fn session(&self) -> Session {
        let cwd = self.project().display().to_string();
        let mut session = Session::new(Base::new("sess_abc123", "/nowhere.jsonl", &cwd));
        session.home = Some(self.path("home").display().to_string());
        session.model = Some("model-7".to_owned());
        session
    }

    pub(crate) fn runner(&self) -> Runner {
        self.runner_of(self.load())
    }

    pub(crate) fn runner_of(&self, loaded: Loaded) -> Runner {
        Runner::with(loaded.hooks, self.session(), Policy::default())
    }

    /// Fires an event at the hooks of the files, and closes the session.
    pub(crate) async fn fire<E: Event>(&self, event: E) -> Fired {
        let runner = self.runner();
        let fired = runner.fire(event).await.into_fired();
        runner.close(AMPLE).await;
        fired
    }

    /// What is wrong with the files, as codes.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        let problems = self.load().report.diagnostics;
        problems
            .iter()
            .map(|problem| problem.code.as_str())
            .collect()
    }

    /// The only thing that is wrong with the files.
    pub(crate) fn problem(&self) -> Diagnostic {
        let mut problems = self.load().report.diagnostics;
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems.remove(0)
    }
}

/// Options that trust everything.
pub(crate) fn options(host: Host) -> Options {
    Options::new(host).trust(Arc::new(TrustEverything))
}

/// A file with one hook.
pub(crate) fn one(hook: &Value) -> String {
    json!({ "hooks": [hook] }).to_string()
}

/// A call of the shell.
pub(crate) fn bash(command: &str) -> PreToolUse {
    PreToolUse::new("Bash", json!({ "command": command }))
}

/// A call of a tool.
pub(crate) fn call(tool: &str) -> PreToolUse {
    PreToolUse::new(tool, json!({}))
}

/// A tool has done its work.
pub(crate) fn done(tool: &str) -> PostToolUse {
    PostToolUse::new(tool, json!({}), json!("done"))
}

pub(crate) fn denied(fired: &Fired) -> bool {
    fired.outcome.decision == Decision::Deny
}

pub(crate) fn reason(fired: &Fired) -> &str {
    fired.outcome.reason.as_deref().unwrap_or_default()
}

/// The hooks that ran, in order.
pub(crate) fn ran(fired: &Fired) -> Vec<&Attempt> {
    let skipped = |attempt: &&Attempt| matches!(attempt.reply.status, Status::Skipped(_));
    fired
        .attempts
        .iter()
        .filter(|attempt| !skipped(attempt))
        .collect()
}

/// What the hooks that ran printed.
pub(crate) fn printed(fired: &Fired) -> Vec<&str> {
    let ran = ran(fired).into_iter();
    ran.map(|attempt| attempt.reply.evidence.stdout.trim())
        .collect()
}

/// The only hook that ran.
pub(crate) fn only(fired: &Fired) -> &Attempt {
    let ran = ran(fired);
    assert_eq!(ran.len(), 1, "{fired:?}");
    ran[0]
}

/// Whether a file can be run.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 == 0o111)
}
