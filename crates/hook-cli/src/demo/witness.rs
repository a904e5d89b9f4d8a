//! A runner that passes everything on to the real one, and tells what came of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Fired, HookRunner, LateAnswer, Session, Sink};
use hook_types::{EventName, HookEvent};
use tokio::sync::mpsc::UnboundedSender;

use super::moment::Moment;

/// Sees what is fired, and what hooks answer.
pub(crate) struct Witness {
    runner: Arc<dyn HookRunner>,
    moments: UnboundedSender<Moment>,
    /// Answers that have come and that the agent has not asked for yet.
    waiting: Mutex<Vec<LateAnswer>>,
}

impl Witness {
    pub(crate) fn new(runner: Arc<dyn HookRunner>, moments: UnboundedSender<Moment>) -> Self {
        Self {
            runner,
            moments,
            waiting: Mutex::default(),
        }
    }

    /// Waits until a hook in the background has answered. The agent gets the answer as ever: before it
    /// asks the model the next time.
    pub(crate) async fn until_late(&self) {
        if let Some(late) = self.runner.late().await {
            self.tell(Moment::Late(Box::new(late.clone())));
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push(late);
        }
    }

    /// Nobody may be left to read; that is no reason to stop.
    fn tell(&self, moment: Moment) {
        let _ = self.moments.send(moment);
    }
}

#[async_trait]
impl HookRunner for Witness {
    fn listens(&self, event: EventName) -> bool {
        self.runner.listens(event)
    }

    async fn fire_event(&self, event: HookEvent) -> Fired {
        let fired = self.runner.fire_event(event).await;
        self.tell(Moment::Fired(Box::new(fired.clone())));
        fired
    }

    fn session_changed(&self, change: &mut dyn FnMut(&mut Session)) {
        self.runner.session_changed(change);
    }

    fn add_sink(&self, sink: Arc<dyn Sink>) {
        self.runner.add_sink(sink);
    }

    fn take_finished(&self) -> Vec<LateAnswer> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut finished = std::mem::take(&mut *waiting);
        for late in self.runner.take_finished() {
            self.tell(Moment::Late(Box::new(late.clone())));
            finished.push(late);
        }
        finished
    }

    async fn late(&self) -> Option<LateAnswer> {
        self.runner.late().await
    }

    async fn close(&self, grace: Duration) {
        self.runner.close(grace).await;
    }
}
