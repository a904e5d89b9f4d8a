//! Every row of the contract's table, with and without `continueOnBlock`: what a hook answers where its
//! model says that something is not ok.

use hook_model::{AgentHook, Consequence, OnBlock, consequence, one_model};
use hook_types::{Decision, Effect, EventName, SyncOutput};

use crate::support::{NOT_OK, asks, fire, odd, only, says};

/// `deny` with the reason, and nothing else.
fn refused() -> SyncOutput {
    SyncOutput::deny("no tests")
}

/// `continue: false` with the reason for the user, and nothing else.
fn stopped() -> SyncOutput {
    let mut output = SyncOutput::default();
    output.proceed = Some(false);
    output.stop_reason = Some("no tests".to_owned());
    output
}

fn refused_and_stopped() -> SyncOutput {
    let mut output = stopped();
    output.decision = Decision::Deny;
    output.reason = Some("no tests".to_owned());
    output
}

fn nothing() -> SyncOutput {
    SyncOutput::default()
}

async fn answered(event: EventName, on_block: OnBlock) -> SyncOutput {
    let hook = asks(says(NOT_OK));
    let hook = match on_block {
        OnBlock::End => hook,
        OnBlock::Continue => hook.continue_on_block(),
    };
    only(&fire(event, hook).await)
        .reply
        .output
        .clone()
        .into_inner()
}

macro_rules! rows {
    ($($name:ident: $event:ident, $ends:ident, $continues:ident;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                let event = EventName::$event;
                assert_eq!(answered(event, OnBlock::End).await, $ends());
                assert_eq!(answered(event, OnBlock::Continue).await, $continues());
            }
        )*
    };
}

rows! {
    stop_is_refused_and_the_turn_continues_either_way: Stop, refused, refused;
    subagent_stop_is_refused_and_the_turn_continues_either_way: SubagentStop, refused, refused;
    pre_tool_use_is_denied_and_the_turn_ends_unless_it_continues: PreToolUse, refused_and_stopped, refused;
    post_tool_use_ends_the_turn_unless_it_continues_with_the_reason: PostToolUse, stopped, refused;
    post_tool_batch_ends_the_turn_either_way: PostToolBatch, refused, refused;
    user_prompt_submit_ends_the_turn_either_way: UserPromptSubmit, refused, refused;
    user_prompt_expansion_ends_the_turn_either_way: UserPromptExpansion, refused, refused;
    post_tool_use_failure_tells_the_reason_either_way: PostToolUseFailure, refused, refused;
    task_created_is_refused_either_way: TaskCreated, refused, refused;
    task_completed_is_refused_and_a_teammate_stops_unless_it_continues: TaskCompleted, refused_and_stopped, refused;
    teammate_idle_stops_the_teammate_unless_it_continues: TeammateIdle, stopped, refused;
    permission_request_heeds_nothing: PermissionRequest, nothing, nothing;
    permission_denied_heeds_nothing: PermissionDenied, nothing, nothing;
}

/// "Turn ends" is what a refusal does by itself on these.
#[test]
fn a_refusal_alone_ends_the_turn_where_the_table_says_that_it_ends() {
    assert_eq!(EventName::PostToolBatch.row().effect, Effect::EndTurn);
    assert_eq!(EventName::UserPromptSubmit.row().effect, Effect::Prevent);
    assert_eq!(EventName::UserPromptExpansion.row().effect, Effect::Prevent);
}

/// Of events that the table does not name: a guard is one for a model, too, and nobody is asked in vain.
#[test]
fn every_other_event_is_refused_where_it_takes_a_decision_and_else_not_asked_about() {
    for event in EventName::ALL {
        for on_block in [OnBlock::End, OnBlock::Continue] {
            let refuses = consequence(*event, on_block) != Consequence::Nothing;
            let takes_one = event.row().block_prevents() || event.row().effect == Effect::Feedback;
            let exempt = matches!(
                event,
                EventName::PermissionRequest | EventName::WorktreeRemove
            );
            assert_eq!(refuses, takes_one && !exempt, "{event}");
        }
    }
}

