//! Conversations that grow too large.

use std::sync::{Arc, Mutex};

use agent_loop::{
    Compaction, Ending, Model, ModelError, ModelRequest, ReplyStream, Scene, Scripted, StopReason,
    Trouble,
};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::{Error, Event, PreCompact, SessionStart, StopError};

use crate::pairs::assert_well_formed;
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

#[tokio::test]
async fn a_conversation_that_the_model_cannot_hold_is_summarised_all_the_same() {
    let long = format!("the key is under {} the mat", "x".repeat(50_000));
    let scenes = [
        Scene::say("ok").using(10, 10),
        Scene::say("there is a key"),
        Scene::say("fine"),
    ];
    let model = Scripted::new(scenes).with_context_window(1_000);
    let stage = stage_with([], |builder| builder.model(model.clone()));
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    session.prompt(long.as_str()).await;
    let whole = session.compact(None).await;
    assert!(matches!(whole, Compaction::Failed(_)), "the script is over");
    let asked = all_words(model.requests().last().unwrap());
    assert!(asked.len() < 5_000, "{} bytes", asked.len());
    assert!(
        asked.contains("the key is under") && asked.contains("the mat"),
        "{asked}"
    );
    assert!(asked.contains("bytes are left out here"), "{asked}");
    assert!(asked.contains("there is a key\"\n"), "{asked}");
}

/// A model that finds a conversation too long when its script says so.
struct Narrow(Scripted);

#[async_trait]
impl Model for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let reply = self.0.stream(request).await;
        reply.map_err(|error| ModelError::of(Trouble::ContextTooLong, error.message))
    }
}

fn too_long() -> Scene {
    Scene::fail(&ModelError::new(
        StopError::InvalidRequest,
        "prompt is too long",
    ))
}

#[tokio::test]
async fn a_conversation_that_the_service_finds_too_long_is_summarised_and_asked_about_again() {
    let recorder = Recorder::default();
    let scenes = [
        Scene::say("ok"),
        too_long(),
        Scene::say("they said hello"),
        Scene::say("fine"),
    ];
    let model = Scripted::new(scenes);
    let stage = stage_with([], |builder| {
        builder
            .model(Narrow(model.clone()))
            .runner(Arc::new(recorder.clone()))
    });
    let mut session = stage.agent.start().await;
    session.prompt("hello").await;
    let result = session.prompt("how are you?").await;
    assert_eq!(
        (result.ending, result.text.as_str()),
        (Ending::Finished, "fine")
    );
    let last = all_words(model.requests().last().unwrap());
    assert!(last.ends_with("they said hello\nhow are you?"), "{last}");
    assert_well_formed(session.messages());
    let told: Vec<_> = recorder
        .events()
        .iter()
        .filter_map(|event| Error::of(event)?.error_details.clone())
        .collect();
    assert_eq!(told, ["invalid_request; the conversation is summarised"]);
    assert!(!recorder.names().contains(&"StopFailure"));
}

#[tokio::test]
async fn a_conversation_that_stays_too_long_is_a_failure_and_so_is_one_that_a_hook_keeps() {
    for (hooks, asked) in [
        (HookSet::builder(), 4),
        (
            HookSet::builder().on("auto", |_: PreCompact| PreCompact::deny("not now")),
            2,
        ),
    ] {
        let scenes = [
            Scene::say("ok"),
            too_long(),
            Scene::say("short"),
            too_long(),
        ];
        let model = Scripted::new(scenes);
        let stage = stage_with([], |builder| {
            let builder = builder.model(Narrow(model.clone()));
            builder.hooks(hooks.build().unwrap())
        });
        let mut session = stage.agent.start().await;
        session.prompt("hello").await;
        let result = session.prompt("how are you?").await;
        let Ending::Failed(error) = result.ending else {
            panic!("{:?}", result.ending);
        };
        assert_eq!(error.trouble, Some(Trouble::ContextTooLong));
        assert_eq!(model.requests().len(), asked);
    }
}

#[tokio::test]
async fn what_a_hook_says_at_a_new_start_takes_the_place_of_what_it_said_before() {
    let starts = Mutex::new(0);
    let hooks = HookSet::builder()
        .on("", move |_: SessionStart| {
            let mut starts = starts.lock().unwrap();
            *starts += 1;
            SessionStart::context(format!("start {starts}"))
        })
        .on("startup", |_: SessionStart| {
            SessionStart::context("the branch is main")
        })
        .build()
        .unwrap();
    let scenes = ["ok", "a summary", "fine", "another", "well"].map(Scene::say);
    let stage = stage(scenes, hooks);
    let mut session = stage.agent.start().await;
    for _ in 0..2 {
        session.prompt("hello").await;
        let done = session.compact(None).await;
        assert!(matches!(done, Compaction::Done { .. }), "{done:?}");
    }
    session.prompt("and now?").await;
    let system = &stage.requests()[4].system;
    assert!(system.contains("the branch is main"), "{system}");
    assert!(system.contains("start 3"), "{system}");
    assert!(
        !system.contains("start 1") && !system.contains("start 2"),
        "{system}"
    );
}
