//! The seam between an agent and its hooks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_types::{Base, Event, EventError, EventName, HookEvent};
use serde_json::Value;

use crate::background::LateAnswer;
use crate::facts::Session;
use crate::fired::{Fired, Verdict};
use crate::messages::Sink;

/// Whoever answers events: a [`Runner`](crate::Runner), [`NoHooks`], or something of your own.
/// Object-safe; an agent holds an `Arc<dyn HookRunner>` and fires by [`Fire`].
#[async_trait]
pub trait HookRunner: Send + Sync {
    /// Whether any hook is there for the event. Asked before anything is boxed, cloned or
    /// serialised; must not wait.
    fn listens(&self, event: EventName) -> bool;

    /// Fires an event that somebody listens to.
    async fn fire_event(&self, event: HookEvent) -> Fired;

    /// The same, with what comes of it behind a pointer, where a [`Verdict`] keeps it. For runners that
    /// have it there already; by default it is put there.
    async fn fire_boxed(&self, event: HookEvent) -> Box<Fired> {
        Box::new(self.fire_event(event).await)
    }

    /// Takes over what the agent knows of its session: the directory, the model. By default nobody
    /// needs to know.
    fn session_changed(&self, _change: &mut dyn FnMut(&mut Session)) {}

    /// Calls `sink` in line with every message. By default there are none.
    fn add_sink(&self, _sink: Arc<dyn Sink>) {}

    /// The answers of background hooks that have come since the last time, each once. By default
    /// nothing runs in the background.
    fn take_finished(&self) -> Vec<LateAnswer> {
        Vec::new()
    }

    /// Waits for the next answer of a background hook; none where no more will come.
    async fn late(&self) -> Option<LateAnswer> {
        None
    }

    /// Ends what runs in the background: those of `SessionEnd` at their own deadline, the others after
    /// `grace`.
    async fn close(&self, _grace: Duration) {}
}

/// Firing events at any [`HookRunner`].
///
/// ```
/// use std::sync::Arc;
/// use hook_runner::{Fire, HookRunner, NoHooks};
/// use hook_types::{PreToolUse, EventName};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let runner: Arc<dyn HookRunner> = Arc::new(NoHooks);
/// let verdict = runner.fire(PreToolUse::new("Bash", json!({"command": "ls"}))).await;
/// assert!(verdict.into_result().is_ok());
///
/// let error = runner.fire_json("PreToolUs", json!({})).await.unwrap_err();
/// assert_eq!(error.to_string(), "no event is called `PreToolUs`; did you mean `PreToolUse`?");
/// # }
/// ```
pub trait Fire {
    /// Fires an event and comes back with what an event of its type can amount to. Costs nothing
    /// where nobody listens.
    fn fire<E: Event>(&self, event: E) -> impl Future<Output = Verdict<E>> + Send;

    /// Fires an event that is known by its name and a JSON object. What the object leaves out of
    /// the base is filled in.
    fn fire_json(
        &self,
        name: &str,
        input: Value,
    ) -> impl Future<Output = Result<Fired, EventError>> + Send;
}

impl<R: HookRunner + ?Sized> Fire for R {
    // Asked before there is a future: one that holds no event is small.
    fn fire<E: Event>(&self, event: E) -> impl Future<Output = Verdict<E>> + Send {
        let asked = if self.listens(E::NAME) {
            Some(self.fire_boxed(event.into()))
        } else {
            None
        };
        async move {
            match asked {
                Some(fired) => Verdict::new(fired.await),
                None => Verdict::nothing(),
            }
        }
    }

    async fn fire_json(&self, name: &str, input: Value) -> Result<Fired, EventError> {
        let event = HookEvent::from_json(name, input, &Base::default())?;
        if !self.listens(event.name()) {
            return Ok(Fired::nothing(event.name()));
        }
        Ok(self.fire_event(event).await)
    }
}

// By hand, so that the future is not boxed a second time.
impl<R: HookRunner + ?Sized> HookRunner for Arc<R> {
    fn listens(&self, event: EventName) -> bool {
        (**self).listens(event)
    }

    fn fire_event<'a, 'b>(
        &'a self,
        event: HookEvent,
    ) -> Pin<Box<dyn Future<Output = Fired> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        (**self).fire_event(event)
    }

    fn fire_boxed<'a, 'b>(
        &'a self,
        event: HookEvent,
    ) -> Pin<Box<dyn Future<Output = Box<Fired>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        (**self).fire_boxed(event)
    }

    fn session_changed(&self, change: &mut dyn FnMut(&mut Session)) {
        (**self).session_changed(change);
    }

    fn add_sink(&self, sink: Arc<dyn Sink>) {
        (**self).add_sink(sink);
    }

    fn take_finished(&self) -> Vec<LateAnswer> {
        (**self).take_finished()
    }

    fn late<'a, 'b>(&'a self) -> Pin<Box<dyn Future<Output = Option<LateAnswer>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        (**self).late()
    }

    fn close<'a, 'b>(&'a self, grace: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        (**self).close(grace)
    }
}

/// A runner without hooks: nothing is ever asked, and firing is free.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

#[async_trait]
impl HookRunner for NoHooks {
    fn listens(&self, _: EventName) -> bool {
        false
    }

    async fn fire_event(&self, event: HookEvent) -> Fired {
        Fired::nothing(event.name())
    }
}
