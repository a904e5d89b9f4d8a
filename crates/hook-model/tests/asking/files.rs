//! Entries of type `prompt` and `agent` in files.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{Model, Scene, Scripted};
use hook_config::trust::{ContentTrust, Surroundings, TrustStore};
use hook_config::{Factories, Loaded, Options, Places, TrustEverything, TrustState, load};
use hook_model::{ModelHooks, one_model};
use hook_runner::{HookRunner, Runner};
use hook_shell::Host;
use hook_types::{Decision, EventName, Status};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{NOT_OK, only, sample_of, says};

/// A project with one entry.
struct Project(TempDir);

impl Project {
    fn with(event: EventName, entry: &Value) -> Self {
        let project = Self(TempDir::new().unwrap());
        project.write(event, entry);
        project
    }

    fn write(&self, event: EventName, entry: &Value) {
        let folder = self.0.path().join(".claude");
        fs::create_dir_all(&folder).unwrap();
        let settings = json!({"hooks": {event.as_str(): [{"hooks": [entry]}]}});
        fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    }

    fn load(&self, options: &Options) -> Loaded {
        load(&Places::none().project(self.0.path()), options)
    }

    fn trusted(&self, model: impl Model) -> Loaded {
        self.load(&options(model).trust(Arc::new(TrustEverything)))
    }
}

fn options(model: impl Model) -> Options {
    let factories = ModelHooks::new(one_model(model)).add_to(Factories::new());
    Options::new(Host::new()).factories(factories).lint(true)
}

fn codes(loaded: &Loaded) -> Vec<&'static str> {
    let odd = loaded.report.diagnostics.iter();
    odd.map(|odd| odd.code.as_str()).collect()
}

#[tokio::test]
async fn an_entry_becomes_a_hook_that_asks() {
    let entry = json!({"type": "prompt", "prompt": "Is $ARGUMENTS fine?", "model": "haiku",
                       "continueOnBlock": true, "timeout": 9, "statusMessage": "thinking"});
    let project = Project::with(EventName::PreToolUse, &entry);
    let loaded = project.trusted(says(NOT_OK));
    assert_eq!(codes(&loaded), [""; 0]);
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    assert_eq!(hook.get_timeout(), Some(Duration::from_secs(9)));
    let described = hook.describe();
    assert_eq!(described.kind.as_str(), "prompt");
    assert_eq!(described.details[0].1, "haiku");

    let runner = Runner::new(loaded.hooks);
    let fired = runner.fire_event(sample_of(EventName::PreToolUse)).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert!(fired.outcome.stop.is_none(), "it continues on block");
}

#[tokio::test]
async fn an_entry_becomes_a_verifier() {
    let model = Scripted::new([
        Scene::call("Glob", json!({"pattern": "*.none"})),
        Scene::say(NOT_OK),
    ]);
    let entry = json!({"type": "agent", "prompt": "Are there tests?"});
    let loaded = Project::with(EventName::Stop, &entry).trusted(model);
    assert_eq!(codes(&loaded), [""; 0]);
    let runner = Runner::new(loaded.hooks);
    let fired = runner.fire_event(sample_of(EventName::Stop)).await;
    assert!(fired.outcome.keeps_going(), "{fired:?}");
    assert_eq!(only(&fired).hook.kind.as_str(), "agent");
}

/// What a file says by default is what the handler keeps.
#[test]
fn the_deadline_of_an_entry_is_its_kinds() {
    for (kind, seconds) in [("prompt", 30), ("agent", 60)] {
        let entry = json!({"type": kind, "prompt": "Fine?"});
        let loaded = Project::with(EventName::PreToolUse, &entry).trusted(says(NOT_OK));
        let (hook, _) = loaded.hooks.hooks().next().unwrap();
        let expected = Duration::from_secs(seconds);
        assert_eq!(hook.get_handler().limit(), Some(expected));
        let entry = loaded.report.hooks[0].entry.as_ref().unwrap();
        assert_eq!(entry.timeout_on(EventName::PreToolUse), expected);
        assert_eq!(entry.timeout_on(EventName::UserPromptSubmit), expected);
    }
}

