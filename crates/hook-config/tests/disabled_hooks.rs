//! Hooks that are switched off one by one, where their own format has no word for it.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hook_config::{DisabledHook, Fate, Options, Places, Report, TrustEverything, load};
use hook_shell::Host;
use serde_json::json;

const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "./slow.sh"}, {"type": "command", "command": "./fast.sh"}]}]}}"#;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A project with two hooks in Claude settings, and a file of the user's.
fn report(folder: &Path) -> Report {
    let home = folder.join("home");
    let variable = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
    let places = Places::from_environment(variable).project(folder.join("project"));
    load(
        &places,
        &Options::new(Host::new()).trust(Arc::new(TrustEverything)),
    )
    .report
}

fn fates(report: &Report) -> Vec<bool> {
    let hooks = report.hooks.iter();
    hooks.map(|hook| hook.fate == Fate::Active).collect()
}

#[test]
fn the_users_file_switches_one_hook_of_claude_settings_off() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("project/.claude/settings.json"), HOOKS);
    let before = report(folder.path());
    assert_eq!(fates(&before), [true, true]);

    let words = DisabledHook::of(&before.hooks[0]).unwrap();
    let list = json!({ "disabledHooks": [words.to_value()] }).to_string();
    write(
        &folder.path().join("home/.config/hookline/hooks.json"),
        &list,
    );
    let after = report(folder.path());
    assert_eq!(fates(&after), [false, true]);
    let Fate::SwitchedOff(why) = &after.hooks[0].fate else {
        panic!("{:?}", after.hooks[0].fate)
    };
    assert!(
        why.contains("disabledHooks") && why.contains("hooks.json:1"),
        "{why}"
    );
    assert!(after.diagnostics.is_empty(), "{:?}", after.diagnostics);

    // A hook that says something else is another hook, and is on.
    write(
        &folder.path().join("project/.claude/settings.json"),
        &HOOKS.replace("slow", "other"),
    );
    assert_eq!(fates(&report(folder.path())), [true, true]);
}

#[test]
fn a_project_switches_nothing_off_in_this_way_and_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("home/.claude/settings.json"), HOOKS);
    let words = DisabledHook::of(&report(folder.path()).hooks[0]).unwrap();
    let list = json!({ "disabledHooks": [words.to_value()] }).to_string();
    write(&folder.path().join("project/.hookline/hooks.json"), &list);
    let after = report(folder.path());
    assert_eq!(fates(&after), [true, true]);
    assert_eq!(after.diagnostics.len(), 1, "{:?}", after.diagnostics);
    assert!(after.diagnostics[0].message.contains("disabledHooks"));
}

#[test]
fn a_list_that_names_no_hook_is_told_of() {
    for list in [json!([{"from": "x"}]), json!("x"), json!([3])] {
        let folder = tempfile::tempdir().unwrap();
        let text = json!({ "disabledHooks": list }).to_string();
        write(
            &folder.path().join("home/.config/hookline/hooks.json"),
            &text,
        );
        let found = report(folder.path());
        assert_eq!(
            found.diagnostics.len(),
            1,
            "{list}: {:?}",
            found.diagnostics
        );
    }
}
