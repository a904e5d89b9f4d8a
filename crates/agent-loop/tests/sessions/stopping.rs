//! How turns and sessions end: by themselves, by hooks, by an interruption, by being dropped.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_loop::{AgentEventKind, Ending, Scene};
use hook_runner::HookSet;
use hook_types::{EndReason, Event, PreToolUse, SessionEnd, Stop, UserInterrupt};

use crate::recorder::Recorder;
use crate::support::{all_words, echo, stage, stage_with};

#[tokio::test]
async fn hooks_cannot_keep_an_agent_going_for_ever() {
    let hooks = HookSet::builder()
        .on("", |stop: Stop| {
            let count = stop.stop_hook_count.unwrap().get();
            assert_eq!(stop.stop_hook_active, count > 0.0);
            Stop::keep_going("more")
        })
        .build()
        .unwrap();
    let stage = stage((0..20).map(|_| Scene::say("done")), hooks);
    let result = stage.agent.run("go").await;
    assert!(result.is_finished());
    assert_eq!(stage.requests().len(), 9, "once, and eight times more");
    assert!(stage.watched.warnings()[0].contains("8 times in a row"));
}

#[tokio::test]
async fn a_tool_call_starts_the_count_again() {
    let hooks = HookSet::builder()
        .on("", |_: Stop| Stop::keep_going("more"))
        .build()
        .unwrap();
    let mut scenes: Vec<Scene> = (0..5).map(|_| Scene::say("done")).collect();
    scenes.push(echo("hi"));
    scenes.extend((0..20).map(|_| Scene::say("done")));
    let stage = stage(scenes, hooks);
    stage.agent.run("go").await;
    assert_eq!(stage.requests().len(), 6 + 9);
}

#[tokio::test]
async fn an_interruption_ends_the_stream_and_keeps_what_had_come() {
    let recorder = Recorder::default();
    let slow = Scene::say("one two three").slowly(Duration::from_millis(200));
    let stage = stage_with([slow, Scene::say("ok")], |builder| {
        builder.runner(Arc::new(recorder.clone()))
    });
    let mut session = stage.agent.start().await;
    let interrupt = session.interrupt_handle();
    let mut events = session.events();
    let watching = tokio::spawn(async move {
        while let Some(arrival) = events.next().await {
            if let agent_loop::Arrival::Event(event) = arrival
                && matches!(event.kind, AgentEventKind::TextDelta(_))
            {
                interrupt.interrupt();
                return;
            }
        }
    });
    let result = session.prompt("go").await;
    watching.await.unwrap();
    assert_eq!(result.ending, Ending::Interrupted);
    let interrupted = recorder
        .events()
        .into_iter()
        .find_map(|event| UserInterrupt::of(&event).cloned());
    assert_eq!(interrupted.unwrap().during.as_str(), "model");
    assert!(!recorder.names().contains(&"Stop"));

    session.prompt("go on").await;
    let said = all_words(&stage.requests()[1]);
    assert!(said.starts_with("go\none "), "{said}");
    assert!(
        said.contains("[The user interrupted the turn.]\ngo on"),
        "{said}"
    );
}

#[tokio::test]
async fn a_hook_that_is_interrupted_gives_no_permission_and_session_end_still_runs() {
    let ended = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&ended);
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| async {
            std::future::pending::<()>().await;
            PreToolUse::allow()
        })
        .on("", move |end: SessionEnd| {
            noted.lock().unwrap().push(end.reason);
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    let mut session = stage.agent.start().await;
    let interrupt = session.interrupt_handle();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        interrupt.interrupt();
    });
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Interrupted);
    assert!(stage.echo.seen().is_empty());
    session.end(EndReason::Unspecified).await;
    assert_eq!(*ended.lock().unwrap(), [EndReason::Unspecified]);
}

#[tokio::test]
async fn a_session_that_is_dropped_ends_all_the_same() {
    let (sent, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let hooks = HookSet::builder()
        .on("", move |_: SessionEnd| sent.send(()).unwrap())
        .build()
        .unwrap();
    let slow = Scene::say("never").slowly(Duration::from_mins(10));
    let stage = stage([slow], hooks);
    let run = tokio::time::timeout(Duration::from_millis(50), stage.agent.run("go"));
    assert!(
        run.await.is_err(),
        "the future is dropped in the middle of the turn"
    );
    let ended = tokio::time::timeout(Duration::from_mins(1), ended.recv()).await;
    assert_eq!(ended.unwrap(), Some(()));
}
