//! Plugins: which are switched on, where their hooks are, and what they are told.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::fs;

use hook_config::{Fate, HookReport, Layer, load};
use hook_types::PreToolUse;
use serde_json::{Value, json};
use support::{Scene, codes, command, options, settings};

/// Where the plugin of the tests is installed: a path with a blank in it.
const ROOT: &str = "home/.claude/plugins/cache/tools/my guard/1.0.0";
const ID: &str = "guard@tools";

/// Installs the plugin, and switches it on in some file.
fn install(scene: &Scene, enabled_in: &str) {
    let installed = json!({"version": 2, "plugins": {ID: [
        {"scope": "user", "installPath": scene.path(ROOT), "version": "1.0.0"},
    ]}});
    scene.write(
        "home/.claude/plugins/installed_plugins.json",
        installed.to_string(),
    );
    fs::create_dir_all(scene.path(ROOT)).unwrap();
    scene.write(
        enabled_in,
        json!({"enabledPlugins": {ID: true}}).to_string(),
    );
}

fn hooks(handler: &Value) -> String {
    settings("PreToolUse", "Bash", std::slice::from_ref(handler))
}

/// What the hooks do that nothing switches off.
fn summaries(scene: &Scene) -> Vec<String> {
    let hooks = scene.load().report.hooks;
    let is_on = |hook: &&HookReport| !matches!(hook.fate, Fate::SwitchedOff(_));
    hooks
        .iter()
        .filter(is_on)
        .map(|hook| hook.entry.as_ref().unwrap().summary())
        .collect()
}

#[tokio::test]
async fn a_plugin_that_is_switched_on_guards_with_a_script_of_its_own() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    let script = format!("{ROOT}/scripts/no.sh");
    scene.script(
        &script,
        "#!/bin/sh\necho \"$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA\" >&2\nexit 2\n",
    );
    let handler = command("\"${CLAUDE_PLUGIN_ROOT}/scripts/no.sh\"");
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&handler));
    let verdict = scene
        .fire(PreToolUse::new("Bash", json!({"command": "ls"})))
        .await;
    let data = scene.path("home/.claude/plugins/data/guard-tools");
    let expected = format!("{}|{}", scene.path(ROOT).display(), data.display());
    assert_eq!(verdict.reason(), Some(expected.as_str()));

    let report = scene.load().report;
    let origin = &report.hooks[0].origin;
    let plugin = origin.plugin.as_ref().unwrap();
    assert_eq!(
        (origin.layer, plugin.enabled_by),
        (Layer::Plugin, Layer::User)
    );
    assert_eq!(plugin.id, ID);
}

#[test]
fn the_manifest_may_name_more_files_or_hold_hooks_in_place() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&command("a")));
    scene.write(&format!("{ROOT}/more.json"), hooks(&command("b")));
    let inline: Value = serde_json::from_str(&hooks(&command("c"))).unwrap();
    let manifest = json!({"name": "guard", "hooks": [
        "./hooks/hooks.json", "./more.json", inline, {"Stop": [{"hooks": [command("d")]}]},
    ]});
    scene.write(
        &format!("{ROOT}/.claude-plugin/plugin.json"),
        manifest.to_string(),
    );
    assert_eq!(summaries(&scene), ["a", "b", "c", "d"]);
    assert_eq!(scene.load().report.diagnostics, []);
}

#[test]
fn a_manifest_cannot_lead_out_of_its_plugin() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    scene.write("home/outside.json", hooks(&command("x")));
    for path in ["../../../../../outside.json", "./link.json"] {
        let manifest = json!({"hooks": path});
        scene.write(
            &format!("{ROOT}/.claude-plugin/plugin.json"),
            manifest.to_string(),
        );
        if path == "./link.json" {
            let link = scene.path(&format!("{ROOT}/link.json"));
            std::os::unix::fs::symlink(scene.path("home/outside.json"), link).unwrap();
        }
        let report = scene.load().report;
        assert!(report.hooks.is_empty());
        assert_eq!(codes(&report.diagnostics), ["wrong-value"], "{path}");
    }
}

#[test]
fn the_last_word_on_a_plugin_is_that_of_the_heaviest_layer() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&command("a")));
    let off = json!({"enabledPlugins": {ID: false}}).to_string();
    let on = json!({"enabledPlugins": {ID: true}}).to_string();
    scene.write("project/.claude/settings.json", &off);
    assert!(summaries(&scene).is_empty());
    scene.write("project/.claude/settings.local.json", &on);
    assert_eq!(summaries(&scene), ["a"]);
    scene.write("managed/managed-settings.json", &off);
    assert!(summaries(&scene).is_empty());
}

#[test]
fn a_plugin_that_only_a_project_switches_on_is_known_as_such() {
    let scene = Scene::new();
    install(&scene, "project/.claude/settings.json");
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&command("a")));
    let report = scene.load().report;
    let plugin = report.hooks[0].origin.plugin.as_ref().unwrap();
    assert_eq!(plugin.enabled_by, Layer::Project);
}

