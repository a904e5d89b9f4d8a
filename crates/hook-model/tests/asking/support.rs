//! What the tests share: hooks with a script in the model's place, and firings of any event.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agent_loop::{
    Model, ModelError, ModelEvent, ModelRequest, ReplyStream, Scene, Scripted, reply_with,
};
use async_trait::async_trait;
use hook_model::{PromptHook, one_model};
use hook_runner::{Fired, Group, Handler, Hook, HookRunner, HookSet, Runner};
use hook_types::{Attempt, Base, EventName, HookEvent, sample};

/// What a model says that finds fault.
pub(crate) const NOT_OK: &str = r#"{"ok": false, "reason": "no tests"}"#;

/// A model that says this, once.
pub(crate) fn says(text: &str) -> Scripted {
    Scripted::new([Scene::say(text).using(100, 7)])
}

/// A hook that asks it.
pub(crate) fn asks(model: impl Model) -> PromptHook {
    PromptHook::new("Is it fine? $ARGUMENTS", one_model(model))
}

/// A sample of an event.
pub(crate) fn sample_of(event: EventName) -> HookEvent {
    let input = sample::input(event);
    HookEvent::from_json(event.as_str(), input, &Base::default()).unwrap()
}

pub(crate) fn runner_of(event: EventName, handler: impl Handler) -> Runner {
    runner_of_hook(Hook::new(event, handler))
}

pub(crate) fn runner_of_hook(hook: Hook) -> Runner {
    let group = Group::parallel().hook(hook.id("judge"));
    Runner::new(HookSet::builder().group(group).build().unwrap())
}

/// Fires a sample of an event at one hook.
pub(crate) async fn fire(event: EventName, handler: impl Handler) -> Fired {
    runner_of(event, handler).fire_event(sample_of(event)).await
}

pub(crate) fn only(fired: &Fired) -> &Attempt {
    let [attempt] = fired.attempts.as_slice() else {
        panic!("one hook ran: {fired:?}");
    };
    attempt
}

/// A fact of the evidence.
pub(crate) fn fact<'a>(attempt: &'a Attempt, name: &str) -> Option<&'a str> {
    let facts = attempt.reply.evidence.facts.iter();
    let mut named = facts.filter(|(known, _)| known == name);
    named.next().map(|(_, fact)| fact.as_str())
}

/// The codes of what was odd.
pub(crate) fn odd(attempt: &Attempt) -> Vec<&'static str> {
    let odd = attempt.reply.diagnostics.iter();
    odd.map(|odd| odd.code.as_str()).collect()
}

/// A model that says the same, whatever and however often it is asked.
#[derive(Clone)]
pub(crate) struct Parrot(pub(crate) &'static str);

#[async_trait]
impl Model for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    async fn stream(&self, _: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        Ok(reply_with([ModelEvent::Text(self.0.to_owned())]))
    }
}

/// A model that says this and then never ends, and counts who still listens.
#[derive(Clone, Default)]
pub(crate) struct Endless {
    pub(crate) says: &'static str,
    pub(crate) open: Arc<AtomicUsize>,
}

impl Endless {
    /// How many of its replies somebody holds.
    pub(crate) fn listeners(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Model for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    async fn stream(&self, _: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        self.open.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Silence {
            first: Some(self.says.to_owned()),
            open: Arc::clone(&self.open),
        }))
    }
}

struct Silence {
    first: Option<String>,
    open: Arc<AtomicUsize>,
}

#[async_trait]
impl ReplyStream for Silence {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        match self.first.take() {
            Some(text) => Some(Ok(ModelEvent::Text(text))),
            None => std::future::pending().await,
        }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A model that never comes to an end of its words.
pub(crate) struct Flood;

#[async_trait]
impl Model for Flood {
    fn name(&self) -> &'static str {
        "flood"
    }

    async fn stream(&self, _: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        Ok(Box::new(Self))
    }
}

#[async_trait]
impl ReplyStream for Flood {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        tokio::task::yield_now().await;
        Some(Ok(ModelEvent::Text("and so on ".repeat(100))))
    }
}

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
