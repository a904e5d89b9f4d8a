//! The Go Runner's loop tests: what hooks answer changes what the agent does next.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod support;

use agent_loop::{Access, Ending, Permissions, Scene};
use hook_runner::{HookSet, hook_fn};
use hook_types::{
    Decision, Event, HookEvent, PermissionMode, PermissionRequest, PostToolUse, PreToolUse, Reply,
    SessionStart, Stop, SyncOutput, UserPromptSubmit,
};
use serde_json::json;
use support::{Echo, all_words, echo, stage, stage_with, words};

#[tokio::test]
async fn a_stop_hook_that_goes_on_starts_the_loop_again() {
    let hooks = HookSet::builder()
        .on("", |stop: Stop| {
            if stop.stop_hook_active {
                Stop::pass()
            } else {
                Stop::keep_going("run the tests first")
            }
        })
        .build()
        .unwrap();
    let stage = stage([Scene::say("Done."), Scene::say("Now it is.")], hooks);
    let result = stage.agent.run("go").await;
    assert_eq!(result.text, "Now it is.");
    assert_eq!(stage.requests().len(), 2);
    let last = words(stage.requests()[1].messages.last().unwrap());
    assert!(last.contains("run the tests first"), "{last}");
    assert!(last.contains("does not let you stop yet"), "{last}");
}

#[tokio::test]
async fn a_denied_call_is_not_run_and_the_model_is_told_why() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| PreToolUse::deny("not on a Friday"))
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("Pity.")], hooks);
    let result = stage.agent.run("go").await;
    assert_eq!(stage.echo.seen(), [json!(null); 0]);
    let last = stage.requests()[1].messages.last().unwrap().clone();
    assert!(words(&last).contains("not on a Friday"));
    assert!(matches!(
        &last.content[0],
        agent_loop::Block::ToolResult(result) if result.is_error
    ));
    assert_eq!(result.denials.len(), 1);
    assert_eq!(result.denials[0].tool_name, "Echo");
}

#[tokio::test]
async fn an_updated_input_reaches_the_tool() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| {
            PreToolUse::rewrite(json!({"text": "bye"}))
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    assert_eq!(stage.echo.seen(), [json!({"text": "bye"})]);
    assert!(stage.last().contains("echo bye"));
}

#[tokio::test]
async fn a_rewritten_input_that_the_tool_does_not_take_is_not_run() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| {
            PreToolUse::rewrite(json!({"txet": "bye"}))
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    assert!(stage.echo.seen().is_empty());
    assert!(stage.last().contains("a hook rewrote the input"));
}

