//! Firing events in the name of one agent.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_runner::{Cancellation, Fire, Fired, HookRunner};
use hook_types::{Base, Event, Outcome};

/// The turn was interrupted: nothing that follows from it may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the turn was interrupted")]
pub struct Interrupted;

/// Fires events in the name of one agent, until a turn is interrupted. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use agent_loop::Firing;
/// use hook_runner::{Cancellation, HookSet, Runner};
/// use hook_types::{Base, Event, PreToolUse};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hooks = HookSet::builder().on("", |_: PreToolUse| PreToolUse::deny("no")).build()?;
/// let base = Base::new("s-1", "/tmp/s-1.jsonl", "/srv/app");
/// let firing = Firing::new(Arc::new(Runner::new(hooks)), base, Cancellation::new());
/// let outcome = firing.fire(PreToolUse::new("Bash", json!({"command": "ls"}))).await?;
/// assert!(outcome.is_denied());
///
/// firing.cancellation().cancel();
/// assert!(firing.fire(PreToolUse::new("Bash", json!({}))).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Firing {
    hooks: Arc<dyn HookRunner>,
    base: Arc<Mutex<Base>>,
    until: Cancellation,
}

impl Firing {
    /// Fires at `hooks`, with what every event carries, until the turn is interrupted.
    pub fn new(hooks: Arc<dyn HookRunner>, base: Base, until: Cancellation) -> Self {
        Self {
            hooks,
            base: Arc::new(Mutex::new(base)),
            until,
        }
    }

    /// What every event of this agent carries, to be read or changed.
    pub fn base(&self) -> MutexGuard<'_, Base> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the turn.
    pub fn cancellation(&self) -> &Cancellation {
        &self.until
    }

    /// Whether any hook listens to that event.
    pub fn listens<E: Event>(&self) -> bool {
        self.hooks.listens(E::NAME)
    }

    /// Fires an event. An interruption ends its hooks at once, and whatever they would have said is no
    /// permission for anything.
    pub async fn fire<E: Event>(&self, event: E) -> Result<Outcome, Interrupted> {
        let fired = self.fire_each(event).await?;
        Ok(fired.outcome)
    }

    /// The same, with what became of each hook.
    pub async fn fire_each<E: Event>(&self, mut event: E) -> Result<Fired, Interrupted> {
        if !self.listens::<E>() {
            return self.unless_interrupted(Fired::nothing(E::NAME));
        }
        event.base_mut().fill_from(&self.base());
        let fired = tokio::select! {
            biased;
            () = self.until.cancelled() => return Err(Interrupted),
            verdict = self.hooks.fire(event) => verdict.into_fired(),
        };
        self.unless_interrupted(fired)
    }

    fn unless_interrupted(&self, fired: Fired) -> Result<Fired, Interrupted> {
        if self.until.is_cancelled() {
            return Err(Interrupted);
        }
        Ok(fired)
    }
}

impl fmt::Debug for Firing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Firing")
            .field("base", &*self.base())
            .finish_non_exhaustive()
    }
}
