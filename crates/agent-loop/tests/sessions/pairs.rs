//! Every call is answered by exactly one result, right after it, whatever happens between turns.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_loop::{Access, Block, ChatMessage, Compaction, Ending, Role, Scene};
use async_trait::async_trait;
use hook_runner::{
    Description, Group, Handler, Hook, HookContext, HookSet, Input, Runner, Wait, background,
};
use hook_types::{Event, EventName, HookKind, PostToolUse, PreToolUse, Reply, Status};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{Echo, Stage, echo, stage, stage_with};

/// What a service demands of a conversation.
pub(crate) fn assert_well_formed(messages: &[ChatMessage]) {
    let mut open = BTreeSet::new();
    let mut expected = Role::User;
    for message in messages {
        assert_eq!(message.role, expected, "{messages:#?}");
        assert!(!message.content.is_empty(), "{messages:#?}");
        for block in &message.content {
            if let Block::ToolResult(result) = block {
                assert!(open.remove(&result.tool_use_id), "{messages:#?}");
            }
        }
        assert!(open.is_empty(), "no result for {open:?} in {messages:#?}");
        open = message.tool_calls().map(|call| call.id.clone()).collect();
        expected = match expected {
            Role::User => Role::Assistant,
            Role::Assistant => Role::User,
        };
    }
    assert!(open.is_empty(), "no result for {open:?} in {messages:#?}");
}

fn assert_requests_well_formed(stage: &Stage) {
    for request in stage.requests() {
        assert_well_formed(&request.messages);
    }
}

fn deferring() -> HookSet {
    HookSet::builder()
        .on("Echo", |_: PreToolUse| PreToolUse::defer())
        .build()
        .unwrap()
}

/// A hook in the background that wakes the agent when it is told to.
struct Waking(Arc<Notify>);

#[async_trait]
impl Handler for Waking {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        self.0.notified().await;
        let mut reply = Reply::with_status(Status::Blocked { exit_code: 2 });
        reply.evidence.exit_code = Some(2);
        reply.evidence.stderr = "the tests are red".into();
        reply
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Command, "run the tests")
    }
}

/// Hooks that put calls of `Echo` off, and wake the agent when they are told to.
fn waking() -> (HookSet, Arc<Notify>) {
    let wake = Arc::new(Notify::new());
    let hook = Hook::new(EventName::SessionStart, Waking(Arc::clone(&wake)));
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| PreToolUse::defer())
        .group(Group::parallel().hook(hook.id("tests").wait(Wait::Rewake)))
        .build()
        .unwrap();
    (hooks, wake)
}

#[tokio::test]
async fn a_hook_that_wakes_the_agent_starts_a_turn_in_its_own_words() {
    let (hooks, wake) = waking();
    let stage = stage([Scene::say("hello"), Scene::say("I fix them")], hooks);
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    wake.notify_one();
    let woken = session.wake().await.unwrap();
    assert_eq!(woken.text, "I fix them");
    let said = stage.last();
    assert!(
        said.ends_with(
            "<system-reminder>\nHook `tests` (SessionStart) has finished in the background:\n\
             the tests are red\n</system-reminder>"
        ),
        "{said}"
    );
    assert_eq!(said.matches("the tests are red").count(), 1);
}

#[tokio::test]
async fn a_call_that_was_put_off_has_a_result_when_a_hook_wakes_the_agent() {
    let (hooks, wake) = waking();
    let stage = stage([echo("hi"), Scene::say("I fix them")], hooks);
    let mut session = stage.agent.start().await;
    let put_off = session.prompt("go").await;
    assert!(matches!(put_off.ending, Ending::Deferred(_)));
    wake.notify_one();
    session.wake().await.unwrap();
    assert_requests_well_formed(&stage);
}

