//! `http` entries of files: what settings say about them holds, and what changes is asked about again.
#![cfg(feature = "config")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hook_config::trust::{ContentTrust, Surroundings, TrustStore};
use hook_config::{Factories, Fate, Loaded, Options, Places, TrustEverything, discover, load};
use hook_http::HttpHooks;
use hook_runner::{Fire, Fired, HookRunner, Runner};
use hook_shell::Host;
use hook_types::{Decision, Status};
use process_tree::Environment;
use serde_json::{Value, json};
use support::{DENY, Server, call, only};
use tempfile::TempDir;

/// A user, a project and an administrator in a scratch directory.
struct Scene(TempDir);

const MANAGED: &str = "managed/managed-settings.json";
const USER: &str = "home/.claude/settings.json";
const PROJECT: &str = "project/.claude/settings.json";

impl Scene {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &Value) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text.to_string()).unwrap();
    }

    fn places(&self) -> Places {
        let home = self.path("home");
        let mut places = Places::from_environment(|name| {
            (name == "HOME").then(|| home.clone().into_os_string())
        });
        places.managed_claude = vec![self.path("managed")];
        places.managed_hookline = vec![self.path("managed")];
        places.project(self.path("project"))
    }

    fn load(&self) -> Loaded {
        load(&self.places(), &options().trust(Arc::new(TrustEverything)))
    }

    async fn fire(&self) -> Fired {
        Runner::new(self.load().hooks)
            .fire_event(call().into())
            .await
    }
}

fn options() -> Options {
    let variables = [("TOKEN", "t-1"), ("OTHER", "o-1")];
    let environment: Environment = variables.into_iter().collect();
    let factories = Factories::new().with("http", HttpHooks::new());
    Options::new(Host::with_environment(environment)).factories(factories)
}

/// A file with one entry that is asked before each call, and more beside it.
fn file(entry: &Value, more: &Value) -> Value {
    let mut file = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    for (key, value) in more.as_object().into_iter().flatten() {
        file[key] = value.clone();
    }
    file
}

fn entry(url: &str) -> Value {
    json!({"type": "http", "url": url, "headers": {"Authorization": "Bearer $TOKEN $OTHER"},
           "allowedEnvVars": ["TOKEN", "OTHER"], "timeout": 30})
}

#[tokio::test]
async fn an_entry_of_a_file_is_asked_with_the_environment_of_commands() {
    let (scene, server) = (Scene::new(), Server::answering(200, DENY).await);
    scene.write(USER, &file(&entry(&server.url("/guard")), &json!({})));
    let fired = scene.fire().await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(only(&fired).hook.kind.as_str(), "http");
    let asked = &server.asked()[0];
    assert!(asked.starts_with("POST /guard HTTP/1.1\r\n"), "{asked}");
    assert!(
        asked.contains("\r\nauthorization: Bearer t-1 o-1\r\n"),
        "{asked}"
    );
}

#[tokio::test]
async fn the_variables_of_settings_narrow_those_of_an_entry() {
    let (scene, server) = (Scene::new(), Server::answering(200, "{}").await);
    let more = json!({"httpHookAllowedEnvVars": ["OTHER"]});
    scene.write(USER, &file(&entry(&server.url("/")), &more));
    scene.fire().await;
    let asked = &server.asked()[0];
    assert!(
        asked.contains("\r\nauthorization: Bearer  o-1\r\n"),
        "{asked}"
    );
}

#[tokio::test]
async fn the_url_list_holds_for_managed_hooks_too_and_files_add_to_it() {
    let (scene, server) = (Scene::new(), Server::answering(200, DENY).await);
    let none = json!({"allowedHttpHookUrls": []});
    scene.write(MANAGED, &file(&entry(&server.url("/")), &none));
    let fired = scene.fire().await;
    assert!(
        matches!(only(&fired).reply.status, Status::LaunchFailed(_)),
        "{:?}",
        only(&fired)
    );
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert!(server.asked().is_empty());

    scene.write(
        USER,
        &json!({"allowedHttpHookUrls": ["http://127.0.0.1:*"]}),
    );
    assert_eq!(scene.fire().await.outcome.decision, Decision::Deny);
}

