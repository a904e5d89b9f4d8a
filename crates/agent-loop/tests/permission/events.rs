//! Which events fire when: the table of `docs/permissions.md`, row by row.

use agent_loop::permission::{HookOpinion, Permissions};
use hook_types::{
    Decision, Event, PermissionCheck, PermissionDenied, PermissionMode, PermissionRequest,
};
use serde_json::json;

use super::scene::{Scene, refused, run, says};
use agent_loop::Approval;

fn bypass() -> Scene {
    Scene::new(PermissionMode::BypassPermissions)
}

fn asking() -> Scene {
    Scene::new(PermissionMode::Default)
}

fn quiet() -> HookOpinion {
    HookOpinion::default()
}

macro_rules! fires {
    ($($name:ident: $scene:expr, $hooks:expr => [$($event:literal),*];)*) => {$(
        #[tokio::test]
        async fn $name() {
            let scene = $scene;
            scene.bash("git push", &$hooks).await;
            let expected: &[&str] = &[$($event),*];
            assert_eq!(scene.happened(), expected);
        }
    )*};
}

fires! {
    let_through_by_the_mode: bypass(), quiet() => ["PermissionCheck", "PermissionGranted"];
    let_through_by_a_rule:
        Scene::with(Permissions::default().allow("Bash(git *)").unwrap()), quiet()
        => ["PermissionCheck", "PermissionGranted"];
    let_through_by_a_pre_tool_use_hook: asking(), says(Decision::Allow)
        => ["PermissionCheck", "PermissionGranted"];
    let_through_by_the_user: asking(), quiet()
        => ["PermissionCheck", "PermissionRequest", "asked", "PermissionGranted"];
    let_through_by_a_permission_request_hook:
        asking().hooks(|hooks| hooks.on("", |_: PermissionRequest| PermissionRequest::allow())), quiet()
        => ["PermissionCheck", "PermissionRequest", "PermissionGranted"];
    refused_by_a_pre_tool_use_hook: bypass(), says(Decision::Deny) => [];
    refused_by_a_permission_check_hook:
        bypass().hooks(|hooks| hooks.on("", |_: PermissionCheck| PermissionCheck::deny("no"))), quiet()
        => ["PermissionCheck"];
    refused_by_a_rule:
        Scene::with(Permissions::default().deny("Bash").unwrap()), quiet()
        => ["PermissionCheck", "PermissionDenied"];
    refused_by_plan_mode: Scene::new(PermissionMode::Plan), quiet()
        => ["PermissionCheck", "PermissionDenied"];
    refused_by_a_permission_request_hook:
        asking().hooks(|hooks| hooks.on("", |_: PermissionRequest| PermissionRequest::deny("no"))), quiet()
        => ["PermissionCheck", "PermissionRequest"];
    refused_by_the_user: asking().user(|_| Approval::deny("no")), quiet()
        => ["PermissionCheck", "PermissionRequest", "asked"];
    refused_because_nobody_is_there: asking().headless(), quiet()
        => ["PermissionCheck", "PermissionRequest", "PermissionDenied"];
    refused_because_nobody_is_asked: Scene::new(PermissionMode::DontAsk), quiet()
        => ["PermissionCheck", "PermissionRequest", "PermissionDenied"];
    put_off: asking().headless(), says(Decision::Defer) => ["PermissionCheck"];
    a_hooks_ask_in_bypass: bypass(), says(Decision::Ask)
        => ["PermissionCheck", "PermissionRequest", "asked", "PermissionGranted"];
}

#[tokio::test]
async fn a_check_is_told_what_would_happen_without_it() {
    let rules = Permissions::default().deny("Bash(git push *)").unwrap();
    let scene = Scene::with(rules);
    scene.bash("git push origin", &quiet()).await;
    let seen = scene.seen("PermissionCheck");
    assert_eq!(seen["perm_level"], "deny");
    assert_eq!(seen["perm_rule"], "Bash(git push *)");
    assert_eq!(seen["tool_use_id"], "call-1");
}

#[tokio::test]
async fn a_check_that_asks_is_heeded_where_everything_would_pass() {
    let scene =
        bypass().hooks(|hooks| hooks.on("", |_: PermissionCheck| PermissionCheck::ask("sure?")));
    scene.bash("git push", &says(Decision::Allow)).await;
    assert_eq!(scene.seen("asked")["reason"], "sure?");
}

#[tokio::test]
async fn a_check_and_a_pre_tool_use_hook_that_both_ask_give_both_reasons() {
    let scene =
        bypass().hooks(|hooks| hooks.on("", |_: PermissionCheck| PermissionCheck::ask("sure?")));
    scene.bash("git push", &says(Decision::Ask)).await;
    assert_eq!(scene.seen("asked")["reason"], "the hook's words\nsure?");
}

#[tokio::test]
async fn what_was_granted_says_by_whom_and_by_which_rule() {
    let scene = Scene::with(Permissions::default().allow("Bash(git *)").unwrap());
    scene.bash("git push", &quiet()).await;
    let seen = scene.seen("PermissionGranted");
    assert_eq!(seen["granted_by"], "rule");
    assert_eq!(seen["perm_rule"], "Bash(git *)");

    let scene = asking();
    scene.bash("git push", &quiet()).await;
    assert_eq!(scene.seen("PermissionGranted")["granted_by"], "user");
}

#[tokio::test]
async fn a_request_carries_what_could_be_remembered_and_no_call() {
    let scene = asking();
    scene.bash("git push origin main", &quiet()).await;
    let seen = scene.seen("PermissionRequest");
    assert_eq!(
        seen["permission_suggestions"][0]["rules"],
        json!([{"toolName": "Bash", "ruleContent": "git push *"}])
    );
    assert!(seen.get("tool_use_id").is_none(), "{seen}");
}

#[tokio::test]
async fn a_refusal_that_may_be_tried_again_says_so() {
    let scene = Scene::new(PermissionMode::DontAsk)
        .hooks(|hooks| hooks.on("", |_: PermissionDenied| PermissionDenied::retry()));
    let settled = scene.bash("git push", &quiet()).await;
    assert!(refused(&settled).unwrap().contains("may be tried again"));
}

#[tokio::test]
async fn an_order_to_stop_is_heeded_at_each_event_that_takes_one() {
    let stopping = [
        asking().hooks(|hooks| {
            hooks.on("", |_: PermissionCheck| {
                PermissionCheck::pass().and_stop_agent("enough")
            })
        }),
        asking().hooks(|hooks| {
            hooks.on("", |_: PermissionRequest| {
                PermissionRequest::allow().and_stop_agent("enough")
            })
        }),
        asking().headless().hooks(|hooks| {
            hooks.on("", |_: PermissionDenied| {
                PermissionDenied::pass().and_stop_agent("enough")
            })
        }),
    ];
    for scene in stopping {
        let settled = scene.bash("git push", &quiet()).await;
        let agent_loop::permission::Settled::Halt { order, .. } = &settled else {
            panic!("{settled:?}");
        };
        assert_eq!(order.reason.as_deref(), Some("enough"));
        assert_eq!(run(&settled), None);
    }
}
