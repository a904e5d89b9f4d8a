//! An agent with a scripted model and tools that remember what they were called with.
#![allow(dead_code, reason = "every suite uses a part of it")]
#![allow(clippy::expect_used, reason = "tests stop at the first surprise")]
#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one kind")]

use std::sync::{Arc, Mutex};

use agent_loop::{
    Access, Agent, AgentBuilder, AgentEvent, AgentEventKind, Block, ChatMessage, ModelRequest,
    Permissions, Scene, Scripted, Tool, ToolContext, ToolError, ToolOutput,
};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::PermissionMode;
use serde_json::{Value, json};

/// A tool that says what it was given, remembers it, and fails when told to.
#[derive(Clone)]
pub(crate) struct Echo {
    name: &'static str,
    access: Access,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Echo {
    pub(crate) fn new(name: &'static str, access: Access) -> Self {
        Self {
            name,
            access,
            seen: Arc::default(),
        }
    }

    /// What it was called with, in order.
    pub(crate) fn seen(&self) -> Vec<Value> {
        self.seen.lock().expect("nobody panics").clone()
    }
}

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Says what it was given."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})
    }

    fn access(&self, _: &Value) -> Access {
        self.access
    }

    async fn call(&self, input: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        self.seen.lock().expect("nobody panics").push(input.clone());
        let text = input["text"].as_str().unwrap_or_default().to_owned();
        match text.strip_prefix("fail: ") {
            Some(why) => Err(ToolError::new(why)),
            None => Ok(ToolOutput::text(format!("echo {text}"))),
        }
    }

    fn render(&self, response: &Value) -> Option<String> {
        response.as_str().map(str::to_owned)
    }
}

/// Everything that an agent's watchers saw.
#[derive(Clone, Default)]
pub(crate) struct Watched(Arc<Mutex<Vec<AgentEvent>>>);

impl Watched {
    pub(crate) fn all(&self) -> Vec<AgentEvent> {
        self.0.lock().expect("nobody panics").clone()
    }

    /// What hooks told the user.
    pub(crate) fn said_to_user(&self) -> Vec<String> {
        let said = self.all().into_iter().filter_map(|event| match event.kind {
            AgentEventKind::HookSays { text, .. } => Some(text),
            _ => None,
        });
        said.collect()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let said = self.all().into_iter().filter_map(|event| match event.kind {
            AgentEventKind::Warning(text) => Some(text),
            _ => None,
        });
        said.collect()
    }

    pub(crate) fn observe(&self, event: &AgentEvent) {
        self.0.lock().expect("nobody panics").push(event.clone());
    }
}

/// An agent, the script it follows, the tool it has, and what its watchers saw.
pub(crate) struct Stage {
    pub(crate) agent: Agent,
    pub(crate) model: Scripted,
    pub(crate) echo: Echo,
    pub(crate) watched: Watched,
}

impl Stage {
    /// The requests that the model received.
    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.model.requests()
    }

    /// The last request, as text.
    pub(crate) fn last(&self) -> String {
        self.requests().last().map(all_words).unwrap_or_default()
    }
}

/// An agent that may do everything, with the tool `Echo` that changes nothing.
pub(crate) fn stage(scenes: impl IntoIterator<Item = Scene>, hooks: HookSet) -> Stage {
    stage_with(scenes, |builder| builder.hooks(hooks))
}

pub(crate) fn stage_with(
    scenes: impl IntoIterator<Item = Scene>,
    parts: impl FnOnce(AgentBuilder) -> AgentBuilder,
) -> Stage {
    let model = Scripted::new(scenes);
    let echo = Echo::new("Echo", Access::Read);
    let watched = Watched::default();
    let observed = watched.clone();
    let builder = Agent::builder()
        .model(model.clone())
        .tool(echo.clone())
        .system_prompt("Be brief.")
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
        .observer(move |event: &AgentEvent| observed.observe(event));
    Stage {
        agent: parts(builder).build(),
        model,
        echo,
        watched,
    }
}

/// A call of `Echo`.
pub(crate) fn echo(text: &str) -> Scene {
    Scene::call("Echo", json!({ "text": text }))
}

/// A request's messages as text, results and hook words included.
pub(crate) fn all_words(request: &ModelRequest) -> String {
    let messages = request.messages.iter();
    messages.map(words).collect::<Vec<_>>().join("\n")
}

pub(crate) fn words(message: &ChatMessage) -> String {
    let words = message.content.iter().map(|block| match block {
        Block::Text { text } => text.clone(),
        Block::ToolUse(call) => format!("{} {}", call.name, call.input),
        Block::ToolResult(result) => result.text(),
        Block::Other(value) => value.to_string(),
    });
    words.collect::<Vec<_>>().join("\n")
}
