//! One conversation with a model: the main agent's, or a subagent's.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hook_types::{AgentId, MessageRole, SessionMessage};

use crate::apply::stop::StopCounter;
use crate::batch::Slots;
use crate::conversation::{Block, ChatMessage, Role, ToolCall};
use crate::event::AgentEventKind;
use crate::firing::{Firing, Interrupted};
use crate::id;
use crate::model::Model;
use crate::pending::Pending;
use crate::said::Said;
use crate::session::Interrupt;
use crate::shared::Shared;
use crate::system_prompt::SystemPrompt;
use crate::tokens::TokenCount;
use crate::tool::ToolContext;
use crate::toolbox::Toolbox;
use crate::tools::ReadFiles;
use crate::transcript::Line;

/// One conversation with a model, and what it needs to go on.
pub(crate) struct Thread {
    pub(crate) shared: Arc<Shared>,
    pub(crate) firing: Firing,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Toolbox,
    pub(crate) system: SystemPrompt,
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) pending: Pending,
    pub(crate) stops: StopCounter,
    pub(crate) tokens: TokenCount,
    pub(crate) read_files: ReadFiles,
    /// What has arrived of the reply that the model is giving.
    pub(crate) partial: Mutex<String>,
    /// The calls that the model waits for, and those of them that are over.
    pub(crate) open: Vec<ToolCall>,
    pub(crate) slots: Slots,
    /// The tools that the model was told of with its last request; none: nobody knows.
    pub(crate) offered: Option<Vec<String>>,
    /// What the model has said last in this turn.
    pub(crate) said: String,
    /// How often the model was asked in this turn.
    pub(crate) requests: u32,
    /// Whether the conversation was summarised in this turn because the service found it too long.
    pub(crate) made_room: bool,
    /// Words that are kept out of sight, of those since the model's last reply.
    hidden: Vec<String>,
    /// How large the conversation was when a hook refused to have it summarised.
    pub(crate) not_compacted_at: Option<u64>,
    /// A subagent; none: the main agent.
    pub(crate) subagent: Option<SubagentFacts>,
    /// How the user interrupts; a subagent is interrupted with its parent.
    pub(crate) interrupt: Option<Interrupt>,
}

/// What makes a conversation a subagent's.
#[derive(Clone, Debug)]
pub(crate) struct SubagentFacts {
    pub(crate) id: AgentId,
    pub(crate) agent_type: String,
    pub(crate) transcript_path: String,
}

/// A message on its way into the conversation.
#[derive(Debug)]
pub(crate) struct Draft {
    whose: MessageRole,
    role: Role,
    blocks: Vec<Block>,
    /// Blocks that the transcript and the watchers do not see, by their place.
    quiet: Vec<usize>,
    line: Vec<(&'static str, serde_json::Value)>,
}

impl Draft {
    pub(crate) fn new(whose: MessageRole, role: Role, blocks: Vec<Block>) -> Self {
        Self {
            whose,
            role,
            blocks,
            quiet: Vec::new(),
            line: Vec::new(),
        }
    }

    /// Only words of hooks.
    pub(crate) fn of_hooks(said: &[Said]) -> Self {
        Self::new(MessageRole::System, Role::User, Vec::new()).saying(said)
    }

    /// With words of hooks behind it.
    pub(crate) fn saying(mut self, said: &[Said]) -> Self {
        for words in said {
            if words.quiet {
                self.quiet.push(self.blocks.len());
            }
            self.blocks.push(words.block());
        }
        self
    }

    /// With a field of its own in the transcript.
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.line.push((key, value.into()));
        self
    }

    /// The message as it is shown.
    fn shown(&self) -> ChatMessage {
        let blocks = self.blocks.iter().enumerate();
        let shown = blocks.filter(|(place, _)| !self.quiet.contains(place));
        ChatMessage::new(self.role, shown.map(|(_, block)| block.clone()).collect())
    }
}

impl Thread {
    pub(crate) fn new(
        shared: Arc<Shared>,
        firing: Firing,
        model: Arc<dyn Model>,
        tools: Toolbox,
        system: SystemPrompt,
    ) -> Self {
        let stops = StopCounter::new(shared.parts.limits.stop_hooks);
        Self {
            shared,
            firing,
            model,
            tools,
            system,
            stops,
            messages: Vec::new(),
            pending: Pending::default(),
            tokens: TokenCount::default(),
            read_files: ReadFiles::default(),
            partial: Mutex::default(),
            open: Vec::new(),
            slots: Slots::default(),
            offered: None,
            said: String::new(),
            requests: 0,
            made_room: false,
            hidden: Vec::new(),
            not_compacted_at: None,
            subagent: None,
            interrupt: None,
        }
    }

