//! Hooks that belong together, in order.

use std::time::Duration;

use hook_types::{Event, HookId, OnFailure};

use crate::handler::Handler;
use crate::handler_fn::IntoHook;
use crate::hook::Hook;
use crate::matcher::{Matcher, MatcherError};

/// How the hooks of a group run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One after the other: each sees what those before it have changed, and one that stops the
    /// agent ends the group.
    #[default]
    Sequential,
    /// All at once: each sees the original.
    Parallel,
}

/// Where hooks come from. Hooks of an earlier layer come first in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// Set by policy.
    Managed,
    /// The user's own files.
    User,
    /// The project's files.
    Project,
    /// The project's private files.
    Local,
    /// A plugin's files.
    Plugin,
    /// Files that were named for this run.
    Settings,
    /// Rust.
    #[default]
    Rust,
}

/// An ordered list of hooks with a mode, and if need be a deadline that they share.
///
/// ```
/// use std::time::Duration;
/// use hook_runner::{Group, HookSet};
/// use hook_types::{Event, PreToolUse};
///
/// let hooks = HookSet::builder()
///     .register("no-sudo", |call: PreToolUse| {
///         if call.command().is_some_and(|command| command.starts_with("sudo ")) {
///             PreToolUse::deny("no")
///         } else {
///             PreToolUse::pass()
///         }
///     })
///     .group(Group::sequential().timeout(Duration::from_secs(5)).stop_on_failure().call("Bash", "no-sudo"))
///     .build()?;
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Group {
    pub(crate) mode: Mode,
    pub(crate) layer: Layer,
    pub(crate) timeout: Option<Duration>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) stop_on_failure: bool,
    pub(crate) members: Vec<Member>,
}

/// A hook, or the name of one that is registered elsewhere; with its matcher, if it has one.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) matcher: Option<Result<Matcher, MatcherError>>,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Hook(Box<Hook>),
    Named(HookId),
}

impl Member {
    /// Whether somebody gave the hook a name.
    pub(crate) fn is_named(&self) -> bool {
        match &self.what {
            What::Hook(hook) => hook.id.is_some(),
            What::Named(_) => true,
        }
    }
}

impl Group {
    /// Hooks that run one after the other.
    pub fn sequential() -> Self {
        Self::new(Mode::Sequential)
    }

    /// Hooks that run at once.
    pub fn parallel() -> Self {
        Self::new(Mode::Parallel)
    }

    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            mode,
            layer: Layer::Rust,
            timeout: None,
            on_failure: None,
            stop_on_failure: false,
            members: Vec::new(),
        }
    }

    /// Says where the hooks come from.
    #[must_use]
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }

    /// A deadline that all hooks share that have none of their own: it starts with the group.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// What the failure of a hook means that does not say so itself.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Ends a sequential group at the first hook that fails or refuses.
    #[must_use]
    pub fn stop_on_failure(mut self) -> Self {
        self.stop_on_failure = true;
        self
    }

    /// Adds a closure; its argument says for which event.
    ///
    /// A hook that has a matcher of its own keeps it where the pattern is empty.
    #[must_use]
    pub fn on<E, Kind>(mut self, matcher: &str, hook: impl IntoHook<E, Kind>) -> Self {
        let hook = hook.into_hook();
        let own = matcher.is_empty() && !hook.matcher.is_all();
        self.push((!own).then_some(matcher), What::Hook(Box::new(hook)));
        self
    }

    /// Adds a handler for the event `E`.
    #[must_use]
    pub fn handler<E: Event>(self, matcher: &str, handler: impl Handler) -> Self {
        self.on(matcher, Hook::new(E::NAME, handler))
    }

    /// Adds a hook that has its own matcher.
    #[must_use]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.push(None, What::Hook(Box::new(hook)));
        self
    }

    /// Adds a closure that the builder has registered under that name.
    #[must_use]
    pub fn call(mut self, matcher: &str, id: impl Into<HookId>) -> Self {
        self.push(Some(matcher), What::Named(id.into()));
        self
    }

    fn push(&mut self, matcher: Option<&str>, what: What) {
        self.members.push(Member {
            matcher: matcher.map(Matcher::pattern),
            what,
        });
    }
}
