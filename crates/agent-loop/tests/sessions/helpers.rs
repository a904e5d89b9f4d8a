//! Subagents, and hooks that answer late.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_loop::{Ending, Scene};
use hook_runner::{HookSet, Runner, background};
use hook_types::{Event, PostToolUse, PreToolUse};
use serde_json::json;

use crate::recorder::Recorder;
use crate::support::{all_words, echo, stage, stage_with, words};

#[tokio::test]
async fn a_subagents_events_name_it_and_the_main_agents_do_not() {
    let recorder = Recorder::default();
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        Scene::call("Agent", task),
        echo("in the cellar"),
        Scene::say("looked"),
        Scene::say("ok"),
    ];
    let stage = stage_with(scenes, |builder| builder.runner(Arc::new(recorder.clone())));
    stage.agent.run("go").await;
    let inside: Vec<&str> = recorder
        .events()
        .iter()
        .filter(|event| event.base().agent_id.is_some() && event.tool_call().is_some())
        .map(|event| event.name().as_str())
        .collect();
    assert_eq!(
        inside,
        [
            "PreToolUse",
            "PermissionCheck",
            "PermissionGranted",
            "PostToolUse"
        ]
    );
    let names = recorder.names();
    let count = |name: &str| names.iter().filter(|held| **held == name).count();
    assert_eq!(
        (
            count("Stop"),
            count("SubagentStop"),
            count("UserPromptSubmit")
        ),
        (1, 1, 1)
    );
    let subagent = &stage.requests()[1];
    assert!(
        subagent.tools.iter().all(|tool| tool.name != "Agent"),
        "no subagents of subagents"
    );
    assert_eq!(all_words(subagent), "look around");
    assert!(words(stage.requests()[3].messages.last().unwrap()).contains("looked"));
}

#[tokio::test]
async fn a_late_answer_reaches_the_next_request_once() {
    let (send, receive) = tokio::sync::oneshot::channel::<()>();
    let receive = Mutex::new(Some(receive));
    let hooks = HookSet::builder()
        .on("Echo", move |_: PostToolUse| {
            let go = receive.lock().unwrap().take();
            background(async move {
                if let Some(go) = go {
                    go.await.unwrap();
                }
                PostToolUse::context("the linter found two problems")
            })
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let scenes = [
        echo("hi"),
        Scene::say("ok"),
        Scene::say("I fix them"),
        Scene::say("fine"),
    ];
    let stage = stage_with(scenes, |builder| builder.runner(Arc::new(runner.clone())));
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    assert!(!stage.last().contains("linter"), "it was not done yet");
    send.send(()).unwrap();
    while runner.in_background() > 0 {
        tokio::task::yield_now().await;
    }
    session.prompt("and?").await;
    let told = stage.last();
    assert!(told.contains("has finished in the background"), "{told}");
    assert_eq!(told.matches("the linter found two problems").count(), 1);
    session.prompt("thanks").await;
    assert_eq!(
        stage
            .last()
            .matches("the linter found two problems")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_stop_in_a_subagent_stops_everybody() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| {
            PreToolUse::stop_agent("found a key")
        })
        .build()
        .unwrap();
    let task = json!({"description": "look", "prompt": "look around"});
    let stage = stage(
        [Scene::call("Agent", task), echo("hi"), Scene::say("never")],
        hooks,
    );
    let result = stage.agent.run("go").await;
    assert_eq!(result.ending, Ending::Halted("found a key".into()));
    assert_eq!(stage.requests().len(), 2);
}

#[tokio::test]
async fn a_stop_beside_a_subagent_stops_the_subagent_too() {
    let hooks = HookSet::builder()
        .on("Echo", |call: PreToolUse| async move {
            if call.base.agent_id.is_none() {
                // The subagent is at work by then.
                tokio::time::sleep(Duration::from_millis(50)).await;
                return PreToolUse::stop_agent("found a key");
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            PreToolUse::pass()
        })
        .build()
        .unwrap();
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        Scene::call("Agent", task).and_call("Echo", json!({"text": "outside"})),
        echo("inside"),
        echo("never"),
        Scene::say("never"),
    ];
    let stage = stage(scenes, hooks);
    let result = stage.agent.run("go").await;
    assert_eq!(result.ending, Ending::Halted("found a key".into()));
    assert!(stage.echo.seen().is_empty(), "{:?}", stage.echo.seen());
    assert_eq!(stage.requests().len(), 2, "nobody is asked any more");
}
