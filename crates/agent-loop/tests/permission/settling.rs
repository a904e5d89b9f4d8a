//! Whoever is asked, and what the answer does.

use agent_loop::permission::{DeniedBy, HookOpinion, Permissions, Settled, approver_fn};
use agent_loop::{Approval, Question};
use hook_types::{
    Decision, Destination, Event, GrantedBy, PermissionChange, PermissionCheck, PermissionMode,
    PermissionRequest, PermissionRule, PermissionUpdate, RuleBehavior,
};
use serde_json::json;

use super::scene::{Scene, refused, run, says};

fn quiet() -> HookOpinion {
    HookOpinion::default()
}

fn remember(mode: &str) -> PermissionUpdate {
    PermissionUpdate::from(PermissionChange::SetMode {
        mode: mode.into(),
        destination: Destination::Session,
    })
}

#[tokio::test]
async fn where_nobody_can_answer_the_model_is_not_told_that_a_user_refused() {
    let scene = Scene::new(PermissionMode::Default).headless();
    let settled = scene.bash("git push", &quiet()).await;
    let Settled::Refuse {
        message,
        interrupt,
        by,
        ..
    } = settled
    else {
        panic!("{settled:?}");
    };
    assert_eq!((interrupt, by), (false, DeniedBy::Absence));
    assert!(message.contains("nobody is there"), "{message}");
    assert!(message.contains("No user has rejected it"), "{message}");
}

