//! The registry: a list of hooks that is a value.

use std::time::Duration;

use hook_config::{Definition, HookList};
use hook_runner::{Fire, Fired, Runner};
use hook_shell::Host;
use hook_types::{HookEvent, PreToolUse, SessionStart, UserPromptSubmit};
use serde_json::json;

use super::scene::{Scene, bash, call, denied, options, printed, ran};

fn hook(pattern: &str, command: &str) -> Definition {
    Definition::opencode(pattern, command)
}

fn list<const N: usize>(hooks: [Definition; N]) -> HookList {
    let mut list = HookList::opencode();
    for hook in hooks {
        list.register(hook).unwrap();
    }
    list
}

/// The one line that a global `fire_event` is: a runner of the list, and an event.
async fn fire_event(list: &HookList, event: PreToolUse) -> Fired {
    let scene = Scene::new();
    let loaded = list.resolve(&scene.places(), &options(Host::new()));
    Runner::new(loaded.hooks).fire(event).await.into_fired()
}

fn matching(list: &HookList, event: impl Into<HookEvent>) -> Vec<&str> {
    list.matching(&event.into())
        .map(Definition::command)
        .collect()
}

#[test]
fn register_adds_hooks() {
    let list = list([hook("tool:pre_execute", "echo 1"), hook("tool:*", "echo 2")]);
    assert_eq!(list.len(), 2);
    assert!(!list.is_empty());
}

#[test]
fn unregister_removes_by_pattern() {
    let mut list = list([
        hook("tool:pre_execute", "echo 1"),
        hook("tool:*", "echo 2"),
        hook("tool:pre_execute", "echo 3"),
    ]);
    assert!(list.unregister("tool:pre_execute"));
    assert!(!list.unregister("tool:pre_execute"));
    assert_eq!(list.len(), 1);
}

#[test]
fn get_hooks_returns_matching_enabled_hooks() {
    let list = list([
        hook("tool:pre_execute", "echo 1"),
        hook("tool:*", "echo 2"),
        hook("session:start", "notify-send OpenCode"),
        hook("tool:pre_execute:read", "echo 3"),
    ]);
    assert_eq!(matching(&list, bash("ls")), ["echo 1", "echo 2"]);
    assert_eq!(
        matching(&list, call("Read")),
        ["echo 1", "echo 2", "echo 3"]
    );
    assert_eq!(
        matching(&list, SessionStart::new("startup")),
        ["notify-send OpenCode"]
    );
    assert!(matching(&list, UserPromptSubmit::new("x")).is_empty());
}

#[test]
fn disabled_hooks_filtered() {
    let list = list([
        hook("tool:pre_execute", "echo 1").enabled(false),
        hook("tool:pre_execute", "echo 2").enabled(true),
    ]);
    assert_eq!(matching(&list, bash("ls")), ["echo 2"]);
}

#[test]
fn clear_removes_all_hooks() {
    let mut list = list([hook("tool:*", "echo 1")]);
    list.clear();
    assert_eq!(list.len(), 0);
}

#[test]
fn load_hooks_adds_multiple_hooks() {
    let mut all = list([hook("tool:*", "echo 1")]);
    all.load(list([hook("*", "echo 2"), hook("llm:*", "echo 3")]))
        .unwrap();
    let commands: Vec<&str> = all.iter().map(Definition::command).collect();
    assert_eq!(commands, ["echo 1", "echo 2", "echo 3"]);
}

#[test]
fn a_hook_that_could_never_run_is_refused_with_the_reason() {
    let mut list = HookList::opencode();
    let problem = list.register(hook("tool:preexecute", "x")).unwrap_err();
    assert_eq!(problem.code.as_str(), "unknown-event");
    assert_eq!(problem.suggestion.as_deref(), Some("\"tool:pre_execute\""));
    let problem = list.register(hook("tool:*", "")).unwrap_err();
    assert_eq!(problem.code.as_str(), "wrong-value");
    let problem = list
        .register(Definition::opta("tool.pre", "x"))
        .unwrap_err();
    assert!(problem.message.contains("opta"), "{problem}");
    assert!(list.is_empty());
}

