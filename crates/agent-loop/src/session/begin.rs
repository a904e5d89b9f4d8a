//! How a session begins: anew, or where an earlier one left off.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use hook_runner::Cancellation;
use hook_types::{
    Base, Error, ErrorType, InstructionsLoaded, LoadReason, Number, SessionId, SessionSource,
    SessionStart, Setup, SetupTrigger,
};

use super::{Interrupt, Session};
use crate::agent::Agent;
use crate::apply::Halt;
use crate::apply::session::{Opening, opening};
use crate::event::AgentEventKind;
use crate::firing::{Firing, Interrupted};
use crate::id;
use crate::shared::{Shared, lock};
use crate::subagent::AgentTool;
use crate::system_prompt::SystemPrompt;
use crate::thread::Thread;
use crate::transcript::{ResumeError, Resumed, Transcript, read};
use crate::voice::Voice;

/// A session that is about to begin.
#[derive(Debug)]
#[must_use = "nothing begins until it is started"]
pub struct Start<'a> {
    agent: &'a Agent,
    setup: Option<SetupTrigger>,
    session_id: Option<SessionId>,
    title: Option<String>,
    interrupt: Interrupt,
}

impl<'a> Start<'a> {
    pub(crate) fn new(agent: &'a Agent) -> Self {
        Self {
            agent,
            setup: None,
            session_id: None,
            title: None,
            interrupt: Interrupt::default(),
        }
    }

    /// Fires `Setup` first.
    pub fn setup(mut self, trigger: SetupTrigger) -> Self {
        self.setup = Some(trigger);
        self
    }

