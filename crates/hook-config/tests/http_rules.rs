//! What settings say of hooks that are asked over HTTP, and whose word counts.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::sync::{Arc, Mutex};

use hook_config::trust::{ContentTrust, Review, Surroundings, TrustStore};
use hook_config::{
    Entry, Explicit, Factories, Fate, HttpRules, Loaded, Options, Places, Setting, discover, load,
};
use hook_runner::Handler;
use hook_shell::{Host, ShellHook};
use serde_json::{Value, json};
use support::{Scene, codes, options};

/// What a factory for `http` is told, and what was loaded.
fn told_with(places: &Places, options: Options) -> (HttpRules, Loaded) {
    let told: Arc<Mutex<HttpRules>> = Arc::default();
    let seen = Arc::clone(&told);
    let factories = Factories::new().with("http", move |entry: &Entry, setting: &Setting<'_>| {
        *seen.lock().unwrap() = setting.http.clone();
        Ok(Arc::new(ShellHook::new(entry.summary())) as Arc<dyn Handler>)
    });
    let loaded = load(places, &options.factories(factories));
    let told = told.lock().unwrap().clone();
    (told, loaded)
}

fn told(scene: &Scene) -> (HttpRules, Loaded) {
    told_with(&scene.places(), options())
}

/// A scene in which the user has an `http` hook, and files say this beside it.
fn scene(said: &[(&str, Value)]) -> Scene {
    let scene = Scene::new();
    scene.write("home/.config/hookline/hooks.json", hooks(&json!({})));
    for (path, said) in said {
        scene.write(path, said.to_string());
    }
    scene
}

fn hooks(more: &Value) -> String {
    let http = json!({"type": "http", "url": "http://localhost:1/"});
    let mut text = json!({"hooks": {"Stop": [{"hooks": [http]}]}});
    for (key, value) in more.as_object().into_iter().flatten() {
        text[key] = value.clone();
    }
    text.to_string()
}

const MANAGED: &str = "managed/managed-settings.json";
const USER: &str = "home/.claude/settings.json";
const PROJECT: &str = "project/.claude/settings.json";
const LOCAL: &str = "project/.claude/settings.local.json";
const OURS: &str = "project/.hookline/hooks.json";

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn where_nobody_says_anything_everything_is_allowed_but_special_addresses() {
    let (rules, loaded) = told(&scene(&[]));
    assert_eq!(rules, HttpRules::default());
    assert_eq!(loaded.hooks.len(), 1);
}

#[test]
fn lists_of_several_files_are_one() {
    let (rules, loaded) = told(&scene(&[
        (MANAGED, json!({"allowedHttpHookUrls": ["m"]})),
        (
            USER,
            json!({"allowedHttpHookUrls": ["u"], "httpHookAllowedEnvVars": ["A"]}),
        ),
        (PROJECT, json!({"httpHookAllowedEnvVars": ["B"]})),
        (LOCAL, json!({"allowedHttpHookUrls": ["l"]})),
        (OURS, json!({"allowedHttpHookUrls": ["o"]})),
    ]));
    let mut urls = rules.urls.unwrap();
    urls.sort();
    assert_eq!(urls, ["l", "m", "o", "u"]);
    assert_eq!(rules.variables, Some(texts(&["A", "B"])));
    assert_eq!(codes(&loaded.report.diagnostics), [""; 0]);
}

#[test]
fn an_empty_list_is_a_list() {
    let (rules, _) = told(&scene(&[(USER, json!({"allowedHttpHookUrls": []}))]));
    assert_eq!(rules.urls, Some(texts(&[])));
    assert_eq!(rules.variables, None);
}

#[test]
fn a_list_of_the_users_that_cannot_be_read_admits_nothing_by_itself() {
    let said = json!({"allowedHttpHookUrls": ["u", 7]});
    let local = json!({"allowedHttpHookUrls": ["l"]});
    let (rules, loaded) = told(&scene(&[(USER, said), (LOCAL, local)]));
    assert_eq!(rules.urls, Some(texts(&["l"])));
    assert_eq!(codes(&loaded.report.diagnostics), ["wrong-type"]);
}

