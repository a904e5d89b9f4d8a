//! How each event is provoked, and what all events have in common.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most events need nothing special"
)]

use std::sync::Arc;
use std::time::Duration;

use agent_loop::permission::AllowAll;
use agent_loop::{
    Access, AgentBuilder, Effect, Interrupted, ModelError, Permissions, Scene, Scripted, Session,
    Task, TaskStatus, Tool, ToolContext, ToolError, ToolOutput, TurnResult,
};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::event::part;
use hook_types::{
    DirectoryAdded, DirectorySource, Error, ErrorType, Event, EventName, FileChange, FileChanged,
    Honours, PermissionMode, StopError, SwitchSource, TaskCompleted, TeammateIdle,
    UserPromptExpansion,
};
use serde_json::{Value, json};

use crate::support::{Echo, Stage, echo, stage_with};

/// Hooks with one closure, for every subject.
pub(crate) fn on<E, Kind>(hook: impl hook_runner::IntoHook<E, Kind>) -> HookSet {
    HookSet::builder().on("", hook).build().unwrap()
}

/// A tool that has an effect.
pub(crate) struct Doing(&'static str, Effect);

#[async_trait]
impl Tool for Doing {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Does one thing."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn access(&self, _: &Value) -> Access {
        Access::Own
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("done").and(self.1.clone()))
    }
}

fn task(status: TaskStatus) -> Task {
    let mut task = Task::new("1", "write tests");
    task.status = status;
    task
}

pub(crate) fn creating() -> Doing {
    Doing("Create", Effect::CreateTask(task(TaskStatus::Pending)))
}

pub(crate) fn completing() -> Doing {
    Doing("Complete", Effect::ChangeTask(task(TaskStatus::Completed)))
}

pub(crate) fn moving() -> Doing {
    Doing("Move", Effect::MovedTo("/tmp".into()))
}

/// The usual parts, and tools that have effects.
fn parts(builder: AgentBuilder) -> AgentBuilder {
    builder
        .tool(creating())
        .tool(completing())
        .tool(moving())
        .tool(Echo::new("Run", Access::Run))
}

/// A call of a tool that takes nothing.
pub(crate) fn do_it(tool: &str) -> Scene {
    Scene::call(tool, json!({}))
}

/// A call that needs permission.
pub(crate) fn run(text: &str) -> Scene {
    Scene::call("Run", json!({ "text": text }))
}

/// A task for a subagent.
pub(crate) fn delegate() -> Scene {
    Scene::call(
        "Agent",
        json!({"description": "look", "prompt": "look around"}),
    )
}

/// What a session did, in which an event was provoked.
pub(crate) struct Play {
    pub(crate) stage: Stage,
    pub(crate) results: Vec<TurnResult>,
}

impl Play {
    pub(crate) fn asked(&self) -> usize {
        self.stage.requests().len()
    }

    /// Everything that any request said.
    pub(crate) fn all_requests(&self) -> String {
        let requests = self.stage.requests();
        let texts = requests
            .iter()
            .map(|request| format!("{}\n{}", request.system, crate::support::all_words(request)));
        texts.collect::<Vec<_>>().join("\n=====\n")
    }
}

/// The script that leads to an event.
fn script(event: EventName) -> Vec<Scene> {
    let ok = || Scene::say("ok");
    match event {
        EventName::PostToolUseFailure => vec![echo("fail: it broke"), ok(), ok()],
        EventName::SubagentStart | EventName::SubagentStop => {
            vec![delegate(), Scene::say("looked"), ok(), ok()]
        }
        EventName::PermissionRequest
        | EventName::PermissionDenied
        | EventName::PermissionCheck
        | EventName::PermissionGranted => vec![run("now"), ok(), ok()],
        EventName::TaskCreated => vec![do_it("Create"), ok(), ok()],
        EventName::TaskCompleted => vec![do_it("Complete"), ok(), ok()],
        EventName::CwdChanged => vec![do_it("Move"), ok(), ok()],
        EventName::Error => {
            let error = ModelError::new(StopError::Overloaded, "too busy");
            vec![Scene::fail(&error), ok()]
        }
        EventName::UserInterrupt => vec![ok().slowly(Duration::from_mins(10)), ok()],
        _ => vec![echo("hi"), ok(), ok(), ok()],
    }
}

/// Two prompts in a session in which the event fires at least once.
pub(crate) async fn provoke(event: EventName, hooks: HookSet) -> Play {
    let stage = stage_with(script(event), |builder| {
        let builder = parts(builder).hooks(hooks);
        match event {
            EventName::PermissionRequest | EventName::PermissionCheck => builder
                .approver(AllowAll)
                .permissions(Permissions::new(PermissionMode::Default)),
            EventName::PermissionDenied => {
                builder.permissions(Permissions::new(PermissionMode::DontAsk))
            }
            _ => builder,
        }
    });
    let mut session = stage.agent.start().await;
    let mut results = Vec::new();
    host_tells(event, &mut session).await.unwrap();
    let interrupt = session.interrupt_handle();
    if event == EventName::UserInterrupt {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            interrupt.interrupt();
        });
    }
    results.push(session.prompt("go").await);
    results.push(session.prompt("again").await);
    Play { stage, results }
}

/// What only the host knows of.
async fn host_tells(event: EventName, session: &mut Session) -> Result<(), Interrupted> {
    let host = session.host();
    match event {
        EventName::UserPromptExpansion => {
            let typed = UserPromptExpansion::new("slash_command", "deploy", "", "/deploy");
            host.expand(typed).await.map(drop)
        }
        EventName::TeammateIdle => host.teammate_idle(TeammateIdle::new("ann")).await.map(drop),
        EventName::FileChanged => {
            let changed = FileChanged::new("/a/.env", FileChange::Change);
            host.file_changed(changed).await
        }
        EventName::DirectoryAdded => {
            let added = DirectoryAdded::new("/b", DirectorySource::SlashCommand);
            host.directory_added(added).await
        }
        EventName::Error => host.error(Error::new(ErrorType::Mcp, "gone")).await,
        EventName::PreModelSwitch => {
            let other = Arc::new(Scripted::new([]).named("other"));
            let _ = session.switch_model(other, SwitchSource::Sdk, None).await;
            Ok(())
        }
        EventName::TaskCompleted => {
            let done = TaskCompleted::new("9", "elsewhere");
            host.teammate_task_completed(done).await.map(drop)
        }
        _ => Ok(()),
    }
}

/// A message for the user reaches the user, and no request.
pub(crate) async fn only_the_user_is_told<E: Event + Honours<part::SystemMessage>>() {
    let hooks = on(|_: E| E::pass().with_message("for your eyes"));
    let play = provoke(E::NAME, hooks).await;
    let told = play.stage.watched.said_to_user();
    assert!(told.contains(&"for your eyes".to_owned()), "{told:?}");
    assert!(!play.all_requests().contains("for your eyes"));
}

/// A hook that stops the agent keeps the model from being asked again in that turn; should the session go
/// on, the model knows why.
pub(crate) async fn the_turn_ends<E: Event + Honours<part::Continue>>(asked_before: usize) {
    let hooks = on(|_: E| E::stop_agent("that is enough"));
    let stage = provoke(E::NAME, hooks).await.stage;
    let play = stage.requests();
    let first = play
        .iter()
        .take_while(|request| !crate::support::all_words(request).contains("again"));
    assert_eq!(first.count(), asked_before);
    if let Some(next) = play.get(asked_before) {
        let told = crate::support::all_words(next);
        assert!(
            told.contains("that is enough"),
            "the model knows why: {told}"
        );
    }
}
