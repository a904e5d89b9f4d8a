//! Changing files: nothing is lost, nothing is half written, and a link stays a link.

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use hook_config::{Edit, EditError, Step, load, write_atomically};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Scene, command, options, settings, text_of};

fn way(steps: &[&str]) -> Vec<Step> {
    steps.iter().map(|step| Step::from(*step)).collect()
}

const TEXT: &str = r#"{
  // the model I like
  "model": "small",
  "unknown": {"to": ["us", 1.50]}, /* keep */
  "hooks": {
    "Stop": [
      // the first
      {"hooks": [{"type": "command", "command": "a"}]}, // a
      {"hooks": [{"type": "command", "command": "b"}]},
    ],
  },
}
"#;

#[test]
fn what_nobody_touches_stays_as_it_is() {
    let scene = Scene::new();
    let path = scene.write("project/.claude/settings.json", TEXT);
    let mut edit = Edit::open(&path).unwrap();
    assert!(!edit.is_changed());
    let mut third = way(&["hooks", "Stop"]);
    edit.push(&third, &json!({"hooks": [command("c")]}))
        .unwrap();
    third.extend([
        Step::Index(1),
        "hooks".into(),
        Step::Index(0),
        "command".into(),
    ]);
    edit.set(&third, &json!("b2")).unwrap();
    edit.set(&way(&["disableAllHooks"]), &json!(false)).unwrap();
    edit.save().unwrap();

    let text = text_of(&path);
    let untouched = [
        "// the model I like",
        "[\"us\", 1.50]",
        "/* keep */",
        "// the first",
        "// a",
    ];
    for part in untouched {
        assert!(text.contains(part), "{part} is gone:\n{text}");
    }
    let commands: Vec<String> = scene
        .load()
        .report
        .hooks
        .iter()
        .map(|hook| hook.entry.as_ref().unwrap().summary())
        .collect();
    assert_eq!(commands, ["a", "b2", "c"], "{text}");
}

#[test]
fn an_entry_is_found_by_its_place_and_taken_away() {
    let scene = Scene::new();
    let path = scene.write("project/.claude/settings.json", TEXT);
    let hooks = scene.load().report.hooks;
    let mut edit = Edit::open(&path).unwrap();
    let found = edit.way_to(hooks[1].place.span).unwrap().unwrap();
    let expected = [
        "hooks".into(),
        "Stop".into(),
        Step::Index(1),
        "hooks".into(),
        Step::Index(0),
    ];
    assert_eq!(found, expected);
    assert!(edit.remove(&found).unwrap());
    assert!(!edit.remove(&found).unwrap(), "it is gone");
    edit.save().unwrap();
    let report = scene.load().report;
    assert_eq!((report.hooks.len(), report.diagnostics.len()), (1, 0));
}

#[test]
fn a_file_that_is_not_there_is_made_with_its_folders() {
    let scene = Scene::new();
    let path = scene.path("project/.hookline/hooks.json");
    let mut edit = Edit::open(&path).unwrap();
    edit.push(&way(&["hooks", "Stop"]), &json!({"hooks": [command("a")]}))
        .unwrap();
    edit.save().unwrap();
    assert_eq!(scene.load().report.hooks.len(), 1);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
    assert_ne!(
        mode & 0o777,
        0o600,
        "a new file is as readable as any other"
    );
}

#[test]
fn a_file_keeps_its_mode() {
    let scene = Scene::new();
    let path = scene.write("project/.claude/settings.json", "{}");
    for mode in [0o600, 0o644, 0o664, 0o440] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        write_atomically(&path, format!("{{\"mode\": {mode}}}").as_bytes()).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            mode
        );
        assert_eq!(text_of(&path), format!("{{\"mode\": {mode}}}"));
    }
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let scene = Scene::new();
    let target = scene.write("home/dotfiles/settings.json", "{}");
    fs::create_dir_all(scene.path("home/.claude")).unwrap();
    let link = scene.path("home/.claude/settings.json");
    symlink("../dotfiles/settings.json", &link).unwrap();
    let mut edit = Edit::open(&link).unwrap();
    edit.set(&way(&["a"]), &json!(1)).unwrap();
    edit.save().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(text_of(&target).contains("\"a\": 1"));

    let dangling = scene.path("home/.claude/other.json");
    symlink("../dotfiles/new.json", &dangling).unwrap();
    write_atomically(&dangling, b"{}").unwrap();
    assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
    assert_eq!(text_of(&scene.path("home/dotfiles/new.json")), "{}");
}

#[test]
fn links_that_lead_in_a_circle_are_refused() {
    let scene = Scene::new();
    symlink("b", scene.path("a")).unwrap();
    symlink("a", scene.path("b")).unwrap();
    assert!(write_atomically(&scene.path("a"), b"{}").is_err());
}

