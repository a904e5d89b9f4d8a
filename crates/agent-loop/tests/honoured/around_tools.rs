//! `PreToolUse`, `PostToolUse`, `PostToolUseFailure`, `PostToolBatch`, tasks and directories.

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::permission::approver_fn;
use agent_loop::{Approval, Ending, Permissions, Scene};
use hook_runner::HookSet;
use hook_types::Field::{
    AdditionalContext, Allow, Ask, ClassifierContext, Continue, Defer, SystemMessage, UpdatedInput,
    UpdatedToolOutput, WatchPaths,
};
use hook_types::{
    CwdChanged, Event, EventName, PermissionMode, PostToolBatch, PostToolUse, PostToolUseFailure,
    PreToolUse, TaskCompleted, TaskCreated,
};
use serde_json::json;

use crate::honoured;
use crate::set_up::{do_it, on, only_the_user_is_told, provoke, run, the_turn_ends};
use crate::support::{Echo, echo, stage_with, words};

honoured! {
    PreToolUse as pre_tool_use {
        a_denied_call_does_not_run_and_the_model_learns_why: Block => async {
            let play = provoke(EventName::PreToolUse, on(|_: PreToolUse| PreToolUse::deny("not today"))).await;
            assert!(play.stage.echo.seen().is_empty());
            assert!(words(play.stage.requests()[1].messages.last().unwrap()).contains("not today"));
        };
        an_allowed_call_runs_without_a_question: F(Allow) => async {
            let run_tool = Echo::new("Run", agent_loop::Access::Run);
            let tool = run_tool.clone();
            let stage = stage_with([run("now"), Scene::say("ok")], |builder| builder
                .tool(tool)
                .permissions(Permissions::new(PermissionMode::Default))
                .hooks(on(|_: PreToolUse| PreToolUse::allow())));
            stage.agent.run("go").await;
            assert_eq!(run_tool.seen().len(), 1);
        };
        somebody_is_asked_even_where_everything_is_allowed: F(Ask) => async {
            let stage = stage_with([echo("hi"), Scene::say("ok")], |builder| builder
                .hooks(on(|_: PreToolUse| PreToolUse::ask("really?")))
                .approver(approver_fn(|question| async move {
                    assert_eq!(question.reason, "really?");
                    Approval::deny("no, thank you")
                })));
            stage.agent.run("go").await;
            assert!(stage.echo.seen().is_empty());
            assert!(stage.last().contains("no, thank you"));
        };
        a_deferred_call_stays_open_and_runs_when_the_session_is_resumed: F(Defer) => async {
            let stage = stage_with([echo("hi"), Scene::say("ok")], |builder| builder
                .hooks(on(|_: PreToolUse| PreToolUse::defer())));
            let mut session = stage.agent.start().await;
            let result = session.prompt("go").await;
            assert!(matches!(&result.ending, Ending::Deferred(call) if call.name == "Echo"));
            assert!(stage.echo.seen().is_empty());
            assert_eq!(stage.requests().len(), 1);
            assert!(session.deferred_call().is_some());
        };
        the_tool_gets_the_updated_input: F(UpdatedInput) => async {
            let hooks = on(|_: PreToolUse| PreToolUse::rewrite(json!({"text": "bye"})));
            let play = provoke(EventName::PreToolUse, hooks).await;
            assert_eq!(play.stage.echo.seen(), [json!({"text": "bye"})]);
        };
        context_stands_next_to_the_result: F(AdditionalContext) => async {
            let play = provoke(EventName::PreToolUse, on(|_: PreToolUse| PreToolUse::context("mind the gap"))).await;
            let last = words(play.stage.requests()[1].messages.last().unwrap());
            assert!(last.starts_with("echo hi\n<system-reminder>"), "{last}");
            assert!(last.contains("mind the gap"));
        };
        nothing_runs_after_a_stop: F(Continue) => async {
            the_turn_ends::<PreToolUse>(1).await;
            let play = provoke(EventName::PreToolUse, on(|_: PreToolUse| PreToolUse::stop_agent("enough"))).await;
            assert!(play.stage.echo.seen().is_empty());
            assert_eq!(play.results[0].ending, Ending::Halted("enough".into()));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PreToolUse>();
    }
    PostToolUse as post_tool_use {
        the_model_sees_the_objection_and_the_result: Block => async {
            let hooks = on(|_: PostToolUse| PostToolUse::feedback("two lines are too long"));
            let play = provoke(EventName::PostToolUse, hooks).await;
            let last = words(play.stage.requests()[1].messages.last().unwrap());
            assert!(last.contains("echo hi") && last.contains("two lines are too long"), "{last}");
        };
        context_stands_next_to_the_result: F(AdditionalContext) => async {
            let play = provoke(EventName::PostToolUse, on(|_: PostToolUse| PostToolUse::context("formatted"))).await;
            assert!(words(play.stage.requests()[1].messages.last().unwrap()).contains("formatted"));
        };
        the_model_sees_the_updated_output: F(UpdatedToolOutput) => async {
            let hooks = on(|_: PostToolUse| PostToolUse::replace_output(json!("[redacted]")));
            let play = provoke(EventName::PostToolUse, hooks).await;
            let last = words(play.stage.requests()[1].messages.last().unwrap());
            assert_eq!(last, "[redacted]");
        };
        whoever_is_asked_next_gets_the_note: F(ClassifierContext) => async {
            let notes = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            let noted = std::sync::Arc::clone(&notes);
            let stage = stage_with([echo("hi"), run("now"), run("again"), Scene::say("ok")], |builder| builder
                .tool(Echo::new("Run", agent_loop::Access::Run))
                .permissions(Permissions::new(PermissionMode::Default))
                .hooks(HookSet::builder()
                    .on("Echo", |_: PostToolUse| PostToolUse::pass().with_classifier_context("seen: secrets"))
                    .build()
                    .unwrap())
                .approver(approver_fn(move |question| {
                    noted.lock().unwrap().extend(question.notes);
                    async { Approval::allow() }
                })));
            stage.agent.run("go").await;
            assert_eq!(*notes.lock().unwrap(), ["seen: secrets"], "once, of two questions");
        };
        the_turn_ends_after_the_call: F(Continue) => the_turn_ends::<PostToolUse>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PostToolUse>();
    }
    PostToolUseFailure as post_tool_use_failure {
        the_model_sees_the_objection_and_the_error: Block => async {
            let hooks = on(|failed: PostToolUseFailure| {
                assert_eq!(failed.error, "it broke");
                PostToolUseFailure::feedback("try the other door")
            });
            let play = provoke(EventName::PostToolUseFailure, hooks).await;
            let last = words(play.stage.requests()[1].messages.last().unwrap());
            assert!(last.contains("it broke") && last.contains("try the other door"), "{last}");
        };
        context_stands_next_to_the_error: F(AdditionalContext) => async {
            let hooks = on(|_: PostToolUseFailure| PostToolUseFailure::context("it is always closed"));
            let play = provoke(EventName::PostToolUseFailure, hooks).await;
            assert!(words(play.stage.requests()[1].messages.last().unwrap()).contains("it is always closed"));
        };
        the_turn_ends_after_the_call: F(Continue) => the_turn_ends::<PostToolUseFailure>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PostToolUseFailure>();
    }
    PostToolBatch as post_tool_batch {
        the_turn_ends_and_the_reason_stays: Block => async {
            let hooks = on(|batch: PostToolBatch| {
                assert_eq!(batch.tool_calls[0].tool_response, Some(json!("echo hi")));
                PostToolBatch::end_turn("one batch is enough")
            });
            let play = provoke(EventName::PostToolBatch, hooks).await;
            assert_eq!(play.results[0].ending, Ending::EndedByHook("one batch is enough".into()));
            assert_eq!(play.results[0].requests, 1);
            assert!(crate::support::all_words(&play.stage.requests()[1]).contains("one batch is enough"));
        };
        context_stands_behind_all_results: F(AdditionalContext) => async {
            let play = provoke(EventName::PostToolBatch, on(|_: PostToolBatch| PostToolBatch::context("all in"))).await;
            assert!(words(play.stage.requests()[1].messages.last().unwrap()).ends_with("all in\n</system-reminder>"));
        };
        the_turn_ends: F(Continue) => crate::set_up::the_turn_ends::<PostToolBatch>(1);
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<PostToolBatch>();
    }
    TaskCreated as task_created {
        a_refused_task_is_not_on_the_list: Block => async {
            let stage = stage_with([do_it("Create"), Scene::say("ok")], |builder| builder
                .tool(crate::set_up::creating())
                .hooks(on(|_: TaskCreated| TaskCreated::deny("no more tasks"))));
            let mut session = stage.agent.start().await;
            session.prompt("go").await;
            assert!(session.tasks().all().is_empty());
            assert!(stage.last().contains("no more tasks"));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<TaskCreated>();
    }
    TaskCompleted as task_completed {
        a_task_that_is_not_done_stays_open: Block => async {
            let stage = stage_with([do_it("Create"), do_it("Complete"), Scene::say("ok")], |builder| builder
                .tool(crate::set_up::creating())
                .tool(crate::set_up::completing())
                .hooks(on(|_: TaskCompleted| TaskCompleted::deny("the tests are red"))));
            let mut session = stage.agent.start().await;
            session.prompt("go").await;
            assert_eq!(session.tasks().all()[0].status, agent_loop::TaskStatus::Pending);
            assert!(stage.last().contains("the tests are red"));
        };
        a_teammate_stops_but_the_agent_does_not: F(Continue) => async {
            let hooks = on(|_: TaskCompleted| TaskCompleted::stop_agent("go home"));
            let stage = stage_with([do_it("Complete"), Scene::say("ok")], |builder| builder
                .tool(crate::set_up::completing())
                .hooks(hooks));
            let mut session = stage.agent.start().await;
            let step = session.host().teammate_task_completed(TaskCompleted::new("9", "x")).await.unwrap();
            assert_eq!(step, agent_loop::TeammateStep::Stop("go home".into()));
            session.prompt("go").await;
            assert_eq!(stage.requests().len(), 2, "a tool's change stops nobody");
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<TaskCompleted>();
    }
    CwdChanged as cwd_changed {
        the_host_is_told_what_to_watch: F(WatchPaths) => async {
            let hooks = on(|moved: CwdChanged| CwdChanged::pass().watching([format!("{}/.env", moved.new_cwd)]));
            let stage = stage_with([do_it("Move"), Scene::say("ok")], |builder| builder
                .tool(crate::set_up::moving())
                .hooks(hooks));
            let mut session = stage.agent.start().await;
            session.prompt("go").await;
            assert_eq!(session.watched_paths(), ["/tmp/.env"]);
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<CwdChanged>();
    }
}