#[test]
fn what_is_wrong_with_an_entry_is_said() {
    let table = [
        (json!({"type": "prompt"}), vec!["missing-key"]),
        (
            json!({"type": "prompt", "prompt": " "}),
            vec!["wrong-value"],
        ),
        (
            json!({"type": "prompt", "prompt": "?", "promt": "?"}),
            vec!["unknown-key"],
        ),
        (
            json!({"type": "prompt", "prompt": "?", "command": "ls"}),
            vec!["useless-key"],
        ),
        (
            json!({"type": "prompt", "prompt": "?", "async": true}),
            vec!["useless-key"],
        ),
        (
            json!({"type": "prompt", "prompt": "?", "onFailure": "block"}),
            vec!["useless-key"],
        ),
        (
            json!({"type": "prompt", "prompt": "?", "model": 7}),
            vec!["wrong-type"],
        ),
        (
            json!({"type": "agent", "prompt": "?", "continueOnBlock": true}),
            vec!["useless-key"],
        ),
    ];
    for (entry, expected) in table {
        let loaded = Project::with(EventName::PreToolUse, &entry).trusted(says(NOT_OK));
        assert_eq!(codes(&loaded), expected, "{entry}");
    }
}

#[test]
fn a_hook_where_nobody_heeds_it_is_warned_of() {
    for kind in ["prompt", "agent"] {
        let entry = json!({"type": kind, "prompt": "Fine?"});
        for event in EventName::ALL {
            let loaded = Project::with(*event, &entry).trusted(says(NOT_OK));
            let warned = codes(&loaded).contains(&"not-heeded");
            assert_eq!(warned, !event.row().heeds_models(), "{kind} on {event}");
        }
    }
}

/// An approval covers the words, the model and what the hook does.
#[tokio::test]
async fn a_hook_that_was_approved_and_changed_is_closed() {
    let entry = json!({"type": "prompt", "prompt": "Fine?", "model": "haiku"});
    let project = Project::with(EventName::PreToolUse, &entry);
    let store = TempDir::new().unwrap();
    let trust = || {
        let store = TrustStore::at(store.path().join("trust"));
        ContentTrust::new(Surroundings::new(project.0.path()), Some(store))
    };
    let loaded = |model| project.load(&options(model).trust(Arc::new(trust())));

    let first = loaded(says(NOT_OK));
    assert_eq!(first.report.hooks[0].trust, TrustState::Untrusted);
    let reviews = trust().reviews(&first.report.files);
    assert_eq!(reviews.len(), 1);
    assert!(
        reviews[0]
            .case()
            .details()
            .contains(&"model: \"haiku\"".to_owned())
    );
    trust().approve(&reviews).unwrap();
    assert_eq!(
        loaded(says(NOT_OK)).report.hooks[0].trust,
        TrustState::Trusted
    );

    let changes = [
        json!({"type": "prompt", "prompt": "Say that all is fine.", "model": "haiku"}),
        json!({"type": "prompt", "prompt": "Fine?", "model": "scripted:yes.json"}),
        json!({"type": "prompt", "prompt": "Fine?", "model": "haiku", "continueOnBlock": true}),
        json!({"type": "agent", "prompt": "Fine?", "model": "haiku"}),
    ];
    for changed in changes {
        project.write(EventName::PreToolUse, &changed);
        let model = says(r#"{"ok": true}"#);
        let runner = Runner::new(loaded(model.clone()).hooks);
        let fired = runner.fire_event(sample_of(EventName::PreToolUse)).await;
        assert_eq!(fired.outcome.decision, Decision::Deny, "{changed}");
        assert_eq!(model.requests().len(), 0, "{changed}");
    }
}

#[tokio::test]
async fn a_hook_that_nobody_approved_asks_nobody() {
    let entry = json!({"type": "prompt", "prompt": "Fine?"});
    let model = says(NOT_OK);
    let loaded = Project::with(EventName::PreToolUse, &entry).load(&options(model.clone()));
    let fired = Runner::new(loaded.hooks)
        .fire_event(sample_of(EventName::PreToolUse))
        .await;
    assert!(matches!(only(&fired).reply.status, Status::Skipped(_)));
    assert_eq!(model.requests().len(), 0);
}
