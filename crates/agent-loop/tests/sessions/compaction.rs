//! Conversations that grow too large.

use std::sync::{Arc, Mutex};

use agent_loop::{Compaction, ModelError, Scene, Scripted, StopReason};
use hook_runner::HookSet;
use hook_types::{Event, PreCompact, StopError};

use crate::recorder::Recorder;
use crate::support::{all_words, echo, stage, stage_with};

#[tokio::test]
async fn a_conversation_that_grows_too_large_is_summarised_by_the_model() {
    let recorder = Recorder::default();
    let directory = tempfile::tempdir().unwrap();
    let scenes = [
        Scene::say("ok").using(900, 50),
        Scene::say("they said hello").expecting("[user] \"hello\""),
        Scene::say("fine").using(100, 10),
    ];
    let model = Scripted::new(scenes).with_context_window(1_000);
    let stage = stage_with([], |builder| {
        builder
            .model(model.clone())
            .runner(Arc::new(recorder.clone()))
            .transcripts_in(directory.path())
    });
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    let result = session.prompt("how are you?").await;
    assert_eq!(result.text, "fine");
    let requests = model.requests();
    assert!(requests[1].tools.is_empty(), "the summary needs no tools");
    let after = all_words(&requests[2]);
    assert!(after.ends_with("they said hello\nhow are you?"), "{after}");
    assert!(!all_words(&requests[1]).contains("how are you?"));
    let names = recorder.names();
    let at = |name: &str| names.iter().rposition(|held| *held == name).unwrap();
    assert!(at("PreCompact") < at("PostCompact") && at("PostCompact") < at("SessionStart"));

    let resumed = stage.agent.resume(session.transcript_path()).await.unwrap();
    assert_eq!(
        resumed.messages(),
        session.messages(),
        "what was before the summary is gone"
    );
}

#[tokio::test]
async fn a_summary_that_fails_leaves_the_conversation_as_it_is() {
    let error = ModelError::new(StopError::ServerError, "no");
    let stage = stage([Scene::say("ok"), Scene::fail(&error)], HookSet::default());
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    let before = session.messages().to_vec();
    let done = session.compact(Some("keep the names")).await;
    assert!(matches!(done, Compaction::Failed(_)));
    assert!(all_words(&stage.requests()[1]).ends_with("keep the names"));
    assert_eq!(session.messages(), before);
}

#[tokio::test]
async fn a_summary_that_was_cut_or_refused_replaces_nothing() {
    for (stop, why) in [
        (StopReason::MaxTokens, "limit of tokens"),
        (StopReason::Refusal, "refused"),
    ] {
        let half = Scene::say("they said").stopping(&stop);
        let stage = stage([Scene::say("ok"), half], HookSet::default());
        let mut session = stage.agent.start().await;
        session.prompt("hello").await;
        let before = session.messages().to_vec();
        let done = session.compact(None).await;
        assert!(
            matches!(&done, Compaction::Failed(problem) if problem.contains(why)),
            "{done:?}"
        );
        assert_eq!(session.messages(), before);
    }
}

#[tokio::test]
async fn a_refused_summary_is_not_asked_for_again_at_once() {
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    let hooks = HookSet::builder()
        .on("auto", move |_: PreCompact| {
            *counted.lock().unwrap() += 1;
            PreCompact::deny("not now")
        })
        .build()
        .unwrap();
    let scenes = [
        echo("a").using(900, 50),
        echo("b").using(910, 50),
        Scene::say("ok").using(920, 50),
    ];
    let model = Scripted::new(scenes).with_context_window(1_000);
    let stage = stage_with([], |builder| builder.model(model.clone()).hooks(hooks));
    let result = stage.agent.run("go").await;
    assert!(result.is_finished());
    assert_eq!(*asked.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_summary_that_is_itself_too_large_is_not_summarised_at_once() {
    let scenes = [
        Scene::say("ok").using(900, 50),
        Scene::say("a long story ".repeat(500)),
        echo("hi"),
        Scene::say("fine"),
    ];
    let model = Scripted::new(scenes).with_context_window(1_000);
    let stage = stage_with([], |builder| builder.model(model.clone()));
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    assert_eq!(session.prompt("and now?").await.text, "fine");
    assert_eq!(model.requests().len(), 4);
}
