//! What happens in an agent, for whoever watches: a user interface needs nothing else.

use std::path::PathBuf;
use std::time::Duration;

use hook_types::{
    AgentId, CompactTrigger, EndReason, EventName, HookId, Message, PermissionMode, SessionId,
    SessionSource, ToolUseId,
};
use serde_json::Value;

use crate::conversation::ChatMessage;
use crate::permission::Question;
use crate::result::TurnResult;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentEvent {
    /// The subagent that it happened in; none: the main agent.
    pub agent_id: Option<AgentId>,
    /// What happened.
    pub kind: AgentEventKind,
}

impl AgentEvent {
    /// How much text it holds, about.
    pub(crate) fn weight(&self) -> usize {
        let own = match &self.kind {
            AgentEventKind::TextDelta(text)
            | AgentEventKind::Warning(text)
            | AgentEventKind::TerminalSequence(text)
            | AgentEventKind::TurnStarted { prompt: text }
            | AgentEventKind::HookSays { text, .. } => text.len(),
            AgentEventKind::ToolFinished { result, .. } => result.len(),
            AgentEventKind::ToolStarted { input, .. } => crate::tokens::bytes_of(input),
            AgentEventKind::Message(message) => crate::tokens::bytes_in(message),
            AgentEventKind::PermissionAsked(question) => {
                crate::tokens::bytes_of(&question.tool_input)
            }
            AgentEventKind::TurnFinished(result) => result.text.len(),
            AgentEventKind::Hook(message) => printed(message),
            AgentEventKind::SessionStarted { .. }
            | AgentEventKind::SubagentStarted { .. }
            | AgentEventKind::SubagentFinished
            | AgentEventKind::Compacted { .. }
            | AgentEventKind::ModelSwitched { .. }
            | AgentEventKind::CwdChanged(_)
            | AgentEventKind::Title(_)
            | AgentEventKind::WatchPaths(_)
            | AgentEventKind::ReloadSkills
            | AgentEventKind::SessionEnded(_) => 0,
        };
        own + size_of::<Self>()
    }
}

/// How much a hook's message holds; starts and verdicts are short.
fn printed(message: &Message) -> usize {
    if let Message::Progress(progress) = message {
        return progress.output.len() * 2;
    }
    if let Message::Response(response) = message {
        let facts = response.facts.iter();
        let facts: usize = facts.map(|(name, fact)| name.len() + fact.len()).sum();
        return response.output.len() * 2 + facts;
    }
    0
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentEventKind {
    /// A session has begun.
    SessionStarted {
        /// The session.
        session_id: SessionId,
        /// Why it begins.
        source: SessionSource,
        /// The model's name.
        model: String,
        /// The tools' names.
        tools: Vec<String>,
        /// The working directory.
        cwd: String,
        /// How much it may do without asking.
        permission_mode: PermissionMode,
    },
    /// A turn has begun.
    TurnStarted {
        /// What the model is told.
        prompt: String,
    },
    /// More text of the model's.
    TextDelta(String),
    /// A message has joined the conversation.
    Message(Box<ChatMessage>),
    /// A tool is about to run.
    ToolStarted {
        /// The call.
        id: ToolUseId,
        /// The tool.
        name: String,
        /// What it is called with.
        input: Value,
    },
    /// A call is over: it ran, it was refused, or it was not one that the tool takes.
    ToolFinished {
        /// The call.
        id: ToolUseId,
        /// The tool.
        name: String,
        /// What the model sees.
        result: String,
        /// Whether it failed or was refused.
        is_error: bool,
        /// How long the tool ran.
        duration: Duration,
    },
    /// Somebody is asked whether a call may run.
    PermissionAsked(Box<Question>),
    /// A hook started, printed something, or ended; or a firing came to a verdict.
    Hook(Box<Message>),
    /// A hook tells the user something.
    HookSays {
        /// The hook.
        hook: HookId,
        /// The event that it was asked about.
        event: EventName,
        /// What it says.
        text: String,
    },
    /// A hook has a title, a notification or a bell for the terminal.
    TerminalSequence(String),
    /// The user should know, and nothing else tells.
    Warning(String),
    /// A subagent begins.
    SubagentStarted {
        /// What kind of agent it is.
        agent_type: String,
        /// What it is for.
        description: String,
    },
    /// A subagent is done.
    SubagentFinished,
    /// The conversation was summarised.
    Compacted {
        /// What asked for it.
        trigger: CompactTrigger,
        /// How many tokens it had, about.
        before: u64,
        /// How many it has.
        after: u64,
    },
    /// Another model is in use.
    ModelSwitched {
        /// The model before.
        from: String,
        /// The model now.
        to: String,
    },
    /// The agent works in another directory.
    CwdChanged(PathBuf),
    /// The session has a title.
    Title(String),
    /// Files that hooks want watched, from now on; all of them.
    WatchPaths(Vec<String>),
    /// A hook wants the skills to be read again.
    ReloadSkills,
    /// A turn is over.
    TurnFinished(Box<TurnResult>),
    /// The session is over.
    SessionEnded(EndReason),
}
