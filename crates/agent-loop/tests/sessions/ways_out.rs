//! An interruption, or a future that is dropped, leaves nothing half done.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_loop::{
    Access, AgentEvent, AgentEventKind, Ending, Interrupt, Permissions, Scene, Scripted, Toolbox,
};
use hook_runner::HookSet;
use hook_types::{
    EndReason, Event, PermissionGranted, PermissionMode, PermissionRequest, PostModelSwitch,
    PreModelRequest, PreToolSelection, SessionEnd, SessionMessage, SessionStart, SwitchSource,
    ToolConfig, ToolMode, UserInterrupt,
};
use serde_json::json;

use crate::pairs::assert_well_formed;
use crate::support::{Echo, all_words, echo, stage, stage_with, words};

/// Interrupts as soon as somebody asks for it.
fn interrupter() -> (
    tokio::sync::mpsc::UnboundedSender<()>,
    impl FnOnce(Interrupt),
) {
    let (send, mut receive) = tokio::sync::mpsc::unbounded_channel();
    let watch = move |interrupt: Interrupt| {
        tokio::spawn(async move {
            while receive.recv().await.is_some() {
                interrupt.interrupt();
            }
        });
    };
    (send, watch)
}

#[tokio::test]
async fn what_the_user_said_survives_an_interruption_of_the_summary() {
    let (ask, watch) = interrupter();
    let hooks = HookSet::builder()
        .on("", move |message: SessionMessage| {
            let summarised = message.content.contains("was summarised");
            let ask = ask.clone();
            async move {
                if summarised {
                    ask.send(()).unwrap();
                    std::future::pending::<()>().await;
                }
            }
        })
        .build()
        .unwrap();
    let scenes = [
        Scene::say("ok").using(900, 50),
        Scene::say("they said hello"),
        Scene::say("fine").using(100, 10),
    ];
    let model = Scripted::new(scenes).with_context_window(1_000);
    let stage = stage_with([], |builder| builder.model(model.clone()).hooks(hooks));
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    watch(session.interrupt_handle());
    let result = session.prompt("my name is Ada").await;
    assert_eq!(result.ending, Ending::Interrupted);
    session.prompt("what is my name?").await;
    let requests = model.requests();
    let said = all_words(requests.last().unwrap());
    assert!(said.contains("my name is Ada"), "{said}");
    assert_well_formed(&requests.last().unwrap().messages);
}

#[tokio::test]
async fn what_the_model_has_said_survives_a_second_interruption() {
    let (ask, watch) = interrupter();
    let again = ask.clone();
    let hooks = HookSet::builder()
        .on("", move |_: UserInterrupt| {
            let again = again.clone();
            async move {
                again.send(()).unwrap();
                std::future::pending::<()>().await;
            }
        })
        .build()
        .unwrap();
    let slow = Scene::say("one two three").slowly(Duration::from_millis(100));
    let stage = stage_with([slow, Scene::say("ok")], |builder| {
        builder.hooks(hooks).observer(move |event: &AgentEvent| {
            if event.kind == AgentEventKind::TextDelta("two ".to_owned()) {
                ask.send(()).unwrap();
            }
        })
    });
    let mut session = stage.agent.start().await;
    watch(session.interrupt_handle());
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Interrupted);
    session.prompt("go on").await;
    let said = all_words(&stage.requests()[1]);
    assert!(said.starts_with("go\none two"), "{said}");
    assert_well_formed(&stage.requests()[1].messages);
}

#[tokio::test]
async fn a_reply_survives_an_interruption_of_those_who_are_told_of_it() {
    let (ask, watch) = interrupter();
    let hooks = HookSet::builder()
        .on("", |_: PreModelRequest| PreModelRequest::context("be kind"))
        .on("", move |message: SessionMessage| {
            let ask = ask.clone();
            async move {
                if message.content.contains("be kind") {
                    ask.send(()).unwrap();
                    std::future::pending::<()>().await;
                }
            }
        })
        .build()
        .unwrap();
    let stage = stage([Scene::say("it is done"), Scene::say("ok")], hooks);
    let mut session = stage.agent.start().await;
    watch(session.interrupt_handle());
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Interrupted);
    let said: Vec<String> = session.messages().iter().map(words).collect();
    assert!(said.join("\n").contains("it is done"), "{said:?}");
    assert_well_formed(session.messages());
}

#[tokio::test]
async fn a_start_that_is_interrupted_is_a_session_that_can_be_ended() {
    let (ask, watch) = interrupter();
    let ended = Arc::new(Mutex::new(0));
    let noted = Arc::clone(&ended);
    let hooks = HookSet::builder()
        .on("", move |_: SessionStart| {
            let ask = ask.clone();
            async move {
                ask.send(()).unwrap();
                std::future::pending::<()>().await;
            }
        })
        .on("", move |_: SessionEnd| *noted.lock().unwrap() += 1)
        .build()
        .unwrap();
    let stage = stage([], hooks);
    let start = stage.agent.session();
    watch(start.interrupt_handle());
    let session = start.start().await;
    session.end(EndReason::Unspecified).await;
    assert_eq!(*ended.lock().unwrap(), 1);
}

