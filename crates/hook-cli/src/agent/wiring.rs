//! Hooks, model, tools and limits, put together to one agent.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{
    Agent, AgentBuilder, AgentEvent, Approver, Instructions, Limits, Model, Permissions, Session,
    Toolbox,
};
use hook_config::{Reloader, Report, TrustState};
use hook_runner::{Policy, Runner, Session as HookSession};
use hook_types::{Base, EndReason, SetupTrigger};

use super::conversation::Busy;
use super::display::Display;
use super::fresh::Fresh;
use super::headless::end;
use super::sessions::Sessions;
use super::signals::Signals;
use crate::config_args::Project;
use crate::failure::Failure;
use crate::mcp::Mcp;
use crate::recording::{Book, kept};
use crate::world::World;

/// What the user wants of the agent.
pub(crate) struct Wanted {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) permissions: Permissions,
    pub(crate) max_turns: Option<u32>,
    pub(crate) setup: Option<SetupTrigger>,
    /// The transcript to go on with.
    pub(crate) resume: Option<PathBuf>,
    /// Whether the user's own instructions count.
    pub(crate) user: bool,
    /// Where what hooks do is written down.
    pub(crate) book: Option<Arc<Book>>,
}

/// An agent that is about to start, and what belongs to it.
pub(crate) struct Wiring {
    project: Project,
    wanted: Wanted,
    sessions: Sessions,
    home: Option<PathBuf>,
    pub(crate) runner: Runner,
}

impl Wiring {
    /// Takes the parts.
    pub(crate) fn new(project: Project, sessions: Sessions, wanted: Wanted, world: &World) -> Self {
        let session = HookSession::new(Base::default());
        let hooks = project.loaded.hooks.clone();
        Self {
            sessions,
            home: world.home(),
            runner: Runner::with(hooks, session, Policy::default()),
            project,
            wanted,
        }
    }

    /// Says what should be known before the agent starts.
    pub(crate) fn tell(&self, display: &Display) {
        let report = &self.project.loaded.report;
        if let Some(note) = waiting(report) {
            display.note(note);
        }
        let wrong = match report.diagnostics.len() {
            0 => return,
            1 => "one thing is wrong with the files of hooks".to_owned(),
            count => format!("{count} things are wrong with the files of hooks"),
        };
        display.note(format!("{wrong}; `hookline check` says what"));
    }

    /// The MCP servers.
    pub(crate) fn mcp(&self) -> Mcp {
        self.project.mcp.clone()
    }

    /// Connects the MCP servers, and says which there are. Whether nobody wanted it to end meanwhile.
    pub(crate) async fn connect(
        &self,
        longest: Option<Duration>,
        display: &Display,
        signals: &mut Signals,
    ) -> bool {
        tokio::select! {
            biased;
            () = self.project.mcp.connect(longest) => {}
            _ = signals.next() => return false,
        }
        self.project.mcp.tell(display);
        true
    }

    /// Starts a session; nothing where somebody wants it to end before it has begun: it has ended then.
    pub(crate) async fn start(
        &self,
        approver: impl Approver,
        display: &Display,
        busy: &Busy,
        signals: &mut Signals,
    ) -> Result<Option<Session>, Failure> {
        let busy = busy.clone();
        let agent = self
            .agent()
            .approver(approver)
            .observer(move |event: &AgentEvent| busy.observe(event))
            .observer(display.clone())
            .build();
        let mut start = agent.session();
        if let Some(trigger) = &self.wanted.setup {
            start = start.setup(trigger.clone());
        }
        let interrupt = start.interrupt_handle();
        let mut begun = pin!(async {
            match &self.wanted.resume {
                None => Ok(start.start().await),
                Some(path) => start.resume(path.to_string_lossy()).await,
            }
        });
        let mut wanted = true;
        let session = loop {
            tokio::select! {
                biased;
                session = &mut begun => break session,
                _ = signals.next() => {
                    wanted = false;
                    interrupt.interrupt();
                }
            }
        };
        let session = session.map_err(|why| Failure::invalid(why.to_string()))?;
        if !wanted {
            end(session, EndReason::Unspecified, signals).await;
            return Ok(None);
        }
        self.project.mcp.answer(session.host(), display);
        Ok(Some(session))
    }

    fn agent(&self) -> AgentBuilder {
        let root = &self.project.root;
        let runner = kept(self.runner.clone(), self.wanted.book.as_ref());
        let limits = Limits {
            requests: self.wanted.max_turns,
            ..Limits::default()
        };
        let mut agent = Agent::builder()
            .shared_model(Arc::clone(&self.wanted.model))
            .tools(self.project.mcp.toolbox(Toolbox::standard()))
            .runner(runner)
            .permissions(self.wanted.permissions.clone())
            .limits(limits)
            .cwd(root)
            .project_dir(root);
        if let Some(watchdog) = &self.project.watchdog {
            agent = agent.watched(watchdog.clone());
        }
        if let Some(directory) = self.sessions.directory() {
            agent = agent.transcripts_in(directory);
        }
        if let Some(home) = &self.home {
            agent = agent.home(home);
            if self.wanted.user {
                agent = agent.instructions(Instructions::user(home.join(".claude/CLAUDE.md")));
            }
        }
        for name in ["CLAUDE.md", "AGENTS.md"] {
            agent = agent.instructions(Instructions::project(root.join(name)));
        }
        agent
    }

    /// Keeps the hooks as their files have them, while the session lasts.
    pub(crate) fn keep_fresh(&self, session: &Session, display: &Display) -> Fresh {
        let project = &self.project;
        let (places, options) = (project.places.clone(), project.options.clone());
        Fresh {
            runner: self.runner.clone(),
            reloader: Reloader::new(places, options, &project.loaded.report),
            host: session.host(),
            display: display.clone(),
        }
    }

    /// Ends whatever is left.
    pub(crate) async fn close(&self) {
        self.runner.close(Duration::ZERO).await;
        self.project.host.close().await;
        self.project.mcp.close().await;
    }
}

/// How many hooks wait for approval.
pub(crate) fn waiting(report: &Report) -> Option<String> {
    let waits = |state: TrustState| matches!(state, TrustState::Untrusted | TrustState::Changed);
    let count = report.hooks.iter().filter(|hook| waits(hook.trust)).count();
    let (hooks, them) = match count {
        0 => return None,
        1 => ("one hook of this project waits".to_owned(), "it"),
        _ => (format!("{count} hooks of this project wait"), "them"),
    };
    Some(format!(
        "{hooks} for your approval and will not run; `hookline trust` shows {them}, \
         --trust runs {them} this once"
    ))
}
