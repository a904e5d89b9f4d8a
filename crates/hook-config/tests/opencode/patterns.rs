//! Which hooks an event finds, asked of the hooks of a file.

use hook_types::{PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop};
use serde_json::json;

use super::scene::{Scene, bash, call, done, one, ran};

/// Whether a hook with this pattern runs before a call of a tool.
async fn runs(pattern: &str, event: PreToolUse) -> bool {
    let scene = Scene::opencode(&one(&json!({"event": pattern, "command": "true"})));
    !ran(&scene.fire(event).await).is_empty()
}

/// The same, after one.
async fn runs_after(pattern: &str, event: PostToolUse) -> bool {
    let scene = Scene::opencode(&one(&json!({"event": pattern, "command": "true"})));
    !ran(&scene.fire(event).await).is_empty()
}

#[tokio::test]
async fn exact_match() {
    assert!(runs("tool:pre_execute", bash("ls")).await);
    assert!(!runs_after("tool:pre_execute", done("Bash")).await);
}

#[tokio::test]
async fn glob_pattern() {
    assert!(runs("tool:*", bash("ls")).await);
    assert!(runs_after("tool:*", done("Bash")).await);
    assert!(!runs("llm:*", bash("ls")).await);
}

#[tokio::test]
async fn tool_specific() {
    assert!(runs("tool:pre_execute:bash", bash("ls")).await);
    assert!(!runs("tool:pre_execute:bash", call("Read")).await);
    assert!(!runs("tool:pre_execute:read", bash("ls")).await);
    assert!(!runs_after("tool:pre_execute:bash", done("Bash")).await);
}

#[tokio::test]
async fn catch_all() {
    assert!(runs("*", bash("ls")).await);
    assert!(runs_after("*", done("Bash")).await);
    let scene = Scene::opencode(&one(&json!({"event": "*", "command": "true"})));
    assert_eq!(
        ran(&scene.fire(SessionStart::new("startup")).await).len(),
        1
    );
    // What OpenCode does not have, its hooks do not hear of.
    assert!(ran(&scene.fire(Stop::new(false)).await).is_empty());
}

#[tokio::test]
async fn comma_separated() {
    let hook = json!({"event": "session:start, session:end", "command": "true"});
    let scene = Scene::opencode(&one(&hook));
    assert_eq!(
        ran(&scene.fire(SessionStart::new("startup")).await).len(),
        1
    );
    assert_eq!(ran(&scene.fire(SessionEnd::new("other")).await).len(), 1);
    assert!(ran(&scene.fire(bash("ls")).await).is_empty());
}

#[tokio::test]
async fn a_hook_runs_once_however_many_parts_of_its_pattern_fit() {
    let hook = json!({"event": "*,tool:*,tool:pre_execute:bash", "command": "echo x >> ran"});
    let scene = Scene::opencode(&one(&hook));
    scene.fire(bash("ls")).await;
    assert_eq!(scene.lines("ran"), ["x"]);
}

#[tokio::test]
async fn tools_go_by_either_name() {
    let tools = ["Bash", "Read", "Write", "Edit", "Glob", "Grep"];
    for tool in tools {
        let theirs = tool.to_lowercase();
        for pattern in [tool, &theirs] {
            let pattern = format!("tool:pre_execute:{pattern}");
            assert!(runs(&pattern, call(tool)).await, "{pattern}");
            assert!(runs(&pattern, call(&theirs)).await, "{pattern} {theirs}");
            assert!(!runs(&pattern, call("WebFetch")).await, "{pattern}");
        }
    }
    assert!(runs("tool:pre_execute:mcp__*", call("mcp__disk__read")).await);
    assert!(!runs("tool:pre_execute:[!b]*", call("Bash")).await);
}
