//! Calls that hooks put off, and calls that go wrong.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_loop::{
    Access, Ending, Permissions, Scene, Tool, ToolContext, ToolError, ToolOutput, Toolbox,
};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::{
    CwdChanged, Destination, Event, PermissionChange, PermissionMode, PermissionRequest,
    PostToolUse, PostToolUseFailure, PreToolUse,
};
use serde_json::{Value, json};

use crate::recorder::Recorder;
use crate::support::{echo, stage, stage_with, words};

/// Puts calls off until somebody has decided.
fn deferring(decided: &Arc<AtomicBool>) -> HookSet {
    let decided = Arc::clone(decided);
    HookSet::builder()
        .on("Echo", move |_: PreToolUse| {
            if decided.load(Ordering::Relaxed) {
                PreToolUse::allow()
            } else {
                PreToolUse::defer()
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_deferred_call_runs_when_the_session_is_resumed_and_somebody_has_decided() {
    let directory = tempfile::tempdir().unwrap();
    let decided = Arc::new(AtomicBool::new(false));
    let first = stage_with([echo("hi")], |builder| {
        builder
            .hooks(deferring(&decided))
            .transcripts_in(directory.path())
    });
    let mut session = first.agent.start().await;
    let result = session.prompt("go").await;
    assert!(matches!(result.ending, Ending::Deferred(_)));
    let path = session.transcript_path();
    drop(session);

    decided.store(true, Ordering::Relaxed);
    let second = stage_with([Scene::say("it ran")], |builder| {
        builder
            .hooks(deferring(&decided))
            .transcripts_in(directory.path())
    });
    let mut session = second.agent.resume(&path).await.unwrap();
    let result = session.run_deferred().await.unwrap();
    assert_eq!(result.text, "it ran");
    assert_eq!(second.echo.seen(), [json!({"text": "hi"})]);
    assert!(words(second.requests()[0].messages.last().unwrap()).contains("echo hi"));
    assert!(session.run_deferred().await.is_none(), "once");
}

#[tokio::test]
async fn a_deferred_call_that_nobody_runs_has_a_result_when_the_user_goes_on() {
    let decided = Arc::new(AtomicBool::new(false));
    let stage = stage([echo("hi"), Scene::say("ok")], deferring(&decided));
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    session.prompt("never mind").await;
    let last = words(stage.requests()[1].messages.last().unwrap());
    assert!(last.starts_with("This call was put off"), "{last}");
    assert!(last.ends_with("never mind"), "{last}");
    assert!(stage.echo.seen().is_empty());
}

#[tokio::test]
async fn one_of_several_calls_cannot_be_deferred() {
    let decided = Arc::new(AtomicBool::new(false));
    let both = echo("1").and_call("Echo", json!({"text": "2"}));
    let stage = stage([both, Scene::say("ok")], deferring(&decided));
    let result = stage.agent.run("go").await;
    assert!(result.is_finished());
    assert_eq!(
        result.denials.len(),
        2,
        "somebody had to be asked, and nobody is there"
    );
    assert!(!stage.watched.warnings().is_empty());
}

#[tokio::test]
async fn context_of_a_call_stands_next_to_its_error_too() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| {
            PreToolUse::context("the door sticks")
        })
        .build()
        .unwrap();
    let stage = stage([echo("fail: closed"), Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    let last = words(stage.requests()[1].messages.last().unwrap());
    assert!(
        last.starts_with("closed\n") && last.contains("the door sticks"),
        "{last}"
    );
}

struct Panicking;

#[async_trait]
impl Tool for Panicking {
    fn name(&self) -> &'static str {
        "Panic"
    }

    fn description(&self) -> &'static str {
        "Panics."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        panic!("on purpose")
    }
}

#[tokio::test]
async fn a_tool_that_panics_has_failed_and_the_agent_goes_on() {
    let hooks = HookSet::builder()
        .on("Panic", |failed: PostToolUseFailure| {
            PostToolUseFailure::context(format!("noted: {}", failed.error))
        })
        .build()
        .unwrap();
    let scenes = [Scene::call("Panic", json!({})), Scene::say("ok")];
    let stage = stage_with(scenes, |builder| {
        builder
            .tool(Panicking)
            .hooks(hooks)
            .observer(|_: &agent_loop::AgentEvent| panic!("an observer, on purpose"))
    });
    let result = stage.agent.run("go").await;
    assert_eq!(result.text, "ok");
    assert!(stage.last().contains("noted: the tool Panic panicked"));
}

#[tokio::test]
async fn a_stop_in_the_middle_of_a_batch_leaves_a_result_for_every_call() {
    let hooks = HookSet::builder()
        .on("Write", |_: PreToolUse| PreToolUse::stop_agent("hands off"))
        .build()
        .unwrap();
    let scene = Scene::call("Write", json!({"text": "1"})).and_call("Write", json!({"text": "2"}));
    let write = crate::support::Echo::new("Write", Access::Edit);
    let stage = stage_with([scene, Scene::say("ok")], |builder| {
        builder.tool(write).hooks(hooks)
    });
    let mut session = stage.agent.start().await;
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Halted("hands off".into()));
    session.prompt("go on").await;
    let last = words(stage.requests()[1].messages.last().unwrap());
    assert_eq!(
        last.matches("hands off").count(),
        2,
        "the error, and why it stopped: {last}"
    );
    assert!(
        last.contains("This call did not run: the agent was stopped."),
        "{last}"
    );
}

#[tokio::test]
async fn only_the_main_agents_moves_are_told_of_and_only_where_it_moved() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("sub")).unwrap();
    let recorder = Recorder::default();
    let bash = |command: &str| Scene::call("Bash", json!({ "command": command }));
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        bash("cd ."),
        bash("cd sub"),
        Scene::call("Agent", task),
        bash("cd .."),
        Scene::say("looked"),
        bash("pwd"),
        Scene::say("ok"),
    ];
    let stage = stage_with(scenes, |builder| {
        builder
            .tools(Toolbox::standard())
            .runner(Arc::new(recorder.clone()))
            .cwd(directory.path().canonicalize().unwrap())
    });
    stage.agent.run("go").await;
    let moves: Vec<CwdChanged> = recorder
        .events()
        .iter()
        .filter_map(|event| CwdChanged::of(event).cloned())
        .collect();
    assert_eq!(moves.len(), 1, "{moves:?}");
    assert!(moves[0].new_cwd.ends_with("/sub"));
    let last = words(stage.requests()[6].messages.last().unwrap());
    assert!(
        last.trim().ends_with("/sub"),
        "the subagent moved alone: {last}"
    );
}

