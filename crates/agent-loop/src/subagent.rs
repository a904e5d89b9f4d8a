//! Subagents: the tool `Agent`, which gives a task to an agent with a conversation and tools of its own.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hook_types::{AgentId, MessageRole, SubagentStart};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::apply::session::opening;
use crate::conversation::{Block, Role};
use crate::event::AgentEventKind;
use crate::firing::Firing;
use crate::id;
use crate::model::Model;
use crate::result::Ending;
use crate::shared::{Shared, lock};
use crate::system_prompt::SystemPrompt;
use crate::thread::{Draft, SubagentFacts, Thread};
use crate::tool::{Access, Tool, ToolContext, ToolError, ToolOutput};
use crate::transcript::Transcript;

/// The name of the tool that starts subagents.
pub(crate) const AGENT: &str = "Agent";

/// A kind of subagent.
#[derive(Clone)]
#[non_exhaustive]
pub struct Subagent {
    /// Its name: what the model asks for, and what hooks match as `agent_type`.
    pub name: String,
    /// When to use it, for the model.
    pub description: String,
    /// Who it is.
    pub system_prompt: String,
    /// The tools it has, by name; none: all of the main agent's.
    pub tools: Option<Vec<String>>,
    /// The model it uses; none: the main agent's.
    pub model: Option<Arc<dyn Model>>,
}

impl Subagent {
    /// A kind of subagent with all tools.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        system_prompt: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            system_prompt: system_prompt.into(),
            tools: None,
            model: None,
        }
    }

    /// With these tools only.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// With a model of its own.
    #[must_use]
    pub fn model(mut self, model: impl Model) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// The kind that every agent has.
    pub(crate) fn general() -> Self {
        Self::new(
            "general-purpose",
            "Does a task of several steps by itself and reports what it found.",
            "You do one task for another agent. Do all of it, then report in a few sentences what you did \
             and what you found; nobody sees anything but your last message.",
        )
    }
}

impl fmt::Debug for Subagent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subagent")
            .field("name", &self.name)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// The tool that starts subagents.
pub(crate) struct AgentTool {
    shared: Arc<Shared>,
    /// The main agent's: what its events carry is where a subagent begins.
    parent: Firing,
    description: String,
}

impl AgentTool {
    pub(crate) fn new(shared: Arc<Shared>, parent: Firing) -> Self {
        let kinds = shared.parts.subagents.iter();
        let kinds: Vec<String> = kinds
            .map(|kind| format!("- {}: {}", kind.name, kind.description))
            .collect();
        let description = format!(
            "Gives a task to a subagent that works by itself and reports once. It does not see this \
             conversation: put everything it needs into the prompt.\nKinds of subagents:\n{}",
            kinds.join("\n")
        );
        Self {
            shared,
            parent,
            description,
        }
    }

    fn kind(&self, name: &str) -> Result<&Subagent, ToolError> {
        let kinds = &self.shared.parts.subagents;
        kinds.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            ToolError::new(format!(
                "there is no subagent `{name}`; there are {}",
                known.join(", ")
            ))
        })
    }

    /// A conversation of its own, which starts from the main agent's facts.
    fn thread(&self, kind: &Subagent, id: &AgentId, context: &ToolContext) -> Thread {
        let shared = &self.shared;
        let store = Arc::clone(&shared.parts.transcripts);
        let transcript = Transcript::new(store, shared.session_id.clone(), Some(id.clone()));
        let facts = SubagentFacts {
            id: id.clone(),
            agent_type: kind.name.clone(),
            transcript_path: transcript.path().to_owned(),
        };
        let mut base = self.parent.base().clone();
        base.agent_id = Some(id.clone());
        base.agent_type = Some(kind.name.clone());
        let hooks = Arc::clone(&shared.hooks);
        let firing = Firing::new(hooks, base, context.cancellation.clone())
            .of_agent(transcript, shared.voice.of_agent(id.clone()))
            .in_mode_of(&self.parent);
        let mut tools = shared.parts.tools.clone().without(AGENT);
        if let Some(names) = &kind.tools {
            tools.retain(|name| names.iter().any(|kept| kept == name));
        }
        let model = kind.model.clone();
        let model = model.unwrap_or_else(|| Arc::clone(&lock(&shared.model)));
        let system = SystemPrompt::new(kind.system_prompt.clone());
        let mut thread = Thread::new(Arc::clone(shared), firing, model, tools, system);
        thread.subagent = Some(facts);
        thread
    }
}

