//! Loading and saving, for the user and for a project.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hook_config::{Definition, FileState, HookList, Layer, ListFile};
use hook_runner::{Fire, Runner};
use hook_shell::Host;
use serde_json::{Value, json};

use super::scene::{Scene, bash, denied, one, options, printed};

const USER: &str = "home/.config/opencode/hooks.json";
const PROJECT: &str = "project/.opencode/hooks.json";

fn echo(word: &str) -> Definition {
    Definition::opencode("tool:pre_execute", format!("echo {word}"))
}

fn commands(list: &HookList) -> Vec<&str> {
    list.iter().map(Definition::command).collect()
}

#[test]
fn load_global_and_load_project_load_each_their_file() {
    let scene = Scene::new();
    scene.write(USER, one(&echo("user").to_value()));
    scene.write(PROJECT, one(&echo("project").to_value()));
    let user = ListFile::opencode(&scene.places(), Layer::User).unwrap();
    let project = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    assert_eq!(commands(&user.hooks), ["echo user"]);
    assert_eq!(commands(&project.hooks), ["echo project"]);
    assert_eq!(project.path(), scene.path(PROJECT));
}

#[tokio::test]
async fn load_all_combines_both_sources() {
    let scene = Scene::new();
    scene.write(USER, one(&echo("user").to_value()));
    scene.write(PROJECT, one(&echo("project").to_value()));
    let mut all = HookList::opencode();
    assert!(all.load_files(&scene.places()).is_empty());
    all.register(echo("code")).unwrap();
    assert_eq!(commands(&all), ["echo user", "echo project", "echo code"]);
    let loaded = all.resolve(&scene.places(), &options(Host::new()));
    let fired = Runner::new(loaded.hooks)
        .fire(bash("ls"))
        .await
        .into_fired();
    assert_eq!(printed(&fired), ["user", "project", "code"]);
}

#[test]
fn save_global_and_save_project_save_hooks() {
    let scene = Scene::new();
    for (layer, name) in [(Layer::User, USER), (Layer::Project, PROJECT)] {
        let mut file = ListFile::opencode(&scene.places(), layer).unwrap();
        file.hooks.register(echo("saved")).unwrap();
        file.save().unwrap();
        let written: Value = serde_json::from_str(&scene.read(name)).unwrap();
        assert_eq!(written, json!({"hooks": [echo("saved").to_value()]}));
    }
    assert_eq!(scene.load().hooks.len(), 2);
}

#[test]
fn saving_changes_what_has_changed_and_nothing_else() {
    let scene = Scene::opencode(
        r#"{
  // mine
  "colour": "blue",
  "hooks": [
    {"event": "tool:*", "command": "echo 1", "mood": "good"}, // first
    {"event": "tool:pre_execute", "command": "echo 2"},
    {"event": "broken"},
  ],
}
"#,
    );
    let path = scene.path(PROJECT);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let mut file = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    assert!(file.hooks.unregister("tool:pre_execute"));
    file.hooks.register(echo("3")).unwrap();
    file.save().unwrap();
    let text = scene.read(PROJECT);
    for kept in [
        "// mine",
        "\"blue\"",
        "\"mood\": \"good\"}, // first",
        "{\"event\": \"broken\"}",
        "echo 3",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    assert!(!text.contains("echo 2"), "{text}");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );

    // Once more, with nothing to change.
    file.save().unwrap();
    assert_eq!(scene.read(PROJECT), text);
}

#[test]
fn what_somebody_else_added_meanwhile_stays() {
    let scene = Scene::opencode(&one(&echo("1").to_value()));
    let mut file = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    let both = json!({"hooks": [echo("1").to_value(), echo("theirs").to_value()]});
    scene.write(PROJECT, both.to_string());
    file.hooks.clear();
    file.hooks.register(echo("mine")).unwrap();
    file.save().unwrap();
    let again = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    assert_eq!(commands(&again.hooks), ["echo theirs", "echo mine"]);
}

#[test]
fn handle_missing_config_files_gracefully() {
    let scene = Scene::new();
    let file = ListFile::opencode(&scene.places(), Layer::User).unwrap();
    assert!(file.hooks.is_empty() && file.diagnostics.is_empty());
    let loaded = scene.load();
    assert!(loaded.hooks.is_empty() && loaded.report.diagnostics.is_empty());
    let looked_for = loaded.report.files.iter();
    assert!(
        looked_for
            .into_iter()
            .all(|file| file.state == FileState::Missing)
    );
}

#[tokio::test]
async fn handle_corrupted_config_files_gracefully() {
    for text in [
        "{\"hooks\": [",
        "nonsense",
        "[]",
        "{\"hooks\": 7}",
        "{\"hooks\": {}}",
        "\u{0}",
    ] {
        let scene = Scene::opencode(text);
        let mut file = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
        assert!(file.hooks.is_empty(), "{text}");
        assert_eq!(file.diagnostics.len(), 1, "{text}: {:?}", file.diagnostics);
        assert_eq!(scene.load().report.diagnostics.len(), 1);
        assert!(!denied(&scene.fire(bash("ls")).await), "{text}");
        // Whatever it was meant to be, it is not written over.
        file.hooks.register(echo("x")).unwrap();
        assert!(file.save().is_err(), "{text}");
        assert_eq!(scene.read(PROJECT), text);
    }
}

#[test]
fn the_stray_spelling_of_the_paths_is_read_and_written_too() {
    let scene = Scene::new();
    let stray = "home/.config/src/opencode/hooks.json";
    scene.write(stray, one(&echo("stray").to_value()));
    let mut file = ListFile::opencode(&scene.places(), Layer::User).unwrap();
    assert_eq!(commands(&file.hooks), ["echo stray"]);
    file.hooks.register(echo("more")).unwrap();
    file.save().unwrap();
    assert!(scene.read(stray).contains("echo more"));
    assert!(!scene.path(USER).exists());
    scene.write(
        "project/.src/opencode/hooks.json",
        one(&echo("project").to_value()),
    );
    assert_eq!(scene.load().hooks.len(), 3);
}

#[test]
fn an_opta_file_is_a_list_as_well() {
    let scene = Scene::opta("{\"model\": \"small\"}");
    let mut file = ListFile::opta(&scene.places(), Layer::Project).unwrap();
    let hook = Definition::opta("tool.pre", "true")
        .matcher("run_command")
        .background();
    let hook = hook.timeout(std::time::Duration::from_secs(15));
    file.hooks.register(hook).unwrap();
    file.save().unwrap();
    let written: Value = serde_json::from_str(&scene.read("project/.opta/config.json")).unwrap();
    assert_eq!(written["model"], "small");
    assert_eq!(written["hooks"][0]["timeout"], 15_000);
    assert!(scene.codes().is_empty());
}

#[test]
fn what_is_said_of_failures_is_saved_with_the_hooks() {
    let scene = Scene::new();
    let path = scene.write(
        "project/.opencode/hooks.json",
        "{\n  // mine\n  \"hooks\": []\n}\n",
    );
    let mut file = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    file.hooks.register(echo("one")).unwrap();
    file.hooks.stop_on_failure(false);
    file.save().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("// mine") && text.contains("\"stop_on_failure\": false"),
        "{text}"
    );

    let again = ListFile::opencode(&scene.places(), Layer::Project).unwrap();
    assert_eq!(again.diagnostics, []);
    assert_eq!(commands(&again.hooks), commands(&file.hooks));
}