#[tokio::test]
async fn nothing_interrupts_the_end_of_a_conversation_that_is_cleared() {
    let (ask, watch) = interrupter();
    let hooks = HookSet::builder()
        .on("clear", move |_: SessionEnd| {
            let ask = ask.clone();
            async move {
                ask.send(()).unwrap();
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .build()
        .unwrap();
    let stage = stage([Scene::say("ok"), Scene::say("ok")], hooks);
    let mut session = stage.agent.start().await;
    session.prompt("a secret").await;
    watch(session.interrupt_handle());
    session.clear().await;
    session.prompt("hello").await;
    assert_eq!(stage.last(), "hello");
}

#[tokio::test]
async fn a_model_that_is_in_use_is_not_said_to_be_refused() {
    let (ask, watch) = interrupter();
    let hooks = HookSet::builder()
        .on("", move |_: PostModelSwitch| {
            let ask = ask.clone();
            async move {
                ask.send(()).unwrap();
                std::future::pending::<()>().await;
            }
        })
        .build()
        .unwrap();
    let stage = stage([], hooks);
    let mut session = stage.agent.start().await;
    watch(session.interrupt_handle());
    let other = Scripted::new([Scene::say("I am the other")]).named("other");
    let switched = session.switch_model(Arc::new(other), SwitchSource::Sdk, None);
    switched.await.unwrap();
    assert_eq!(session.prompt("who?").await.text, "I am the other");
}

#[tokio::test]
async fn a_session_whose_end_is_dropped_ends_all_the_same() {
    let ended = Arc::new(Mutex::new(0));
    let noted = Arc::clone(&ended);
    let hooks = HookSet::builder()
        .on("", move |_: SessionEnd| {
            let noted = Arc::clone(&noted);
            async move {
                tokio::time::sleep(Duration::from_millis(200)).await;
                *noted.lock().unwrap() += 1;
            }
        })
        .build()
        .unwrap();
    let stage = stage([], hooks);
    let session = stage.agent.start().await;
    let mut events = session.events();
    let end = tokio::time::timeout(Duration::from_millis(20), session.end(EndReason::Logout));
    assert!(end.await.is_err(), "the future is dropped");
    let rest = async { while events.next().await.is_some() {} };
    tokio::time::timeout(Duration::from_mins(1), rest)
        .await
        .unwrap();
    assert_eq!(*ended.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_tool_that_a_hook_keeps_from_the_model_does_not_run() {
    let hooks = HookSet::builder()
        .on("", |_: PreToolSelection| {
            PreToolSelection::pass().choosing_from(ToolConfig {
                mode: Some(ToolMode::Auto),
                allowed_function_names: Some(vec!["Echo".into()]),
            })
        })
        .build()
        .unwrap();
    let run = Echo::new("Run", Access::Run);
    let scenes = [
        Scene::call("Run", json!({"text": "deploy"})).and_call("Echo", json!({"text": "hi"})),
        Scene::say("ok"),
    ];
    let stage = stage_with(scenes, |builder| builder.tool(run.clone()).hooks(hooks));
    stage.agent.run("go").await;
    assert!(run.seen().is_empty());
    assert_eq!(stage.echo.seen().len(), 1);
    assert!(
        stage
            .last()
            .contains("`Run` is not one of the tools that this request told of"),
        "{}",
        stage.last()
    );
}

#[tokio::test]
async fn the_transcript_has_every_message_even_where_no_hook_listens() {
    let directory = tempfile::tempdir().unwrap();
    let slow = Scene::say("never").slowly(Duration::from_mins(10));
    let stage = stage_with([echo("hi"), slow], |builder| {
        builder.transcripts_in(directory.path())
    });
    let mut session = stage.agent.start().await;
    let path = session.transcript_path();
    let dropped = tokio::time::timeout(Duration::from_millis(200), session.prompt("go")).await;
    assert!(dropped.is_err());
    let text = std::fs::read_to_string(path).unwrap();
    let roles: Vec<&str> = text
        .lines()
        .map(|line| {
            if line.contains("tool_result") {
                "result"
            } else {
                "message"
            }
        })
        .collect();
    assert_eq!(roles, ["message", "message", "result"]);
}

#[tokio::test]
async fn a_path_that_an_answering_hook_puts_in_is_written_out_before_it_is_judged() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let granted = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&granted);
    let hooks = HookSet::builder()
        .on("Write", |_: PermissionRequest| {
            PermissionRequest::allow().rewriting(json!({"file_path": "x/../b.txt", "content": "b"}))
        })
        .on("Write", move |call: PermissionGranted| {
            noted
                .lock()
                .unwrap()
                .push(call.tool_input["file_path"].clone());
        })
        .build()
        .unwrap();
    let permissions = Permissions::new(PermissionMode::AcceptEdits);
    let permissions = permissions.ask("Write(./a.txt)").unwrap();
    let write = json!({"file_path": "a.txt", "content": "a"});
    let scenes = [Scene::call("Write", write), Scene::say("ok")];
    let stage = stage_with(scenes, |builder| {
        builder
            .tools(Toolbox::standard())
            .cwd(&root)
            .permissions(permissions)
            .hooks(hooks)
    });
    stage.agent.run("go").await;
    let expected = root.join("b.txt").to_string_lossy().into_owned();
    assert_eq!(*granted.lock().unwrap(), [expected]);
    assert_eq!(std::fs::read_to_string(root.join("b.txt")).unwrap(), "b");
}