#[async_trait]
impl Tool for AgentTool {
    fn name(&self) -> &str {
        AGENT
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn input_schema(&self) -> Value {
        let kinds = self.shared.parts.subagents.iter();
        let kinds: Vec<&str> = kinds.map(|kind| kind.name.as_str()).collect();
        json!({
            "type": "object",
            "required": ["description", "prompt"],
            "properties": {
                "description": {"type": "string", "description": "The task in a few words."},
                "prompt": {"type": "string", "description": "The task, with all that is needed for it."},
                "subagent_type": {"type": "string", "description": "The kind of subagent.", "enum": kinds},
            },
        })
    }

    /// What a subagent does is judged call by call; starting one changes nothing.
    fn access(&self, _: &Value) -> Access {
        Access::Own
    }

    fn runs_beside_others(&self, _: &Value) -> bool {
        true
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        let name = input["subagent_type"].as_str();
        let general = self.shared.parts.subagents.first();
        let name = name.or(general.map(|kind| kind.name.as_str()));
        let kind = self.kind(name.unwrap_or_default())?;
        let id = AgentId::new(id::fresh());
        let mut thread = self.thread(kind, &id, context);
        thread.firing.tell(AgentEventKind::SubagentStarted {
            agent_type: kind.name.clone(),
            description: text("description"),
        });
        let at_work = AtWork::begin(&self.shared, &id);
        let started = Instant::now();
        let ran = run(&mut thread, kind, &id, text("prompt")).await;
        drop(at_work);
        thread.firing.tell(AgentEventKind::SubagentFinished);
        let reply = thread.said.clone();
        match ran {
            Ok(()) => Ok(ToolOutput::structured(json!({
                "status": "completed",
                "agentId": id,
                "content": [{"type": "text", "text": reply}],
                "totalDurationMs": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                "totalRequests": thread.requests,
            }))),
            Err(error) => Err(error),
        }
    }

    fn render(&self, response: &Value) -> Option<String> {
        if let Value::String(text) = response {
            return Some(text.clone());
        }
        let blocks: Vec<Block> = serde_json::from_value(response.get("content")?.clone()).ok()?;
        let texts: Vec<&str> = blocks.iter().filter_map(Block::as_text).collect();
        Some(texts.join("\n"))
    }
}

/// A subagent is at work: what comes late for it is its own. Also when it is dropped in the middle, what
/// comes after that is its parent's.
struct AtWork {
    shared: Arc<Shared>,
    id: AgentId,
}

impl AtWork {
    fn begin(shared: &Arc<Shared>, id: &AgentId) -> Self {
        shared.mail.begin(id);
        Self {
            shared: Arc::clone(shared),
            id: id.clone(),
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.shared.mail.end(&self.id);
    }
}

/// Runs a subagent to its end; else why it has no result.
async fn run(
    thread: &mut Thread,
    kind: &Subagent,
    id: &AgentId,
    prompt: String,
) -> Result<(), ToolError> {
    let interrupted = |_| ToolError::interrupted("the subagent was interrupted");
    let event = SubagentStart::new(id.clone(), kind.name.clone());
    let opening = opening(&thread.firing.hear(event).await.map_err(interrupted)?);
    if let Some(halt) = opening.halt {
        return Err(ToolError::new(halt.said().marked()));
    }
    thread.system.add(opening.said);
    let draft = Draft::new(MessageRole::User, Role::User, vec![Block::text(prompt)]);
    thread.append(draft).await.map_err(interrupted)?;
    // A subagent's turn holds the turns of no further subagents, but the compiler cannot know.
    match Box::pin(thread.run()).await {
        Ending::Interrupted => Err(interrupted(crate::firing::Interrupted)),
        Ending::Halted(reason) if thread.said.is_empty() => Err(ToolError::new(format!(
            "a hook stopped the subagent: {reason}"
        ))),
        Ending::Finished | Ending::Halted(_) => Ok(()),
        Ending::EndedByHook(reason) | Ending::Refused(reason) => Err(ToolError::new(format!(
            "a hook ended the subagent's turn: {reason}"
        ))),
        Ending::PermissionRefused(reason) => Err(ToolError::new(reason)),
        Ending::MaxRequests(most) => Err(ToolError::new(format!(
            "the subagent asked its model {most} times and was not done; what it said last:\n{}",
            thread.said
        ))),
        Ending::Failed(error) => Err(ToolError::new(format!(
            "the subagent's model failed: {error}"
        ))),
        Ending::Deferred(call) => Err(ToolError::new(format!(
            "a hook put off the subagent's call of {}; a subagent cannot wait",
            call.name
        ))),
    }
}
