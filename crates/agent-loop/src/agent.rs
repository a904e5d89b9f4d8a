//! An agent: parts that are put together once, and start any number of sessions.

use std::fmt;
use std::sync::Arc;

use hook_runner::{HookRunner, HookSet, Policy, Runner, Session as HookSession};
use hook_types::{Base, EndReason};

use crate::builder::AgentBuilder;
use crate::model::Model;
use crate::permission::Permissions;
use crate::result::TurnResult;
use crate::session::{Prompt, Session, Start};
use crate::shared::Parts;
use crate::transcript::ResumeError;
use crate::voice::Observer;

/// An agent: a model, tools, hooks, and whoever gives permission. Cheap to clone; a clone shares all parts.
#[derive(Clone)]
pub struct Agent {
    pub(crate) parts: Arc<Parts>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) hooks: Hooks,
    pub(crate) permissions: Permissions,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
}

/// Where an agent's hooks come from.
#[derive(Clone)]
pub(crate) enum Hooks {
    /// A set, for which every session has a runner of its own.
    Set(HookSet, Policy),
    /// A runner of the host's: it serves one session.
    Runner(Arc<dyn HookRunner>),
}

impl Agent {
    /// Puts an agent together.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::new()
    }

    /// Starts a session: fires `SessionStart`.
    pub async fn start(&self) -> Session {
        self.session().start().await
    }

    /// Goes on where an earlier session left off, by its transcript.
    pub async fn resume(&self, transcript_path: impl AsRef<str>) -> Result<Session, ResumeError> {
        self.session().resume(transcript_path).await
    }

    /// A session that begins otherwise than usual: with a set-up, an id, a title.
    pub fn session(&self) -> Start<'_> {
        Start::new(self)
    }

    /// A session of one prompt, from `SessionStart` to `SessionEnd`.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> TurnResult {
        let mut session = self.start().await;
        let result = session.prompt(prompt).await;
        session.end(EndReason::Unspecified).await;
        result
    }

    /// The runner of a session, told what it must know.
    pub(crate) fn runner(&self, base: &Base) -> Arc<dyn HookRunner> {
        let known = |session: &mut HookSession| {
            session.base = base.clone();
            session.project_dir = self.parts.project_dir.to_string_lossy().into_owned();
            session.home = self
                .parts
                .home
                .as_ref()
                .map(|home| home.to_string_lossy().into_owned());
            session.model = Some(self.model.name().to_owned());
            session.interactive = self.parts.approver.is_present();
        };
        match &self.hooks {
            Hooks::Runner(runner) => {
                runner.session_changed(&mut |session| known(session));
                Arc::clone(runner)
            }
            Hooks::Set(set, policy) => {
                let mut session = HookSession::default();
                known(&mut session);
                Arc::new(Runner::with(set.clone(), session, *policy))
            }
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.model.name())
            .field("tools", &self.parts.tools)
            .field("permissions", &self.permissions)
            .finish_non_exhaustive()
    }
}
