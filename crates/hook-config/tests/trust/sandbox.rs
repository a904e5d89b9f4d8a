//! A project and a home of its own, with real files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_config::trust::{
    ContentTrust, Fingerprint, Opaque, Review, Surroundings, TrustState, TrustStore, Why,
};
use hook_config::{Loaded, Options, Places, discover, load};
use hook_runner::{Fire, Runner, Verdict};
use hook_shell::Host;
use hook_types::{PostToolUse, PreToolUse};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The settings of a project, where most tests put their hooks.
pub(crate) const SETTINGS: &str = ".claude/settings.json";

/// A project, a home, and a place for approvals.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["my project", "home"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        sandbox
    }

    /// A sandbox whose project has one hook, which runs a command before `Bash`.
    pub(crate) fn with_command(command: &str) -> Self {
        let sandbox = Self::new();
        sandbox.settings(&[hook(command)]);
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// The project's root. Its name has a blank.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("my project")
    }

    /// A path in the project.
    pub(crate) fn project(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        write(&self.project(name), text)
    }

    /// Writes the project's settings with hooks before `Bash`.
    pub(crate) fn settings(&self, hooks: &[Value]) {
        let group = json!([{"matcher": "Bash", "hooks": hooks}]);
        self.write(
            SETTINGS,
            &json!({"hooks": {"PreToolUse": group}}).to_string(),
        );
    }

    pub(crate) fn places(&self) -> Places {
        let home = self.path("home");
        let environment = |name: &str| (name == "HOME").then(|| home.clone().into());
        let mut places = Places::from_environment(environment).project(self.root());
        places.managed_claude = vec![self.path("managed")];
        places.managed_hookline = Vec::new();
        places
    }

    pub(crate) fn around(&self) -> Surroundings {
        Surroundings::new(self.root()).home(self.path("home"))
    }

    pub(crate) fn store(&self) -> TrustStore {
        TrustStore::at(self.path("state/trust"))
    }

    pub(crate) fn trust(&self) -> ContentTrust {
        ContentTrust::new(self.around(), Some(self.store()))
    }

    pub(crate) fn load(&self, trust: &ContentTrust) -> Loaded {
        load(
            &self.places(),
            &Options::new(Host::new()).trust(Arc::new(trust.clone())),
        )
    }

    /// A runner over the project's hooks, as a session would start.
    pub(crate) fn session(&self, trust: &ContentTrust) -> Session {
        let loaded = self.load(trust);
        let runner = Runner::new(loaded.hooks);
        let root = self.root().display().to_string();
        runner.update_session(|session| {
            session.base.cwd.clone_from(&root);
            session.project_dir = root;
        });
        Session(runner)
    }

    pub(crate) fn reviews(&self, trust: &ContentTrust) -> Vec<Review> {
        trust.reviews(&discover(&self.places()))
    }

    /// Approves everything, as it is now.
    pub(crate) fn approve(&self) {
        let trust = self.trust();
        let moved = trust.approve(&self.reviews(&trust)).unwrap();
        assert_eq!(moved, None);
    }

    /// The states of the project's hooks, in order, for somebody who looks afresh.
    pub(crate) fn states(&self) -> Vec<TrustState> {
        let loaded = self.load(&self.trust());
        loaded.report.hooks.iter().map(|hook| hook.trust).collect()
    }

    pub(crate) fn state(&self) -> TrustState {
        let states = self.states();
        assert_eq!(states.len(), 1, "one hook");
        states[0]
    }

    pub(crate) fn review(&self) -> Review {
        let mut reviews = self.reviews(&self.trust());
        assert_eq!(reviews.len(), 1, "one hook");
        reviews.remove(0)
    }

    pub(crate) fn why(&self) -> Why {
        self.review().why()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.review().fingerprint().clone()
    }

    /// The names of the files that are covered.
    pub(crate) fn covered(&self) -> Vec<String> {
        let files = self.fingerprint().files;
        files
            .iter()
            .map(|file| file.path.display().to_string())
            .collect()
    }

    /// Why the hook is opaque, by code.
    pub(crate) fn opaque(&self) -> Vec<&'static str> {
        self.fingerprint().opaque.iter().map(Opaque::code).collect()
    }
}

/// A session in the sandbox.
pub(crate) struct Session(Runner);

impl Session {
    pub(crate) async fn bash(&self) -> Verdict<PreToolUse> {
        self.0
            .fire(PreToolUse::new("Bash", json!({"command": "make"})))
            .await
    }

    pub(crate) async fn after_bash(&self) {
        let input = json!({"command": "make"});
        self.0
            .fire(PostToolUse::new("Bash", input, json!("done")))
            .await;
    }
}

/// An entry that runs a command.
pub(crate) fn hook(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

pub(crate) fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).unwrap();
    path.to_owned()
}
