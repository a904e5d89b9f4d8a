//! The main rows of the table as an agent lives them: what runs, what the model is told, how the turn
//! ends.

use std::sync::Arc;

use agent_loop::{
    Agent, AgentEvent, AgentEventKind, Ending, Observer, Scene, Scripted, TeammateStep, Tool,
    ToolContext, ToolError, ToolOutput, Toolbox, TurnResult,
};
use async_trait::async_trait;
use hook_model::PromptHook;
use hook_runner::HookSet;
use hook_types::{
    EndReason, PostToolBatch, PostToolUse, PreToolUse, Stop, SubagentStop, TaskCompleted,
    TaskCreated, TeammateIdle, UserPromptSubmit,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{NOT_OK, asks, says};

/// A tool that counts how often it runs.
#[derive(Clone, Default)]
struct Push(Arc<AtomicUsize>);

impl Push {
    fn runs(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Push {
    fn name(&self) -> &'static str {
        "Push"
    }

    fn description(&self) -> &'static str {
        "Pushes."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn access(&self, _: &Value) -> agent_loop::Access {
        agent_loop::Access::Own
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text("pushed"))
    }
}

async fn run(model: &Scripted, push: &Push, hooks: HookSet) -> TurnResult {
    let tools = Toolbox::standard().with(push.clone());
    let agent = Agent::builder()
        .model(model.clone())
        .tools(tools)
        .hooks(hooks);
    agent.build().run("Push it.").await
}

fn pushes_then_says(text: &str) -> Scripted {
    Scripted::new([Scene::call("Push", json!({})), Scene::say(text)])
}

fn on<E: hook_types::Event>(hook: PromptHook) -> HookSet {
    HookSet::builder().hook::<E>("", hook).build().unwrap()
}

/// All that the last request told the model.
fn last_request(model: &Scripted) -> String {
    let requests = model.requests();
    let last = requests.last().unwrap();
    serde_json::to_string(&last.messages).unwrap()
}

#[tokio::test]
async fn a_call_that_is_not_ok_is_denied_and_the_turn_ends() {
    let (model, push) = (pushes_then_says("never said"), Push::default());
    let result = run(&model, &push, on::<PreToolUse>(asks(says(NOT_OK)))).await;
    assert_eq!(result.ending, Ending::Halted("no tests".to_owned()));
    assert_eq!((push.runs(), model.requests().len()), (0, 1));
    assert_eq!(result.denials.len(), 1);
    assert!(result.denials[0].reason.contains("no tests"));
}

#[tokio::test]
async fn a_call_that_is_not_ok_is_an_error_to_the_model_where_the_turn_continues() {
    let (model, push) = (pushes_then_says("I see."), Push::default());
    let hook = asks(says(NOT_OK)).continue_on_block();
    let result = run(&model, &push, on::<PreToolUse>(hook)).await;
    assert_eq!(result.ending, Ending::Finished);
    assert_eq!((push.runs(), result.text.as_str()), (0, "I see."));
    let told = last_request(&model);
    assert!(
        told.contains("no tests") && told.contains(r#""is_error":true"#),
        "{told}"
    );
}

#[tokio::test]
async fn a_call_that_is_ok_runs() {
    let (model, push) = (pushes_then_says("Done."), Push::default());
    let result = run(
        &model,
        &push,
        on::<PreToolUse>(asks(says(r#"{"ok": true}"#))),
    )
    .await;
    assert_eq!((result.ending, push.runs()), (Ending::Finished, 1));
}

#[tokio::test]
async fn a_call_runs_whose_judge_could_not_be_understood() {
    let (model, push) = (pushes_then_says("Done."), Push::default());
    let result = run(&model, &push, on::<PreToolUse>(asks(says("Hm.")))).await;
    assert_eq!((result.ending, push.runs()), (Ending::Finished, 1));
}

#[tokio::test]
async fn an_agent_that_may_not_stop_is_told_why_and_goes_on() {
    let judge = Scripted::new([Scene::say(NOT_OK), Scene::say(r#"{"ok": true}"#)]);
    let model = Scripted::new([
        Scene::say("Done."),
        Scene::say("Now they pass.").expecting("no tests"),
    ]);
    let result = run(&model, &Push::default(), on::<Stop>(asks(judge.clone()))).await;
    assert_eq!(result.ending, Ending::Finished);
    assert_eq!(result.text, "Now they pass.");
    assert_eq!(judge.left(), 0, "asked again, and then content");
}

#[tokio::test]
async fn an_agent_stops_that_cannot_do_what_is_asked_of_it() {
    let judge = says(r#"{"ok": false, "reason": "no network here", "impossible": true}"#);
    let model = Scripted::new([Scene::say("Done.")]);
    let said = Said::default();
    let hooks = on::<Stop>(asks(judge));
    let agent = Agent::builder()
        .model(model)
        .hooks(hooks)
        .observer(said.clone());
    let result = agent.build().run("Push it.").await;
    assert_eq!(
        (result.ending, result.text.as_str()),
        (Ending::Finished, "Done.")
    );
    assert_eq!(said.all(), ["It cannot be done: no network here"]);
}

/// What hooks say to the user.
#[derive(Clone, Default)]
struct Said(Arc<std::sync::Mutex<Vec<String>>>);

impl Said {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Said {
    fn observe(&self, event: &AgentEvent) {
        if let AgentEventKind::HookSays { text, .. } = &event.kind {
            self.0.lock().unwrap().push(text.clone());
        }
    }
}

#[tokio::test]
async fn a_subagent_that_may_not_stop_goes_on() {
    let judge = Scripted::new([Scene::say(NOT_OK), Scene::say(r#"{"ok": true}"#)]);
    let model = Scripted::new([
        Scene::call(
            "Agent",
            json!({"description": "look", "prompt": "Look around."}),
        ),
        Scene::say("Looked.").when("Look around."),
        Scene::say("Tested.").when("no tests"),
        Scene::say("All done.").expecting("Tested."),
    ]);
    let result = run(&model, &Push::default(), on::<SubagentStop>(asks(judge))).await;
    assert_eq!(
        (result.ending, result.text.as_str()),
        (Ending::Finished, "All done.")
    );
}

#[tokio::test]
async fn after_a_call_that_is_not_ok_the_turn_ends_with_the_reason_for_the_user() {
    let (model, push) = (pushes_then_says("never said"), Push::default());
    let result = run(&model, &push, on::<PostToolUse>(asks(says(NOT_OK)))).await;
    assert_eq!(result.ending, Ending::Halted("no tests".to_owned()));
    assert_eq!((push.runs(), model.requests().len()), (1, 1));
}

#[tokio::test]
async fn after_a_call_that_is_not_ok_the_model_is_told_where_the_turn_continues() {
    let (model, push) = (pushes_then_says("I see."), Push::default());
    let hook = asks(says(NOT_OK)).continue_on_block();
    let result = run(&model, &push, on::<PostToolUse>(hook)).await;
    assert_eq!((result.ending, push.runs()), (Ending::Finished, 1));
    let told = last_request(&model);
    assert!(
        told.contains("pushed") && told.contains("no tests"),
        "{told}"
    );
}

#[tokio::test]
async fn after_a_batch_that_is_not_ok_the_turn_ends() {
    for hook in [asks(says(NOT_OK)), asks(says(NOT_OK)).continue_on_block()] {
        let (model, push) = (pushes_then_says("never said"), Push::default());
        let result = run(&model, &push, on::<PostToolBatch>(hook)).await;
        assert_eq!(result.ending, Ending::EndedByHook("no tests".to_owned()));
        assert_eq!((push.runs(), model.requests().len()), (1, 1));
    }
}

#[tokio::test]
async fn a_prompt_that_is_not_ok_never_reaches_the_model() {
    for hook in [asks(says(NOT_OK)), asks(says(NOT_OK)).continue_on_block()] {
        let model = Scripted::new([Scene::say("never said")]);
        let result = run(&model, &Push::default(), on::<UserPromptSubmit>(hook)).await;
        let Ending::Refused(message) = result.ending else {
            panic!("{:?}", result.ending);
        };
        assert!(message.contains("no tests"), "{message}");
        assert_eq!(model.requests().len(), 0);
    }
}

#[tokio::test]
async fn a_task_that_is_not_ok_is_an_error_to_the_model_and_the_turn_goes_on() {
    let create = json!({"subject": "tests", "description": "write them"});
    let model = Scripted::new([
        Scene::call("TaskCreate", create),
        Scene::say("I see.").expecting("no tests"),
    ]);
    let result = run(
        &model,
        &Push::default(),
        on::<TaskCreated>(asks(says(NOT_OK))),
    )
    .await;
    assert_eq!(result.ending, Ending::Finished);
}

/// A tool completes the task: the order to stop is not heeded, the refusal is.
#[tokio::test]
async fn a_task_that_is_not_done_is_an_error_to_the_model_and_the_turn_goes_on() {
    let create = json!({"subject": "tests", "description": "write them"});
    let model = Scripted::new([
        Scene::call("TaskCreate", create),
        Scene::call("TaskUpdate", json!({"taskId": "1", "status": "completed"})),
        Scene::say("I see.").expecting("no tests"),
    ]);
    let result = run(
        &model,
        &Push::default(),
        on::<TaskCompleted>(asks(says(NOT_OK))),
    )
    .await;
    assert_eq!(
        result.ending,
        Ending::Finished,
        "{:?}",
        model.requests().last()
    );
}

async fn teammate(hook: PromptHook, task: bool) -> TeammateStep {
    let set = HookSet::builder()
        .hook::<TeammateIdle>("", hook.clone())
        .hook::<TaskCompleted>("", hook);
    let hooks = set.build().unwrap();
    let session = Agent::builder().hooks(hooks).build().start().await;
    let host = session.host();
    let step = if task {
        host.teammate_task_completed(TaskCompleted::new("1", "tests"))
            .await
    } else {
        host.teammate_idle(TeammateIdle::new("ann")).await
    };
    session.end(EndReason::Unspecified).await;
    step.unwrap()
}

#[tokio::test]
async fn a_teammate_stops_unless_the_hook_lets_it_go_on_with_the_reason() {
    for task in [false, true] {
        let step = teammate(asks(says(NOT_OK)), task).await;
        assert_eq!(step, TeammateStep::Stop("no tests".to_owned()), "{task}");
        let step = teammate(asks(says(NOT_OK)).continue_on_block(), task).await;
        let TeammateStep::KeepWorking(told) = step else {
            panic!("{step:?}");
        };
        assert!(told.contains("no tests"), "{told}");
    }
}