/// Why the one hook is refused, as `explain` has it.
fn refused(loaded: &Loaded) -> Option<String> {
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    let details = hook.describe().details;
    details
        .into_iter()
        .find(|(name, _)| name == "refused")
        .map(|(_, why)| why)
}

#[test]
fn a_special_address_is_the_users_to_allow_and_never_a_projects() {
    let scene = Scene::new();
    let metadata = json!({"type": "http", "url": "http://169.254.169.254/"});
    let allow = json!({"allowedHttpHookAddresses": ["169.254.169.254"]});
    scene.write(PROJECT, &file(&metadata, &allow));
    let why = refused(&scene.load()).unwrap();
    assert!(
        why.contains("169.254.169.254 is a link-local address"),
        "{why}"
    );
    scene.write(USER, &allow);
    assert_eq!(refused(&scene.load()), None);
}

#[test]
fn what_cannot_be_a_hook_is_broken_and_says_why() {
    let scene = Scene::new();
    for (entry, why) in [
        (
            json!({"type": "http", "url": "http://a b/"}),
            "`url` is no address of the web",
        ),
        (
            json!({"type": "http", "url": "http://a:99999/"}),
            "is not a URL",
        ),
        (
            json!({"type": "http", "url": "http://a/", "headers": {"x y": "z"}}),
            "`x y` is not the name",
        ),
        (
            json!({"type": "http", "url": "http://a/", "headers": {"Host": "z"}}),
            "belongs to the connection",
        ),
    ] {
        scene.write(USER, &file(&entry, &json!({})));
        let Fate::Broken(found) = &scene.load().report.hooks[0].fate else {
            panic!("{entry}");
        };
        assert!(found.contains(why), "{found}");
    }
    let wrong = json!({"allowedHttpHookAddresses": ["169.254.0.0/99"]});
    scene.write(
        USER,
        &file(&json!({"type": "http", "url": "http://a/"}), &wrong),
    );
    let Fate::Broken(found) = &scene.load().report.hooks[0].fate else {
        panic!("an address that is none");
    };
    assert!(found.contains("allowedHttpHookAddresses"), "{found}");
}

#[tokio::test]
async fn the_same_entry_of_two_files_is_asked_once() {
    let (scene, server) = (Scene::new(), Server::answering(200, "{}").await);
    scene.write(USER, &file(&entry(&server.url("/")), &json!({})));
    scene.write(PROJECT, &file(&entry(&server.url("/")), &json!({})));
    scene.fire().await;
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_projects_entry_is_asked_once_it_is_approved_and_for_as_long_as_it_stays_what_it_is() {
    let (scene, server) = (Scene::new(), Server::answering(200, "{}").await);
    fs::create_dir_all(scene.path("project")).unwrap();
    let around = Surroundings::new(scene.path("project")).home(scene.path("home"));
    let trust = ContentTrust::new(around, Some(TrustStore::at(scene.path("trust"))));
    let fire = || async {
        let loaded = load(&scene.places(), &options().trust(Arc::new(trust.clone())));
        Runner::new(loaded.hooks).fire(call()).await;
        server.asked().len()
    };
    let first = entry(&server.url("/"));
    scene.write(PROJECT, &file(&first, &json!({})));
    assert_eq!(fire().await, 0);
    trust
        .approve(&trust.reviews(&discover(&scene.places())))
        .unwrap();
    assert_eq!(fire().await, 1);

    let changed = |key: &str, value: Value| {
        let mut entry = first.clone();
        entry[key] = value;
        entry
    };
    for other in [
        changed("url", json!(server.url("/elsewhere"))),
        changed("headers", json!({"Authorization": "Bearer $TOKEN"})),
        changed("allowedEnvVars", json!(["TOKEN", "OTHER", "MORE"])),
    ] {
        scene.write(PROJECT, &file(&other, &json!({})));
        assert_eq!(fire().await, 1, "{other}");
    }
    scene.write(PROJECT, &file(&first, &json!({})));
    assert_eq!(fire().await, 2);
}
