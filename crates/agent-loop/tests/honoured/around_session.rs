//! `SessionStart`, prompts, notifications, messages, errors, interruptions, compaction.

use std::time::Duration;

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::permission::approver_fn;
use agent_loop::{AgentEventKind, Approval, Ending, ExpansionStep, Limits, Permissions, Scene};
use hook_types::Field::{
    AdditionalContext, Continue, InitialUserMessage, ReloadSkills, SessionTitle,
    SuppressOriginalPrompt, SystemMessage, WatchPaths,
};
use hook_types::{
    Error, Event, EventName, Notification, PermissionMode, PreCompact, SessionMessage,
    SessionStart, UserInterrupt, UserPromptExpansion, UserPromptSubmit,
};

use crate::honoured;
use crate::set_up::{on, only_the_user_is_told, provoke, run, the_turn_ends};
use crate::support::{Echo, all_words, stage, stage_with, words};

fn deploy() -> UserPromptExpansion {
    UserPromptExpansion::new("slash_command", "deploy", "", "/deploy my-secret")
}

async fn expanded(hooks: hook_runner::HookSet) -> ExpansionStep {
    let stage = stage([], hooks);
    let session = stage.agent.start().await;
    session.host().expand(deploy()).await.unwrap()
}

honoured! {
    SessionStart as session_start {
        context_stands_in_the_system_prompt: F(AdditionalContext) => async {
            let play = provoke(EventName::SessionStart, on(|_: SessionStart| SessionStart::context("on main"))).await;
            for request in play.stage.requests() {
                assert_eq!(request.system.matches("on main").count(), 1);
            }
        };
        the_first_message_is_said_first: F(InitialUserMessage) => async {
            let hooks = on(|_: SessionStart| SessionStart::pass().with_first_message("read the notes"));
            let stage = stage([Scene::say("read"), Scene::say("done")], hooks);
            stage.agent.run("go").await;
            assert_eq!(all_words(&stage.requests()[0]), "read the notes");
            assert_eq!(all_words(&stage.requests()[1]), "read the notes\nread\ngo");
        };
        the_session_gets_the_title: F(SessionTitle) => async {
            let stage = stage([Scene::say("ok")], on(|_: SessionStart| SessionStart::pass().with_title("Spring")));
            let session = stage.agent.start().await;
            assert_eq!(session.title().as_deref(), Some("Spring"));
        };
        the_host_is_told_what_to_watch: F(WatchPaths) => async {
            let stage = stage([], on(|_: SessionStart| SessionStart::pass().watching(["/a/.env"])));
            let session = stage.agent.start().await;
            assert_eq!(session.watched_paths(), ["/a/.env"]);
        };
        the_host_is_told_to_read_skills_again: F(ReloadSkills) => async {
            let stage = stage([], on(|_: SessionStart| SessionStart::pass().reloading_skills()));
            let _session = stage.agent.start().await;
            let told = stage.watched.all();
            assert!(told.iter().any(|event| event.kind == AgentEventKind::ReloadSkills));
        };
        no_turn_runs: F(Continue) => async {
            let play = provoke(EventName::SessionStart, on(|_: SessionStart| SessionStart::stop_agent("closed"))).await;
            assert_eq!(play.asked(), 0);
            assert_eq!(play.results[1].ending, Ending::Halted("closed".into()));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<SessionStart>();
    }
    UserPromptSubmit as user_prompt_submit {
        the_model_never_sees_a_refused_prompt: Block => async {
            let hooks = on(|prompt: UserPromptSubmit| {
                if prompt.prompt == "go" { UserPromptSubmit::deny("not that") } else { UserPromptSubmit::pass() }
            });
            let play = provoke(EventName::UserPromptSubmit, hooks).await;
            assert!(matches!(&play.results[0].ending, Ending::Refused(why) if why.contains("not that")));
            assert!(!play.all_requests().contains("go"));
            assert!(all_words(&play.stage.requests()[0]).starts_with("again"));
        };
        context_stands_behind_the_prompt: F(AdditionalContext) => async {
            let hooks = on(|_: UserPromptSubmit| UserPromptSubmit::context("it is Monday"));
            let play = provoke(EventName::UserPromptSubmit, hooks).await;
            let first = words(&play.stage.requests()[0].messages[0]);
            assert!(first.starts_with("go\n<system-reminder>") && first.contains("it is Monday"), "{first}");
        };
        the_session_gets_the_title: F(SessionTitle) => async {
            let hooks = on(|_: UserPromptSubmit| UserPromptSubmit::pass().with_title("Fix"));
            let stage = stage([Scene::say("ok")], hooks);
            let mut session = stage.agent.start().await;
            session.prompt("go").await;
            assert_eq!(session.title().as_deref(), Some("Fix"));
        };
        the_user_is_not_shown_the_prompt_again: F(SuppressOriginalPrompt) => async {
            let hooks = on(|_: UserPromptSubmit| UserPromptSubmit::deny("a secret").hiding_the_prompt());
            let play = provoke(EventName::UserPromptSubmit, hooks).await;
            assert!(matches!(&play.results[1].ending, Ending::Refused(why) if !why.contains("again")));
        };
        the_model_is_not_asked: F(Continue) => the_turn_ends::<UserPromptSubmit>(0);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<UserPromptSubmit>();
    }
    UserPromptExpansion as user_prompt_expansion {
        the_host_is_told_not_to: Block => async {
            let step = expanded(on(|_: UserPromptExpansion| UserPromptExpansion::deny("not on Fridays"))).await;
            assert!(matches!(step, ExpansionStep::Refuse(why) if why.contains("not on Fridays") && why.contains("my-secret")));
        };
        context_goes_with_the_next_request: F(AdditionalContext) => async {
            let hooks = on(|_: UserPromptExpansion| UserPromptExpansion::context("staging only"));
            let play = provoke(EventName::UserPromptExpansion, hooks).await;
            assert!(all_words(&play.stage.requests()[0]).contains("staging only"));
            assert_eq!(all_words(&play.stage.requests()[2]).matches("staging only").count(), 1);
        };
        the_user_is_not_shown_the_command_again: F(SuppressOriginalPrompt) => async {
            let hooks = on(|_: UserPromptExpansion| UserPromptExpansion::deny("no").hiding_the_prompt());
            assert!(matches!(expanded(hooks).await, ExpansionStep::Refuse(why) if !why.contains("my-secret")));
        };
        the_host_is_told_to_stop: F(Continue) => async {
            let step = expanded(on(|_: UserPromptExpansion| UserPromptExpansion::stop_agent("enough"))).await;
            assert_eq!(step, ExpansionStep::Halt("enough".into()));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<UserPromptExpansion>();
    }
    Notification as notification {
        context_goes_with_the_next_request: F(AdditionalContext) => async {
            let hooks = on(|note: Notification| {
                assert_eq!(note.message, "Run needs your permission");
                Notification::context("the user is away")
            });
            let stage = stage_with([run("now"), Scene::say("ok")], |builder| builder
                .tool(Echo::new("Run", agent_loop::Access::Run))
                .permissions(Permissions::new(PermissionMode::Default))
                .limits(Limits { notify_after: Duration::ZERO, ..Limits::default() })
                .approver(approver_fn(|_| async {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    Approval::allow()
                }))
                .hooks(hooks));
            stage.agent.run("go").await;
            assert_eq!(stage.last().matches("the user is away").count(), 1);
        };
    }
    SessionMessage as session_message {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<SessionMessage>();
    }
    Error as error {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<Error>();
    }
    UserInterrupt as user_interrupt {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<UserInterrupt>();
    }
    PreCompact as pre_compact {
        the_conversation_stays_as_it_is: Block => async {
            let scenes = [Scene::say("one"), Scene::say("two").expecting("first")];
            let stage = stage(scenes, on(|_: PreCompact| PreCompact::deny("not now")));
            let mut session = stage.agent.start().await;
            session.prompt("first").await;
            let done = session.compact(None).await;
            assert_eq!(done, agent_loop::Compaction::Refused("not now".into()));
            assert!(session.prompt("second").await.is_finished());
            assert_eq!(stage.requests().len(), 2, "no summary was asked for");
        };
    }
}