#[tokio::test]
async fn an_event_that_heeds_nothing_is_not_asked_about_and_says_so() {
    for event in [EventName::PermissionRequest, EventName::PermissionDenied] {
        let model = says(NOT_OK);
        let fired = fire(event, asks(model.clone())).await;
        assert_eq!(model.requests().len(), 0, "{event}");
        assert_eq!(odd(only(&fired)), ["not_honoured"], "{event}");
        assert_eq!(fired.outcome.decision, Decision::Pass);

        let verifier = AgentHook::new("Is it fine?", one_model(model.clone()));
        let fired = fire(event, verifier).await;
        assert_eq!(model.requests().len(), 0, "{event}");
        assert!(
            only(&fired).reply.diagnostics[0]
                .message
                .contains("`agent`")
        );
    }
}

#[tokio::test]
async fn ok_is_no_opinion_on_every_event() {
    for event in EventName::ALL {
        let fired = fire(*event, asks(says(r#"{"ok": true, "reason": "fine"}"#))).await;
        let attempt = only(&fired);
        assert_eq!(attempt.reply.status.word(), "no_opinion", "{event}");
        assert_eq!(attempt.reply.output, nothing(), "{event}");
        assert!(fired.outcome.stop.is_none(), "{event}");
    }
}

const IMPOSSIBLE: &str = r#"{"ok": false, "reason": "there is no network", "impossible": true}"#;

#[tokio::test]
async fn what_is_impossible_lets_an_agent_stop_and_the_user_is_told() {
    for event in [EventName::Stop, EventName::SubagentStop] {
        for hook in [
            asks(says(IMPOSSIBLE)),
            asks(says(IMPOSSIBLE)).continue_on_block(),
        ] {
            let fired = fire(event, hook).await;
            assert_eq!(fired.outcome.decision, Decision::Pass, "{event}");
            assert!(!fired.outcome.keeps_going(), "{event}");
            let told = &fired.outcome.system_messages[0].text;
            assert_eq!(told, "It cannot be done: there is no network");
        }
    }
}

#[tokio::test]
async fn impossible_changes_nothing_elsewhere_and_that_is_said() {
    let fired = fire(EventName::PreToolUse, asks(says(IMPOSSIBLE))).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(odd(only(&fired)), ["not_honoured"]);

    let verifier = AgentHook::new("Is it done?", one_model(says(IMPOSSIBLE)));
    let fired = fire(EventName::Stop, verifier).await;
    assert!(
        fired.outcome.keeps_going(),
        "a verifier does not know the word"
    );
    assert_eq!(odd(only(&fired)), ["not_honoured"]);
}

#[tokio::test]
async fn a_refusal_without_a_reason_is_a_refusal() {
    for text in [r#"{"ok": false}"#, r#"{"ok": false, "reason": ""}"#] {
        let fired = fire(EventName::PreToolUse, asks(says(text))).await;
        assert_eq!(fired.outcome.decision, Decision::Deny);
        let reason = fired.outcome.reason.as_deref();
        assert_eq!(
            reason,
            Some("it is not ok, and the model that was asked gave no reason")
        );
        assert_eq!(odd(only(&fired)), ["missing_reason"]);
    }
}

/// A verifier behaves as a question with `continueOnBlock`.
#[tokio::test]
async fn a_verifier_lets_the_turn_go_on() {
    for event in EventName::ALL {
        let verifier = AgentHook::new("Is it fine? $ARGUMENTS", one_model(says(NOT_OK)));
        let verified = only(&fire(*event, verifier).await).reply.output.clone();
        assert_eq!(
            verified,
            answered(*event, OnBlock::Continue).await,
            "{event}"
        );
    }
}
