//! What is remembered: rules, the mode, directories; here, or for others to keep.

use agent_loop::permission::{Origin, Permissions, UpdateProblem};
use hook_types::{Destination, PermissionMode, PermissionUpdate, RuleBehavior};
use serde_json::{Value, json};

fn update(value: Value) -> PermissionUpdate {
    serde_json::from_value(value).unwrap()
}

fn rules(kind: &str, behavior: &str, destination: &str, rules: &[&str]) -> PermissionUpdate {
    let rules: Vec<Value> = rules
        .iter()
        .map(|content| json!({"toolName": "Bash", "ruleContent": content}))
        .collect();
    update(json!({"type": kind, "rules": rules, "behavior": behavior, "destination": destination}))
}

fn mode(mode: &str, destination: &str) -> PermissionUpdate {
    update(json!({"type": "setMode", "mode": mode, "destination": destination}))
}

fn directories(kind: &str, directories: &[&str]) -> PermissionUpdate {
    update(json!({"type": kind, "directories": directories, "destination": "session"}))
}

#[test]
fn rules_are_added_to_what_they_say() {
    let mut permissions = Permissions::default();
    for behavior in ["allow", "ask", "deny"] {
        let problems = permissions.update(&rules("addRules", behavior, "session", &[behavior]));
        assert_eq!(problems, []);
        let expected = [format!("Bash({behavior})")];
        assert_eq!(permissions.rules(&RuleBehavior::from(behavior)), expected);
    }
}

#[test]
fn rules_replace_those_that_say_the_same_and_are_kept_in_the_same_place() {
    let mut permissions = Permissions::default()
        .with_rule(&RuleBehavior::Deny, "Bash(a)", Origin::Policy)
        .and_then(|made| made.deny("Bash(b)"))
        .and_then(|made| made.allow("Bash(c)"))
        .and_then(|made| {
            let user = Origin::Kept(Destination::UserSettings);
            made.with_rule(&RuleBehavior::Deny, "Bash(d)", user)
        })
        .unwrap();
    permissions.update(&rules("replaceRules", "deny", "session", &["e"]));
    assert_eq!(
        permissions.rules(&RuleBehavior::Deny),
        ["Bash(a)", "Bash(d)", "Bash(e)"]
    );
    assert_eq!(permissions.rules(&RuleBehavior::Allow), ["Bash(c)"]);
}

#[test]
fn rules_are_removed_only_from_where_they_are_kept() {
    let policy = Permissions::default()
        .with_rule(&RuleBehavior::Deny, "Bash(rm *)", Origin::Policy)
        .unwrap();
    let mut permissions = policy.deny("Bash(rm *)").unwrap();
    for destination in ["userSettings", "projectSettings", "localSettings", "cliArg"] {
        permissions.update(&rules("removeRules", "deny", destination, &["rm *"]));
        assert_eq!(
            permissions.rules(&RuleBehavior::Deny).len(),
            2,
            "{destination}"
        );
    }
    permissions.update(&rules("removeRules", "deny", "session", &["rm *"]));
    assert_eq!(permissions.rules(&RuleBehavior::Deny), ["Bash(rm *)"]);
}

#[test]
fn what_is_to_outlast_the_session_is_handed_out_and_the_rest_is_not() {
    let mut permissions = Permissions::default();
    for destination in [
        "session",
        "cliArg",
        "userSettings",
        "projectSettings",
        "localSettings",
    ] {
        permissions.update(&rules("addRules", "allow", destination, &["ls"]));
    }
    let kept: Vec<Value> = permissions
        .take_unsaved()
        .iter()
        .map(|made| json!(made))
        .collect();
    let kept: Vec<&str> = kept
        .iter()
        .map(|made| made["destination"].as_str().unwrap())
        .collect();
    assert_eq!(kept, ["userSettings", "projectSettings", "localSettings"]);
}

#[test]
fn a_broken_rule_is_reported_and_the_others_are_taken() {
    let mut permissions = Permissions::default();
    let change = json!({"type": "addRules", "behavior": "deny", "destination": "localSettings",
                        "rules": [{"toolName": "!"}, {"toolName": "Read"}]});
    let problems = permissions.update(&update(change));
    let [UpdateProblem::Rule { rule, .. }] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(rule, "!");
    assert_eq!(permissions.rules(&RuleBehavior::Deny), ["Read"]);
    let unsaved = permissions.take_unsaved();
    assert_eq!(json!(unsaved[0])["rules"], json!([{"toolName": "Read"}]));
}

#[test]
fn what_this_version_does_not_know_changes_nothing() {
    let mut permissions = Permissions::default();
    for unknown in [
        json!({"type": "forgetEverything", "destination": "session"}),
        json!({"type": "setMode", "mode": "yolo", "destination": "session"}),
        json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "moon"}),
    ] {
        assert_eq!(
            permissions.update(&update(unknown)),
            [UpdateProblem::Unknown]
        );
    }
    assert_eq!(permissions.mode(), &PermissionMode::Default);
    assert_eq!(permissions.take_unsaved(), []);
}

#[test]
fn bypass_is_entered_only_where_it_was_available_at_the_start_and_is_never_kept() {
    let wanted = mode("bypassPermissions", "userSettings");
    let mut permissions = Permissions::default();
    let problems = permissions.update(&wanted);
    assert!(
        matches!(problems[..], [UpdateProblem::Mode { .. }]),
        "{problems:?}"
    );
    assert_eq!(permissions.mode(), &PermissionMode::Default);

    let mut permissions = Permissions::new(PermissionMode::BypassPermissions);
    permissions.update(&mode("plan", "session"));
    assert_eq!(permissions.mode(), &PermissionMode::Plan);
    assert_eq!(permissions.update(&wanted), []);
    assert_eq!(permissions.mode(), &PermissionMode::BypassPermissions);
    assert_eq!(permissions.take_unsaved(), []);
}

#[test]
fn a_policy_against_bypass_ends_it() {
    let permissions = Permissions::new(PermissionMode::BypassPermissions).with_bypass(false);
    assert_eq!(permissions.mode(), &PermissionMode::Default);
}

#[test]
fn manual_is_a_name_for_default() {
    let mut permissions = Permissions::new(PermissionMode::AcceptEdits);
    permissions.update(&mode("manual", "session"));
    assert_eq!(permissions.mode(), &PermissionMode::Default);
}

#[test]
fn directories_come_and_go_and_have_to_be_absolute() {
    let mut permissions = Permissions::default();
    let problems = permissions.update(&directories("addDirectories", &["/a", "b", "/a", "/c"]));
    let relative = UpdateProblem::Directory {
        directory: "b".into(),
    };
    assert_eq!(problems, [relative]);
    permissions.update(&directories("removeDirectories", &["/a"]));
    let left: Vec<&str> = permissions
        .directories()
        .iter()
        .map(|path| path.to_str().unwrap())
        .collect();
    assert_eq!(left, ["/c"]);
}

#[test]
fn rules_cannot_pile_up_without_end() {
    let mut permissions = Permissions::default();
    let names: Vec<String> = (0..5000).map(|n| format!("x{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let problems = permissions.update(&rules("addRules", "allow", "session", &names));
    assert_eq!(permissions.rules(&RuleBehavior::Allow).len(), 4096);
    assert_eq!(problems.len(), 5000 - 4096);
    assert!(matches!(problems[0], UpdateProblem::TooManyRules { .. }));
}