    pub(crate) fn cwd(&self) -> String {
        self.firing.base().cwd.clone()
    }

    /// Blocks of the conversation as they joined it.
    pub(crate) fn as_it_was(&self, blocks: Vec<Block>) -> Draft {
        let quiet = blocks.iter().enumerate().filter(|(_, block)| {
            let hidden = block
                .as_text()
                .map(|text| self.hidden.iter().any(|held| held == text));
            hidden == Some(true)
        });
        let quiet = quiet.map(|(place, _)| place).collect();
        Draft {
            quiet,
            ..Draft::new(MessageRole::User, Role::User, blocks)
        }
    }

    /// Puts blocks back into the conversation that have been in it: nobody is told again.
    pub(crate) fn keep(&mut self, draft: Draft) {
        if !draft.blocks.is_empty() {
            let shown = draft.shown();
            self.record(draft, &shown);
        }
    }

    /// Puts a message into the conversation, the transcript and the stream, and tells hooks. Messages of
    /// one role in a row are one message for the model.
    pub(crate) async fn append(&mut self, draft: Draft) -> Result<(), Interrupted> {
        let told = self.put(draft);
        self.tell_of(told).await
    }

    /// Puts a message into the conversation and the stream, and in line for the transcript. What hooks are
    /// to be told of it; nothing where it is empty.
    pub(crate) fn put(&mut self, draft: Draft) -> Option<SessionMessage> {
        if draft.blocks.is_empty() {
            return None;
        }
        let (whose, shown) = (draft.whose.clone(), draft.shown());
        let message_id = self.record(draft, &shown);
        let content = shown.words();
        self.firing.tell(AgentEventKind::Message(Box::new(shown)));
        Some(SessionMessage::new(whose, content).message_id(message_id))
    }

    /// Writes the transcript, and tells hooks of a message.
    pub(crate) async fn tell_of(&self, message: Option<SessionMessage>) -> Result<(), Interrupted> {
        let Some(event) = message else { return Ok(()) };
        // Even where no hook reads it: whoever resumes a session that was cut off does.
        self.firing.flush().await;
        self.firing.hear(event).await.map(drop)
    }

    fn record(&mut self, draft: Draft, shown: &ChatMessage) -> String {
        self.remember_hidden(&draft);
        let mut line_id = id::fresh();
        if let Some(transcript) = self.firing.transcript()
            && !shown.content.is_empty()
        {
            let at = self.shared.parts.clock.now();
            let mut line = Line::message(shown, &self.cwd(), at);
            for (key, value) in draft.line {
                line = line.with(key, value);
            }
            if draft.role == Role::Assistant {
                line = line.with_message("model", self.model.name());
            }
            line_id.clone_from(&line.uuid);
            transcript.append(line);
        }
        match self.messages.last_mut() {
            Some(last) if last.role == draft.role => last.content.extend(draft.blocks),
            _ => self
                .messages
                .push(ChatMessage::new(draft.role, draft.blocks)),
        }
        line_id
    }

    /// Remembers what is kept out of sight since the model's last reply.
    fn remember_hidden(&mut self, draft: &Draft) {
        if draft.role == Role::Assistant {
            self.hidden.clear();
        }
        let quiet = draft
            .quiet
            .iter()
            .filter_map(|place| draft.blocks.get(*place));
        let texts = quiet.filter_map(|block| block.as_text().map(str::to_owned));
        self.hidden.extend(texts);
    }

    /// Writes a line that is no message.
    pub(crate) fn note(&self, line: impl FnOnce(&str, std::time::SystemTime) -> Line) {
        if let Some(transcript) = self.firing.transcript() {
            transcript.append(line(&self.cwd(), self.shared.parts.clock.now()));
        }
    }

    /// What a tool is told of the session.
    pub(crate) fn tool_context(&self, id: &hook_types::ToolUseId) -> ToolContext {
        let parts = &self.shared.parts;
        ToolContext {
            session_id: self.shared.session_id.clone(),
            agent_id: self.subagent.as_ref().map(|facts| facts.id.clone()),
            tool_use_id: id.clone(),
            cwd: PathBuf::from(self.cwd()),
            project_dir: parts.project_dir.clone(),
            home: parts.home.clone(),
            environment: parts.environment.clone(),
            exports: self.shared.exports(),
            shell: parts.shell.clone(),
            cancellation: self.firing.cancellation().child(),
            tasks: self.shared.tasks.clone(),
            read_files: self.read_files.clone(),
            processes: self.shared.processes.clone(),
        }
    }
}
