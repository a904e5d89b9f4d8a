//! The runner of one session: plan, schedule, aggregate, spill, and nothing else.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::join_all;
use hook_types::{Attempt, Decision, EventName, HookEvent, Outcome};

use crate::aggregate::{About, aggregate, judged_again};
use crate::background::{Background, LateAnswer};
use crate::cancel::Cancellation;
use crate::facts::Session;
use crate::fired::Fired;
use crate::handler::Handler;
use crate::hook_set::{HookSet, bit};
use crate::input::Input;
use crate::invoke::{Firing, panic_message};
use crate::messages::{self, Announcements, Hub, Sink};
use crate::off_thread::off_thread;
use crate::once::Once;
use crate::plan::{self, Circumstances, Explained, Plan};
use crate::policy::{OnConflict, Policy, Recheck};
use crate::reader::Messages;
use crate::runner::HookRunner;
use crate::schedule::{Runs, schedule};
use crate::spill::{self, OwnDirectory};

/// How long a handler may take to end what it keeps running.
const CLOSING: Duration = Duration::from_secs(30);
/// How long a text that is too long may take to be written to a file.
const SPILLING: Duration = Duration::from_secs(5);

/// Runs the hooks of one session. Cheap to clone; clones are the same session.
///
/// ```
/// use hook_runner::{Fire, HookSet, Runner};
/// use hook_types::{Event, PreToolUse};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let hooks = HookSet::builder()
///     .on("Bash", |call: PreToolUse| async move {
///         if call.command().is_some_and(|command| command.contains("sudo")) {
///             PreToolUse::deny("sudo is not allowed here")
///         } else {
///             PreToolUse::pass()
///         }
///     })
///     .build()?;
/// let runner = Runner::new(hooks);
/// let call = PreToolUse::new("Bash", json!({"command": "sudo reboot"}));
/// let blocked = runner.fire(call).await.into_result().unwrap_err();
/// assert_eq!(blocked.reason.as_deref(), Some("sudo is not allowed here"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runner(Arc<Core>);

struct Core {
    /// What every firing looks at, together: one look is enough.
    state: RwLock<Arc<State>>,
    /// The events that the set listens to, so that asking takes no lock.
    listens: AtomicU64,
    /// Held by whoever changes the session.
    updating: Mutex<()>,
    policy: Policy,
    hub: Arc<Hub>,
    background: Arc<Background>,
    once: Arc<Once>,
    closed: AtomicBool,
    /// Where long texts go that nobody named a place for.
    own_directory: OwnDirectory,
}

/// What a firing happens in.
#[derive(Clone)]
struct State {
    set: HookSet,
    session: Arc<Session>,
}

impl Drop for Core {
    /// The last clone of the runner is gone: nothing outlives it.
    fn drop(&mut self) {
        self.background.end();
        if !*self.closed.get_mut() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            state.set.leave();
        }
    }
}

impl Runner {
    /// A runner with the usual policies, for a session that nothing is known of yet.
    pub fn new(hooks: HookSet) -> Self {
        Self::with(hooks, Session::default(), Policy::default())
    }

    /// A runner for a session, with policies.
    pub fn with(hooks: HookSet, session: Session, policy: Policy) -> Self {
        hooks.enter();
        Self(Arc::new(Core {
            listens: AtomicU64::new(hooks.listens_bits()),
            state: RwLock::new(Arc::new(State {
                set: hooks,
                session: Arc::new(session),
            })),
            updating: Mutex::default(),
            closed: AtomicBool::new(false),
            policy,
            hub: Arc::default(),
            background: Arc::new(Background::new(policy.in_background)),
            once: Arc::default(),
            own_directory: OwnDirectory::new(),
        }))
    }

    /// Adds a reader of the event stream.
    pub fn with_messages(self) -> (Self, Messages) {
        let messages = self.messages();
        (self, messages)
    }

    /// Another reader of the event stream: of what happens from now on.
    pub fn messages(&self) -> Messages {
        self.0.hub.subscribe()
    }

    /// Calls `sink` in line with every message.
    pub fn add_sink(&self, sink: Arc<dyn Sink>) {
        self.0.hub.add_sink(sink);
    }

