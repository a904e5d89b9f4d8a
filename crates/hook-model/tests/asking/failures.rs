//! What is no answer is a failure, and never a decision; a refusal that can be read is never lost.

use std::sync::Arc;

use agent_loop::{Model, ModelError, Scene, Scripted, StopReason};
use hook_model::PromptHook;
use hook_runner::{Cancellation, Hook, HookRunner};
use hook_types::outcome::Cause;
use hook_types::{Decision, EventName, OnFailure, Status, StopError};

use crate::support::{
    Endless, Flood, NOT_OK, Parrot, asks, fact, fire, odd, only, runner_of_hook, sample_of, says,
    secs,
};

fn service_error() -> ModelError {
    ModelError::new(StopError::AuthenticationFailed, "the key is wrong")
}

#[tokio::test]
async fn an_error_of_the_service_is_a_failure_and_things_take_their_course() {
    for event in [
        EventName::PreToolUse,
        EventName::Stop,
        EventName::PostToolUse,
    ] {
        let fired = fire(event, asks(Scripted::new([Scene::fail(&service_error())]))).await;
        let attempt = only(&fired);
        let expected = "the model could not be asked: authentication_failed: the key is wrong";
        assert_eq!(attempt.reply.status, Status::Failed(expected.to_owned()));
        assert_eq!(fired.outcome.decision, Decision::Pass, "{event}");
        assert!(fired.outcome.stop.is_none(), "{event}");
        assert_eq!(fact(attempt, "requests"), Some("1"));
    }
}

#[tokio::test]
async fn a_failure_blocks_a_guard_where_it_is_told_to() {
    let hook = Hook::new(EventName::PreToolUse, asks(says("Hm."))).on_failure(OnFailure::Block);
    let fired = runner_of_hook(hook)
        .fire_event(sample_of(EventName::PreToolUse))
        .await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    let by = fired.outcome.decided_by.as_ref().unwrap();
    assert_eq!(by.cause, Cause::FailurePolicy);
    assert_eq!(only(&fired).reply.status.word(), "bad_output");
}

#[tokio::test]
async fn words_without_an_answer_are_bad_output() {
    for text in [
        "",
        "I would rather not.",
        r#"{"okay": false}"#,
        r#"{"ok": "maybe"}"#,
    ] {
        let fired = fire(EventName::PreToolUse, asks(says(text))).await;
        assert_eq!(only(&fired).reply.status.word(), "bad_output", "{text}");
        assert_eq!(fired.outcome.decision, Decision::Pass, "{text}");
        assert_eq!(
            only(&fired).reply.evidence.stdout,
            text,
            "it is there to be seen"
        );
    }
}

#[tokio::test]
async fn a_model_that_cannot_be_found_is_a_hook_that_cannot_be_started() {
    let none = |_: Option<&str>| -> Result<Arc<dyn Model>, String> { Err("no model here".into()) };
    let fired = fire(EventName::PreToolUse, PromptHook::new("Fine?", none)).await;
    let expected = Status::LaunchFailed("no model here".to_owned());
    assert_eq!(only(&fired).reply.status, expected);
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_in_time_is_let_go() {
    let model = Endless::default();
    let fired = fire(EventName::PreToolUse, asks(model.clone())).await;
    let limit = secs(30);
    assert_eq!(only(&fired).reply.status, Status::TimedOut { limit });
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert_eq!(model.listeners(), 0, "the reply was dropped");
}

#[tokio::test(start_paused = true)]
async fn the_entrys_own_deadline_comes_first() {
    let hook = Hook::new(EventName::Stop, asks(Endless::default())).timeout(secs(2));
    let fired = runner_of_hook(hook)
        .fire_event(sample_of(EventName::Stop))
        .await;
    assert_eq!(
        only(&fired).reply.status,
        Status::TimedOut { limit: secs(2) }
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_came_before_the_deadline_counts_on_a_guard_and_only_there() {
    let model = Endless {
        says: NOT_OK,
        ..Endless::default()
    };
    let fired = fire(EventName::PreToolUse, asks(model.clone())).await;
    assert!(only(&fired).timed_out());
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(fired.outcome.reason.as_deref(), Some("no tests"));
    let fired = fire(EventName::Stop, asks(model)).await;
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn a_firing_that_is_dropped_drops_the_reply() {
    let model = Endless::default();
    let runner = runner_of_hook(Hook::new(EventName::Stop, asks(model.clone())));
    let firing = tokio::spawn({
        let runner = runner.clone();
        async move { runner.fire_event(sample_of(EventName::Stop)).await }
    });
    while model.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    firing.abort();
    assert!(firing.await.unwrap_err().is_cancelled());
    assert_eq!(model.listeners(), 0);
}

#[tokio::test]
async fn a_firing_that_is_cancelled_drops_the_reply() {
    let model = Endless::default();
    let runner = runner_of_hook(Hook::new(EventName::Stop, asks(model.clone())));
    let until = Cancellation::new();
    let firing = tokio::spawn({
        let (runner, until) = (runner.clone(), until.clone());
        async move {
            runner
                .fire_until(sample_of(EventName::Stop), Some(until))
                .await
        }
    });
    while model.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    until.cancel();
    let fired = firing.await.unwrap();
    assert_eq!(only(&fired).reply.status, Status::Cancelled);
    assert_eq!(model.listeners(), 0);
}

#[tokio::test]
async fn of_a_reply_without_end_so_much_is_read_and_no_more() {
    let fired = fire(EventName::PreToolUse, asks(Flood)).await;
    let attempt = only(&fired);
    assert_eq!(attempt.reply.status.word(), "bad_output");
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert!(attempt.reply.evidence.truncated);
    assert_eq!(attempt.reply.evidence.stdout.len(), 64 * 1024);
}

#[tokio::test]
async fn a_refusal_in_the_part_that_was_read_counts() {
    let long = format!("{NOT_OK}\n{}", "because ".repeat(100));
    let fired = fire(EventName::PreToolUse, asks(says(&long)).most_reply(200)).await;
    assert_eq!(fired.outcome.reason.as_deref(), Some("no tests"));
    assert_eq!(only(&fired).reply.evidence.stdout.len(), 200);
}

/// Nobody knows what an answer would have said that the service cut.
#[tokio::test]
async fn an_answer_that_was_cut_blocks_a_guard_and_is_a_failure_elsewhere() {
    let cut = || Scene::say(r#"{"reason": "I think that"#).stopping(&StopReason::MaxTokens);
    let fired = fire(EventName::PreToolUse, asks(Scripted::new([cut()]))).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(odd(only(&fired)), ["cut"]);
    let fired = fire(EventName::Stop, asks(Scripted::new([cut()]))).await;
    assert_eq!(only(&fired).reply.status.word(), "bad_output");
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn one_that_fails_stands_in_nobodys_way() {
    let fine = Hook::new(EventName::PreToolUse, asks(Parrot(NOT_OK))).id("guard");
    let broken = asks(says("Hm.")).model("another");
    let broken = Hook::new(EventName::PreToolUse, broken).id("broken");
    let group = hook_runner::Group::parallel().hook(broken).hook(fine);
    let set = hook_runner::HookSet::builder()
        .group(group)
        .build()
        .unwrap();
    let runner = hook_runner::Runner::new(set);
    let fired = runner.fire_event(sample_of(EventName::PreToolUse)).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(
        fired.outcome.decided_by.as_ref().unwrap().hook.as_str(),
        "guard"
    );
    assert_eq!(fired.attempts.len(), 2);
}
