//! A user, a project and an administrator in a scratch directory, with files of theirs.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_config::{Diagnostic, Loaded, Options, Places, TrustEverything, load};
use hook_runner::{Fire, Fired, Policy, Runner, Session, Verdict};
use hook_shell::Host;
use hook_types::{Base, Event};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A scratch directory with `home`, `project` and `managed` in it.
#[derive(Debug)]
pub(crate) struct Scene {
    directory: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        for folder in ["home", "project", "managed"] {
            fs::create_dir(directory.path().join(folder)).unwrap();
        }
        Self { directory }
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

    /// Writes a script that can be run.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The user's home, the project, and a managed folder that is not the machine's.
    pub(crate) fn places(&self) -> Places {
        let home = self.path("home");
        let mut places = Places::from_environment(|name| {
            (name == "HOME").then(|| home.clone().into_os_string())
        });
        places.managed_claude = vec![self.path("managed")];
        places.managed_hookline = vec![self.path("managed")];
        places.project(self.project())
    }

    pub(crate) fn load(&self) -> Loaded {
        load(&self.places(), &options())
    }

    /// A runner of what is loaded, in the project.
    pub(crate) fn runner(&self) -> Runner {
        self.runner_of(self.load())
    }

    pub(crate) fn runner_of(&self, loaded: Loaded) -> Runner {
        let mut base = Base::default();
        base.session_id = "s-1".into();
        base.cwd = self.project().display().to_string();
        let mut session = Session::new(base);
        session.home = Some(self.path("home").display().to_string());
        Runner::with(loaded.hooks, session, Policy::default())
    }

    pub(crate) async fn fire<E: Event>(&self, event: E) -> Verdict<E> {
        self.runner().fire(event).await
    }
}

/// Options that trust everything.
pub(crate) fn options() -> Options {
    Options::new(Host::new()).trust(Arc::new(TrustEverything))
}

/// Claude settings with one matcher and its handlers.
pub(crate) fn settings(event: &str, matcher: &str, handlers: &[Value]) -> String {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": handlers}]}}).to_string()
}

/// A handler of type `command`.
pub(crate) fn command(text: &str) -> Value {
    json!({"type": "command", "command": text})
}

/// What every hook of a firing ended as, with what it said.
pub(crate) fn endings(fired: &Fired) -> Vec<String> {
    let attempts = fired.attempts.iter();
    attempts
        .map(|attempt| format!("{:?}", attempt.reply.status))
        .collect()
}

/// The codes of diagnostics, in order.
pub(crate) fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics
        .iter()
        .map(|problem| problem.code.as_str())
        .collect()
}

/// What a hook wrote into a file.
pub(crate) fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