#[test]
fn hook_serialization() {
    let hook = hook("tool:pre_execute", "echo hello")
        .timeout(Duration::from_secs(5))
        .description("Test hook");
    let data = hook.to_value();
    assert_eq!(data["event"], "tool:pre_execute");
    assert_eq!(data["command"], "echo hello");
    assert_eq!(data["timeout"], 5.0);
    let again = Definition::opencode_value(data).unwrap();
    assert_eq!(again, hook);
    assert_eq!(again.describes(), Some("Test hook"));
}

#[test]
fn hook_serialization_keeps_keys_that_nobody_knows() {
    let data = json!({"event": "*", "command": "x", "colour": "blue", "env": {"A": "1"}});
    assert_eq!(
        Definition::opencode_value(data.clone()).unwrap().to_value(),
        data
    );
    assert!(Definition::opencode_value(json!([])).is_err());
    assert!(Definition::opta_value(json!({"event": "tool:*", "command": "x"})).is_err());
}

#[tokio::test]
async fn hook_execution() {
    let list = list([hook("tool:pre_execute", "echo hello")]);
    let fired = fire_event(&list, bash("ls")).await;
    assert_eq!(fired.attempts.len(), 1);
    assert_eq!(fired.attempts[0].reply.evidence.exit_code, Some(0));
    assert!(fired.attempts[0].reply.evidence.stdout.contains("hello"));
}

#[tokio::test]
async fn fire_event_is_a_runner_of_the_list() {
    let list = list([hook("tool:*", "echo fired")]);
    let fired = fire_event(&list, bash("ls")).await;
    assert!(fired.attempts[0].success());
    assert_eq!(printed(&fired), ["fired"]);
}

#[tokio::test]
async fn blocking_hook() {
    let list = list([
        hook("tool:pre_execute", "exit 1"),
        hook("tool:*", "echo after"),
    ]);
    let fired = fire_event(&list, bash("ls")).await;
    assert_eq!(ran(&fired).len(), 1);
    assert_eq!(ran(&fired)[0].reply.evidence.exit_code, Some(1));
    assert!(!ran(&fired)[0].should_continue());
    assert!(denied(&fired));
}

#[tokio::test]
async fn stop_on_failure_parameter_works() {
    let mut list = list([
        hook("tool:pre_execute", "exit 1"),
        hook("tool:*", "echo after"),
    ]);
    list.stop_on_failure(false);
    let fired = fire_event(&list, bash("ls")).await;
    assert_eq!(printed(&fired), ["", "after"]);
    assert!(denied(&fired), "a refusal counts, whatever runs after it");
    list.stop_on_failure(true);
    assert_eq!(ran(&fire_event(&list, bash("ls")).await).len(), 1);
}

#[tokio::test]
async fn hook_timeout() {
    let slow = hook("tool:pre_execute", "sleep 300").timeout(Duration::from_millis(500));
    let fired = fire_event(&list([slow]), bash("ls")).await;
    assert!(fired.attempts[0].timed_out());
    assert!(!fired.attempts[0].success());
    assert!(!fired.attempts[0].should_continue());
}

#[tokio::test]
async fn environment_variables_in_hook() {
    let list = list([hook(
        "tool:pre_execute",
        "echo \"Tool: $OPENCODE_TOOL_NAME\"",
    )]);
    assert_eq!(
        printed(&fire_event(&list, bash("ls")).await),
        ["Tool: bash"]
    );
}

#[tokio::test]
async fn hook_result_properties() {
    let list = list([hook(
        "tool:pre_execute",
        "echo blocked; echo why >&2; exit 1",
    )]);
    let fired = fire_event(&list, bash("ls")).await;
    let result = &fired.attempts[0];
    assert!(!result.success() && !result.should_continue() && !result.timed_out());
    assert_eq!(result.reply.evidence.stdout, "blocked\n");
    assert_eq!(result.reply.evidence.stderr, "why\n");
    assert!(result.duration > Duration::ZERO);
}

#[tokio::test]
async fn hook_blocked_error_exception_class() {
    let hooks = [hook("tool:pre_execute:bash", "echo 'no sudo'; exit 1").description("Block sudo")];
    let fired = fire_event(&list(hooks), bash("sudo rm -rf /")).await;
    let blocked = fired.into_result().unwrap_err();
    assert_eq!(blocked.reason.as_deref(), Some("no sudo"));
    assert_eq!(blocked.description.as_deref(), Some("Block sudo"));
}
