//! What is wrong with a file, and what that means.

use hook_config::Severity;
use serde_json::{Value, json};

use super::scene::{Scene, bash, call, denied, done, one, printed};

#[test]
fn a_timeout_is_a_number_of_seconds_with_a_fraction() {
    let with = |timeout: Value| {
        let hook = json!({"event": "tool:*", "command": "x", "timeout": timeout});
        Scene::opencode(&one(&hook)).codes()
    };
    for good in [json!(0.5), json!(30.0), json!(60)] {
        assert!(with(good.clone()).is_empty(), "{good}");
    }
    for bad in [json!(0), json!(-1.5), json!("10"), json!([])] {
        assert_eq!(with(bad.clone()), ["bad-timeout"], "{bad}");
    }
    assert_eq!(with(json!(10_000)), ["milliseconds"]);
}

#[test]
fn the_deadline_is_ten_seconds_where_nothing_is_said() {
    let scene = Scene::opencode(&one(&json!({"event": "session:start", "command": "x"})));
    let loaded = scene.load();
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    assert_eq!(hook.get_timeout(), Some(std::time::Duration::from_secs(10)));
}

#[tokio::test]
async fn a_broken_guard_blocks_until_it_is_mended() {
    for (hook, code) in [
        (
            json!({"event": "tool:pre_execute", "command": "true", "timeout": 0}),
            "bad-timeout",
        ),
        (json!({"event": "tool:*"}), "missing-key"),
        (
            json!({"event": "tool:pre_execute", "command": true}),
            "wrong-type",
        ),
        (
            json!({"event": "tool:preexecute:bash", "command": "true"}),
            "unknown-event",
        ),
        (
            json!({"event": "PreToolUse", "command": "true"}),
            "unknown-event",
        ),
        (
            json!({"event": "*", "command": "true", "env": ["A=1"]}),
            "wrong-type",
        ),
        (json!({"command": "true"}), "missing-key"),
        (json!(7), "wrong-type"),
    ] {
        let scene = Scene::opencode(&one(&hook));
        assert_eq!(scene.codes(), [code], "{hook}");
        assert!(denied(&scene.fire(bash("ls")).await), "{hook}");
        assert!(!denied(&scene.fire(done("Bash")).await), "{hook}");
    }
}

#[tokio::test]
async fn a_broken_guard_for_one_tool_blocks_that_alone() {
    let hook = json!({"event": "tool:pre_execute:bash", "command": "true", "timeout": 0});
    let scene = Scene::opencode(&one(&hook));
    assert!(denied(&scene.fire(bash("ls")).await));
    assert!(!denied(&scene.fire(call("Read")).await));
}

#[tokio::test]
async fn a_part_of_a_pattern_that_fits_nothing_leaves_the_rest_in_place() {
    let hook = json!({"event": "tool:pre_execute, sesion:start", "command": "echo here"});
    let scene = Scene::opencode(&one(&hook));
    let problem = scene.problem();
    assert_eq!(problem.severity, Severity::Warning);
    assert_eq!(
        problem.suggestion.as_deref(),
        Some("\"tool:pre_execute, session:start\"")
    );
    assert_eq!(printed(&scene.fire(bash("ls")).await), ["here"]);
}

#[test]
fn a_pattern_that_fits_no_event_is_an_error_with_the_names_that_there_are() {
    let scene = Scene::opencode(&one(&json!({"event": "whatever", "command": "x"})));
    let problem = scene.problem();
    assert_eq!(problem.code.as_str(), "unknown-event");
    assert!(
        problem.help[0].contains("`user:prompt_submit`"),
        "{problem:?}"
    );
    let scene = Scene::opencode(&one(
        &json!({"event": "session:start:bash", "command": "x"}),
    ));
    assert!(scene.problem().message.contains("about no tool"));
}

#[test]
fn keys_that_nobody_knows_are_told_with_the_nearest() {
    let hook = json!({"event": "tool:*", "command": "x", "workingdir": "/"});
    let problem = Scene::opencode(&one(&hook)).problem();
    assert_eq!(problem.code.as_str(), "unknown-key");
    assert_eq!(problem.suggestion.as_deref(), Some("\"working_dir\""));
}

#[tokio::test]
async fn one_bad_entry_does_not_disable_the_others() {
    let scene = Scene::opencode(
        r#"{"hooks": [{"event": "session:start"}, {"event": "tool:*", "command": "echo here"}]}"#,
    );
    assert_eq!(scene.codes(), ["missing-key"]);
    assert_eq!(printed(&scene.fire(bash("ls")).await), ["here"]);
}
