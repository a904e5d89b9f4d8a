//! A runner that passes everything on to the real one, and writes down what came of it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Fired, HookRunner, LateAnswer, Runner, Session, Sink};
use hook_types::{EventName, HookEvent, Status};

use super::book::Book;

/// Writes down what is fired, and what hooks answer.
#[derive(Debug)]
pub(crate) struct Keeper {
    runner: Runner,
    book: Arc<Book>,
}

impl Keeper {
    pub(crate) fn new(runner: Runner, book: Arc<Book>) -> Self {
        Self { runner, book }
    }

    fn keep(&self, late: &LateAnswer) {
        // When it was cut off is an accident.
        if late.attempt.reply.status != Status::Cancelled {
            self.book.late(late);
        }
    }
}

/// The runner, and whoever writes down what it does, if somebody should.
pub(crate) fn kept(runner: Runner, book: Option<&Arc<Book>>) -> Arc<dyn HookRunner> {
    match book {
        Some(book) => Arc::new(Keeper::new(runner, Arc::clone(book))),
        None => Arc::new(runner),
    }
}

/// Events that say over and over what the conversation is. They are written down where a hook listens.
fn is_talkative(event: EventName) -> bool {
    matches!(
        event,
        EventName::PreModelRequest
            | EventName::PostModelResponse
            | EventName::ModelStreamStart
            | EventName::ModelStreamEnd
            | EventName::PreToolSelection
            | EventName::SessionMessage
            | EventName::MessageDisplay
    )
}

#[async_trait]
impl HookRunner for Keeper {
    /// What nobody listens to today is written down, too: somebody may tomorrow.
    fn listens(&self, event: EventName) -> bool {
        self.runner.listens(event) || !is_talkative(event)
    }

    async fn fire_event(&self, mut event: HookEvent) -> Fired {
        let session = self.runner.session();
        event.base_mut().fill_from(&session.base);
        let explained = self.runner.explain(&event);
        let begun = self.book.begin(&event, &session);
        let fired = self.runner.fire_event(event).await;
        self.book.end(begun, &fired, &explained);
        fired
    }

    fn session_changed(&self, change: &mut dyn FnMut(&mut Session)) {
        self.runner.session_changed(change);
    }

    fn add_sink(&self, sink: Arc<dyn Sink>) {
        self.runner.add_sink(sink);
    }

    fn take_finished(&self) -> Vec<LateAnswer> {
        let finished = self.runner.take_finished();
        for late in &finished {
            self.keep(late);
        }
        finished
    }

    async fn late(&self) -> Option<LateAnswer> {
        let late = self.runner.late().await;
        if let Some(late) = &late {
            self.keep(late);
        }
        late
    }

    async fn close(&self, grace: Duration) {
        self.runner.close(grace).await;
        // Nobody asks for them any more.
        self.take_finished();
    }
}
