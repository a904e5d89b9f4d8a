//! Managed, trusted, changed, untrusted: which files need an approval, and what follows.

use hook_config::trust::{ContentTrust, TrustState, Why};
use serde_json::json;

use crate::sandbox::{SETTINGS, Sandbox, hook, write};

/// Says no, and leaves a mark where it ran.
const DENY: &str = "touch \"$CLAUDE_PROJECT_DIR/ran\"; echo 'not here' >&2; exit 2";

fn settings(command: &str) -> String {
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook(command)]}]}}).to_string()
}

#[tokio::test]
async fn a_projects_hook_runs_only_once_it_is_approved() {
    let sandbox = Sandbox::with_command(DENY);
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    let verdict = sandbox.session(&sandbox.trust()).bash().await;
    assert!(!verdict.is_denied());
    assert!(
        !sandbox.project("ran").exists(),
        "nothing may run before the approval"
    );

    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted);
    let verdict = sandbox.session(&sandbox.trust()).bash().await;
    assert_eq!(verdict.reason(), Some("not here"));
    assert!(sandbox.project("ran").exists());
}

#[test]
fn a_run_approves_nothing() {
    let sandbox = Sandbox::with_command(DENY);
    for _ in 0..3 {
        assert_eq!(sandbox.state(), TrustState::Untrusted);
    }
    assert!(!sandbox.store().directory().exists());
}

#[test]
fn every_file_of_a_project_needs_an_approval() {
    let own = json!({"hooks": {"PreToolUse": [{"hooks": [hook("true")]}]}}).to_string();
    let opta = json!({"hooks": [{"event": "tool.pre", "command": "true"}]}).to_string();
    let opencode = json!({"hooks": {"tool.pre": [{"command": "true"}]}}).to_string();
    let files = [
        (SETTINGS, &own),
        (".claude/settings.local.json", &own),
        (".hookline/hooks.json", &own),
        (".hookline/hooks.local.json", &own),
        (".opta/config.json", &opta),
        (".opencode/hooks.json", &opencode),
    ];
    for (file, text) in files {
        let sandbox = Sandbox::new();
        sandbox.write(file, text);
        for state in sandbox.states() {
            assert_eq!(state, TrustState::Untrusted, "{file}");
        }
    }
}

#[test]
fn what_is_not_the_projects_needs_none() {
    let sandbox = Sandbox::new();
    write(
        &sandbox.path("home/.claude/settings.json"),
        &settings("true"),
    );
    assert_eq!(sandbox.state(), TrustState::Trusted, "the user's own");

    let sandbox = Sandbox::new();
    write(
        &sandbox.path("managed/managed-settings.json"),
        &settings("true"),
    );
    assert_eq!(sandbox.state(), TrustState::Managed);
}

#[test]
fn a_file_that_was_named_for_the_run_was_chosen_by_whoever_named_it() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("ci/hooks.json", &settings("true"));
    let options = hook_config::Options::new(hook_shell::Host::new())
        .trust(std::sync::Arc::new(sandbox.trust()));
    let loaded = hook_config::load(&sandbox.places().settings(file.as_path()), &options);
    assert_eq!(loaded.report.hooks[0].trust, TrustState::Trusted);
}

#[tokio::test]
async fn a_hook_whose_script_changed_before_the_session_blocks_its_guard() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    sandbox.write("check.sh", "exit 0");
    sandbox.approve();
    sandbox.write("check.sh", "touch \"$CLAUDE_PROJECT_DIR/ran\"");
    assert_eq!(sandbox.state(), TrustState::Changed);
    let verdict = sandbox.session(&sandbox.trust()).bash().await;
    assert!(verdict.is_denied());
    assert!(!sandbox.project("ran").exists());
}

