//! The events around a request, and around the choice of the model.

use std::sync::Arc;

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::permission::{AllowAll, approver_fn};
use agent_loop::{Approval, Ending, Scene, Scripted, Session};
use hook_runner::HookSet;
use hook_types::Field::{
    AdditionalContext, Allow, Ask, Continue, LlmRequest, LlmResponse, SystemMessage,
    ToolConfig as ToolConfigField,
};
use hook_types::{
    Event, EventName, ModelStreamEnd, ModelStreamStart, PostModelResponse, PostModelSwitch,
    PreModelRequest, PreModelSwitch, PreToolSelection, SwitchSource, ToolConfig, ToolMode,
};
use serde_json::json;

use crate::honoured;
use crate::set_up::{on, only_the_user_is_told, provoke, the_turn_ends};
use crate::support::{Stage, all_words, echo, stage, stage_with, words};

/// Asks for another model; that one, and whether it is used.
async fn switch(session: &mut Session) -> (Scripted, bool) {
    let other = Scripted::new([Scene::say("I am new")]).named("other");
    let model = Arc::new(other.clone());
    let switched = session
        .switch_model(model, SwitchSource::Command, Some("o"))
        .await;
    (other, switched.is_ok())
}

async fn is_switched(stage: &Stage) -> bool {
    let mut session = stage.agent.start().await;
    let (other, switched) = switch(&mut session).await;
    session.prompt("go").await;
    assert_eq!(
        other.requests().len(),
        usize::from(switched),
        "it is asked if it is used"
    );
    assert_eq!(stage.requests().len(), usize::from(!switched));
    switched
}

fn one_reply(hooks: HookSet) -> Stage {
    stage([Scene::say("I am old")], hooks)
}

