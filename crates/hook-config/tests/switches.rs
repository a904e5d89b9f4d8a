//! What switches hooks off, and who may.

mod support;

use hook_config::{Fate, HookReport, Loaded};
use serde_json::{Value, json};
use support::{Scene, codes, command};

/// Settings with one hook that says its name, and these switches.
fn with_hook(name: &str, switches: &Value) -> String {
    let mut text = json!({"hooks": {"Stop": [{"hooks": [command(name)]}]}});
    for (key, value) in switches.as_object().into_iter().flatten() {
        text[key] = value.clone();
    }
    text.to_string()
}

/// A scene with a hook in every layer, and switches in some of them.
fn scene(switches: &[(&str, Value)]) -> Scene {
    let scene = Scene::new();
    let files = [
        ("managed", "managed/managed-settings.json"),
        ("user", "home/.claude/settings.json"),
        ("project", "project/.claude/settings.json"),
        ("local", "project/.claude/settings.local.json"),
    ];
    for (name, path) in files {
        let said = switches.iter().find(|(layer, _)| *layer == name);
        scene.write(
            path,
            with_hook(name, said.map_or(&json!({}), |(_, said)| said)),
        );
    }
    scene
}

fn active(loaded: &Loaded) -> Vec<String> {
    let active = loaded
        .report
        .hooks
        .iter()
        .filter(|hook| hook.fate == Fate::Active);
    let summary = |hook: &HookReport| hook.entry.as_ref().map(|entry| entry.summary());
    active.filter_map(summary).collect()
}

#[test]
fn nobody_switches_anything_off() {
    let loaded = scene(&[]).load();
    assert_eq!(active(&loaded), ["managed", "user", "project", "local"]);
    assert_eq!(loaded.hooks.len(), 4);
}

#[test]
fn disable_all_hooks_of_a_user_leaves_what_is_managed() {
    let loaded = scene(&[("user", json!({"disableAllHooks": true}))]).load();
    assert_eq!(active(&loaded), ["managed"]);
    assert_eq!(loaded.hooks.len(), 1);
    let Fate::SwitchedOff(why) = &loaded.report.hooks[1].fate else {
        panic!("{:?}", loaded.report.hooks[1].fate);
    };
    assert!(
        why.contains("`disableAllHooks`") && why.contains("home/.claude/settings.json"),
        "{why}"
    );
}

#[test]
fn a_project_can_undo_what_a_user_switched_off_and_its_private_file_undoes_that() {
    let user = ("user", json!({"disableAllHooks": true}));
    let project = ("project", json!({"disableAllHooks": false}));
    let local = ("local", json!({"disableAllHooks": true}));
    let loaded = scene(&[user.clone(), project.clone()]).load();
    assert_eq!(active(&loaded).len(), 4);
    let loaded = scene(&[user, project, local]).load();
    assert_eq!(active(&loaded), ["managed"]);
}

#[test]
fn disable_all_hooks_of_managed_settings_is_the_end_of_it() {
    let managed = ("managed", json!({"disableAllHooks": true}));
    let local = ("local", json!({"disableAllHooks": false}));
    let loaded = scene(&[managed, local]).load();
    assert_eq!(active(&loaded), Vec::<String>::new());
    assert!(loaded.hooks.is_empty());
}

#[test]
fn a_managed_false_switches_nothing_on_that_a_user_has_switched_off() {
    let managed = ("managed", json!({"disableAllHooks": false}));
    let user = ("user", json!({"disableAllHooks": true}));
    assert_eq!(active(&scene(&[managed, user]).load()), ["managed"]);
}

#[test]
fn allow_managed_hooks_only_counts_in_managed_settings() {
    let managed = ("managed", json!({"allowManagedHooksOnly": true}));
    assert_eq!(active(&scene(&[managed]).load()), ["managed"]);
}

#[test]
fn allow_managed_hooks_only_is_ignored_elsewhere_and_that_is_told() {
    let loaded = scene(&[("project", json!({"allowManagedHooksOnly": true}))]).load();
    assert_eq!(active(&loaded).len(), 4);
    assert_eq!(codes(&loaded.report.diagnostics), ["ignored-switch"]);
}

#[test]
fn a_switch_of_the_wrong_type_is_told_and_does_nothing() {
    let loaded = scene(&[("user", json!({"disableAllHooks": "yes"}))]).load();
    assert_eq!(active(&loaded).len(), 4);
    assert_eq!(codes(&loaded.report.diagnostics), ["wrong-type"]);
}

#[test]
fn a_project_that_switches_the_users_hooks_off_does_not_do_so_in_silence() {
    for layer in ["project", "local"] {
        let loaded = scene(&[(layer, json!({"disableAllHooks": true}))]).load();
        assert_eq!(active(&loaded), ["managed"]);
        assert_eq!(codes(&loaded.report.diagnostics), ["switched-off"]);
    }
    let loaded = scene(&[("user", json!({"disableAllHooks": true}))]).load();
    assert_eq!(codes(&loaded.report.diagnostics), Vec::<&str>::new());
}

#[test]
fn strict_plugin_only_customization_leaves_what_is_managed() {
    for value in [json!(true), json!(["skills", "hooks"])] {
        let managed = ("managed", json!({"strictPluginOnlyCustomization": value}));
        assert_eq!(active(&scene(&[managed]).load()), ["managed"]);
    }
    let managed = (
        "managed",
        json!({"strictPluginOnlyCustomization": ["skills"]}),
    );
    assert_eq!(active(&scene(&[managed]).load()).len(), 4);
}