#[tokio::test]
async fn a_call_that_was_put_off_has_no_result_once_it_is_summarised() {
    let stage = stage(
        [echo("hi"), Scene::say("a summary"), Scene::say("ok")],
        deferring(),
    );
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    let done = session.compact(None).await;
    assert!(matches!(done, Compaction::Done { .. }));
    assert!(session.run_deferred().await.is_none());
    session.prompt("and now?").await;
    assert_requests_well_formed(&stage);
    assert!(stage.echo.seen().is_empty());
}

/// A session whose turn was dropped in the middle of a call.
async fn dropped_in_a_call(scenes: Vec<Scene>) -> (Stage, agent_loop::Session) {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| async {
            std::future::pending::<()>().await;
            PreToolUse::pass()
        })
        .build()
        .unwrap();
    let stage = stage(scenes, hooks);
    let mut session = stage.agent.start().await;
    let dropped = tokio::time::timeout(Duration::from_millis(100), session.prompt("go")).await;
    assert!(dropped.is_err());
    (stage, session)
}

#[tokio::test]
async fn a_turn_that_was_dropped_leaves_a_conversation_that_goes_on() {
    let (stage, mut session) = dropped_in_a_call(vec![echo("hi"), Scene::say("ok")]).await;
    session.prompt("again").await;
    assert_requests_well_formed(&stage);
    assert!(stage.echo.seen().is_empty());
}

