//! One session: how it starts, its turns, how it ends.

mod begin; // Setup, SessionStart, instructions
mod end; // SessionEnd, on every way out
mod switch; // another model
mod turns; // prompts, late answers, deferred calls, compaction, clearing

pub use begin::Start;
pub use switch::SwitchRefused;
pub use turns::Prompt;

use std::fmt;
use std::sync::{Arc, Mutex};

use hook_runner::Cancellation;
use hook_types::{PermissionMode, PermissionUpdate, SessionId};

use crate::conversation::{ChatMessage, ToolCall};
use crate::host::Host;
use crate::shared::{Shared, lock};
use crate::task::TaskList;
use crate::thread::Thread;
use crate::voice::AgentEvents;

/// One conversation with an agent, from `SessionStart` to `SessionEnd`.
///
/// [`Session::end`] ends it. One that is dropped instead still fires `SessionEnd`, in a task of its own, as
/// long as the runtime runs.
pub struct Session {
    pub(crate) thread: Thread,
    pub(crate) shared: Arc<Shared>,
    interrupt: Interrupt,
    /// What a hook wants said first.
    first_message: Option<String>,
    /// A call that was left to whoever resumes the session.
    deferred: Option<ToolCall>,
    /// Why a hook does not let the session begin.
    halted: Option<String>,
    ended: bool,
}

impl Session {
    /// The session.
    pub fn id(&self) -> &SessionId {
        &self.shared.session_id
    }

    /// The session's title, where a hook or the host has set one.
    pub fn title(&self) -> Option<String> {
        lock(&self.shared.title).clone()
    }

    /// Where the transcript stands; empty where none is kept.
    pub fn transcript_path(&self) -> String {
        self.thread.firing.base().transcript_path.clone()
    }

    /// The working directory.
    pub fn cwd(&self) -> String {
        self.thread.cwd()
    }

    /// The conversation as the model will see it.
    pub fn messages(&self) -> &[ChatMessage] {
        &self.thread.messages
    }

    /// How many tokens the next request has, about.
    pub fn context_tokens(&self) -> u64 {
        self.thread.size()
    }

    /// The tasks.
    pub fn tasks(&self) -> &TaskList {
        &self.shared.tasks
    }

    /// The call that a hook left to whoever resumes the session.
    pub fn deferred_call(&self) -> Option<&ToolCall> {
        self.deferred.as_ref()
    }

    /// How much the agent may do without asking.
    pub fn permission_mode(&self) -> PermissionMode {
        self.shared.mode()
    }

    /// Changes how much the agent may do without asking. False where the session may not enter that mode.
    pub fn set_permission_mode(&mut self, mode: PermissionMode) -> bool {
        let set = lock(&self.shared.permissions).set_mode(mode);
        self.thread.firing.set_mode(self.shared.mode());
        set
    }

    /// Changes to the rules that are meant for files and have not been written yet. Each is handed out
    /// once.
    pub fn take_unsaved_permissions(&mut self) -> Vec<PermissionUpdate> {
        lock(&self.shared.permissions).take_unsaved()
    }

    /// Files that hooks want watched; the host tells of changes by [`Host::file_changed`].
    pub fn watched_paths(&self) -> Vec<String> {
        lock(&self.shared.watched).clone()
    }

    /// A reader of what happens from now on.
    pub fn events(&self) -> AgentEvents {
        self.shared.voice.subscribe()
    }

    /// A handle that ends the turn that is running, from anywhere.
    pub fn interrupt_handle(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// The entry points for what only the host knows of; usable while a turn runs.
    pub fn host(&self) -> Host {
        Host::new(
            Arc::clone(&self.shared),
            self.thread.firing.until(Cancellation::new()),
            self.thread.pending.clone(),
        )
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", self.id())
            .field("messages", &self.thread.messages.len())
            .finish_non_exhaustive()
    }
}

/// Ends the turn that is running: the model's stream, its tools and its hooks. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Mutex<Cancellation>>);

impl Interrupt {
    /// Ends the turn that is running; between turns it does nothing.
    pub fn interrupt(&self) {
        lock(&self.0).cancel();
    }

    /// What ends the turn that begins now.
    pub(crate) fn next_turn(&self) -> Cancellation {
        let until = Cancellation::new();
        *lock(&self.0) = until.clone();
        until
    }
}
