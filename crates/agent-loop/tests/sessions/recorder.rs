//! Somebody who listens to everything and says nothing.

use std::sync::{Arc, Mutex};

use hook_runner::{Fired, HookRunner};
use hook_types::{EventName, HookEvent};

/// A runner that listens to everything, answers nothing, and remembers.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<HookEvent>>>);

#[async_trait::async_trait]
impl HookRunner for Recorder {
    fn listens(&self, _: EventName) -> bool {
        true
    }

    async fn fire_event(&self, event: HookEvent) -> Fired {
        let fired = Fired::nothing(event.name());
        self.0.lock().unwrap().push(event);
        fired
    }
}

impl Recorder {
    pub(crate) fn events(&self) -> Vec<HookEvent> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.events()
            .iter()
            .map(|event| event.name().as_str())
            .collect()
    }
}
