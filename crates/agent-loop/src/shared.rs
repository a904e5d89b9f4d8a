//! What the agents of one session share: the main agent and its subagents.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_runner::HookRunner;
use hook_types::{PermissionMode, SessionId};
use process_tree::{Environment, Registry, Watchdog};

use crate::batch::{BatchEnd, stronger};
use crate::clock::Clock;
use crate::instructions::Instructions;
use crate::late::Mail;
use crate::limits::Limits;
use crate::model::{Model, Price, Usage};
use crate::permission::{Approver, Permissions};
use crate::result::Denial;
use crate::subagent::Subagent;
use crate::task::TaskList;
use crate::toolbox::Toolbox;
use crate::transcript::TranscriptStore;
use crate::voice::Voice;

/// How many notes wait for whoever decides next; beyond that the oldest is dropped.
const MOST_NOTES: usize = 64;

/// How an agent is made up; what does not change while it runs.
pub(crate) struct Parts {
    pub(crate) tools: Toolbox,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) transcripts: Arc<dyn TranscriptStore>,
    pub(crate) limits: Limits,
    pub(crate) system_prompt: String,
    pub(crate) instructions: Vec<Instructions>,
    pub(crate) subagents: Vec<Subagent>,
    pub(crate) cwd: PathBuf,
    pub(crate) project_dir: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) shell: String,
    pub(crate) watchdog: Option<Watchdog>,
    pub(crate) config: serde_json::Map<String, serde_json::Value>,
}

/// What the agents of one session share.
pub(crate) struct Shared {
    pub(crate) parts: Arc<Parts>,
    pub(crate) hooks: Arc<dyn HookRunner>,
    pub(crate) session_id: SessionId,
    pub(crate) voice: Voice,
    pub(crate) permissions: Mutex<Permissions>,
    pub(crate) tasks: TaskList,
    pub(crate) mail: Mail,
    /// What commands have left running; it ends with the session.
    pub(crate) processes: Registry,
    exports: Mutex<Exports>,
    ledger: Mutex<Ledger>,
    /// Notes of hooks for whoever decides in the user's place.
    notes: Mutex<Vec<String>>,
    /// How the turn is to end, once a hook or whoever gives permission has said so in one of its agents.
    ended: Mutex<Option<BatchEnd>>,
    /// The model in use.
    pub(crate) model: Mutex<Arc<dyn Model>>,
    pub(crate) title: Mutex<Option<String>>,
    pub(crate) watched: Mutex<Vec<String>>,
}

/// Shell lines that hooks have exported for the agent's commands.
#[derive(Debug, Default)]
struct Exports {
    /// Of the session: they stay.
    session: String,
    /// Of the directory: the next one clears them.
    directory: String,
}

/// What a turn has cost, and what it was refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    pub(crate) denials: Vec<Denial>,
    pub(crate) requests: u32,
}

impl Shared {
    pub(crate) fn new(
        parts: Arc<Parts>,
        hooks: Arc<dyn HookRunner>,
        session_id: SessionId,
        voice: Voice,
        permissions: Permissions,
        model: Arc<dyn Model>,
    ) -> Self {
        let watchdog = parts.watchdog.clone();
        Self {
            parts,
            hooks,
            session_id,
            voice,
            permissions: Mutex::new(permissions),
            tasks: TaskList::new(),
            mail: Mail::default(),
            processes: watchdog.map_or_else(Registry::new, Registry::watched),
            exports: Mutex::default(),
            ledger: Mutex::default(),
            notes: Mutex::default(),
            ended: Mutex::default(),
            model: Mutex::new(model),
            title: Mutex::default(),
            watched: Mutex::default(),
        }
    }

    pub(crate) fn mode(&self) -> PermissionMode {
        lock(&self.permissions).mode().clone()
    }

    /// All shell lines to run before a command.
    pub(crate) fn exports(&self) -> String {
        let exports = lock(&self.exports);
        format!("{}{}", exports.session, exports.directory)
    }

    /// Lines for the rest of the session.
    pub(crate) fn export(&self, lines: Option<String>) {
        append(&mut lock(&self.exports).session, lines);
    }

    /// Lines for as long as the agent stays in its directory.
    pub(crate) fn export_here(&self, lines: Option<String>) {
        append(&mut lock(&self.exports).directory, lines);
    }

    /// The agent has left its directory.
    pub(crate) fn leave_directory(&self) {
        lock(&self.exports).directory.clear();
    }

    pub(crate) fn spend(&self, usage: Usage, price: Option<Price>) {
        let mut ledger = lock(&self.ledger);
        ledger.usage += usage;
        if let Some(price) = price {
            *ledger.cost.get_or_insert(0.0) += price.of(&usage);
        }
    }

    pub(crate) fn refused(&self, denial: Denial) {
        lock(&self.ledger).denials.push(denial);
    }

    pub(crate) fn asked_model(&self) {
        lock(&self.ledger).requests += 1;
    }

    /// What the turn has cost so far; the next one begins with nothing.
    pub(crate) fn close_ledger(&self) -> Ledger {
        std::mem::take(&mut lock(&self.ledger))
    }

    /// The whole turn is to end, for all agents of the session.
    pub(crate) fn end_turn(&self, end: BatchEnd) {
        let mut ended = lock(&self.ended);
        let held = ended.take().unwrap_or(BatchEnd::GoOn);
        *ended = Some(stronger(held, end));
    }

    /// Whether the turn is to end: nothing more of it begins.
    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.ended).is_some()
    }

    /// How the turn is to end, if it is.
    pub(crate) fn ended(&self) -> Option<BatchEnd> {
        lock(&self.ended).clone()
    }

    /// The same, once: the turn has ended.
    pub(crate) fn take_end(&self) -> Option<BatchEnd> {
        lock(&self.ended).take()
    }

    pub(crate) fn note(&self, note: Option<String>) {
        let mut notes = lock(&self.notes);
        notes.extend(note);
        let over = notes.len().saturating_sub(MOST_NOTES);
        notes.drain(..over);
    }

    /// The notes of hooks for whoever decides next; each is told once.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notes))
    }
}

fn append(held: &mut String, lines: Option<String>) {
    let Some(lines) = lines else { return };
    held.push_str(&lines);
    if !lines.ends_with('\n') {
        held.push('\n');
    }
}

/// A lock that outlives a panic: what it guards is replaced whole, never left half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