#[test]
fn the_file_is_replaced_in_one_step_and_nothing_is_left_beside_it() {
    let scene = Scene::new();
    let path = scene.write("project/x.json", "{}");
    let before = fs::metadata(&path).unwrap().ino();
    let reader = fs::File::open(&path).unwrap();
    write_atomically(&path, b"{\"new\": true}").unwrap();
    assert_ne!(fs::metadata(&path).unwrap().ino(), before);
    assert_eq!(
        std::io::read_to_string(reader).unwrap(),
        "{}",
        "whoever reads sees one text"
    );
    assert_eq!(fs::read_dir(scene.project()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_written_changes_nothing() {
    let scene = Scene::new();
    fs::create_dir_all(scene.path("project/x.json")).unwrap();
    assert!(write_atomically(&scene.path("project/x.json"), b"{}").is_err());
    assert_eq!(fs::read_dir(scene.project()).unwrap().count(), 1);
    assert!(fs::metadata(scene.path("project/x.json")).unwrap().is_dir());
}

#[test]
fn a_change_by_somebody_else_is_not_written_over() {
    let scene = Scene::new();
    let path = scene.write("project/x.json", "{}");
    let mut edit = Edit::open(&path).unwrap();
    edit.set(&way(&["a"]), &json!(1)).unwrap();
    fs::write(&path, "{\"theirs\": 1}").unwrap();
    assert!(matches!(edit.save(), Err(EditError::Changed(_))));
    assert_eq!(text_of(&path), "{\"theirs\": 1}");
    fs::remove_file(&path).unwrap();
    assert!(matches!(edit.save(), Err(EditError::Changed(_))));
}

#[test]
fn an_edit_can_be_saved_twice() {
    let scene = Scene::new();
    let path = scene.path("project/x.json");
    let mut edit = Edit::open(&path).unwrap();
    for number in [1, 2] {
        edit.set(&way(&["a"]), &json!(number)).unwrap();
        edit.save().unwrap();
        assert!(text_of(&path).contains(&format!("\"a\": {number}")));
    }
}

#[test]
fn a_byte_order_mark_stays() {
    let scene = Scene::new();
    let path = scene.write("project/x.json", "\u{feff}{\"a\": 1}");
    let mut edit = Edit::open(&path).unwrap();
    assert!(!edit.is_changed());
    edit.set(&way(&["b"]), &json!(2)).unwrap();
    edit.save().unwrap();
    let text = text_of(&path);
    assert!(
        text.starts_with("\u{feff}{") && text.contains("\"b\": 2"),
        "{text}"
    );
}

#[test]
fn a_file_that_is_not_json_is_not_touched() {
    let scene = Scene::new();
    let path = scene.write("project/x.json", "{ oops");
    let error = Edit::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("x.json:1:3: error[not-json]"),
        "{error}"
    );
}

#[test]
fn what_is_of_another_kind_is_not_replaced_in_silence() {
    let scene = Scene::new();
    let path = scene.write("project/x.json", r#"{"hooks": [], "text": "x"}"#);
    let mut edit = Edit::open(&path).unwrap();
    let error = edit.push(&way(&["hooks", "Stop"]), &json!(1)).unwrap_err();
    assert_eq!(error.to_string(), "`hooks` is a list, not an object");
    let error = edit.set(&way(&["text", "a"]), &json!(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`text` is no container, not an object or a list"
    );
    assert!(!edit.is_changed());
}

#[test]
fn hooks_are_saved_for_the_user_and_for_the_project() {
    let scene = Scene::new();
    let places = scene.places();
    let files = [
        places.user_directory().unwrap().join("hooks.json"),
        scene.path("project/.hookline/hooks.json"),
    ];
    for path in files {
        let mut edit = Edit::open(path).unwrap();
        let hook = serde_json::from_str::<Value>(&settings("Stop", "", &[command("x")])).unwrap();
        edit.set(&[], &hook).unwrap();
        edit.save().unwrap();
    }
    assert_eq!(load(&places, &options()).report.hooks.len(), 2);
}

/// Any JSON at all.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_value_that_is_set_is_read_back(key in any::<String>(), value in any_json()) {
        let scene = Scene::new();
        let path = scene.write("project/x.json", TEXT);
        let mut edit = Edit::open(&path).unwrap();
        edit.set(&[Step::Key("added".to_owned()), Step::Key(key.clone())], &value).unwrap();
        edit.save().unwrap();
        let root = Edit::open(&path).unwrap().document().unwrap().root.to_value();
        prop_assert_eq!(&root["added"][&key], &value);
        prop_assert_eq!(&root["unknown"], &json!({"to": ["us", 1.50]}));
        prop_assert_eq!(root["hooks"]["Stop"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    let scene = Scene::new();
    let path = scene.path("project/pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    assert!(matches!(Edit::open(&path), Err(EditError::Io { .. })));
}
