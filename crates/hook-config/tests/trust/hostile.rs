//! What a repository could try so as to run something that nobody has seen, or to take a guard away.

use hook_config::TrustState;
use serde_json::{Value, json};

use crate::sandbox::{SETTINGS, Sandbox, hook, write};

const OURS: &str = ".hookline/hooks.json";

/// Writes our own file of the project with one group, which has these settings beside one hook.
fn group(sandbox: &Sandbox, settings: &Value) {
    let mut group = json!({"matcher": "Bash", "hooks": [hook("exit 2")]});
    for (key, value) in settings.as_object().into_iter().flatten() {
        group[key] = value.clone();
    }
    let text = json!({"hooks": {"PreToolUse": [group]}}).to_string();
    sandbox.write(OURS, &text);
}

#[test]
fn what_a_group_says_of_its_hooks_is_a_part_of_what_is_approved() {
    let table = [
        (json!({}), json!({"mode": "sequential"})),
        (json!({"mode": "sequential"}), json!({})),
        (json!({}), json!({"timeout": 1})),
        (json!({"timeout": 5}), json!({"timeout": 1})),
        (json!({"onFailure": "block"}), json!({})),
        (
            json!({"onFailure": "block"}),
            json!({"onFailure": "continue"}),
        ),
        (json!({}), json!({"stopOnFailure": true})),
        (json!({}), json!({"matcher": "*"})),
    ];
    for (before, after) in table {
        let sandbox = Sandbox::new();
        group(&sandbox, &before);
        sandbox.approve();
        assert_eq!(sandbox.state(), TrustState::Trusted, "{before}");
        group(&sandbox, &after);
        assert_eq!(sandbox.state(), TrustState::Changed, "{before} to {after}");
    }
}

#[test]
fn a_group_that_spells_its_defaults_out_is_the_same_group() {
    let sandbox = Sandbox::new();
    group(&sandbox, &json!({}));
    sandbox.approve();
    let table = [
        json!({"mode": "parallel"}),
        json!({"stopOnFailure": false}),
        json!({"enabled": true, "description": "a guard"}),
        json!({"onFailure": "continue"}),
        json!({"timeout": 600}),
    ];
    for settings in table {
        group(&sandbox, &settings);
        assert_eq!(sandbox.state(), TrustState::Trusted, "{settings}");
    }
}

#[test]
fn approving_a_broken_entry_approves_no_hook_that_reads_the_same() {
    let evil = hook("touch stolen");
    let sandbox = Sandbox::new();
    sandbox.settings(std::slice::from_ref(&evil));
    let reads = sandbox.review().case().content().clone();

    sandbox.settings(&[reads]);
    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted, "the broken entry is");
    sandbox.settings(&[evil]);
    assert!(!sandbox.state().runs());
}

#[tokio::test]
async fn a_guard_that_was_approved_does_not_vanish_because_a_slip_broke_it() {
    let sandbox = Sandbox::with_command("exit 2");
    sandbox.approve();
    sandbox.settings(&[json!({"type": "command", "comand": "exit 2"})]);
    assert_eq!(sandbox.state(), TrustState::Changed);
    assert!(sandbox.session(&sandbox.trust()).bash().await.is_denied());
}

#[test]
fn whoever_approves_a_broken_entry_sees_what_it_says_and_where_it_would_run() {
    let sandbox = Sandbox::new();
    sandbox.settings(&[json!({"type": "command", "comand": "make"})]);
    let review = sandbox.review();
    assert!(review.case().summary().contains("\"comand\":\"make\""));
    assert_eq!(review.case().listens(), ["PreToolUse:Bash"]);
}

#[test]
fn whoever_approves_a_hook_sees_its_variables_its_directory_and_its_shell() {
    let sandbox = Sandbox::new();
    let hook = json!({
        "type": "command", "command": "$X", "env": {"X": "rm -r x"}, "cwd": "sub", "shell": "bash"
    });
    let text = json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string();
    sandbox.write(OURS, &text);
    let review = sandbox.review();
    let details = ["with X=rm -r x", "in sub", "read by bash"];
    assert_eq!(review.case().details(), details);
}

/// What is said to be wrong with the files, by code.
fn told(sandbox: &Sandbox) -> Vec<&'static str> {
    let problems = sandbox.load(&sandbox.trust()).report.diagnostics;
    problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect()
}

/// A sandbox whose user refuses `Bash`, and whose project wants all hooks off.
fn switched_off(file: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let guard = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook("exit 2")]}]}});
    let user = sandbox.path("home/.claude/settings.json");
    write(&user, &guard.to_string());
    sandbox.write(file, r#"{"disableAllHooks": true}"#);
    sandbox
}

#[tokio::test]
async fn a_repository_takes_no_guard_of_the_users_away_before_it_is_approved() {
    for file in [SETTINGS, ".claude/settings.local.json", OURS] {
        let sandbox = switched_off(file);
        assert_eq!(told(&sandbox), ["switched-off"], "{file}");
        assert!(sandbox.session(&sandbox.trust()).bash().await.is_denied());

        let review = sandbox.review();
        assert_eq!(review.state(), TrustState::Untrusted);
        assert!(review.case().summary().contains("disableAllHooks"));
        sandbox.approve();
        assert!(!sandbox.session(&sandbox.trust()).bash().await.is_denied());
    }
}