#[tokio::test]
async fn where_nobody_can_answer_a_hook_still_can() {
    let scene = Scene::new(PermissionMode::Default)
        .headless()
        .hooks(|hooks| hooks.on("", |_: PermissionRequest| PermissionRequest::allow()));
    let settled = scene.bash("git push", &quiet()).await;
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
async fn where_nobody_can_answer_a_hooks_reason_for_asking_reaches_the_model() {
    let scene = Scene::new(PermissionMode::BypassPermissions).headless();
    let settled = scene.bash("git push", &says(Decision::Ask)).await;
    assert!(refused(&settled).unwrap().contains("the hook's words"));
}

#[tokio::test]
async fn in_dont_ask_the_user_is_not_asked_but_hooks_are() {
    let scene = Scene::new(PermissionMode::DontAsk);
    let settled = scene.bash("git push", &quiet()).await;
    assert!(refused(&settled).unwrap().contains("`dontAsk`"));
    assert!(!scene.happened().contains(&"asked".to_owned()));

    let scene = Scene::new(PermissionMode::DontAsk)
        .hooks(|hooks| hooks.on("", |_: PermissionRequest| PermissionRequest::allow()));
    assert!(run(&scene.bash("git push", &quiet()).await).is_some());
}

#[tokio::test]
async fn a_hook_that_answers_no_is_named_and_can_end_the_turn() {
    let scene = Scene::new(PermissionMode::Default).hooks(|hooks| {
        hooks.on("", |_: PermissionRequest| {
            PermissionRequest::deny("not on a Friday").and_interrupt()
        })
    });
    let settled = scene.bash("git push", &quiet()).await;
    let Settled::Refuse {
        message,
        interrupt,
        by,
        hook,
    } = settled
    else {
        panic!("{settled:?}");
    };
    assert_eq!(
        (message.as_str(), interrupt, by),
        ("not on a Friday", true, DeniedBy::Hook)
    );
    assert!(hook.is_some());
}

#[tokio::test]
async fn a_check_that_refuses_is_named() {
    let scene = Scene::new(PermissionMode::BypassPermissions)
        .hooks(|hooks| hooks.on("", |_: PermissionCheck| PermissionCheck::deny("no")));
    let settled = scene.bash("git push", &says(Decision::Allow)).await;
    assert!(
        matches!(settled, Settled::Refuse { hook: Some(_), .. }),
        "{settled:?}"
    );
}

#[tokio::test]
async fn a_user_who_says_no_can_end_the_turn() {
    let scene = Scene::new(PermissionMode::Default).user(|_| Approval::Deny {
        message: None,
        interrupt: true,
    });
    let settled = scene.bash("git push", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Refuse {
                interrupt: true,
                by: DeniedBy::User,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn a_turn_that_is_interrupted_while_the_user_thinks_runs_nothing() {
    let scene = Scene::new(PermissionMode::Default);
    let interrupted = scene.cancellation.clone();
    let scene = scene.approver(approver_fn(move |_: Question| {
        interrupted.cancel();
        std::future::pending()
    }));
    let settled = scene
        .settle("Bash", json!({"command": "ls"}), &quiet())
        .await;
    assert!(settled.is_err(), "{settled:?}");
}

#[tokio::test]
async fn a_call_is_put_off_only_alone_and_only_where_nobody_can_be_asked() {
    let alone = Scene::new(PermissionMode::Default).headless();
    let settled = alone.bash("git push", &says(Decision::Defer)).await;
    let reason = Some("the hook's words".to_owned());
    assert_eq!(settled, Settled::Defer { reason });

    let input = json!({"command": "git push"});
    for scene in [
        Scene::new(PermissionMode::Default),
        Scene::new(PermissionMode::BypassPermissions)
            .headless()
            .among_others(),
    ] {
        let settlement = scene
            .settle("Bash", input.clone(), &says(Decision::Defer))
            .await
            .unwrap();
        let codes: Vec<&str> = settlement
            .diagnostics
            .iter()
            .map(|odd| odd.code.as_str())
            .collect();
        assert_eq!(codes, ["defer_impossible"]);
        assert!(scene.happened().contains(&"PermissionRequest".to_owned()));
    }
}

#[tokio::test]
async fn a_deny_rule_refuses_what_a_hook_would_put_off() {
    let scene = Scene::with(Permissions::default().deny("Bash").unwrap()).headless();
    let settled = scene.bash("git push", &says(Decision::Defer)).await;
    assert!(refused(&settled).is_some(), "{settled:?}");
}

#[tokio::test]
async fn what_a_hook_has_remembered_counts_from_the_next_call_on() {
    let scene = Scene::new(PermissionMode::Default).hooks(|hooks| {
        hooks.on("", |request: PermissionRequest| {
            let updates = request.permission_suggestions.unwrap_or_default();
            PermissionRequest::allow().remembering(updates)
        })
    });
    scene.bash("git push origin", &quiet()).await;
    let permissions = scene.permissions();
    assert_eq!(
        permissions.rules(&RuleBehavior::Allow),
        ["Bash(git push *)"]
    );
    assert_eq!(permissions.clone().take_unsaved().len(), 1);

    let settled = scene.bash("git push elsewhere", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Run {
                by: GrantedBy::Rule,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn the_mode_that_a_user_chooses_is_the_mode_of_the_next_event() {
    let scene = Scene::new(PermissionMode::Default).user(|_| Approval::Allow {
        input: None,
        remember: vec![remember("acceptEdits")],
    });
    scene.write("a.md", &quiet()).await;
    assert_eq!(
        scene.seen("PermissionGranted")["permission_mode"],
        "acceptEdits"
    );
    let settled = scene.write("b.md", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Run {
                by: GrantedBy::Mode,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn a_hook_cannot_switch_everything_off() {
    let scene = Scene::new(PermissionMode::Default).hooks(|hooks| {
        hooks.on("", |_: PermissionRequest| {
            PermissionRequest::allow().remembering(vec![remember("bypassPermissions")])
        })
    });
    let settlement = scene
        .settle("Bash", json!({"command": "ls"}), &quiet())
        .await
        .unwrap();
    assert_eq!(scene.permissions().mode(), &PermissionMode::Default);
    let odd = settlement.diagnostics[0].message.clone();
    assert!(odd.contains("bypassPermissions"), "{odd}");
}

#[tokio::test]
async fn nothing_is_remembered_of_an_answer_that_refuses() {
    let scene = Scene::new(PermissionMode::Default).user(|_| Approval::deny("no"));
    scene.bash("ls", &quiet()).await;
    assert_eq!(scene.permissions().rules(&RuleBehavior::Allow), [""; 0]);
}

#[tokio::test]
async fn the_users_yes_is_not_carried_over_to_the_next_call() {
    let scene = Scene::new(PermissionMode::Default);
    scene.bash("ls", &quiet()).await;
    scene.bash("ls", &quiet()).await;
    let asked = scene
        .happened()
        .iter()
        .filter(|what| *what == "asked")
        .count();
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn an_edit_through_a_link_is_judged_where_it_leads() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("project")).unwrap();
    std::fs::create_dir(root.join("beside")).unwrap();
    std::os::unix::fs::symlink(root.join("beside"), root.join("project/out")).unwrap();
    let cwd = root.join("project").to_str().unwrap().to_owned();

    let mut scene = Scene::new(PermissionMode::AcceptEdits);
    scene.cwd.clone_from(&cwd);
    scene.write("inside.md", &quiet()).await;
    assert!(!scene.happened().contains(&"asked".to_owned()));
    scene.write("out/a.md", &quiet()).await;
    assert!(scene.happened().contains(&"asked".to_owned()));

    let rule = format!("Edit(/{}/**)", root.join("beside").display());
    let mut scene = Scene::with(
        Permissions::new(PermissionMode::BypassPermissions)
            .deny(&rule)
            .unwrap(),
    );
    scene.cwd.clone_from(&cwd);
    let settled = scene.write("out/a.md", &quiet()).await;
    assert!(refused(&settled).is_some(), "{settled:?}");
}

#[tokio::test]
async fn a_working_directory_that_is_a_link_is_still_the_working_directory() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("real/src")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    let mut scene = Scene::with(
        Permissions::new(PermissionMode::AcceptEdits)
            .ask("Edit(secret/**)")
            .unwrap(),
    );
    scene.cwd = root.join("link").to_str().unwrap().to_owned();
    let settled = scene.write("src/a.md", &quiet()).await;
    assert!(
        matches!(
            settled,
            Settled::Run {
                by: GrantedBy::Mode,
                ..
            }
        ),
        "{settled:?}"
    );
}

#[tokio::test]
async fn rules_that_hooks_add_for_others_to_keep_are_handed_out_once() {
    let scene = Scene::new(PermissionMode::Default).user(|_| Approval::Allow {
        input: None,
        remember: vec![PermissionUpdate::from(PermissionChange::AddRules {
            rules: vec![PermissionRule::new("Bash", Some("ls *"))],
            behavior: RuleBehavior::Allow,
            destination: Destination::UserSettings,
        })],
    });
    scene.bash("ls", &quiet()).await;
    let mut permissions = scene.permissions();
    assert_eq!(permissions.take_unsaved().len(), 1);
    assert_eq!(permissions.take_unsaved().len(), 0);
}

#[tokio::test]
async fn an_allow_rule_has_to_cover_an_edit_as_written_and_where_it_leads() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("project")).unwrap();
    std::fs::create_dir(root.join("beside")).unwrap();
    std::os::unix::fs::symlink(root.join("beside"), root.join("project/out")).unwrap();
    let written = "Edit(out/**)".to_owned();
    let real = format!("Edit(/{}/**)", root.join("beside").display());
    for (rules, asked) in [
        (vec![&written], true),
        (vec![&real], true),
        (vec![&written, &real], false),
        (vec![&"Edit".to_owned()], false),
    ] {
        let made = Permissions::default();
        let made = rules.iter().try_fold(made, |made, rule| made.allow(rule));
        let mut scene = Scene::with(made.unwrap());
        scene.cwd = root.join("project").to_str().unwrap().to_owned();
        scene.write("out/a.md", &quiet()).await;
        let was_asked = scene.happened().contains(&"asked".to_owned());
        assert_eq!(was_asked, asked, "{rules:?}");
    }
}

#[tokio::test]
async fn a_check_that_asks_does_not_take_a_defer_back() {
    let scene = Scene::new(PermissionMode::Default)
        .headless()
        .hooks(|hooks| hooks.on("", |_: PermissionCheck| PermissionCheck::ask("sure?")));
    let settled = scene.bash("git push", &says(Decision::Defer)).await;
    let reason = Some("the hook's words".to_owned());
    assert_eq!(settled, Settled::Defer { reason });
}

#[tokio::test]
async fn an_answering_hook_may_say_yes_where_an_ask_rule_asks() {
    let scene = Scene::with(Permissions::default().ask("Bash").unwrap())
        .hooks(|hooks| hooks.on("", |_: PermissionRequest| PermissionRequest::allow()));
    let settled = scene.bash("ls", &says(Decision::Allow)).await;
    assert!(run(&settled).is_some(), "{settled:?}");
    assert!(!scene.happened().contains(&"asked".to_owned()));
}