#[test]
fn an_entry_that_takes_the_place_of_an_approved_one_is_changed() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    sandbox.settings(&[hook("true; true")]);
    assert_eq!(sandbox.state(), TrustState::Changed);
    assert_eq!(sandbox.why(), Why::EntryChanged);

    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted);
    sandbox.settings(&[hook("true; true"), hook("echo new")]);
    let states = [TrustState::Trusted, TrustState::Untrusted];
    assert_eq!(sandbox.states(), states, "the place is taken once");
}

#[test]
fn whoever_goes_back_to_what_was_approved_before_is_not_asked_again() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    for round in ["exit 0", "exit 1"] {
        sandbox.write("check.sh", round);
        sandbox.approve();
    }
    sandbox.write("check.sh", "exit 0");
    assert_eq!(
        sandbox.state(),
        TrustState::Trusted,
        "another script, approved before"
    );

    sandbox.settings(&[hook("true")]);
    assert_eq!(sandbox.state(), TrustState::Changed);
    sandbox.approve();
    sandbox.settings(&[hook("sh \"$CLAUDE_PROJECT_DIR\"/check.sh")]);
    assert_eq!(
        sandbox.state(),
        TrustState::Trusted,
        "another entry, approved before"
    );

    let entry = sandbox.review().case().digest();
    sandbox.trust().revoke(&[entry]).unwrap();
    for round in ["exit 0", "exit 1"] {
        sandbox.write("check.sh", round);
        assert!(!sandbox.state().runs(), "all of it is taken back");
    }
}

#[test]
fn approvals_do_not_pile_up_without_bound() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    for round in 0..20 {
        sandbox.write("check.sh", &format!("exit {round}"));
        sandbox.approve();
    }
    assert_eq!(sandbox.trust().approvals().len(), 16);
    assert_eq!(sandbox.state(), TrustState::Trusted);
    sandbox.write("check.sh", "exit 0");
    assert_eq!(
        sandbox.state(),
        TrustState::Changed,
        "the oldest are forgotten"
    );
}

#[test]
fn a_matcher_that_was_changed_is_a_change_too() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let group = json!([{"matcher": "Bash|Write", "hooks": [hook("true")]}]);
    sandbox.write(
        SETTINGS,
        &json!({"hooks": {"PreToolUse": group}}).to_string(),
    );
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_new_hook_beside_approved_ones_is_untrusted_and_takes_nothing_from_them() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    sandbox.settings(&[hook("echo new"), hook("true")]);
    assert_eq!(
        sandbox.states(),
        [TrustState::Untrusted, TrustState::Trusted]
    );
}

#[test]
fn the_same_hook_in_another_place_stays_approved() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    std::fs::remove_file(sandbox.project(SETTINGS)).unwrap();
    sandbox.write(
        ".claude/settings.local.json",
        r#"{
            // moved, with a comment, a default spelled out and another order of keys
            "hooks": {"PreToolUse": [{"hooks": [
                {"timeout": 600, "command": "true", "async": false, "type": "command"},
            ], "matcher": "Bash"}]}
        }"#,
    );
    assert_eq!(sandbox.state(), TrustState::Trusted);
}

#[test]
fn an_approval_is_for_one_project() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let copy = sandbox.path("another project");
    write(&copy.join(SETTINGS), &settings("true"));
    let trust = ContentTrust::new(
        hook_config::trust::Surroundings::new(&copy),
        Some(sandbox.store()),
    );
    let files = hook_config::discover(&hook_config::Places::none().project(&copy));
    assert_eq!(trust.reviews(&files)[0].why(), Why::NeverApproved);
}

#[test]
fn a_project_that_is_reached_by_a_link_is_the_same_project() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    sandbox.write("check.sh", "exit 0");
    sandbox.approve();
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(sandbox.root(), &link).unwrap();
    let trust = ContentTrust::new(
        hook_config::trust::Surroundings::new(&link),
        Some(sandbox.store()),
    );
    let files = hook_config::discover(&hook_config::Places::none().project(&link));
    assert_eq!(trust.reviews(&files)[0].why(), Why::Approved);
}

