//! Firing events in the name of one agent.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_runner::{Cancellation, Fire, Fired, HookRunner};
use hook_types::{Base, Event, InterruptedDuring, Outcome, PermissionMode};

use crate::activity::{Activity, Entered};
use crate::apply::{Heard, is_quiet, user_hears};
use crate::event::AgentEventKind;
use crate::shared::lock;
use crate::transcript::Transcript;
use crate::voice::Voice;

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
    /// The mode, once it has changed: one for all agents of a session.
    mode: Arc<Mutex<Option<PermissionMode>>>,
    until: Cancellation,
    transcript: Option<Transcript>,
    voice: Voice,
    activity: Activity,
}

impl Firing {
    /// Fires at `hooks`, with what every event carries, until the turn is interrupted.
    pub fn new(hooks: Arc<dyn HookRunner>, base: Base, until: Cancellation) -> Self {
        Self {
            hooks,
            base: Arc::new(Mutex::new(base)),
            mode: Arc::default(),
            until,
            transcript: None,
            voice: Voice::default(),
            activity: Activity::default(),
        }
    }

    /// The same, for an agent that writes a transcript and is watched.
    pub(crate) fn of_agent(self, transcript: Transcript, voice: Voice) -> Self {
        Self {
            transcript: Some(transcript),
            voice,
            ..self
        }
    }

    /// The same, in the permission mode of another agent, whoever of them changes it.
    pub(crate) fn in_mode_of(self, other: &Self) -> Self {
        Self {
            mode: Arc::clone(&other.mode),
            ..self
        }
    }

    /// Every event from now on, of every agent of the session, carries this mode.
    pub(crate) fn set_mode(&self, mode: PermissionMode) {
        *lock(&self.mode) = Some(mode);
    }

    /// The same agent, in another turn.
    pub(crate) fn until(&self, until: Cancellation) -> Self {
        Self {
            until,
            ..self.clone()
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

    pub(crate) fn hooks(&self) -> &Arc<dyn HookRunner> {
        &self.hooks
    }

    pub(crate) fn voice(&self) -> &Voice {
        &self.voice
    }

    pub(crate) fn tell(&self, kind: AgentEventKind) {
        self.voice.tell(kind);
    }

    /// What was interrupted, and the tool if it was one.
    pub(crate) fn interrupted(&self) -> (InterruptedDuring, Option<String>) {
        self.activity.interrupted()
    }

    /// Something begins that may be interrupted.
    pub(crate) fn enter(&self, during: InterruptedDuring, tool: Option<&str>) -> Entered {
        self.activity.enter(during, tool, &self.until)
    }

    /// Whether any hook listens to that event.
    pub fn listens<E: Event>(&self) -> bool {
        self.hooks.listens(E::NAME)
    }

    /// Fires an event. An interruption ends its hooks at once, and whatever they would have said is no
    /// permission for anything.
    ///
    /// What hooks want the user to see is told along the way; the rest is the caller's.
    pub async fn fire<E: Event>(&self, event: E) -> Result<Outcome, Interrupted> {
        let fired = self.fire_each(event).await?;
        Ok(fired.outcome)
    }

    /// The same, with what became of each hook.
    pub async fn fire_each<E: Event>(&self, mut event: E) -> Result<Fired, Interrupted> {
        if !self.listens::<E>() {
            return self.unless_interrupted(Fired::nothing(E::NAME));
        }
        self.flush().await;
        let facts = event.base_mut();
        if let Some(mode) = &*lock(&self.mode) {
            facts.permission_mode.get_or_insert_with(|| mode.clone());
        }
        facts.fill_from(&self.base());
        let _hook = self.enter(InterruptedDuring::Hook, None);
        let fired = tokio::select! {
            biased;
            () = self.until.cancelled() => return Err(Interrupted),
            verdict = self.hooks.fire(event) => verdict.into_fired(),
        };
        let fired = self.unless_interrupted(fired)?;
        self.tell_user(&fired);
        Ok(fired)
    }

    pub(crate) async fn hear<E: Event>(&self, event: E) -> Result<Heard, Interrupted> {
        self.fire_each(event).await.map(Heard)
    }

    fn unless_interrupted(&self, fired: Fired) -> Result<Fired, Interrupted> {
        if self.until.is_cancelled() {
            return Err(Interrupted);
        }
        Ok(fired)
    }

    /// Shows the user what hooks want shown.
    fn tell_user(&self, fired: &Fired) {
        let outcome = &fired.outcome;
        if user_hears(outcome.event) {
            let shown = outcome.system_messages.iter();
            for note in shown.filter(|note| !is_quiet(fired, &note.hook)) {
                self.tell(AgentEventKind::HookSays {
                    hook: note.hook.clone(),
                    event: outcome.event,
                    text: note.text.clone(),
                });
            }
        }
        for note in &outcome.terminal_sequences {
            self.tell(AgentEventKind::TerminalSequence(note.text.clone()));
        }
    }

    /// Writes what waits for the transcript: a hook may read it.
    pub(crate) async fn flush(&self) {
        let Some(transcript) = &self.transcript else {
            return;
        };
        if let Err(error) = transcript.flush().await {
            let path = transcript.path();
            tracing::error!(path, %error, "the transcript cannot be written");
            self.voice.warn(format!("the transcript {path} {error}"));
        }
    }

    pub(crate) fn transcript(&self) -> Option<&Transcript> {
        self.transcript.as_ref()
    }
}

impl fmt::Debug for Firing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Firing")
            .field("base", &*self.base())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use hook_runner::NoHooks;
    use hook_types::PreToolUse;

    use super::*;

    #[tokio::test]
    async fn an_interruption_is_seen_where_nobody_listens_too() {
        let firing = Firing::new(Arc::new(NoHooks), Base::default(), Cancellation::new());
        let call = || PreToolUse::new("Bash", serde_json::json!({}));
        assert!(firing.fire(call()).await.is_ok());
        firing.cancellation().cancel();
        assert_eq!(firing.fire(call()).await, Err(Interrupted));
    }
}