#[test]
fn a_managed_list_that_cannot_be_read_admits_nothing_at_all() {
    let user = (
        USER,
        json!({"allowedHttpHookUrls": ["u"], "httpHookAllowedEnvVars": ["A"]}),
    );
    for said in [
        json!({"allowedHttpHookUrls": "https://*"}),
        json!({"allowedHttpHookUrls": [1]}),
    ] {
        let (rules, _) = told(&scene(&[(MANAGED, said), user.clone()]));
        assert_eq!(rules.urls, Some(texts(&[])));
        assert_eq!(rules.variables, Some(texts(&["A"])));
    }
}

#[test]
fn managed_settings_that_cannot_be_read_admit_nothing_at_all() {
    let scene = scene(&[(USER, json!({"allowedHttpHookUrls": ["u"]}))]);
    scene.write(MANAGED, "{\"allowedHttpHookUrls\": [");
    let (rules, _) = told(&scene);
    assert_eq!(rules.urls, Some(texts(&[])));
    assert_eq!(rules.variables, Some(texts(&[])));
}

#[test]
fn special_addresses_are_the_users_and_a_policys_to_allow() {
    let list = |address: &str| json!({"allowedHttpHookAddresses": [address]});
    let scene = scene(&[
        (MANAGED, list("m")),
        (USER, list("u")),
        (PROJECT, list("p")),
        (LOCAL, list("l")),
        (OURS, list("o")),
    ]);
    scene.write("home/.config/hookline/hooks.json", hooks(&list("h")));
    let run = scene.write("run.json", list("r").to_string());
    let mut places = scene.places();
    places.settings.push(Explicit::File(run));
    let (rules, loaded) = told_with(&places, options());
    let mut addresses = rules.addresses;
    addresses.sort();
    assert_eq!(addresses, ["h", "m", "r", "u"]);
    assert_eq!(codes(&loaded.report.diagnostics), ["ignored-switch"; 3]);
}

#[test]
fn a_projects_list_counts_once_it_is_approved() {
    let scene = scene(&[(PROJECT, json!({"allowedHttpHookUrls": ["p"]}))]);
    let around = Surroundings::new(scene.project()).home(scene.path("home"));
    let trust = ContentTrust::new(around, Some(TrustStore::at(scene.path("trust"))));
    let options = || Options::new(Host::new()).trust(Arc::new(trust.clone()));

    let (rules, loaded) = told_with(&scene.places(), options());
    assert_eq!(rules.urls, None);
    assert_eq!(codes(&loaded.report.diagnostics), ["switched-off"]);

    trust
        .approve(&trust.reviews(&discover(&scene.places())))
        .unwrap();
    let (rules, _) = told_with(&scene.places(), options());
    assert_eq!(rules.urls, Some(texts(&["p"])));

    scene.write(PROJECT, json!({"allowedHttpHookUrls": ["*"]}).to_string());
    let (rules, _) = told_with(&scene.places(), options());
    assert_eq!(rules.urls, None);
}

#[test]
fn whoever_approves_sees_the_list_the_headers_and_the_variables() {
    let scene = Scene::new();
    let http = json!({"type": "http", "url": "http://localhost:1/", "headers": {"X": "$A"},
                      "allowedEnvVars": ["A"]});
    let said = json!({"hooks": {"Stop": [{"hooks": [http]}]}, "allowedHttpHookUrls": ["*"]});
    scene.write(PROJECT, said.to_string());
    let around = Surroundings::new(scene.project()).home(scene.path("home"));
    let reviews = ContentTrust::new(around, None).reviews(&discover(&scene.places()));
    let cases: Vec<_> = reviews.iter().map(Review::case).collect();
    assert_eq!(cases[0].summary(), "http://localhost:1/");
    let details = cases[0].details().join("\n");
    assert!(details.contains(r#"allowedEnvVars: ["A"]"#), "{details}");
    assert!(details.contains(r#"headers: {"X":"$A"}"#), "{details}");
    assert_eq!(
        cases[1].summary(),
        "allowedHttpHookUrls: [\"*\"], beside what your own settings say"
    );
}

#[test]
fn http_hooks_do_not_run_before_there_is_a_session() {
    let scene = Scene::new();
    let http = json!({"type": "http", "url": "http://localhost:1/"});
    for event in ["SessionStart", "Setup"] {
        scene.write(
            USER,
            json!({"hooks": {event: [{"hooks": [http]}]}}).to_string(),
        );
        let (_, loaded) = told(&scene);
        assert_eq!(
            codes(&loaded.report.diagnostics),
            ["wrong-event"],
            "{event}"
        );
        assert!(matches!(loaded.report.hooks[0].fate, Fate::Broken(_)));
    }
}
