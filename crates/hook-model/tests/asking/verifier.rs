//! Hooks of type `agent`: a verifier that looks around, and touches nothing.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_loop::{Agent, Ending, Expectation, Model, Permissions, Scene, Scripted, Toolbox};
use hook_model::{AgentHook, one_model};
use hook_runner::{Fire, Fired, HookRunner, HookSet, Policy, Runner, Session};
use hook_types::{Base, Decision, Event, EventName, PreToolUse, Status, Stop};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Endless, NOT_OK, fact, fire, only, says, secs};

fn verifier(model: impl Model) -> AgentHook {
    AgentHook::new("Are there tests? $ARGUMENTS", one_model(model))
}

/// Fires `Stop` in a directory.
async fn in_directory(directory: &TempDir, hook: AgentHook) -> Fired {
    let hooks = HookSet::builder().hook::<Stop>("", hook).build().unwrap();
    let mut base = Base::default();
    base.cwd = directory.path().to_str().unwrap().to_owned();
    let runner = Runner::with(hooks, Session::new(base), Policy::default());
    runner.fire_event(Stop::new(false).into()).await
}

#[tokio::test]
async fn it_reads_and_searches_where_the_agent_works_and_then_answers() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("lib.rs"), "fn untested() {}\n").unwrap();
    let model = Scripted::new([
        Scene::call("Glob", json!({"pattern": "*.rs"})).using(10, 1),
        Scene::call("Grep", json!({"pattern": "fn", "output_mode": "content"}))
            .expecting("lib.rs")
            .using(20, 2),
        Scene::call("Read", json!({"file_path": "lib.rs"}))
            .expecting("untested")
            .using(30, 3),
        Scene::say(NOT_OK).using(40, 4),
    ]);
    let fired = in_directory(&directory, verifier(model.clone())).await;
    assert_eq!(
        fired.outcome.reason.as_deref(),
        Some("no tests"),
        "{fired:?}"
    );
    let attempt = only(&fired);
    assert_eq!(attempt.hook.kind.as_str(), "agent");
    assert_eq!(fact(attempt, "requests"), Some("4"));
    assert_eq!(fact(attempt, "tokens"), Some("100 read, 10 written"));
    assert_eq!(attempt.reply.evidence.stdout, NOT_OK);
    assert_eq!(fact(attempt, "transcript"), None);
}

#[tokio::test]
async fn it_has_three_tools_and_no_way_to_change_anything() {
    let directory = TempDir::new().unwrap();
    let write = json!({"file_path": "x", "content": "x"});
    let model = Scripted::new([
        Scene::call("Write", write).and_call("Bash", json!({"command": "touch y"})),
        Scene::say(r#"{"ok": true}"#),
    ]);
    in_directory(&directory, verifier(model.clone())).await;
    let offered = &model.requests()[0].tools;
    let offered: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["Read", "Grep", "Glob"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// Its own calls would make a hook on all calls start it again.
#[tokio::test]
async fn what_it_does_fires_no_hooks() {
    let heard = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&heard);
    let judge = Scripted::new([
        Scene::call("Glob", json!({"pattern": "*"})),
        Scene::say(r#"{"ok": true}"#),
    ]);
    let hooks = HookSet::builder()
        .hook::<PreToolUse>("", verifier(judge.clone()))
        .on("", move |_: PreToolUse| {
            counted.fetch_add(1, Ordering::SeqCst);
            PreToolUse::pass()
        })
        .build()
        .unwrap();
    let model = Scripted::new([
        Scene::call("Glob", json!({"pattern": "*.none"})),
        Scene::say("Done."),
    ]);
    let agent = Agent::builder()
        .model(model)
        .tools(Toolbox::standard())
        .hooks(hooks);
    let result = agent.build().run("Look.").await;
    assert_eq!(result.ending, Ending::Finished);
    assert_eq!(judge.left(), 0, "the verifier looked, and answered");
    assert_eq!(
        heard.load(Ordering::SeqCst),
        1,
        "the agent's own call, and no other"
    );
}

#[tokio::test]
async fn it_is_asked_no_more_often_than_it_may() {
    let looks = || Scene::call("Glob", json!({"pattern": "*.none"}));
    let model = Scripted::new([looks(), looks(), looks(), Scene::say(NOT_OK)]);
    let fired = fire(EventName::PreToolUse, verifier(model.clone()).turns(3)).await;
    let why = "the verifier asked its model 3 times and was not done".to_owned();
    assert_eq!(only(&fired).reply.status, Status::Failed(why));
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert_eq!(
        (model.requests().len(), fact(only(&fired), "requests")),
        (3, Some("3"))
    );
}

#[tokio::test(start_paused = true)]
async fn it_ends_at_its_deadline_with_what_it_holds_open() {
    let model = Endless::default();
    let fired = fire(EventName::PreToolUse, verifier(model.clone())).await;
    assert_eq!(
        only(&fired).reply.status,
        Status::TimedOut { limit: secs(60) }
    );
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert_eq!(model.listeners(), 0);
    assert_eq!(
        fact(only(&fired), "requests"),
        Some("1"),
        "what it used is told"
    );
}

#[tokio::test]
async fn a_failure_of_its_model_is_a_failure() {
    let error = agent_loop::ModelError::new(hook_types::StopError::BillingError, "unpaid");
    let fired = fire(
        EventName::PreToolUse,
        verifier(Scripted::new([Scene::fail(&error)])),
    )
    .await;
    let why = "the model could not be asked: billing_error: unpaid".to_owned();
    assert_eq!(only(&fired).reply.status, Status::Failed(why));
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn words_without_an_answer_are_bad_output() {
    let fired = fire(EventName::PreToolUse, verifier(says("I looked around."))).await;
    assert_eq!(only(&fired).reply.status.word(), "bad_output");
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn it_keeps_a_transcript_where_one_is_wanted() {
    let directory = TempDir::new().unwrap();
    let kept = directory.path().join("kept");
    let fired = in_directory(&directory, verifier(says(NOT_OK)).transcripts_in(&kept)).await;
    let path = fact(only(&fired), "transcript").unwrap();
    let written = fs::read_to_string(path).unwrap();
    assert!(path.starts_with(kept.to_str().unwrap()));
    assert!(
        written.contains("Are there tests?") && written.contains("no tests"),
        "{written}"
    );
}

#[tokio::test]
async fn what_the_rules_forbid_to_be_read_it_does_not_read() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join(".env"), "KEY=sesame\n").unwrap();
    let mut unseen = Expectation::default();
    unseen.lacks = vec!["sesame".to_owned()];
    let model = Scripted::new([
        Scene::call("Read", json!({"file_path": ".env"})),
        Scene::say(r#"{"ok": true}"#).expecting_all(unseen),
    ]);
    let rules = Permissions::default().deny("Read(.env)").unwrap();
    let fired = in_directory(&directory, verifier(model.clone()).permissions(rules)).await;
    assert_eq!(only(&fired).reply.status.word(), "no_opinion", "{fired:?}");
    assert_eq!(model.left(), 0);
}

/// It judges a guard as a question does.
#[tokio::test]
async fn it_denies_a_call_and_the_turn_goes_on() {
    let hooks = HookSet::builder().hook::<PreToolUse>("", verifier(says(NOT_OK)));
    let runner = Runner::new(hooks.build().unwrap());
    let verdict = runner
        .fire(PreToolUse::new("Bash", json!({"command": "ls"})))
        .await;
    assert_eq!(verdict.outcome.decision, Decision::Deny);
    assert!(verdict.outcome.stop.is_none());
    assert_eq!(verdict.event, PreToolUse::NAME);
}
