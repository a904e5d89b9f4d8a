//! Event types, and what a hook is told of an event.

use hook_types::{
    Event, ModelStreamEnd, ModelStreamStart, PermissionCheck, PermissionDenied, PermissionGranted,
    PermissionRequest, PostModelResponse, PostToolUseFailure, PreModelRequest, SessionEnd,
    SessionMessage, SessionStart, UserInterrupt, UserPromptSubmit,
};
use serde_json::{Value, json};

use super::scene::{Scene, bash, done, one, printed};

/// A project whose one hook keeps what it is told.
fn listener(pattern: &str) -> Scene {
    Scene::opencode(&one(&json!({
        "event": pattern,
        "command": "cat > stdin; env | grep ^OPENCODE_ | sort > told; echo \"$OPENCODE_EVENT\"",
    })))
}

async fn told<E: Event>(event: E, name: &str) -> (Scene, Value) {
    let scene = listener(name);
    assert_eq!(printed(&scene.fire(event).await), [name]);
    let stdin: Value = serde_json::from_str(&scene.read("project/stdin")).unwrap();
    assert_eq!(stdin["type"], name);
    assert!(stdin["timestamp"].as_f64().is_some());
    assert_eq!(stdin["session_id"], "sess_abc123");
    (scene, stdin)
}

#[tokio::test]
async fn event_type_enum_defined_with_all_event_types() {
    let call = json!({"command": "ls"});
    told(bash("ls"), "tool:pre_execute").await;
    told(done("Bash"), "tool:post_execute").await;
    told(
        PostToolUseFailure::new("Bash", call.clone(), "no"),
        "tool:error",
    )
    .await;
    told(PreModelRequest::new("m", json!({})), "llm:pre_request").await;
    told(
        PostModelResponse::new("m", json!({}), json!({})),
        "llm:post_response",
    )
    .await;
    told(ModelStreamStart::new("m"), "llm:stream_start").await;
    told(ModelStreamEnd::new("m"), "llm:stream_end").await;
    told(SessionStart::new("startup"), "session:start").await;
    told(SessionEnd::new("other"), "session:end").await;
    told(SessionMessage::new("user", "hello"), "session:message").await;
    told(
        PermissionCheck::new("Bash", call.clone()),
        "permission:check",
    )
    .await;
    told(
        PermissionRequest::new("Bash", call.clone()),
        "permission:prompt",
    )
    .await;
    told(
        PermissionGranted::new("Bash", call.clone(), "user"),
        "permission:granted",
    )
    .await;
    told(
        PermissionDenied::new("Bash", call, "no"),
        "permission:denied",
    )
    .await;
    told(UserPromptSubmit::new("hello"), "user:prompt_submit").await;
    told(UserInterrupt::new("tool"), "user:interrupt").await;
}

#[tokio::test]
async fn hook_event_to_env_returns_environment_variables() {
    let (scene, stdin) = told(bash("ls -la"), "tool:pre_execute").await;
    let timestamp = format!("OPENCODE_TIMESTAMP={}", stdin["timestamp"]);
    let expected = [
        "OPENCODE_EVENT=tool:pre_execute",
        "OPENCODE_SESSION_ID=sess_abc123",
        timestamp.as_str(),
        r#"OPENCODE_TOOL_ARGS={"command":"ls -la"}"#,
        "OPENCODE_TOOL_NAME=bash",
    ];
    assert_eq!(scene.lines("told"), expected);

    let (scene, _) = told(done("Write"), "tool:post_execute").await;
    let lines = scene.lines("told");
    assert!(
        lines.contains(&"OPENCODE_TOOL_RESULT=\"done\"".to_owned()),
        "{lines:?}"
    );

    let failure = PostToolUseFailure::new("Bash", json!({}), "Command not found");
    let (scene, _) = told(failure, "tool:error").await;
    let lines = scene.lines("told");
    assert!(
        lines.contains(&"OPENCODE_ERROR=Command not found".to_owned()),
        "{lines:?}"
    );
}

#[tokio::test]
async fn hook_event_to_json_serializes_to_json() {
    let (_, stdin) = told(bash("ls -la"), "tool:pre_execute").await;
    assert_eq!(stdin["tool_name"], "bash");
    assert_eq!(stdin["data"], json!({"tool_args": {"command": "ls -la"}}));
    let (_, stdin) = told(SessionStart::new("startup"), "session:start").await;
    assert_eq!(stdin.get("tool_name"), None);
}

#[tokio::test]
async fn factory_methods_for_common_events() {
    let request = PreModelRequest::new("anthropic/claude-3-opus", json!({})).message_count(5);
    let (_, stdin) = told(request, "llm:pre_request").await;
    let expected = json!({"model": "anthropic/claude-3-opus", "message_count": 5});
    assert_eq!(stdin["data"], expected);

    let prompt = UserPromptSubmit::new("Please read /tmp/test.txt");
    let (_, stdin) = told(prompt, "user:prompt_submit").await;
    assert_eq!(
        stdin["data"],
        json!({"content": "Please read /tmp/test.txt"})
    );

    let mut check = PermissionCheck::new("Bash", json!({}));
    check.perm_level = Some("ask".into());
    check.perm_rule = Some("tool:bash".into());
    let (_, stdin) = told(check, "permission:check").await;
    assert_eq!(stdin["tool_name"], "bash");
    assert_eq!(stdin["data"]["perm_level"], "ask");
    assert_eq!(stdin["data"]["perm_rule"], "tool:bash");
}
