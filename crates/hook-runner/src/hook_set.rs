//! A set of hooks, compiled: which of them matches is looked up, not searched for.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hook_types::{EventName, HookEvent, HookInfo, OnFailure, Order};

use crate::builder::HookSetBuilder;
use crate::group::{Group, Layer, Mode};
use crate::handler::Handler;
use crate::hook::Hook;
use crate::remembered::{EventHooks, Known};

/// A set of hooks. Cheap to clone; shared by as many runners as there are sessions.
///
/// ```
/// use hook_runner::HookSet;
/// use hook_types::{Event, EventName, PreToolUse};
///
/// let hooks = HookSet::builder()
///     .on("Bash", |_: PreToolUse| PreToolUse::ask("really?"))
///     .build()?;
/// assert!(hooks.listens(EventName::PreToolUse));
/// assert!(!hooks.listens(EventName::Stop));
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
#[derive(Clone, Default)]
pub struct HookSet(Arc<Compiled>);

#[derive(Default)]
struct Compiled {
    groups: Vec<GroupSettings>,
    hooks: Vec<Arc<Registered>>,
    /// By the event's place in the table; shorter where the last ones have no hooks.
    events: Vec<Option<EventHooks>>,
    listens: u64,
    /// How many sessions use the set: the last one closes its handlers.
    users: AtomicUsize,
}

/// What holds for all hooks of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSettings {
    pub(crate) mode: Mode,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stop_on_failure: bool,
}

/// A hook that is part of a set.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) hook: Hook,
    pub(crate) info: Arc<HookInfo>,
    pub(crate) order: Order,
    pub(crate) group: usize,
    pub(crate) layer: Layer,
    pub(crate) on_failure: Option<OnFailure>,
    /// What makes it the same as another hook for this event.
    pub(crate) identity: Option<String>,
    /// What it is known by when the set is replaced: what it does, else its name. One without a
    /// name is a new hook in every set.
    pub(crate) known_by: String,
    /// The deadline that it has itself.
    pub(crate) limit: Option<Duration>,
}

impl Registered {
    pub(crate) fn new(hook: Hook, named: bool, group: &Group, number: usize, index: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let identity = hook.identity();
        let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let order = Order {
            layer: group.layer as u32,
            group: place(number),
            index: place(index),
        };
        let mut info = HookInfo::new(
            hook.id.clone().unwrap_or_default(),
            hook.handler.describe().kind,
        );
        info.description.clone_from(&hook.description);
        info.source.clone_from(&hook.source);
        let known_by = match &identity {
            Some(identity) => identity.clone(),
            None if named => info.id.to_string(),
            None => format!("{}@{}", info.id, NEXT.fetch_add(1, Ordering::Relaxed)),
        };
        Self {
            known_by,
            info: Arc::new(info),
            order,
            group: number,
            layer: group.layer,
            on_failure: hook
                .on_failure
                .or(group.on_failure)
                .or_else(|| hook.handler.on_failure(hook.event)),
            identity,
            limit: hook.get_timeout(),
            hook,
        }
    }
}

impl HookSet {
    /// Starts a set.
    pub fn builder() -> HookSetBuilder {
        HookSetBuilder::new()
    }

    /// A set without hooks.
    pub fn empty() -> Self {
        Self::default()
    }

    pub(crate) fn compile(groups: Vec<Group>, hooks: Vec<Registered>) -> Self {
        let hooks: Vec<Arc<Registered>> = hooks.into_iter().map(Arc::new).collect();
        let mut by_event: Vec<Vec<Arc<Registered>>> = Vec::new();
        let mut listens = 0;
        for hook in &hooks {
            listens |= bit(hook.hook.event);
            let place = hook.hook.event as usize;
            by_event.resize_with(by_event.len().max(place + 1), Vec::new);
            by_event[place].push(Arc::clone(hook));
        }
        let events = by_event
            .into_iter()
            .map(|hooks| (!hooks.is_empty()).then(|| EventHooks::new(hooks)));
        let settings = |group: Group| GroupSettings {
            mode: group.mode,
            timeout: group.timeout,
            stop_on_failure: group.stop_on_failure,
        };
        Self(Arc::new(Compiled {
            groups: groups.into_iter().map(settings).collect(),
            events: events.collect(),
            hooks,
            listens,
            users: AtomicUsize::new(0),
        }))
    }

    /// Whether any hook is there for the event. Costs one look at one number.
    pub fn listens(&self, event: EventName) -> bool {
        self.0.listens & bit(event) != 0
    }

    /// All events that any hook is there for, a bit each.
    pub(crate) fn listens_bits(&self) -> u64 {
        self.0.listens
    }

    /// How many hooks there are.
    pub fn len(&self) -> usize {
        self.0.hooks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    /// The hooks, in order.
    pub fn hooks(&self) -> impl Iterator<Item = (&Hook, Layer)> {
        self.0
            .hooks
            .iter()
            .map(|registered| (&registered.hook, registered.layer))
    }

    /// One more session uses the set.
    pub(crate) fn enter(&self) {
        self.0.users.fetch_add(1, Ordering::AcqRel);
    }

    /// A session is done with the set; whether it was the last.
    pub(crate) fn leave(&self) -> bool {
        self.0.users.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The handlers, each once.
    pub(crate) fn handlers(&self) -> Vec<Arc<dyn Handler>> {
        let mut handlers: Vec<Arc<dyn Handler>> = Vec::new();
        for registered in &self.0.hooks {
            let handler = &registered.hook.handler;
            if !handlers.iter().any(|known| Arc::ptr_eq(known, handler)) {
                handlers.push(Arc::clone(handler));
            }
        }
        handlers
    }

    pub(crate) fn group(&self, number: usize) -> GroupSettings {
        self.0.groups[number]
    }

    /// All hooks of an event, in order.
    pub(crate) fn of(&self, event: EventName) -> &[Arc<Registered>] {
        self.event(event).map_or(&[], EventHooks::hooks)
    }

    /// Which of an event's hooks match its subject, by their place in [`HookSet::of`], and what is
    /// known beside.
    pub(crate) fn matching(&self, event: &HookEvent) -> Arc<Known> {
        match self.event(event.name()) {
            None => Arc::new(Known::nothing(event.name())),
            Some(hooks) => hooks.matching(event.name(), event.subject()),
        }
    }

    fn event(&self, event: EventName) -> Option<&EventHooks> {
        self.0.events.get(event as usize)?.as_ref()
    }
}

pub(crate) fn bit(event: EventName) -> u64 {
    1 << event as u64
}

impl fmt::Debug for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.hooks.iter().map(|registered| &registered.hook))
            .finish()
    }
}
