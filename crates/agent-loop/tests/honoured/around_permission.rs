//! `PermissionRequest`, `PermissionDenied`, `PermissionCheck`, `PermissionGranted`.

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::permission::{AllowAll, approver_fn};
use agent_loop::{Access, Approval, Ending, Permissions, Scene};
use hook_runner::HookSet;
use hook_types::Field::{
    Allow, Ask, Continue, Interrupt, Retry, SystemMessage, UpdatedInput, UpdatedPermissions,
};
use hook_types::{
    Destination, Event, EventName, PermissionChange, PermissionCheck, PermissionDenied,
    PermissionGranted, PermissionMode, PermissionRequest,
};
use serde_json::{Value, json};

use crate::honoured;
use crate::set_up::{on, only_the_user_is_told, provoke, run, the_turn_ends};
use crate::support::{Echo, Stage, stage_with};

/// A session in which a call needs permission, and nobody is there to give it; what the tool saw.
async fn unattended(hooks: HookSet) -> (Stage, Vec<Value>, Ending) {
    let tool = Echo::new("Run", Access::Run);
    let seen = tool.clone();
    let stage = stage_with(
        [run("now"), Scene::say("ok"), Scene::say("ok")],
        |builder| {
            builder
                .tool(tool)
                .hooks(hooks)
                .permissions(Permissions::new(PermissionMode::Default))
        },
    );
    let ending = stage.agent.run("go").await.ending;
    (stage, seen.seen(), ending)
}

honoured! {
    PermissionRequest as permission_request {
        the_model_learns_why_not: Block => async {
            let hooks = on(|_: PermissionRequest| PermissionRequest::deny("ask Ann first"));
            let (stage, seen, _) = unattended(hooks).await;
            assert!(seen.is_empty());
            assert!(stage.last().contains("ask Ann first"));
        };
        it_runs_and_nobody_is_asked: F(Allow) => async {
            let (_, seen, _) = unattended(on(|_: PermissionRequest| PermissionRequest::allow())).await;
            assert_eq!(seen, [json!({"text": "now"})]);
        };
        the_tool_gets_the_updated_input: F(UpdatedInput) => async {
            let hooks = on(|_: PermissionRequest| PermissionRequest::allow().rewriting(json!({"text": "later"})));
            let tool = Echo::new("Run", Access::Run);
            let seen = tool.clone();
            let stage = stage_with([run("now"), Scene::say("ok")], |builder| builder
                .tool(tool)
                .hooks(hooks)
                .approver(AllowAll)
                .permissions(Permissions::new(PermissionMode::Default)));
            stage.agent.run("go").await;
            assert_eq!(seen.seen(), [json!({"text": "later"})]);
        };
        the_next_call_needs_no_question: F(UpdatedPermissions) => async {
            let hooks = on(|_: PermissionRequest| PermissionRequest::allow_and_remember([
                PermissionChange::SetMode { mode: PermissionMode::DontAsk, destination: Destination::Session }.into(),
            ]));
            let tool = Echo::new("Run", Access::Run);
            let stage = stage_with([run("now"), Scene::say("ok")], |builder| builder
                .tool(tool)
                .hooks(hooks)
                .permissions(Permissions::new(PermissionMode::Default)));
            let mut session = stage.agent.start().await;
            session.prompt("go").await;
            assert_eq!(session.permission_mode(), PermissionMode::DontAsk);
        };
        the_turn_ends_with_the_refusal: F(Interrupt) => async {
            let hooks = on(|_: PermissionRequest| PermissionRequest::deny("stop it").and_interrupt());
            let (stage, seen, ending) = unattended(hooks).await;
            assert!(seen.is_empty());
            assert_eq!(stage.requests().len(), 1);
            assert!(matches!(ending, Ending::PermissionRefused(why) if why.contains("stop it")));
        };
        the_turn_ends: F(Continue) => crate::set_up::the_turn_ends::<PermissionRequest>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PermissionRequest>();
    }
    PermissionDenied as permission_denied {
        the_model_may_try_again: F(Retry) => async {
            let hooks = on(|denied: PermissionDenied| {
                assert_eq!(denied.tool_name, "Run");
                PermissionDenied::retry()
            });
            let play = provoke(EventName::PermissionDenied, hooks).await;
            assert!(crate::support::all_words(&play.stage.requests()[1]).contains("may be tried again"));
        };
        the_turn_ends: F(Continue) => crate::set_up::the_turn_ends::<PermissionDenied>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PermissionDenied>();
    }
    PermissionCheck as permission_check {
        the_model_learns_why_not: Block => async {
            let hooks = on(|check: PermissionCheck| {
                assert_eq!(check.perm_level.as_deref(), Some("ask"));
                PermissionCheck::deny("not this week")
            });
            let (stage, seen, _) = unattended(hooks).await;
            assert!(seen.is_empty());
            assert!(stage.last().contains("not this week"));
        };
        somebody_is_asked_even_where_everything_is_allowed: F(Ask) => async {
            let tool = Echo::new("Run", Access::Run);
            let seen = tool.clone();
            let stage = stage_with([run("now"), Scene::say("ok")], |builder| builder
                .tool(tool)
                .hooks(on(|_: PermissionCheck| PermissionCheck::ask("are you sure?")))
                .approver(approver_fn(|question| async move {
                    assert_eq!(question.reason, "are you sure?");
                    Approval::deny("no")
                })));
            stage.agent.run("go").await;
            assert!(seen.seen().is_empty());
        };
        the_turn_ends_before_the_tool_runs: F(Continue) => the_turn_ends::<PermissionCheck>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PermissionCheck>();
    }
    PermissionGranted as permission_granted {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PermissionGranted>();
    }
}
