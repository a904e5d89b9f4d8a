//! The documents' complete example, and their configuration samples.

use serde_json::json;

use super::scene::{Scene, bash, denied, done, printed};
use hook_types::{SessionEnd, SessionStart};

#[allow(dead_code, reason = "the example's own main")]
#[path = "../../examples/opencode.rs"]
mod opencode;

/// As the document shows it.
const SHOWN: &str = "\
============================================================
Test 1: Normal bash command
Pre-execute results: 2 hooks
  tool:pre_execute: exit=0
    stdout: >>> Executing: bash
  tool:pre_execute:bash: exit=0
<<< Completed: bash

============================================================
Test 2: Blocked sudo command
Pre-execute results: 2 hooks
  tool:pre_execute: exit=0
    stdout: >>> Executing: bash
  tool:pre_execute:bash: exit=1, continue=False
    stdout: BLOCKED: sudo not allowed

Operation blocked by 1 hook(s)!

============================================================
Test 3: Read operation (no blocking hooks)
Pre-execute results: 1 hooks
  tool:pre_execute: exit=0
    stdout: >>> Executing: read

============================================================
Registered hooks:
  [enabled] tool:pre_execute: Announce tool execution
  [enabled] tool:pre_execute:bash: Block sudo commands
  [enabled] tool:post_execute: Announce tool completion
";

#[tokio::test]
async fn the_complete_example_prints_what_its_text_shows() {
    let scene = Scene::new();
    assert_eq!(opencode::tour(&scene.places()).await.unwrap(), SHOWN);
}

#[tokio::test]
async fn the_complete_example_through_a_file() {
    let scene = Scene::opencode(
        &json!({"hooks": [
            {"event": "tool:pre_execute", "command": "echo \">>> Executing: $OPENCODE_TOOL_NAME\""},
            {"event": "tool:pre_execute:bash", "command":
                "if echo \"$OPENCODE_TOOL_ARGS\" | grep -q sudo; then echo 'BLOCKED: sudo not allowed'; exit 1; fi"},
            {"event": "tool:post_execute", "command": "echo \"<<< Completed: $OPENCODE_TOOL_NAME\""},
        ]})
        .to_string(),
    );
    assert_eq!(
        printed(&scene.fire(bash("ls -la")).await),
        [">>> Executing: bash", ""]
    );
    assert_eq!(
        printed(&scene.fire(done("Bash")).await),
        ["<<< Completed: bash"]
    );
    let fired = scene.fire(bash("sudo rm -rf /")).await;
    assert_eq!(
        printed(&fired),
        [">>> Executing: bash", "BLOCKED: sudo not allowed"]
    );
    assert!(denied(&fired));
}

#[tokio::test]
async fn a_variable_in_single_quotes_stays_as_it_is_written() {
    let hook = json!({"event": "tool:pre_execute", "command": "echo '>>> Executing: $OPENCODE_TOOL_NAME'"});
    let scene = Scene::opencode(&super::scene::one(&hook));
    let fired = scene.fire(bash("ls")).await;
    assert_eq!(printed(&fired), [">>> Executing: $OPENCODE_TOOL_NAME"]);
}

#[tokio::test]
async fn the_configuration_samples_work_in_the_documents_own_places() {
    let scene = Scene::new();
    // `source` is not known to every `sh`, and `.` of a file that is not there ends some of them.
    // The user's has something that can be looked at in place of a desktop's notification.
    scene.write(
        "home/.config/src/opencode/hooks.json",
        r#"{"hooks": [
            {"event": "session:start", "command": "echo 'Session started' >> told"},
            {"event": "session:end", "command": "echo 'Session ended' >> told"},
            {"event": "*", "command": "echo \"[$(date)] $OPENCODE_EVENT\" >> events.log",
             "description": "Log all events"}
        ]}"#,
    );
    scene.write(
        "project/.src/opencode/hooks.json",
        r#"{"hooks": [
            {"event": "tool:pre_execute:bash", "command": "[ ! -f .env.local ] || . ./.env.local"},
            {"event": "tool:post_execute", "command": "./scripts/validate.sh", "timeout": 60.0, "enabled": true}
        ]}"#,
    );
    assert!(scene.codes().is_empty());
    scene.fire(SessionStart::new("startup")).await;
    assert!(!denied(&scene.fire(bash("ls")).await));
    scene.fire(SessionEnd::new("other")).await;
    assert_eq!(scene.lines("told"), ["Session started", "Session ended"]);
    let log = scene.lines("events.log");
    assert_eq!(log.len(), 3);
    assert!(log[1].ends_with("] tool:pre_execute"), "{log:?}");
}
