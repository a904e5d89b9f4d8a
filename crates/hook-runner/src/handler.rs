//! The one trait that a kind of hook implements.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_types::{EventName, HookKind, OnFailure, Reply};

use crate::beginning::{Beginning, Working};
use crate::context::HookContext;
use crate::facts::Session;
use crate::input::Input;

/// What runs when a hook fires: a closure, a command, anything that can answer an event.
///
/// A handler keeps its own deadline ([`HookContext::in_time`]), so that it can end what it started
/// with grace and hand back what it has so far. The runner's own limit comes later, as a backstop.
///
/// ```
/// use std::sync::Arc;
/// use async_trait::async_trait;
/// use hook_runner::{Description, Handler, HookContext, Input};
/// use hook_types::{HookKind, Reply};
///
/// #[derive(Debug)]
/// struct Count(std::sync::atomic::AtomicUsize);
///
/// #[async_trait]
/// impl Handler for Count {
///     async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
///         self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///         Reply::no_opinion()
///     }
///
///     fn describe(&self) -> Description {
///         Description::new(HookKind::Other("count".into()), "counts firings")
///     }
/// }
/// ```
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// Answers an event. A failure is a reply too, and never a panic that ends the agent.
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply;

    /// What it is, for people.
    fn describe(&self) -> Description;

    /// What makes it the same hook as another one, for those that may be written down twice: the
    /// command with its arguments, environment and directory. Nothing: it is like no other.
    fn identity(&self) -> Option<String> {
        None
    }

    /// The names of the variables that it sets for what it runs, beyond what that inherits. For those
    /// who explain.
    fn variables(&self, _input: &Input, _session: &Session) -> Vec<String> {
        Vec::new()
    }

    /// The deadline that it asks for itself; a hook's own comes first.
    fn limit(&self) -> Option<Duration> {
        None
    }

    /// What its failure means where neither the hook nor its group says so; none: the runner says.
    fn on_failure(&self, _event: EventName) -> Option<OnFailure> {
        None
    }

    /// How long it may need to end what it started once its deadline has passed.
    fn grace(&self) -> Duration {
        Duration::ZERO
    }

    /// Begins to answer without a context, if it needs none; else the event is handed back.
    #[doc(hidden)]
    fn ask(&self, input: Arc<Input>) -> Result<Beginning<'_>, Arc<Input>> {
        Err(input)
    }

    /// Begins to answer. What a closure does is known without a future around it.
    #[doc(hidden)]
    fn begin<'a>(&'a self, input: Arc<Input>, context: &'a HookContext) -> Beginning<'a> {
        Beginning::Working(Working::Handling(self.handle(input, context)))
    }

    /// Ends what outlived its firings on purpose. Called once, when the session is closed.
    async fn close(&self) {}
}

/// What a handler is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The kind of hook.
    pub kind: HookKind,
    /// What it does, in a line: a command, the name of a closure.
    pub summary: String,
    /// More, by name: the shell, the names of environment variables.
    pub details: Vec<(String, String)>,
}

impl Description {
    /// A kind and a line.
    pub fn new(kind: HookKind, summary: impl Into<String>) -> Self {
        Self {
            kind,
            summary: summary.into(),
            details: Vec::new(),
        }
    }
}