/// A sandbox with a user whose first hook of OpenCode fails after a call, and a project that wants the
/// first failure to end the rest.
fn chained() -> Sandbox {
    let sandbox = Sandbox::new();
    let event = "tool:post_execute";
    let user = json!({"hooks": [
        {"event": event, "command": "exit 1"},
        {"event": event, "command": "touch audited"},
    ]});
    let file = sandbox.path("home/.config/opencode/hooks.json");
    write(&file, &user.to_string());
    let project = json!({"stop_on_failure": true, "hooks": [{"event": event, "command": "true"}]});
    sandbox.write(".opencode/hooks.json", &project.to_string());
    sandbox
}

#[tokio::test]
async fn a_repository_does_not_end_the_users_chain_before_it_is_approved() {
    let sandbox = chained();
    sandbox.session(&sandbox.trust()).after_bash().await;
    assert!(sandbox.project("audited").exists());

    let sandbox = chained();
    sandbox.approve();
    sandbox.session(&sandbox.trust()).after_bash().await;
    assert!(!sandbox.project("audited").exists());
}

#[test]
fn a_home_that_is_not_absolute_is_none() {
    let environment = |name: &str| {
        let known = ["HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"];
        known.contains(&name).then(|| "conf".into())
    };
    let places = hook_config::Places::from_environment(environment);
    let layers = places.candidates();
    let is_the_users = |file: &hook_config::Candidate| file.layer == hook_config::Layer::User;
    assert!(!layers.iter().any(is_the_users));
}

#[tokio::test]
async fn a_repository_takes_no_plugin_of_the_users_away_before_it_is_approved() {
    for file in [SETTINGS, ".claude/settings.local.json"] {
        let sandbox = Sandbox::new();
        let plugin = sandbox.path("home/plugins/guard");
        let guard = json!({"hooks": {"PreToolUse": [{"hooks": [hook("exit 2")]}]}});
        write(&plugin.join("hooks/hooks.json"), &guard.to_string());
        let list = json!({"plugins": {"guard@tools": [{"installPath": plugin}]}});
        let installed = "home/.claude/plugins/installed_plugins.json";
        write(&sandbox.path(installed), &list.to_string());
        let on = json!({"enabledPlugins": {"guard@tools": true}}).to_string();
        write(&sandbox.path("home/.claude/settings.json"), &on);
        let off = json!({"enabledPlugins": {"guard@tools": false}}).to_string();
        sandbox.write(file, &off);
        assert_eq!(told(&sandbox), ["switched-off"], "{file}");
        assert!(sandbox.session(&sandbox.trust()).bash().await.is_denied());

        assert!(sandbox.review().case().summary().contains("guard@tools"));
        sandbox.approve();
        assert!(told(&sandbox).is_empty(), "{file}");
        assert!(!sandbox.session(&sandbox.trust()).bash().await.is_denied());
    }
}

/// Our own file of the project with one hook, written as it is.
fn written(sandbox: &Sandbox, hook: &str) {
    let text = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{hook}]}}]}}}}");
    sandbox.write(OURS, &text);
}

#[tokio::test]
async fn a_variable_that_stands_twice_is_looked_at_as_it_will_be_set() {
    let sandbox = Sandbox::new();
    sandbox.write("good.sh", "exit 0");
    sandbox.write("evil.sh", "exit 2");
    let hook = |env: &str| {
        let command = r#""type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/$S""#;
        format!("{{{command}, \"env\": {{{env}}}}}")
    };
    written(&sandbox, &hook(r#""S": "good.sh", "S": "evil.sh""#));
    assert_eq!(told(&sandbox), ["duplicate-key"]);
    assert_eq!(sandbox.covered(), ["evil.sh"]);
    assert_eq!(sandbox.review().case().details(), ["with S=evil.sh"]);
    sandbox.approve();
    assert!(sandbox.session(&sandbox.trust()).bash().await.is_denied());

    written(&sandbox, &hook(r#""S": "evil.sh", "S": "good.sh""#));
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_folder_that_appears_in_place_of_a_script_is_a_change() {
    for (command, script) in [
        ("node \"$CLAUDE_PROJECT_DIR/guard\"", "guard/index.js"),
        ("python3 \"$CLAUDE_PROJECT_DIR/guard\"", "guard/__main__.py"),
    ] {
        let sandbox = Sandbox::with_command(command);
        sandbox.approve();
        assert_eq!(sandbox.state(), TrustState::Trusted);
        sandbox.write(script, "");
        assert_eq!(sandbox.state(), TrustState::Changed, "{command}");
    }
}

#[test]
fn patterns_of_opencode_that_fit_different_tools_are_different_hooks() {
    let digest = |event: &str| {
        let sandbox = Sandbox::new();
        let file = json!({"hooks": [{"event": event, "command": "true"}]});
        sandbox.write(".opencode/hooks.json", &file.to_string());
        sandbox.fingerprint().entry
    };
    let list = digest("tool:pre_execute:a,tool:pre_execute:b");
    assert_ne!(list, digest("tool:pre_execute:a|b"));
}
