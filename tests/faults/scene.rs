//! A user, a project with a guard, and an agent with a script, in a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent_loop::{Agent, AgentBuilder, AgentEvent, AgentEventKind, Scene as Turn, Scripted};
use hook_config::trust::{ContentTrust, Review, StoreError, Surroundings, TrustState, TrustStore};
use hook_config::{Loaded, Options, Places, discover, load};
use hook_runner::{Fire, Fired, HookRunner, Runner};
use hook_shell::Host;
use hook_types::PreToolUse;
use serde_json::{Value, json};

/// What the guard runs: it refuses.
const GUARD: &str = "echo 'not here' >&2; exit 2";

/// The directory of a test, with `home` and `project` in it.
pub(crate) struct Scene {
    directory: PathBuf,
}

impl Scene {
    /// A project whose settings have a guard before `Bash`.
    pub(crate) fn new(directory: &Path) -> Self {
        let scene = Self {
            directory: directory.canonicalize().unwrap(),
        };
        for folder in ["home", "project/.claude"] {
            fs::create_dir_all(scene.path(folder)).unwrap();
        }
        fs::write(scene.settings(), Self::text(1)).unwrap();
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.path("project/.claude/settings.json")
    }

    /// Settings with so many guards.
    pub(crate) fn text(guards: usize) -> String {
        let hooks: Vec<Value> = (0..guards)
            .map(|number| json!({"type": "command", "command": format!(": {number}; {GUARD}")}))
            .collect();
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}).to_string()
    }

    pub(crate) fn places(&self) -> Places {
        let home = self.path("home");
        let environment = |name: &str| (name == "HOME").then(|| home.clone().into());
        let mut places = Places::from_environment(environment).project(self.path("project"));
        places.managed_claude = Vec::new();
        places.managed_hookline = Vec::new();
        places
    }

    pub(crate) fn store(&self) -> TrustStore {
        TrustStore::at(self.path("home/state/trust"))
    }

    pub(crate) fn trust(&self) -> ContentTrust {
        let around = Surroundings::new(self.path("project")).home(self.path("home"));
        ContentTrust::new(around, Some(self.store()))
    }

    fn reviews(&self, trust: &ContentTrust) -> Vec<Review> {
        trust.reviews(&discover(&self.places()))
    }

    /// Whether the project's hooks are approved, each of them.
    pub(crate) fn states(&self) -> Vec<TrustState> {
        let reviews = self.reviews(&self.trust());
        reviews.iter().map(Review::state).collect()
    }

    /// Approves all of them.
    pub(crate) fn approve(&self) -> Result<(), StoreError> {
        let trust = self.trust();
        let reviews = self.reviews(&trust);
        assert!(!reviews.is_empty(), "there is something to approve");
        trust.approve(&reviews).map(|_| ())
    }

    pub(crate) fn load(&self) -> Loaded {
        load(
            &self.places(),
            &Options::new(Host::new()).trust(Arc::new(self.trust())),
        )
    }
}

/// What becomes of a call of `Bash`.
pub(crate) async fn call(runner: &Runner) -> Fired {
    let call = PreToolUse::new("Bash", json!({"command": "ls"}));
    runner.fire(call).await.into_fired()
}

/// The statuses of a firing, as text.
pub(crate) fn endings(fired: &Fired) -> Vec<String> {
    let attempts = fired.attempts.iter();
    attempts
        .map(|attempt| format!("{:?}", attempt.reply.status))
        .collect()
}

/// What an agent warned of.
#[derive(Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// An agent whose model says these words, one a turn, and whose transcripts are in a directory.
pub(crate) fn agent(
    words: &[&str],
    transcripts: &Path,
    runner: Runner,
) -> (AgentBuilder, Warnings) {
    let warnings = Warnings::default();
    let heard = warnings.clone();
    let builder = Agent::builder()
        .model(Scripted::new(words.iter().map(|word| Turn::say(*word))))
        .runner(Arc::new(runner) as Arc<dyn HookRunner>)
        .transcripts_in(transcripts)
        .observer(move |event: &AgentEvent| {
            if let AgentEventKind::Warning(text) = &event.kind {
                heard.0.lock().unwrap().push(text.clone());
            }
        });
    (builder, warnings)
}

/// The texts in a transcript, line by line; every line must be one.
pub(crate) fn transcript(path: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "half a line: {text}"
    );
    let said = |line: &str| {
        let line: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        line["message"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    text.lines().map(said).collect()
}