honoured! {
    PreModelRequest as pre_model_request {
        it_is_not_sent_and_the_reason_stays: Block => async {
            let hooks = HookSet::builder()
                .on("", |request: PreModelRequest| {
                    if request.llm_request.to_string().contains("again") {
                        PreModelRequest::pass()
                    } else {
                        PreModelRequest::deny("over budget")
                    }
                })
                .build()
                .unwrap();
            let play = provoke(EventName::PreModelRequest, hooks).await;
            assert_eq!(play.results[0].ending, Ending::EndedByHook("over budget".into()));
            assert_eq!(play.results[0].requests, 1, "it was about to be asked");
            assert!(all_words(&play.stage.requests()[0]).contains("over budget"));
            assert!(all_words(&play.stage.requests()[0]).contains("again"));
        };
        another_request_is_sent: F(LlmRequest) => async {
            let hooks = on(|_: PreModelRequest| PreModelRequest::send(json!({
                "messages": [{"role": "user", "content": "say nothing"}],
                "config": {"temperature": 0},
            })));
            let play = provoke(EventName::PreModelRequest, hooks).await;
            let first = &play.stage.requests()[0];
            assert_eq!(all_words(first), "say nothing");
            assert_eq!(first.config["temperature"], 0);
            assert_eq!(first.system, "Be brief.");
        };
        the_model_is_not_asked: F(LlmResponse) => async {
            let hooks = on(|_: PreModelRequest| PreModelRequest::respond(json!({"content": "from the cache"})));
            let play = provoke(EventName::PreModelRequest, hooks).await;
            assert_eq!(play.asked(), 0);
            assert_eq!(play.results[0].text, "from the cache");
        };
        context_stands_at_the_end_and_stays: F(AdditionalContext) => async {
            let hooks = on(|_: PreModelRequest| PreModelRequest::context("be kind"));
            let stage = stage([echo("hi"), Scene::say("ok")], hooks);
            stage.agent.run("go").await;
            let requests = stage.requests();
            assert!(words(requests[0].messages.last().unwrap()).contains("be kind"));
            assert_eq!(all_words(&requests[1]).matches("be kind").count(), 2);
        };
        it_is_not_sent: F(Continue) => the_turn_ends::<PreModelRequest>(0);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PreModelRequest>();
    }
    PostModelResponse as post_model_response {
        another_reply_is_taken: F(LlmResponse) => async {
            let hooks = on(|reply: PostModelResponse| {
                assert!(reply.llm_response["tool_calls"].is_array());
                PostModelResponse::respond(json!({"content": "[redacted]"}))
            });
            let play = provoke(EventName::PostModelResponse, hooks).await;
            assert!(play.stage.echo.seen().is_empty(), "the call was part of the reply");
            assert_eq!(play.results[0].text, "[redacted]");
            assert!(all_words(&play.stage.requests()[1]).starts_with("go\n[redacted]\nagain"));
        };
        its_calls_do_not_run: F(Continue) => async {
            the_turn_ends::<PostModelResponse>(1).await;
            let hooks = on(|_: PostModelResponse| PostModelResponse::stop_agent("enough"));
            assert!(provoke(EventName::PostModelResponse, hooks).await.stage.echo.seen().is_empty());
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PostModelResponse>();
    }
    ModelStreamStart as model_stream_start {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<ModelStreamStart>();
    }
    ModelStreamEnd as model_stream_end {
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<ModelStreamEnd>();
    }
    PreToolSelection as pre_tool_selection {
        the_model_is_not_asked: Block => async {
            let hooks = on(|_: PreToolSelection| PreToolSelection::deny("no tools, no talk"));
            let play = provoke(EventName::PreToolSelection, hooks).await;
            assert_eq!(play.asked(), 0);
            assert_eq!(play.results[0].ending, Ending::EndedByHook("no tools, no talk".into()));
        };
        the_model_is_told_of_these_tools_only: F(ToolConfigField) => async {
            let hooks = on(|choice: PreToolSelection| {
                assert!(choice.tool_names.contains(&"Agent".to_owned()));
                PreToolSelection::pass().choosing_from(ToolConfig {
                    mode: Some(ToolMode::Any),
                    allowed_function_names: Some(vec!["Echo".into()]),
                })
            });
            let play = provoke(EventName::PreToolSelection, hooks).await;
            let first = &play.stage.requests()[0];
            let offered: Vec<&str> = first.tools.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(offered, ["Echo"]);
            assert_eq!(first.tool_choice, agent_loop::ToolChoice::Any);
        };
        nobody_is_asked: F(Continue) => the_turn_ends::<PreToolSelection>(0);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PreToolSelection>();
    }
    PreModelSwitch as pre_model_switch {
        the_model_stays: Block => async {
            assert!(!is_switched(&one_reply(on(|_: PreModelSwitch| PreModelSwitch::deny("too dear")))).await);
        };
        it_is_used: F(Allow) => async {
            assert!(is_switched(&one_reply(on(|_: PreModelSwitch| PreModelSwitch::allow()))).await);
        };
        somebody_is_asked: F(Ask) => async {
            let hooks = || on(|_: PreModelSwitch| PreModelSwitch::ask("sure?"));
            assert!(!is_switched(&one_reply(hooks())).await, "nobody is there");
            let scenes = || [Scene::say("I am old")];
            let yes = stage_with(scenes(), |builder| builder.hooks(hooks()).approver(AllowAll));
            assert!(is_switched(&yes).await);
            let no = approver_fn(|_| async { Approval::deny("no") });
            let no = stage_with(scenes(), |builder| builder.hooks(hooks()).approver(no));
            assert!(!is_switched(&no).await);
        };
        the_model_stays_after_a_stop: F(Continue) => async {
            assert!(!is_switched(&one_reply(on(|_: PreModelSwitch| PreModelSwitch::stop_agent("no")))).await);
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PreModelSwitch>();
    }
    PostModelSwitch as post_model_switch {
        the_new_model_is_told_once: F(AdditionalContext) => async {
            let hooks = on(|switch: PostModelSwitch| PostModelSwitch::context(format!("you replace {}", switch.from_model)));
            let stage = one_reply(hooks);
            let mut session = stage.agent.start().await;
            let (_, _) = switch(&mut session).await;
            let (other, _) = switch(&mut session).await;
            session.prompt("go").await;
            let told = all_words(&other.requests()[0]);
            assert!(told.contains("you replace other"), "{told}");
            assert!(!told.contains("you replace scripted"), "only the last switch counts");
        };
    }
}
