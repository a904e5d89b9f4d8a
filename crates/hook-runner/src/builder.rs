//! Building a set of hooks: nothing can go wrong later that could go wrong here.

use std::collections::{HashMap, HashSet};

use hook_types::{Event, EventName, HookId};

use crate::blocking::IntoBlocking;
use crate::group::{Group, Member, Mode, What};
use crate::handler::Handler;
use crate::handler_fn::IntoHook;
use crate::hook::Hook;
use crate::hook_set::{HookSet, Registered};
use crate::matcher::MatcherError;

/// Why a set of hooks cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A pattern is not one.
    #[error("hook {hook}: {error}")]
    Matcher {
        /// The hook, by its place or name.
        hook: HookId,
        /// What is wrong with the pattern.
        #[source]
        error: MatcherError,
    },
    /// A group names a closure that is not registered.
    #[error("no closure is registered as `{id}`; the builder knows {known:?}")]
    UnknownId {
        /// The name.
        id: HookId,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Two hooks have one name.
    #[error("two hooks are called `{0}`; names are unique in a set")]
    DuplicateId(HookId),
    /// A condition on an event that is about no tool call: the hook would never run.
    #[error("hook {hook}: {event} is about no tool call, so a condition on it never holds")]
    Condition {
        /// The hook.
        hook: HookId,
        /// The event.
        event: EventName,
    },
}

/// Collects hooks; [`HookSetBuilder::build`] compiles them.
///
/// All hooks that are added with [`on`](Self::on) and its kin form one sequential group, unless
/// [`parallel`](Self::parallel) is called.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct HookSetBuilder {
    own: Group,
    /// Where it stands among the others: where its first hook was added.
    own_place: Option<usize>,
    groups: Vec<Group>,
    registered: HashMap<HookId, Hook>,
    /// A name that two closures were registered under.
    registered_twice: Option<HookId>,
}

impl HookSetBuilder {
    pub(crate) fn new() -> Self {
        Self {
            own: Group::sequential(),
            own_place: None,
            groups: Vec::new(),
            registered: HashMap::new(),
            registered_twice: None,
        }
    }

    /// Adds a closure. Its argument's type says for which event; it may be plain or async, and
    /// take a [`HookContext`](crate::HookContext) as well.
    pub fn on<E, Kind>(mut self, matcher: &str, hook: impl IntoHook<E, Kind>) -> Self {
        self.own_place.get_or_insert(self.groups.len());
        self.own = self.own.on(matcher, hook);
        self
    }

    /// Adds a closure that blocks its thread: see [`blocking_fn`](crate::blocking_fn).
    pub fn on_blocking<E, Kind>(self, matcher: &str, closure: impl IntoBlocking<E, Kind>) -> Self {
        self.on(matcher, closure.into_blocking())
    }

    /// Adds a handler for the event `E`.
    pub fn hook<E: Event>(mut self, matcher: &str, handler: impl Handler) -> Self {
        self.own_place.get_or_insert(self.groups.len());
        self.own = self.own.handler::<E>(matcher, handler);
        self
    }

    /// Runs the hooks that were added by themselves all at once.
    pub fn parallel(mut self) -> Self {
        self.own.mode = Mode::Parallel;
        self
    }

    /// Registers a closure under a name, for groups to [`call`](Group::call).
    pub fn register<E, Kind>(
        mut self,
        id: impl Into<HookId>,
        hook: impl IntoHook<E, Kind>,
    ) -> Self {
        let id = id.into();
        if self
            .registered
            .insert(id.clone(), hook.into_hook())
            .is_some()
        {
            self.registered_twice.get_or_insert(id);
        }
        self
    }

    /// Adds a group.
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Compiles the set.
    pub fn build(self) -> Result<HookSet, BuildError> {
        let Self {
            own,
            own_place,
            mut groups,
            registered,
            registered_twice,
        } = self;
        if let Some(id) = registered_twice {
            return Err(BuildError::DuplicateId(id));
        }
        if !own.members.is_empty() {
            groups.insert(own_place.unwrap_or_default(), own);
        }
        // Stable: groups of one layer stay in the order in which they were added.
        groups.sort_by_key(|group| group.layer);

        let mut settings = Vec::with_capacity(groups.len());
        let mut hooks = Vec::new();
        let mut called = HashSet::new();
        for (number, mut group) in groups.into_iter().enumerate() {
            for (index, member) in std::mem::take(&mut group.members).into_iter().enumerate() {
                let named = member.is_named();
                let mut hook = resolve(member, &registered, number, index)?;
                tell_apart(&mut hook, &called, number, index);
                called.extend(hook.id.clone().filter(|id| registered.contains_key(id)));
                hooks.push(Registered::new(hook, named, &group, number, index));
            }
            settings.push(group);
        }
        check_names(&hooks)?;
        Ok(HookSet::compile(settings, hooks))
    }
}

/// The hook that a member of a group is, with its matcher and its name.
fn resolve(
    member: Member,
    registered: &HashMap<HookId, Hook>,
    group: usize,
    index: usize,
) -> Result<Hook, BuildError> {
    let mut hook = match member.what {
        What::Hook(hook) => *hook,
        What::Named(id) => named(&id, registered)?,
    };
    let id = hook
        .id
        .get_or_insert_with(|| format!("{}#{group}.{index}", hook.event).into())
        .clone();
    if let Some(matcher) = member.matcher {
        hook.matcher = matcher.map_err(|error| BuildError::Matcher {
            hook: id.clone(),
            error,
        })?;
    }
    if hook.condition.is_some() && !hook.event.row().is_about_a_tool_call() {
        return Err(BuildError::Condition {
            hook: id,
            event: hook.event,
        });
    }
    Ok(hook)
}

fn named(id: &HookId, registered: &HashMap<HookId, Hook>) -> Result<Hook, BuildError> {
    let hook = registered.get(id).cloned().ok_or_else(|| {
        let mut known: Vec<String> = registered.keys().map(ToString::to_string).collect();
        known.sort_unstable();
        BuildError::UnknownId {
            id: id.clone(),
            known,
        }
    })?;
    Ok(Hook {
        id: hook.id.or_else(|| Some(id.clone())),
        ..hook
    })
}

/// A closure that groups call more than once has its name the first time, and its place beside it
/// after that.
fn tell_apart(hook: &mut Hook, called: &HashSet<HookId>, group: usize, index: usize) {
    if let Some(id) = hook.id.take() {
        let again = called.contains(&id);
        hook.id = Some(if again {
            format!("{id}#{group}.{index}").into()
        } else {
            id
        });
    }
}

fn check_names(hooks: &[Registered]) -> Result<(), BuildError> {
    let mut seen = HashSet::new();
    match hooks.iter().find(|hook| !seen.insert(&hook.info.id)) {
        Some(twice) => Err(BuildError::DuplicateId(twice.info.id.clone())),
        None => Ok(()),
    }
}