    /// What is known of the session.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.state().session)
    }

    fn state(&self) -> Arc<State> {
        let state = self.0.state.read();
        Arc::clone(&state.unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state, and hands back the one before.
    fn change(&self, change: impl FnOnce(&mut State)) -> Arc<State> {
        let state = self.0.state.write();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let mut changed = State::clone(&state);
        change(&mut changed);
        std::mem::replace(&mut *state, Arc::new(changed))
    }

    /// Changes what is known of the session: the directory, the model.
    pub fn update_session(&self, change: impl FnOnce(&mut Session)) {
        let _updating = self
            .0
            .updating
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // The change is somebody else's code: firings go on while it runs.
        let mut session = (*self.session()).clone();
        change(&mut session);
        let session = Arc::new(session);
        self.change(|state| state.session = session);
    }

    /// The hooks.
    pub fn hooks(&self) -> HookSet {
        self.state().set.clone()
    }

    /// Replaces the hooks, all at once. Firings that are under way finish with the old ones; hooks
    /// that have had their one turn have had it.
    pub fn replace(&self, hooks: HookSet) {
        hooks.enter();
        let old = self.change(|state| {
            let listens = hooks.listens_bits();
            self.0.listens.store(listens, Ordering::Release);
            state.set = hooks;
        });
        // Their handlers end with their last firing.
        old.set.leave();
    }

    /// Every hook of the event, in order, and why it would not run. Runs nothing.
    pub fn explain(&self, event: &HookEvent) -> Vec<Explained> {
        let session = self.session();
        let mut event = event.clone();
        event.base_mut().fill_from(&session.base);
        plan::explain(&self.hooks(), &event, self.circumstances(&session))
    }

    /// Fires an event, and ends at once what it started when `until` is cancelled. Dropping the
    /// future does the same.
    pub async fn fire_until(&self, event: HookEvent, until: Option<Cancellation>) -> Fired {
        *self.fire_input(Arc::new(Input::new(event)), until).await
    }

    /// What comes of a firing is behind a pointer from the first: it is large, and passes many hands.
    async fn fire_input(&self, mut input: Arc<Input>, until: Option<Cancellation>) -> Box<Fired> {
        let state = self.state();
        let session = &state.session;
        if let Some(input) = Arc::get_mut(&mut input) {
            input.fill_from(&session.base);
        }
        let planned = plan::plan(&state.set, &input, self.circumstances(session));
        if planned.plan().is_empty() {
            return Box::new(Fired::nothing(input.name()));
        }
        let firing = Firing {
            hub: &self.0.hub,
            background: &self.0.background,
            name: planned.name(),
            announced: Announcements::default(),
            session,
            until,
        };
        self.run(&firing, planned.plan(), input).await
    }

    async fn run(&self, firing: &Firing<'_>, plan: &Plan, input: Arc<Input>) -> Box<Fired> {
        let policy = &self.0.policy;
        let about = About::of(&input);
        // Only for those who listen: an event may be gone when its hooks are done.
        let call = input.tool_use_id().filter(|_| firing.hub.anybody());
        let call = call.cloned();
        let judged = (policy.recheck == Recheck::On).then(|| Arc::clone(&input));
        let runs = schedule(firing, plan, input, policy.at_once).await;
        let mut fired = Box::new(Fired::nothing(about.name));
        let interactive = firing.session.interactive;
        if let Some(outcome) = aggregate(about, runs.groups(), policy, interactive) {
            fired.outcome = outcome;
        }
        fired.attempts = in_order(firing, plan, about.name, runs);
        if judged.is_some() || spill::is_needed(&fired.outcome) {
            // Boxed, so that firings without it have no room for it.
            Box::pin(self.look_again(firing, plan, judged.as_deref(), &mut fired)).await;
        }
        messages::verdict(firing, &fired, call.as_ref());
        fired
    }

    /// Has a rewritten input judged again, and long texts put into files.
    async fn look_again(
        &self,
        firing: &Firing<'_>,
        plan: &Plan,
        judged: Option<&Input>,
        fired: &mut Fired,
    ) {
        if let Some(input) = judged {
            let again = self.recheck(firing, plan, input, &mut fired.outcome);
            fired.attempts.extend(again.await);
        }
        if spill::is_needed(&fired.outcome) {
            let outcome = std::mem::replace(&mut fired.outcome, Outcome::none(fired.event));
            fired.outcome = self.spill(outcome).await;
        }
    }

    /// The hooks that judged the old input judge the new one; what they rewrite is ignored.
    async fn recheck(
        &self,
        firing: &Firing<'_>,
        plan: &Plan,
        input: &Input,
        outcome: &mut Outcome,
    ) -> Vec<Attempt> {
        let mut rewritten = hook_types::SyncOutput::rewriting_input(outcome.updated_input.clone());
        if outcome.specific.llm_request.is_some() {
            let request = &mut rewritten.specific.llm_request;
            request.clone_from(&outcome.specific.llm_request);
        }
        let Some(event) = input
            .rewritten(&rewritten)
            .filter(|_| input.name().row().guard)
        else {
            return Vec::new();
        };
        if outcome.decision == Decision::Deny {
            return Vec::new();
        }
        let about = About::of(&event);
        let again = Arc::new(Input::new(event));
        // What they rewrite is ignored, so it is no conflict either.
        let policy = Policy {
            on_conflict: OnConflict::LastWins,
            ..self.0.policy
        };
        let runs = schedule(firing, &plan.judges(), again, policy.at_once).await;
        let interactive = firing.session.interactive;
        if let Some(second) = aggregate(about, runs.groups(), &policy, interactive) {
            judged_again(outcome, second);
        }
        runs.into_attempts()
    }

    async fn spill(&self, outcome: Outcome) -> Outcome {
        let named = self.session().long_texts.clone();
        let directory = named.unwrap_or_else(|| self.0.own_directory.path().to_owned());
        let mut shortened = outcome.clone();
        if tokio::runtime::Handle::try_current().is_err() {
            spill::spill(&mut shortened, &directory);
            return shortened;
        }
        let task = off_thread(move || {
            spill::spill(&mut shortened, &directory);
            shortened
        });
        match tokio::time::timeout(SPILLING, task).await {
            Ok(Ok(shortened)) => shortened,
            Ok(Err(_)) | Err(_) => spill::cut(outcome),
        }
    }

    fn circumstances<'a>(&'a self, session: &'a Session) -> Circumstances<'a> {
        Circumstances {
            session,
            once: &self.0.once,
            policy: &self.0.policy,
        }
    }

    /// The answers of background hooks that have come since the last time, each once.
    pub fn take_finished(&self) -> Vec<LateAnswer> {
        self.0.background.take_finished()
    }

    /// Waits for the next answer of a background hook; none once the runner is closed and all have
    /// been taken.
    pub async fn late(&self) -> Option<LateAnswer> {
        self.0.background.late().await
    }

    /// How many late answers were dropped because nobody took them: the runner keeps the newest 256.
    pub fn dropped_answers(&self) -> u64 {
        self.0.background.dropped()
    }

    /// How many hooks run in the background now.
    pub fn in_background(&self) -> usize {
        self.0.background.running()
    }

    /// Ends the session's background hooks: those of `SessionEnd` at their own deadline, the others
    /// after `grace`. Nothing that was started outlives this.
    ///
    /// Handlers are closed as well, once, unless another session still uses the same set.
    pub async fn close(&self, grace: Duration) {
        self.0.background.close(grace).await;
        let hooks = self.hooks();
        if !self.0.closed.swap(true, Ordering::AcqRel) && hooks.leave() {
            join_all(hooks.handlers().iter().map(close_one)).await;
        }
    }
}

/// Closes one handler; one that panics or hangs holds up nobody.
async fn close_one(handler: &Arc<dyn Handler>) {
    let work = AssertUnwindSafe(async { handler.close().await }).catch_unwind();
    match tokio::time::timeout(CLOSING, work).await {
        Ok(Ok(())) => {}
        Ok(Err(panic)) => tracing::error!("{}", panic_message(&*panic)),
        Err(_) => tracing::error!("a handler took longer than {CLOSING:?} to close"),
    }
}

/// All attempts in the order of registration, skipped ones in their place.
fn in_order(firing: &Firing<'_>, plan: &Plan, event: EventName, runs: Runs) -> Vec<Attempt> {
    let mut attempts = runs.into_attempts();
    if !plan.skipped.is_empty() {
        let skipped = plan.skipped.iter();
        attempts.extend(skipped.map(|(hook, reason)| firing.skipped(hook, event, reason.clone())));
        attempts.sort_by_key(|attempt| attempt.order);
    }
    attempts
}

#[async_trait]
impl HookRunner for Runner {
    fn listens(&self, event: EventName) -> bool {
        self.0.listens.load(Ordering::Acquire) & bit(event) != 0
    }

    async fn fire_event(&self, event: HookEvent) -> Fired {
        self.fire_until(event, None).await
    }

    // By hand, so that the future is not put into another one.
    fn fire_boxed<'a, 'b>(
        &'a self,
        event: HookEvent,
    ) -> Pin<Box<dyn Future<Output = Box<Fired>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.fire_input(Arc::new(Input::new(event)), None))
    }

    fn session_changed(&self, change: &mut dyn FnMut(&mut Session)) {
        self.update_session(change);
    }

    fn add_sink(&self, sink: Arc<dyn Sink>) {
        Self::add_sink(self, sink);
    }

    fn take_finished(&self) -> Vec<LateAnswer> {
        Self::take_finished(self)
    }

    async fn late(&self) -> Option<LateAnswer> {
        Self::late(self).await
    }

    async fn close(&self, grace: Duration) {
        Self::close(self, grace).await;
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("session", &self.session().base.session_id)
            .field("hooks", &self.hooks())
            .field("in_background", &self.in_background())
            .finish_non_exhaustive()
    }
}