#[test]
fn a_managed_plugin_runs_when_only_managed_hooks_may() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&command("a")));
    let managed = |plugins: Value| {
        json!({"allowManagedHooksOnly": true, "enabledPlugins": plugins}).to_string()
    };
    scene.write("managed/managed-settings.json", managed(json!({})));
    assert!(matches!(
        scene.load().report.hooks[0].fate,
        Fate::SwitchedOff(_)
    ));
    scene.write("managed/managed-settings.json", managed(json!({ID: true})));
    assert_eq!(scene.load().report.hooks[0].fate, Fate::Active);
}

#[test]
fn a_plugin_that_cannot_be_found_is_told_at_its_switch() {
    let scene = Scene::new();
    let text = json!({"enabledPlugins": {"ghost@tools": true}}).to_string();
    scene.write("home/.claude/settings.json", &text);
    let told = |scene: &Scene| {
        let report = scene.load().report;
        assert_eq!(codes(&report.diagnostics), ["missing-plugin"]);
        let problem = &report.diagnostics[0];
        assert_eq!(problem.place.as_ref().unwrap().text(), "\"ghost@tools\"");
        problem.message.clone()
    };
    assert!(told(&scene).contains("cannot be read"), "there is no list");
    let list = "home/.claude/plugins/installed_plugins.json";
    scene.write(list, r#"{"version": 2, "plugins": {}}"#);
    assert!(told(&scene).contains("is not installed"));
    scene.write(
        list,
        r#"{"plugins": {"ghost@tools": [{"installPath": "/nowhere/at/all"}]}}"#,
    );
    assert!(told(&scene).contains("`/nowhere/at/all` is not there"));
}

#[test]
fn of_several_installs_the_projects_own_counts() {
    let scene = Scene::new();
    let [mine, other, user] = ["mine", "other", "user"].map(|name| {
        scene.write(
            &format!("home/plugins/{name}/hooks/hooks.json"),
            hooks(&command(name)),
        );
        scene.path(&format!("home/plugins/{name}"))
    });
    let installed = json!({"plugins": {ID: [
        {"scope": "local", "projectPath": "/elsewhere", "installPath": other},
        {"scope": "user", "installPath": user},
        {"scope": "local", "projectPath": scene.project(), "installPath": mine},
    ]}});
    scene.write(
        "home/.claude/plugins/installed_plugins.json",
        installed.to_string(),
    );
    scene.write(
        "home/.claude/settings.json",
        json!({"enabledPlugins": {ID: true}}).to_string(),
    );
    assert_eq!(summaries(&scene), ["mine"]);
    let places = scene.places().project(scene.path("home"));
    let report = load(&places, &options()).report;
    assert_eq!(report.hooks[0].entry.as_ref().unwrap().summary(), "user");
}

#[test]
fn a_plugin_can_be_named_by_its_folder() {
    let scene = Scene::new();
    scene.write("dev/guard/hooks/hooks.json", hooks(&command("a")));
    let mut places = scene.places();
    places.plugins.push(scene.path("dev/guard"));
    let report = load(&places, &options()).report;
    assert_eq!(report.hooks[0].origin.plugin.as_ref().unwrap().id, "guard");
    assert_eq!(report.hooks[0].origin.layer, Layer::Plugin);
}

#[tokio::test]
async fn what_the_user_has_set_for_a_plugin_is_told_to_it_and_a_project_sets_nothing() {
    let scene = Scene::new();
    install(&scene, "project/.claude/settings.json");
    let handler = json!({
        "type": "command", "command": "sh",
        "args": ["-c", "echo \"$0|$CLAUDE_PLUGIN_OPTION_LEVEL\" >&2; exit 2", "${user_config.level}"],
    });
    scene.write(&format!("{ROOT}/hooks/hooks.json"), hooks(&handler));
    let set = |level: Value| json!({"pluginConfigs": {ID: {"options": {"level": level}}}});
    scene.write("home/.claude/settings.json", set(json!(3)).to_string());
    let mut project = set(json!("9; rm -rf /"));
    project["enabledPlugins"] = json!({ID: true});
    scene.write("project/.claude/settings.json", project.to_string());
    let verdict = scene
        .fire(PreToolUse::new("Bash", json!({"command": "ls"})))
        .await;
    assert_eq!(verdict.reason(), Some("3|3"));
}

#[test]
fn a_plugin_cannot_raise_the_budget_that_all_hooks_share() {
    let scene = Scene::new();
    install(&scene, "home/.claude/settings.json");
    for (seconds, expected) in [(30.0, None), (1.0, Some(1.0))] {
        let handler = json!({"type": "command", "command": "x", "timeout": seconds});
        let text = settings("SessionEnd", "", &[handler]);
        scene.write(&format!("{ROOT}/hooks/hooks.json"), &text);
        let loaded = scene.load();
        let (hook, _) = loaded.hooks.hooks().next().unwrap();
        assert_eq!(
            hook.get_timeout().map(|timeout| timeout.as_secs_f64()),
            expected
        );
    }
}
