//! A hook: when it runs, what runs, and what its failure means.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hook_types::{EventName, HookId, HookKind, OnFailure, Source};

use crate::handler::{Description, Handler};
use crate::matcher::{Matcher, Rule};

/// Whether the agent waits for a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// It waits.
    #[default]
    Awaited,
    /// It does not; what the hook answers comes later.
    Background,
    /// It does not, and is woken when the hook exits with code 2.
    Rewake,
}

/// Whether a hook may run at all, asked before each firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may.
    Admitted,
    /// Nobody has approved it.
    Untrusted,
    /// It was approved, and is not what it was. On a guard this blocks.
    Changed,
}

/// Who says whether a hook may run. Asked at each firing, so that what changes on disk counts.
pub trait Gate: Send + Sync + 'static {
    /// Whether the hook may run now.
    fn admit(&self) -> Admission;
}

/// A hook before it is part of a [`HookSet`](crate::HookSet).
#[derive(Clone)]
pub struct Hook {
    pub(crate) event: EventName,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) matcher: Matcher,
    pub(crate) condition: Option<Rule>,
    pub(crate) id: Option<HookId>,
    pub(crate) description: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) status_message: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) wait: Wait,
    pub(crate) once: bool,
    pub(crate) enabled: bool,
    pub(crate) gate: Option<Arc<dyn Gate>>,
}

impl Hook {
    /// A hook that runs whenever `event` happens.
    pub fn new(event: EventName, handler: impl Handler) -> Self {
        Self::shared(event, Arc::new(handler))
    }

    /// The same, for a handler that is shared already.
    pub fn shared(event: EventName, handler: Arc<dyn Handler>) -> Self {
        Self {
            event,
            handler,
            matcher: Matcher::all(),
            condition: None,
            id: None,
            description: None,
            source: None,
            status_message: None,
            timeout: None,
            on_failure: None,
            wait: Wait::Awaited,
            once: false,
            enabled: true,
            gate: None,
        }
    }

    /// Runs it only for subjects that match.
    #[must_use]
    pub fn matching(mut self, matcher: Matcher) -> Self {
        self.matcher = matcher;
        self
    }

    /// Runs it only for tool calls that the rule covers, or may cover.
    #[must_use]
    pub fn only_if(mut self, condition: Rule) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Names it. Names are unique in a set.
    #[must_use]
    pub fn id(mut self, id: impl Into<HookId>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Says what it is for.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Says where it is written.
    #[must_use]
    pub fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// What people are shown while it runs.
    #[must_use]
    pub fn status_message(mut self, text: impl Into<String>) -> Self {
        self.status_message = Some(text.into());
        self
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// What its failure means; else the group or the runner says.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Whether the agent waits for it.
    #[must_use]
    pub fn wait(mut self, wait: Wait) -> Self {
        self.wait = wait;
        self
    }

    /// Runs it until it has succeeded once in a session.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Switches it on or off.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Has somebody asked, before each firing, whether it may run.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = Some(gate);
        self
    }
}

/// What a hook is, for those who list, explain or compare hooks. What sets a thing has its plain name;
/// what tells it begins with `get` or `is`.
///
/// ```
/// use std::time::Duration;
/// use hook_runner::{HookSet, hook_fn};
/// use hook_types::{Event, EventName, PreToolUse};
///
/// let hook = hook_fn(|_: PreToolUse| PreToolUse::pass()).timeout(Duration::from_secs(5));
/// let hooks = HookSet::builder().on("Bash|Edit", hook).build()?;
/// for (hook, _layer) in hooks.hooks() {
///     assert_eq!(hook.get_event(), EventName::PreToolUse);
///     assert_eq!(hook.get_matcher().to_string(), "Bash|Edit");
///     assert_eq!(hook.get_timeout(), Some(Duration::from_secs(5)));
///     assert!(hook.is_enabled());
/// }
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
impl Hook {
    /// The event that it runs for.
    pub fn get_event(&self) -> EventName {
        self.event
    }

    /// The subjects that it runs for; its text is the pattern as it is written.
    pub fn get_matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// The tool calls that it runs for; its text is the rule as it is written.
    pub fn get_condition(&self) -> Option<&Rule> {
        self.condition.as_ref()
    }

    /// Its name. In a set every hook has one.
    pub fn get_id(&self) -> Option<&HookId> {
        self.id.as_ref()
    }

    /// What it is for.
    pub fn get_description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Where it is written.
    pub fn get_source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// What people are shown while it runs.
    pub fn get_status_message(&self) -> Option<&str> {
        self.status_message.as_deref()
    }

    /// The deadline that it has itself, or that its handler asks for; else its group's holds, and
    /// else the event's.
    pub fn get_timeout(&self) -> Option<Duration> {
        self.timeout.or_else(|| self.handler.limit())
    }

    /// What its failure means where it says so itself; else its group says, its handler, or the
    /// runner.
    pub fn get_on_failure(&self) -> Option<OnFailure> {
        self.on_failure
    }

    /// Whether the agent waits for it.
    pub fn get_wait(&self) -> Wait {
        self.wait
    }

    /// Whether it runs until it has succeeded once in a session.
    pub fn is_once(&self) -> bool {
        self.once
    }

    /// Whether it is switched on.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Whether it may run, if somebody is to be asked.
    pub fn get_gate(&self) -> Option<&Arc<dyn Gate>> {
        self.gate.as_ref()
    }

    /// What runs.
    pub fn get_handler(&self) -> &Arc<dyn Handler> {
        &self.handler
    }

    /// The kind of what runs.
    pub fn get_kind(&self) -> HookKind {
        self.handler.describe().kind
    }

    /// What runs, for people.
    pub fn describe(&self) -> Description {
        self.handler.describe()
    }

    /// What makes it the same as another hook: what it runs, for which event, under which condition,
    /// and whether the agent waits. Nothing: it is like no other.
    pub fn identity(&self) -> Option<String> {
        let handler = self.handler.identity()?;
        let condition = self
            .condition
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        Some(format!(
            "{}\u{0}{condition}\u{0}{handler}\u{0}{:?}",
            self.event, self.wait
        ))
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let described = self.handler.describe();
        f.debug_struct("Hook")
            .field("id", &self.id)
            .field("event", &self.event)
            .field("matcher", &self.matcher.to_string())
            .field("kind", &described.kind.as_str())
            .field("runs", &described.summary)
            .finish_non_exhaustive()
    }
}
