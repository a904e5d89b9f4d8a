//! Broken entries are never dropped in silence: on a guard they block, and elsewhere they are told.

mod support;

use std::sync::Arc;

use hook_config::trust::Why;
use hook_config::{Judgement, Subject, Trust, TrustState, load};
use hook_runner::{Admission, Fire, Gate};
use hook_types::outcome::Cause;
use hook_types::{PermissionRequest, PostToolUse, PreToolUse, Stop, UserPromptSubmit};
use serde_json::{Value, json};
use support::{Scene, command, endings, options, settings};

fn call(tool: &str) -> PreToolUse {
    PreToolUse::new(tool, json!({"command": "ls"}))
}

/// A handler without what it needs.
fn broken() -> Value {
    json!({"type": "command", "comand": "./guard.sh"})
}

#[tokio::test]
async fn a_broken_guard_blocks_what_its_matcher_fits_and_says_why() {
    let scene = Scene::new();
    let path = "project/.claude/settings.json";
    scene.write(
        path,
        settings("PreToolUse", "Bash", &[broken(), command("true")]),
    );
    let verdict = scene.fire(call("Bash")).await;
    assert!(verdict.is_denied());
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.cause, Cause::FailurePolicy);
    let reason = verdict.reason().unwrap();
    assert!(reason.contains("settings.json:1:"), "{reason}");
    assert!(reason.contains("needs `command`"), "{reason}");
    assert!(!scene.fire(call("Edit")).await.is_denied());
}

#[tokio::test]
async fn a_guard_whose_matcher_cannot_be_read_blocks_for_all() {
    let scene = Scene::new();
    scene.write(
        "project/.claude/settings.json",
        settings("PreToolUse", "(Bash", &[command("true")]),
    );
    assert!(scene.fire(call("Bash")).await.is_denied());
    assert!(scene.fire(call("Edit")).await.is_denied());
    assert!(!scene.fire(UserPromptSubmit::new("hello")).await.is_denied());
}

#[tokio::test]
async fn a_guard_whose_event_is_misspelt_blocks_where_it_was_meant() {
    let scene = Scene::new();
    scene.write(
        "project/.claude/settings.json",
        settings("preToolUse", "Bash", &[command("true")]),
    );
    assert!(scene.fire(call("Bash")).await.is_denied());
    assert!(!scene.fire(call("Edit")).await.is_denied());
}

#[tokio::test]
async fn a_broken_hook_with_a_matcher_of_its_own_blocks_for_that() {
    let own = |matcher: &str| {
        let scene = Scene::new();
        let hook = json!({"type": "command", "comand": "./guard.sh", "matcher": matcher});
        scene.write(
            "project/.hookline/hooks.json",
            settings("PreToolUse", "Bash", &[hook]),
        );
        scene
    };
    let scene = own("Edit");
    assert!(scene.fire(call("Edit")).await.is_denied());
    assert!(!scene.fire(call("Bash")).await.is_denied());
    let scene = own("(Edit");
    assert!(scene.fire(call("Edit")).await.is_denied());
    assert!(scene.fire(call("Bash")).await.is_denied());
}

#[tokio::test]
async fn a_kind_that_nothing_here_runs_is_broken() {
    let scene = Scene::new();
    let handler = json!({"type": "prompt", "prompt": "Is this safe?"});
    scene.write(
        "project/.claude/settings.json",
        settings("PreToolUse", "Bash", &[handler]),
    );
    let verdict = scene.fire(call("Bash")).await;
    let reason = verdict.reason().unwrap();
    assert!(
        reason.contains("nothing here runs hooks of type `prompt`"),
        "{reason}"
    );
}

#[tokio::test]
async fn hooks_that_cannot_be_read_at_all_block_every_guard() {
    let scene = Scene::new();
    scene.write(
        "project/.claude/settings.json",
        r#"{"hooks": "./hooks.json"}"#,
    );
    assert!(scene.fire(call("Bash")).await.is_denied());
    assert!(scene.fire(UserPromptSubmit::new("hello")).await.is_denied());
    assert!(
        scene
            .fire(PermissionRequest::new("Bash", json!({})))
            .await
            .is_denied()
    );
    let stop = scene.fire(Stop::new(false)).await;
    assert!(!stop.keeps_going(), "a broken hook must not trap the agent");
}