#[tokio::test]
async fn what_comes_late_for_a_subagent_that_was_dropped_is_its_parents() {
    let (send, receive) = tokio::sync::oneshot::channel::<()>();
    let receive = Mutex::new(Some(receive));
    let hooks = HookSet::builder()
        .on("Echo", move |_: PostToolUse| {
            let go = receive.lock().unwrap().take();
            background(async move {
                if let Some(go) = go {
                    go.await.unwrap();
                }
                PostToolUse::context("two problems")
            })
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        Scene::call("Agent", task),
        echo("hi"),
        Scene::say("never").slowly(Duration::from_mins(10)),
        Scene::say("I see"),
    ];
    let stage = stage_with(scenes, |builder| builder.runner(Arc::new(runner.clone())));
    let mut session = stage.agent.start().await;
    let dropped = tokio::time::timeout(Duration::from_millis(300), session.prompt("go")).await;
    assert!(dropped.is_err());
    send.send(()).unwrap();
    while runner.in_background() > 0 {
        tokio::task::yield_now().await;
    }
    session.prompt("again").await;
    assert_eq!(stage.last().matches("two problems").count(), 1);
    assert_requests_well_formed(&stage);
}

#[tokio::test]
async fn a_call_that_was_put_off_is_asked_about_again() {
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    let hooks = HookSet::builder()
        .on("Echo", move |_: PreToolUse| {
            *counted.lock().unwrap() += 1;
            match *counted.lock().unwrap() {
                1 => PreToolUse::defer(),
                _ => PreToolUse::deny("not today"),
            }
        })
        .build()
        .unwrap();
    let stage = stage([echo("hi"), Scene::say("ok")], hooks);
    let mut session = stage.agent.start().await;
    session.prompt("go").await;
    assert_eq!(session.run_deferred().await.unwrap().text, "ok");
    assert!(stage.echo.seen().is_empty());
    assert!(stage.last().contains("not today"), "{}", stage.last());
    assert_requests_well_formed(&stage);
}

#[tokio::test]
async fn a_turn_that_was_dropped_can_be_summarised_or_cleared() {
    let scenes = vec![echo("hi"), Scene::say("a summary"), Scene::say("ok")];
    let (stage, mut session) = dropped_in_a_call(scenes).await;
    session.compact(None).await;
    session.prompt("again").await;
    assert_requests_well_formed(&stage);

    let (stage, mut session) = dropped_in_a_call(vec![echo("hi"), Scene::say("ok")]).await;
    session.clear().await;
    session.prompt("again").await;
    assert_requests_well_formed(&stage);
    assert_eq!(stage.last(), "again");
}

#[tokio::test]
async fn a_reply_with_very_many_calls_runs_few_of_them_at_once() {
    let most = Arc::new(Mutex::new((0_usize, 0_usize)));
    let counted = Arc::clone(&most);
    let hooks = HookSet::builder()
        .on("Echo", move |_: PreToolUse| {
            let counted = Arc::clone(&counted);
            async move {
                {
                    let mut count = counted.lock().unwrap();
                    count.0 += 1;
                    count.1 = count.1.max(count.0);
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
                counted.lock().unwrap().0 -= 1;
                PreToolUse::pass()
            }
        })
        .build()
        .unwrap();
    let many = (0..200).fold(Scene::say(""), |scene, number| {
        scene.and_call("Echo", json!({ "text": number.to_string() }))
    });
    let stage = stage([many, Scene::say("ok")], hooks);
    stage.agent.run("go").await;
    let most = most.lock().unwrap().1;
    assert!((2..=16).contains(&most), "{most} at once");
    assert_requests_well_formed(&stage);
    let texts: Vec<String> = stage
        .echo
        .seen()
        .iter()
        .map(|input| input["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts.len(), 200);
}

#[tokio::test]
async fn after_a_stop_in_a_subagent_no_other_call_of_the_reply_runs() {
    let hooks = HookSet::builder()
        .on("Echo", |_: PreToolUse| {
            PreToolUse::stop_agent("found a key")
        })
        .build()
        .unwrap();
    let run = Echo::new("Run", Access::Run);
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        Scene::call("Agent", task).and_call("Run", json!({"text": "deploy"})),
        echo("hi"),
        Scene::say("never"),
    ];
    let stage = stage_with(scenes, |builder| builder.tool(run.clone()).hooks(hooks));
    let result = stage.agent.run("go").await;
    assert_eq!(result.ending, Ending::Halted("found a key".into()));
    assert!(run.seen().is_empty(), "it ran after the agent was stopped");
}

#[tokio::test]
async fn a_stop_in_a_subagent_stops_the_one_beside_it() {
    let hooks = HookSet::builder()
        .on("Echo", |call: PreToolUse| async move {
            if call.tool_input["text"] == "first" {
                return PreToolUse::stop_agent("found a key");
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            PreToolUse::pass()
        })
        .build()
        .unwrap();
    let task = |prompt: &str| json!({"description": "look", "prompt": prompt});
    let scenes = [
        Scene::call("Agent", task("the cellar"))
            .and_call("Agent", task("the attic"))
            .when("go"),
        echo("first").when("the cellar"),
        echo("second").when("the attic"),
        echo("third").when("the attic"),
        Scene::say("never").when("the attic"),
    ];
    let stage = stage(scenes, hooks);
    let result = stage.agent.run("go").await;
    assert_eq!(result.ending, Ending::Halted("found a key".into()));
    assert!(stage.requests().len() <= 3, "the other one went on");
    assert!(stage.echo.seen().is_empty(), "{:?}", stage.echo.seen());
}

#[tokio::test]
async fn a_stop_that_an_interruption_overtook_does_not_end_the_next_turn() {
    let hooks = HookSet::builder()
        .on("Echo", |call: PreToolUse| async move {
            match call.tool_input["text"].as_str() {
                Some("in the cellar") => PreToolUse::stop_agent("found a key"),
                Some("slow") => {
                    std::future::pending::<()>().await;
                    PreToolUse::pass()
                }
                _ => PreToolUse::pass(),
            }
        })
        .build()
        .unwrap();
    let task = json!({"description": "look", "prompt": "look around"});
    let scenes = [
        Scene::call("Agent", task)
            .and_call("Echo", json!({"text": "slow"}))
            .when("go"),
        echo("in the cellar"),
        echo("fine"),
        Scene::say("ok"),
    ];
    let stage = stage(scenes, hooks);
    let mut session = stage.agent.start().await;
    let interrupt = session.interrupt_handle();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        interrupt.interrupt();
    });
    assert_eq!(session.prompt("go").await.ending, Ending::Interrupted);
    assert_eq!(session.prompt("again").await.text, "ok");
    assert_requests_well_formed(&stage);
}
