//! Events that only a host knows of.

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::{ElicitationStep, Host, Scene, Session, TeammateStep};
use hook_runner::HookSet;
use hook_types::Field::{
    Action, Continue, DisplayContent, SystemMessage, WatchPaths, WorktreePath,
};
use hook_types::{
    ConfigChange, ConfigSource, DirectoryAdded, Elicitation, ElicitationAction, ElicitationReply,
    ElicitationResult, Event, EventName, FileChange, FileChanged, MessageDisplay, Number,
    TeammateIdle, WorktreeCreate, WorktreeRemove,
};
use serde_json::json;

use crate::honoured;
use crate::set_up::{on, only_the_user_is_told, provoke};
use crate::support::{all_words, stage};

async fn host(hooks: HookSet) -> (Session, Host) {
    let stage = stage([Scene::say("ok")], hooks);
    let session = stage.agent.start().await;
    let host = session.host();
    (session, host)
}

async fn asked(hooks: HookSet) -> ElicitationStep {
    let (_session, host) = host(hooks).await;
    host.elicitation(Elicitation::new("disk", "Which one?"))
        .await
        .unwrap()
}

async fn answered(hooks: HookSet) -> hook_types::ElicitationAnswer {
    let (_session, host) = host(hooks).await;
    let answer = ElicitationResult::new("disk", ElicitationReply::Accept).content(json!({"n": 1}));
    host.elicitation_result(answer).await.unwrap()
}

fn shown(text: &str) -> MessageDisplay {
    MessageDisplay::new("t", "m", Number::from(0), true, text)
}

honoured! {
    TeammateIdle as teammate_idle {
        it_goes_on_and_is_told_why: Block => async {
            let (_session, host) = host(on(|_: TeammateIdle| TeammateIdle::keep_going("write docs"))).await;
            let step = host.teammate_idle(TeammateIdle::new("ann")).await.unwrap();
            assert!(matches!(step, TeammateStep::KeepWorking(words) if words.contains("write docs")));
        };
        it_stops_for_good: F(Continue) => async {
            let (_session, host) = host(on(|_: TeammateIdle| TeammateIdle::stop_agent("go home"))).await;
            let step = host.teammate_idle(TeammateIdle::new("ann")).await.unwrap();
            assert_eq!(step, TeammateStep::Stop("go home".into()));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<TeammateIdle>();
    }
    Elicitation as elicitation {
        the_question_is_refused: Block => async {
            assert_eq!(asked(on(|_: Elicitation| Elicitation::deny("no"))).await, ElicitationStep::Refuse);
        };
        it_is_answered_in_the_users_place: F(Action) => async {
            let step = asked(on(|_: Elicitation| Elicitation::accept(json!({"n": 2})))).await;
            let ElicitationStep::Answer(answer) = step else { panic!("{step:?}") };
            assert_eq!(answer.content, Some(json!({"n": 2})));
            assert_eq!(asked(HookSet::default()).await, ElicitationStep::AskUser);
        };
    }
    ElicitationResult as elicitation_result {
        the_server_hears_a_no: Block => async {
            let answer = answered(on(|_: ElicitationResult| ElicitationResult::deny("no"))).await;
            assert_eq!((answer.action, answer.content), (ElicitationAction::Decline, None));
        };
        the_server_gets_another_answer: F(Action) => async {
            let answer = answered(on(|_: ElicitationResult| ElicitationResult::accept(json!({"n": 3})))).await;
            assert_eq!(answer.content, Some(json!({"n": 3})));
            assert_eq!(answered(HookSet::default()).await.content, Some(json!({"n": 1})));
        };
    }
    ConfigChange as config_change {
        it_takes_no_effect: Block => async {
            let (_session, host) = host(on(|_: ConfigChange| ConfigChange::deny("no"))).await;
            assert!(!host.config_changed(ConfigChange::new(ConfigSource::UserSettings)).await.unwrap());
            let policy = ConfigChange::new(ConfigSource::PolicySettings);
            assert!(host.config_changed(policy).await.unwrap(), "a policy always takes effect");
        };
    }
    WorktreeCreate as worktree_create {
        there_is_none_and_why: Block => async {
            let (_session, host) = host(on(|_: WorktreeCreate| WorktreeCreate::fail("disk full"))).await;
            let made = host.create_worktree(WorktreeCreate::new("fix")).await.unwrap();
            assert_eq!(made, Err("disk full".into()));
        };
        it_is_where_the_hook_says: F(WorktreePath) => async {
            let (_session, host) = host(on(|tree: WorktreeCreate| WorktreeCreate::worktree(format!("/w/{}", tree.name)))).await;
            let made = host.create_worktree(WorktreeCreate::new("fix")).await.unwrap();
            assert_eq!(made, Ok(Some("/w/fix".into())));
        };
    }
    WorktreeRemove as worktree_remove {
        the_removal_has_failed: Block => async {
            let (_session, host) = host(on(|_: WorktreeRemove| Err::<(), _>("it is in use"))).await;
            let removed = host.remove_worktree(WorktreeRemove::new("/w/fix")).await.unwrap();
            assert!(removed.unwrap_err().contains("it is in use"));
        };
    }
    FileChanged as file_changed {
        the_host_is_told_what_to_watch: F(WatchPaths) => async {
            let (session, host) = host(on(|_: FileChanged| FileChanged::pass().watching(["/b/.env"]))).await;
            host.file_changed(FileChanged::new("/a/.env", FileChange::Change)).await.unwrap();
            assert_eq!(session.watched_paths(), ["/b/.env"]);
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<FileChanged>();
    }
    DirectoryAdded as directory_added {
        the_model_is_told_in_the_users_place: F(SystemMessage) => async {
            let hooks = on(|added: DirectoryAdded| DirectoryAdded::pass().with_message(format!("{} has rules", added.directory)));
            let play = provoke(EventName::DirectoryAdded, hooks).await;
            assert!(all_words(&play.stage.requests()[0]).contains("/b has rules"));
            assert!(play.stage.watched.said_to_user().is_empty());
        };
    }
    MessageDisplay as message_display {
        something_else_is_shown: F(DisplayContent) => async {
            let (_session, host) = host(on(|text: MessageDisplay| MessageDisplay::show(text.delta.to_uppercase()))).await;
            assert_eq!(host.display(shown("hello")).await.unwrap(), "HELLO");
            let stage = stage([], HookSet::default());
            let plain = stage.agent.start().await;
            assert_eq!(plain.host().display(shown("hello")).await.unwrap(), "hello");
        };
    }
}