    /// With an id of your own.
    pub fn session_id(mut self, id: impl Into<SessionId>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// With a title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A handle that ends the hooks of the start, from anywhere, and later turns. There is a session then
    /// all the same, to be ended in order: dropping the future that starts it leaves that to a task of its
    /// own.
    pub fn interrupt_handle(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Begins.
    pub async fn start(self) -> Session {
        let id = self.session_id.clone();
        let id = id.unwrap_or_else(|| SessionId::new(id::fresh()));
        let store = &self.agent.parts.transcripts;
        let transcript = Transcript::new(Arc::clone(store), id.clone(), None);
        let mut session = self.session(id, transcript);
        session
            .begin(self.setup, SessionSource::Startup, None)
            .await;
        session
    }

    /// Goes on where the session left off whose transcript stands at `path`. A transcript that was cut
    /// off is mended: a broken line is skipped, a call without a result gets one that says so.
    pub async fn resume(self, path: impl AsRef<str>) -> Result<Session, ResumeError> {
        let path = path.as_ref().to_owned();
        let store = Arc::clone(&self.agent.parts.transcripts);
        let text = store.read(&path).await;
        let text = text.map_err(|error| ResumeError::Unreadable {
            path: path.clone(),
            error,
        })?;
        let resumed = read(&text);
        if resumed.messages.is_empty() {
            return Err(ResumeError::Empty { path });
        }
        let id = resumed.session_id.clone();
        let transcript = Transcript::at(store, id.clone(), None, path);
        transcript.continue_after(resumed.last.clone());
        let mut session = self.session(id, transcript);
        session
            .begin(self.setup, SessionSource::Resume, Some(resumed))
            .await;
        Ok(session)
    }

    fn session(&self, id: SessionId, transcript: Transcript) -> Session {
        let agent = self.agent;
        let parts = &agent.parts;
        let voice = Voice::new(agent.observers.clone());
        let permissions = agent.permissions.clone();
        let mut base = Base::new(
            id.clone(),
            transcript.path(),
            parts.cwd.to_string_lossy().into_owned(),
        );
        base.permission_mode = Some(permissions.mode().clone());
        let hooks = agent.runner(&base);
        hooks.add_sink(Arc::new(voice.clone()));
        let shared = Arc::new(Shared::new(
            Arc::clone(parts),
            Arc::clone(&hooks),
            id,
            voice.clone(),
            permissions,
            Arc::clone(&agent.model),
        ));
        lock(&shared.title).clone_from(&self.title);
        let firing = Firing::new(hooks, base, Cancellation::new()).of_agent(transcript, voice);
        let mut tools = parts.tools.clone();
        if !parts.subagents.is_empty() {
            let agent_tool = AgentTool::new(Arc::clone(&shared), firing.clone());
            tools.add(Arc::new(agent_tool));
        }
        let system = SystemPrompt::new(parts.system_prompt.clone());
        let model = Arc::clone(&agent.model);
        let interrupt = self.interrupt.clone();
        let mut thread = Thread::new(Arc::clone(&shared), firing, model, tools, system);
        thread.interrupt = Some(interrupt.clone());
        Session {
            thread,
            shared,
            interrupt,
            first_message: None,
            deferred: None,
            halted: None,
            ended: false,
        }
    }
}

impl Session {
    async fn begin(
        &mut self,
        setup: Option<SetupTrigger>,
        source: SessionSource,
        resumed: Option<Resumed>,
    ) {
        let until = self.interrupt.next_turn();
        self.thread.firing = self.thread.firing.until(until);
        // Interrupted or not, there is a session; its turns say what they are allowed to.
        let _ = self.try_begin(setup, source, resumed).await;
    }

    async fn try_begin(
        &mut self,
        setup: Option<SetupTrigger>,
        source: SessionSource,
        resumed: Option<Resumed>,
    ) -> Result<(), Interrupted> {
        if let Some(trigger) = setup {
            let heard = self.thread.firing.hear(Setup::new(trigger)).await?;
            self.shared.export(opening(&heard).exports);
        }
        let mut event = SessionStart::new(source.clone()).model(self.thread.model.name());
        event.session_title = self.title();
        if let Some(resumed) = resumed {
            event = self.take_up(event, resumed);
        }
        self.thread
            .load_instructions(LoadReason::SessionStart)
            .await?;
        let heard = self.thread.firing.hear(event).await?;
        self.open(source, opening(&heard));
        Ok(())
    }

    /// Takes over an earlier conversation.
    fn take_up(&mut self, event: SessionStart, resumed: Resumed) -> SessionStart {
        let now = self.shared.parts.clock.now();
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.thread.messages = resumed.messages;
        self.deferred = resumed.deferred;
        if resumed.skipped > 0 {
            self.shared.voice.warn(format!(
                "{} lines of the transcript could not be read and are left out",
                resumed.skipped
            ));
        }
        let event = event.context_tokens(Number::from(self.thread.size()));
        match resumed.last_reply {
            Some(last) => event.seconds_since_last_response(Number::from(now.saturating_sub(last))),
            None => event,
        }
    }

    /// Carries out how a session begins.
    pub(super) fn open(&mut self, source: SessionSource, opening: Opening) {
        self.first_message.clone_from(&opening.first_message);
        self.halted = self.thread.begin(opening).map(|halt| halt.said().text);
        self.thread.tools.refresh();
        let tools = self.thread.tools.names().map(str::to_owned).collect();
        self.thread.firing.tell(AgentEventKind::SessionStarted {
            session_id: self.id().clone(),
            source,
            model: self.thread.model.name().to_owned(),
            tools,
            cwd: self.cwd(),
            permission_mode: self.permission_mode(),
        });
    }
}

impl Thread {
    /// Carries out how a conversation begins, anew or after a compaction.
    pub(crate) fn begin(&mut self, opening: Opening) -> Option<Halt> {
        self.system.add(opening.said);
        self.shared.export(opening.exports);
        self.shared.watch(opening.watch);
        if let Some(title) = opening.title {
            self.shared.entitle(title);
        }
        if opening.reload_skills {
            self.firing.tell(AgentEventKind::ReloadSkills);
        }
        opening.halt
    }

    /// Reads the instructions, and tells hooks of each file.
    pub(crate) async fn load_instructions(&mut self, why: LoadReason) -> Result<(), Interrupted> {
        let files = self.shared.parts.instructions.clone();
        let mut texts = Vec::new();
        for file in files {
            match file.read().await {
                Ok(None) => {}
                Ok(Some(text)) => {
                    texts.push(text);
                    let event: InstructionsLoaded = file.loaded(why.clone());
                    self.firing.hear(event).await?;
                }
                Err(error) => {
                    let path = file.file.display();
                    let message = format!("the instructions {path} cannot be read: {error}");
                    self.firing.voice().warn(message.clone());
                    let event = Error::new(ErrorType::Config, message);
                    self.firing.hear(event).await?;
                }
            }
        }
        self.system.instructions = texts;
        Ok(())
    }
}

impl Shared {
    /// Gives the session a title.
    pub(crate) fn entitle(&self, title: String) {
        *lock(&self.title) = Some(title.clone());
        self.voice.tell(AgentEventKind::Title(title));
    }
}