#[tokio::test]
async fn events_carry_the_mode_that_a_hook_has_set() {
    let modes = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&modes);
    let hooks = HookSet::builder()
        .on("Run", |_: PermissionRequest| {
            let mode = PermissionMode::AcceptEdits;
            let destination = Destination::Session;
            let change = PermissionChange::SetMode { mode, destination };
            PermissionRequest::allow_and_remember([change.into()])
        })
        .on("Run", move |call: PostToolUse| {
            seen.lock().unwrap().push(call.base.permission_mode);
        })
        .build()
        .unwrap();
    let run = Scene::call("Run", json!({"text": "now"}));
    let stage = stage_with([run, Scene::say("ok")], |builder| {
        builder
            .tool(crate::support::Echo::new("Run", Access::Run))
            .hooks(hooks)
            .permissions(Permissions::new(PermissionMode::Default))
    });
    stage.agent.run("go").await;
    assert_eq!(*modes.lock().unwrap(), [Some(PermissionMode::AcceptEdits)]);
}

#[tokio::test]
async fn a_mode_that_is_set_in_a_subagent_is_the_mode_of_all() {
    let modes = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&modes);
    let hooks = HookSet::builder()
        .on("Run", |_: PermissionRequest| {
            let mode = PermissionMode::AcceptEdits;
            let destination = Destination::Session;
            let change = PermissionChange::SetMode { mode, destination };
            PermissionRequest::allow_and_remember([change.into()])
        })
        .on("", move |call: PostToolUse| {
            let mode = call.base.permission_mode.map(|mode| mode.to_string());
            seen.lock().unwrap().push((call.tool_name, mode));
        })
        .build()
        .unwrap();
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        echo("before"),
        Scene::call("Agent", task),
        Scene::call("Run", json!({"text": "now"})),
        Scene::say("looked"),
        echo("after"),
        Scene::say("ok"),
    ];
    let stage = stage_with(scenes, |builder| {
        builder
            .tool(crate::support::Echo::new("Run", Access::Run))
            .hooks(hooks)
            .permissions(Permissions::new(PermissionMode::Default))
    });
    stage.agent.run("go").await;
    let modes = modes.lock().unwrap().clone();
    let modes: Vec<(&str, &str)> = modes
        .iter()
        .map(|(tool, mode)| (tool.as_str(), mode.as_deref().unwrap()))
        .collect();
    assert_eq!(
        modes,
        [
            ("Echo", "default"),
            ("Run", "acceptEdits"),
            ("Agent", "acceptEdits"),
            ("Echo", "acceptEdits"),
        ]
    );
}

/// A hook that stops the agent at one call, once another one is about to run as well.
fn stopping_beside_others() -> HookSet {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let stopped = Arc::new(tokio::sync::Notify::new());
    HookSet::builder()
        .on("Echo", move |call: PreToolUse| {
            let (both, stopped) = (Arc::clone(&both), Arc::clone(&stopped));
            async move {
                both.wait().await;
                if call.tool_input["text"] == "1" {
                    stopped.notify_one();
                    return PreToolUse::stop_agent("enough");
                }
                stopped.notified().await;
                tokio::time::sleep(Duration::from_millis(50)).await;
                PreToolUse::allow()
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn once_a_hook_has_stopped_the_agent_a_call_beside_it_does_not_begin() {
    let both = echo("1").and_call("Echo", json!({"text": "2"}));
    let stage = stage([both, Scene::say("ok")], stopping_beside_others());
    let mut session = stage.agent.start().await;
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Halted("enough".into()));
    assert!(stage.echo.seen().is_empty(), "{:?}", stage.echo.seen());
    session.prompt("go on").await;
    let told = words(stage.requests()[1].messages.last().unwrap());
    assert!(
        told.contains("This call did not run: the agent was stopped."),
        "{told}"
    );
}

/// A tool whose calls wait for each other.
struct Meeting(tokio::sync::Barrier);

#[async_trait]
impl Tool for Meeting {
    fn name(&self) -> &'static str {
        "Meet"
    }

    fn description(&self) -> &'static str {
        "Waits for the other call."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        let met = tokio::time::timeout(Duration::from_mins(1), self.0.wait()).await;
        met.map(|_| ToolOutput::text("met"))
            .map_err(|_| ToolError::new("nobody came"))
    }
}

#[tokio::test]
async fn calls_that_only_read_run_beside_each_other() {
    let both = Scene::call("Meet", json!({})).and_call("Meet", json!({}));
    let stage = stage_with([both, Scene::say("ok")], |builder| {
        builder.tool(Meeting(tokio::sync::Barrier::new(2)))
    });
    stage.agent.run("go").await;
    let results = words(stage.requests()[1].messages.last().unwrap());
    assert_eq!(results, "met\nmet");
}