#[tokio::test]
async fn an_approval_that_is_taken_back_counts_no_more() {
    let sandbox = Sandbox::with_command(DENY);
    sandbox.approve();
    let trust = sandbox.trust();
    let session = sandbox.session(&trust);
    assert!(session.bash().await.is_denied());

    let entry = sandbox.review().case().digest();
    sandbox.trust().revoke(&[entry]).unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    assert!(
        !session.bash().await.is_denied(),
        "in a session that runs, too"
    );
}

#[tokio::test]
async fn without_anybody_to_ask_hooks_are_refused_unless_told_otherwise() {
    let sandbox = Sandbox::with_command(DENY);
    let trust = ContentTrust::new(sandbox.around(), None);
    assert!(!sandbox.session(&trust).bash().await.is_denied());

    let trust = ContentTrust::assuming_trust(sandbox.around(), None);
    assert!(sandbox.session(&trust).bash().await.is_denied());
    assert_eq!(
        sandbox.state(),
        TrustState::Untrusted,
        "and nothing is remembered"
    );
}

#[tokio::test]
async fn what_is_assumed_to_be_approved_is_what_was_there_at_first() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    sandbox.write("check.sh", "exit 0");
    let trust = ContentTrust::assuming_trust(sandbox.around(), None);
    let session = sandbox.session(&trust);
    assert!(!session.bash().await.is_denied());

    sandbox.write("check.sh", "exit 0; # and more");
    assert!(session.bash().await.is_denied());
    assert!(
        sandbox.session(&trust).bash().await.is_denied(),
        "a reload does not launder it"
    );
}

#[tokio::test]
async fn a_broken_entry_of_a_project_blocks_nobody_before_it_is_approved() {
    let sandbox = Sandbox::new();
    sandbox.settings(&[json!({"type": "command"})]);
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    assert!(!sandbox.session(&sandbox.trust()).bash().await.is_denied());

    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted);
    assert!(sandbox.session(&sandbox.trust()).bash().await.is_denied());
}

/// A sandbox with a plugin installed in `place`, which the file of a layer switches on.
fn with_plugin(place: &str, switched_on_in: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let root = sandbox.path(place);
    write(
        &root.join("hooks/hooks.json"),
        &settings("sh \"${CLAUDE_PLUGIN_ROOT}\"/check.sh"),
    );
    write(&root.join("check.sh"), "exit 0");
    let list = json!({"plugins": {"guard@tools": [{"installPath": root}]}});
    let installed = "home/.claude/plugins/installed_plugins.json";
    write(&sandbox.path(installed), &list.to_string());
    let switch = json!({"enabledPlugins": {"guard@tools": true}}).to_string();
    write(&sandbox.path(switched_on_in), &switch);
    sandbox
}

#[test]
fn a_plugin_is_its_users_unless_a_project_brings_it_or_switches_it_on() {
    let (elsewhere, inside) = ("home/plugins/guard", "my project/plugins/guard");
    let (user, project) = (
        "home/.claude/settings.json",
        "my project/.claude/settings.json",
    );
    let managed = "managed/managed-settings.json";
    let table = [
        (elsewhere, user, TrustState::Trusted),
        (elsewhere, managed, TrustState::Managed),
        (elsewhere, project, TrustState::Untrusted),
        (inside, user, TrustState::Untrusted),
        (inside, project, TrustState::Untrusted),
    ];
    for (place, switched_on_in, expected) in table {
        let sandbox = with_plugin(place, switched_on_in);
        assert_eq!(sandbox.state(), expected, "{place}, {switched_on_in}");
    }
}

#[test]
fn the_files_of_a_plugin_are_covered() {
    let sandbox = with_plugin("home/plugins/guard", "my project/.claude/settings.json");
    let script = sandbox.path("home/plugins/guard/check.sh");
    assert_eq!(sandbox.covered(), [script.display().to_string()]);
    assert_eq!(sandbox.opaque(), [""; 0]);
    sandbox.approve();
    write(&script, "exit 1");
    assert_eq!(sandbox.state(), TrustState::Changed);
}
