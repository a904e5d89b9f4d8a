//! Inputs that change on the way are judged anew, and a yes is for the input that it was given for.

use agent_loop::Approval;
use agent_loop::permission::{DeniedBy, HookOpinion, Permissions, Rewrite, Settled};
use hook_types::{
    Decision, Event, GrantedBy, PermissionMode, PermissionRequest, PreToolUse, RuleBehavior,
};
use serde_json::{Value, json};

use super::scene::{Scene, pre_tool_use, refused, run};

fn quiet() -> HookOpinion {
    HookOpinion::default()
}

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

/// A scene with one rule for pushing, where a hook answers each request with a push.
fn answering_with_a_push(permissions: Permissions) -> Scene {
    Scene::with(permissions).hooks(|hooks| {
        hooks.on("", |_: PermissionRequest| {
            PermissionRequest::allow().rewriting(bash("git push"))
        })
    })
}

#[tokio::test]
async fn a_hook_that_rewrites_and_allows_allows_what_it_wrote() {
    let (opinion, input) = pre_tool_use(
        |hooks| {
            hooks.on("", |_: PreToolUse| {
                PreToolUse::allow().rewriting(bash("ls"))
            })
        },
        "rm x",
    )
    .await;
    assert_eq!(
        (opinion.decision, opinion.rewrite),
        (Decision::Allow, Rewrite::WithAllow)
    );
    let scene = Scene::new(PermissionMode::Default);
    let settled = scene
        .settle("Bash", input.unwrap(), &opinion)
        .await
        .unwrap()
        .settled;
    assert!(
        matches!(
            settled,
            Settled::Run {
                by: GrantedBy::Hook,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn an_allow_beside_anothers_rewrite_is_for_the_input_that_is_gone() {
    let (opinion, input) = pre_tool_use(
        |hooks| {
            hooks
                .parallel()
                .on("", |_: PreToolUse| PreToolUse::allow())
                .on("", |_: PreToolUse| PreToolUse::rewrite(bash("rm -rf /")))
        },
        "ls",
    )
    .await;
    assert_eq!(
        (opinion.decision, opinion.rewrite),
        (Decision::Allow, Rewrite::Apart)
    );
    let scene = Scene::new(PermissionMode::Default);
    scene
        .settle("Bash", input.unwrap(), &opinion)
        .await
        .unwrap();
    assert!(scene.happened().contains(&"asked".to_owned()));
}

#[tokio::test]
async fn an_allow_beside_a_rewrite_that_lost_does_not_cover_the_one_that_won() {
    let (opinion, input) = pre_tool_use(
        |hooks| {
            hooks
                .parallel()
                .on("", |_: PreToolUse| {
                    PreToolUse::allow().rewriting(bash("ls"))
                })
                .on("", |_: PreToolUse| PreToolUse::rewrite(bash("rm x")))
        },
        "pwd",
    )
    .await;
    assert_eq!(input, Some(bash("rm x")));
    assert_eq!(opinion.rewrite, Rewrite::Apart);
}

#[tokio::test]
async fn what_a_hook_rewrites_to_is_judged_by_the_rules() {
    let (opinion, input) = pre_tool_use(
        |hooks| {
            hooks.on("", |_: PreToolUse| {
                PreToolUse::allow().rewriting(bash("rm x"))
            })
        },
        "ls",
    )
    .await;
    let scene = Scene::with(Permissions::default().deny("Bash(rm *)").unwrap());
    let settled = scene
        .settle("Bash", input.unwrap(), &opinion)
        .await
        .unwrap()
        .settled;
    assert!(
        refused(&settled).unwrap().contains("`Bash(rm *)`"),
        "{settled:?}"
    );
}

#[tokio::test]
async fn what_an_answering_hook_rewrites_to_is_run() {
    let scene = answering_with_a_push(Permissions::default());
    let settled = scene.bash("ls", &quiet()).await;
    assert_eq!(run(&settled), Some(&bash("git push")));
    assert_eq!(
        scene.seen("PermissionGranted")["tool_input"],
        bash("git push")
    );
}

#[tokio::test]
async fn what_an_answering_hook_rewrites_to_may_be_forbidden() {
    let scene = answering_with_a_push(Permissions::default().deny("Bash(git push *)").unwrap());
    let settled = scene.bash("ls", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Refuse {
                by: DeniedBy::Rule,
                ..
            }
        ),
        "{settled:?}"
    );
    assert_eq!(
        scene.seen("PermissionDenied")["tool_input"],
        bash("git push")
    );
}

#[tokio::test]
async fn what_an_answering_hook_rewrites_to_may_have_to_be_asked_about() {
    let scene = answering_with_a_push(Permissions::default().ask("Bash(git push *)").unwrap());
    scene.bash("ls", &quiet()).await;
    let expected = [
        "PermissionCheck",
        "PermissionRequest",
        "asked",
        "PermissionGranted",
    ];
    assert_eq!(scene.happened(), expected);
    assert_eq!(scene.seen("asked")["input"], bash("git push"));
}

#[tokio::test]
async fn in_dont_ask_what_would_have_to_be_asked_about_again_is_refused() {
    let rules = Permissions::new(PermissionMode::DontAsk)
        .ask("Bash(git push *)")
        .unwrap();
    let scene = answering_with_a_push(rules);
    let settled = scene.bash("ls", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Refuse {
                by: DeniedBy::Mode,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn an_answer_that_rewrites_into_what_the_tool_does_not_take_runs_nothing() {
    let scene = Scene::new(PermissionMode::Default).hooks(|hooks| {
        hooks.on("", |_: PermissionRequest| {
            PermissionRequest::allow().rewriting(json!({"comand": "ls"}))
        })
    });
    let settled = scene.bash("ls", &quiet()).await;
    let message = refused(&settled).unwrap();
    assert!(message.contains("`command` is missing"), "{message}");
}

#[tokio::test]
async fn what_the_user_changes_it_to_may_be_forbidden() {
    let rules = Permissions::default().deny("Bash(rm *)").unwrap();
    let scene = Scene::with(rules).user(|_| Approval::Allow {
        input: Some(bash("rm x")),
        remember: Vec::new(),
    });
    let settled = scene.bash("ls", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Refuse {
                by: DeniedBy::Rule,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn what_the_user_changes_it_to_is_not_asked_about_again() {
    let rules = Permissions::default().ask("Bash").unwrap();
    let scene = Scene::with(rules).user(|_| Approval::Allow {
        input: Some(bash("ls -l")),
        remember: Vec::new(),
    });
    let settled = scene.bash("ls", &quiet()).await;
    assert_eq!(run(&settled), Some(&bash("ls -l")));
    assert!(
        matches!(
            settled,
            Settled::Run {
                by: GrantedBy::User,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn rules_that_come_with_a_rewrite_do_not_help_it() {
    let removing = |_: PermissionRequest| {
        let change = json!({"type": "removeRules", "behavior": "deny", "destination": "session",
                            "rules": [{"toolName": "Bash", "ruleContent": "rm *"}]});
        let update = serde_json::from_value(change).unwrap();
        PermissionRequest::allow()
            .rewriting(bash("rm x"))
            .remembering(vec![update])
    };
    let scene = Scene::with(Permissions::default().deny("Bash(rm *)").unwrap())
        .hooks(|hooks| hooks.on("", removing));
    let settled = scene.bash("ls", &quiet()).await;
    assert!(refused(&settled).is_some(), "{settled:?}");
}

#[tokio::test]
async fn nothing_is_remembered_of_a_yes_that_came_to_nothing() {
    let adding = |_: PermissionRequest| {
        let change = json!({"type": "addRules", "behavior": "allow", "destination": "session",
                            "rules": [{"toolName": "Bash"}]});
        let update = serde_json::from_value(change).unwrap();
        PermissionRequest::allow()
            .rewriting(bash("rm x"))
            .remembering(vec![update])
    };
    let scene = Scene::with(Permissions::default().deny("Bash(rm *)").unwrap())
        .hooks(|hooks| hooks.on("", adding));
    scene.bash("ls", &quiet()).await;
    assert_eq!(scene.permissions().rules(&RuleBehavior::Allow), [""; 0]);
}