#[tokio::test]
async fn additional_context_reaches_the_next_request_once() {
    let hooks = HookSet::builder()
        .on("Echo", |call: PostToolUse| {
            assert_eq!(call.tool_response, json!("echo hi"));
            PostToolUse::context("run the formatter")
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), echo("hi"), Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    let count = |at: usize| {
        all_words(&stage.requests()[at])
            .matches("run the formatter")
            .count()
    };
    assert_eq!([count(0), count(1), count(2)], [0, 1, 2]);
}

#[tokio::test]
async fn session_start_context_stands_in_the_system_prompt_of_every_request() {
    let hooks = HookSet::builder()
        .on("startup", |_: SessionStart| {
            SessionStart::context("the branch is main")
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    for request in stage.requests() {
        assert!(request.system.starts_with("Be brief.\n\n<system-reminder>"));
        assert_eq!(request.system.matches("the branch is main").count(), 1);
        assert!(!all_words(&request).contains("the branch is main"));
    }
}

#[tokio::test]
async fn hooks_decide_about_permissions() {
    let hooks = HookSet::builder()
        .on("Run", |call: PermissionRequest| {
            if call.tool_input["text"] == "harmless" {
                PermissionRequest::allow()
            } else {
                PermissionRequest::deny("too dangerous")
            }
        })
        .build()
        .unwrap();
    let run = Echo::new("Run", Access::Run);
    let scenes = [
        Scene::call("Run", json!({"text": "harmless"})),
        Scene::call("Run", json!({"text": "harmful"})),
        Scene::say("ok"),
    ];
    let tool = run.clone();
    let stage = stage_with(scenes, |builder| {
        builder
            .hooks(hooks)
            .tool(tool)
            .permissions(Permissions::new(PermissionMode::Default))
    });
    stage.agent.run("go").await;
    assert_eq!(run.seen(), [json!({"text": "harmless"})]);
    assert!(stage.last().contains("too dangerous"));
}

#[tokio::test]
async fn suppressed_output_is_kept_from_transcript_and_display_but_not_from_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let hooks = HookSet::builder()
        .on("Echo", |_: PostToolUse| {
            PostToolUse::context("a quiet word")
                .with_message("psst")
                .quietly()
        })
        .on("Echo", |_: PostToolUse| PostToolUse::context("a loud word"))
        .build()
        .unwrap();
    let stage = stage_with([echo("hi"), Scene::say("ok")], |builder| {
        builder.hooks(hooks).transcripts_in(directory.path())
    });
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    let transcript = std::fs::read_to_string(session.transcript_path()).unwrap();
    assert!(stage.last().contains("a quiet word") && stage.last().contains("a loud word"));
    assert!(transcript.contains("a loud word"));
    assert!(!transcript.contains("a quiet word"));
    assert!(stage.watched.said_to_user().is_empty());
}

/// A Go-like answer: `Continue: true` with a `SystemMessage`.
fn going_on_with(message: &'static str) -> HookSet {
    HookSet::builder()
        .hook::<Stop>("", GoOn(message))
        .build()
        .unwrap()
}

struct GoOn(&'static str);

#[async_trait::async_trait]
impl hook_runner::Handler for GoOn {
    async fn handle(
        &self,
        input: std::sync::Arc<hook_runner::Input>,
        _: &hook_runner::HookContext,
    ) -> Reply {
        let HookEvent::Stop(stop) = input.event() else {
            return Reply::no_opinion();
        };
        if stop.stop_hook_active {
            return Reply::no_opinion();
        }
        let mut output = SyncOutput::default();
        output.proceed = Some(true);
        output.system_message = Some(self.0.to_owned());
        Reply::answer(output)
    }

    fn describe(&self) -> hook_runner::Description {
        hook_runner::Description::new(hook_types::HookKind::Function, "goes on")
    }
}

#[tokio::test]
async fn a_stop_hooks_system_message_enters_the_next_request_once() {
    let scenes = [Scene::say("Done."), echo("hi"), Scene::say("ok")];
    let stage = stage(scenes, going_on_with("the build is red"));
    stage.agent.run("go").await;
    let count = |at: usize| {
        all_words(&stage.requests()[at])
            .matches("the build is red")
            .count()
    };
    assert_eq!([count(0), count(1), count(2)], [0, 1, 1]);
    let messages = &stage.requests()[2].messages;
    assert!(!words(messages.last().unwrap()).contains("the build is red"));
}

#[tokio::test]
async fn a_refused_prompt_never_reaches_the_model() {
    let hooks = HookSet::builder()
        .on("", |prompt: UserPromptSubmit| {
            assert_eq!(prompt.prompt, "my key is 7");
            UserPromptSubmit::deny("no secrets")
        })
        .build()
        .unwrap();
    let stage = stage([Scene::say("never")], hooks);
    let result = stage.agent.run("my key is 7").await;
    assert!(matches!(&result.ending, Ending::Refused(why) if why.contains("no secrets")));
    assert!(stage.requests().is_empty());
}

#[tokio::test]
async fn a_hook_that_only_asks_has_nobody_to_ask() {
    let hooks = HookSet::builder()
        .on("Echo", hook_fn(|_: PreToolUse| PreToolUse::ask("sure?")))
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    let result = stage.agent.run("go").await;
    assert!(stage.echo.seen().is_empty());
    assert_eq!(result.denials.len(), 1);
    assert_eq!(Decision::Ask.word(), Some("ask"));
    assert!(stage.last().contains("sure?"));
}