#[tokio::test]
async fn where_there_is_nothing_to_guard_a_broken_entry_is_a_failure_that_is_told() {
    let scene = Scene::new();
    let text = json!({"hooks": {
        "PostToolUse": [{"matcher": "Bash", "hooks": [broken()]}],
        "Stop": [{"hooks": [broken()]}],
    }});
    scene.write("project/.claude/settings.json", text.to_string());
    let verdict = scene
        .fire(PostToolUse::new("Bash", json!({}), json!("ok")))
        .await;
    assert!(!verdict.is_denied());
    assert!(endings(&verdict)[0].starts_with("LaunchFailed"));
    let verdict = scene.fire(Stop::new(false)).await;
    assert!(!verdict.keeps_going());
    assert!(endings(&verdict)[0].starts_with("LaunchFailed"));
}

#[tokio::test]
async fn a_user_can_turn_tripwires_off_and_is_still_told() {
    let scene = Scene::new();
    scene.write(
        "project/.claude/settings.json",
        settings("PreToolUse", "", &[broken()]),
    );
    let loaded = load(&scene.places(), &options().tripwires(false));
    let verdict = scene.runner_of(loaded).fire(call("Bash")).await;
    assert!(!verdict.is_denied());
    assert!(endings(&verdict)[0].starts_with("LaunchFailed"));

    scene.write(
        "home/.config/hookline/hooks.json",
        r#"{"tripwires": false}"#,
    );
    assert!(!scene.fire(call("Bash")).await.is_denied());
}

#[tokio::test]
async fn a_repository_cannot_turn_tripwires_off() {
    let scene = Scene::new();
    scene.write(
        "home/.claude/settings.json",
        settings("PreToolUse", "", &[broken()]),
    );
    scene.write("project/.hookline/hooks.json", r#"{"tripwires": false}"#);
    scene.write(
        "project/.hookline/hooks.local.json",
        r#"{"tripwires": false}"#,
    );
    assert!(scene.fire(call("Bash")).await.is_denied());
    assert_eq!(
        support::codes(&scene.load().report.diagnostics)[1..],
        ["ignored-switch"; 2]
    );
}

#[tokio::test]
async fn one_bad_entry_leaves_the_others_running() {
    let scene = Scene::new();
    let log = scene.path("log");
    let good = |word: &str| command(&format!("echo {word} >> '{}'", log.display()));
    let text = json!({"hooks": {"PostToolUse": [
        {"hooks": [good("one")]},
        {"matcher": "(", "hooks": [good("two")]},
        "three",
        {"hooks": [broken(), good("four")]},
    ], "PostToolUze": 5}});
    scene.write("project/.hookline/hooks.json", text.to_string());
    scene
        .fire(PostToolUse::new("Bash", json!({}), json!("ok")))
        .await;
    let mut ran: Vec<String> = support::text_of(&log).lines().map(str::to_owned).collect();
    ran.sort();
    assert_eq!(ran, ["four", "one"]);
}

/// Trusts nothing, and says so at each firing.
struct Suspicious;

impl Gate for Suspicious {
    fn admit(&self) -> Admission {
        Admission::Untrusted
    }
}

impl Trust for Suspicious {
    fn judge(&self, _: &Subject<'_>) -> Judgement {
        Judgement {
            gate: Some(Arc::new(Self)),
            ..Judgement::always(Why::NeverApproved)
        }
    }
}

#[tokio::test]
async fn what_nobody_trusts_blocks_nothing_however_broken_it_is() {
    let scene = Scene::new();
    let handlers = [
        broken(),
        json!({"type": "agent", "prompt": "x"}),
        command("exit 2"),
    ];
    scene.write(
        "project/.claude/settings.json",
        settings("PreToolUse", "", &handlers),
    );
    let loaded = load(&scene.places(), &options().trust(Arc::new(Suspicious)));
    assert_eq!(loaded.report.hooks.len(), 3);
    assert!(
        loaded
            .report
            .hooks
            .iter()
            .all(|hook| hook.trust == TrustState::Untrusted)
    );
    let verdict = scene.runner_of(loaded).fire(call("Bash")).await;
    assert!(!verdict.is_denied());
    let endings = endings(&verdict);
    assert!(
        endings.iter().all(|ending| ending == "Skipped(Untrusted)"),
        "{endings:?}"
    );
}
