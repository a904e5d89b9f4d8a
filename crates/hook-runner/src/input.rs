//! An event on its way to the hooks: shared, and made JSON at most once.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use hook_types::{Base, Event, HookEvent};

/// What all hooks of a firing are handed. None of them can change it for another.
#[derive(Debug)]
pub struct Input {
    event: HookEvent,
    json: OnceLock<String>,
}

impl Input {
    /// Wraps an event.
    #[inline]
    pub fn new(event: HookEvent) -> Self {
        Self {
            event,
            json: OnceLock::new(),
        }
    }

    /// Takes over from `facts` what the event leaves out.
    pub(crate) fn fill_from(&mut self, facts: &Base) {
        self.event.base_mut().fill_from(facts);
    }

    /// The event of that type; without a copy where nobody else holds on to it.
    #[inline]
    pub(crate) fn taken<E: Event>(self: Arc<Self>) -> Option<Box<E>> {
        match Arc::try_unwrap(self) {
            Ok(input) => E::taken_from(input.event),
            Err(shared) => E::of(&shared).cloned().map(Box::new),
        }
    }

    /// The event.
    pub fn event(&self) -> &HookEvent {
        &self.event
    }

    /// The event as one line of JSON. Made when the first hook asks for it, and kept.
    pub fn json(&self) -> &str {
        // An event is text, numbers and JSON values: it always serialises.
        self.json
            .get_or_init(|| serde_json::to_string(&self.event).unwrap_or_default())
    }
}

impl Deref for Input {
    type Target = HookEvent;

    fn deref(&self) -> &HookEvent {
        &self.event
    }
}
