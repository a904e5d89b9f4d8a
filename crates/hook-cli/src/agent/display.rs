//! One thread that writes: a reader that is slow, or a terminal that is stopped, holds up no hook.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use agent_loop::{AgentEvent, AgentEventKind, Observer};
use hook_types::Message;
use tokio::sync::{Notify, oneshot};

/// How often something that moves is drawn.
const FRAME: Duration = Duration::from_millis(120);
/// How much may wait before reports of progress are left out; a later one says the same and more.
const WAITING: usize = 4096;

/// What is to be shown.
pub(crate) enum Show {
    /// Something happened in the agent.
    Event(Box<AgentEvent>),
    /// Something to know.
    Note(String),
    /// What the user said.
    Said(String),
    /// The line that the user writes, and the cursor's column; none: nobody writes.
    Prompt(Option<(String, usize)>),
    /// A question, and the keys that answer it.
    Question { lines: Vec<String>, keys: String },
    /// The question is answered, or no longer asked.
    Answered(String),
    /// Tell when everything so far is shown.
    Flush(oneshot::Sender<()>),
}

/// Somebody who shows what happens.
pub(crate) trait View: Send + 'static {
    /// Shows it.
    fn show(&mut self, what: Show) -> io::Result<()>;

    /// Whether something moves, and wants to be drawn again in a moment.
    fn moves(&self) -> bool {
        false
    }

    /// Draws what moves.
    fn draw(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where everything is shown. Clones are the same.
#[derive(Clone)]
pub(crate) struct Display {
    queue: Sender<Show>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    waiting: AtomicUsize,
    /// Nobody reads any more.
    closed: AtomicBool,
    closing: Notify,
}

impl Display {
    /// Starts the thread.
    pub(crate) fn start(view: impl View) -> io::Result<Self> {
        let (queue, received) = channel();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::Builder::new()
            .name("display".to_owned())
            .spawn(move || work(view, &received, &shared))?;
        Ok(Self { queue, state })
    }

    /// Shows something.
    pub(crate) fn show(&self, what: Show) {
        if is_progress(&what) && self.state.waiting.load(Ordering::Relaxed) > WAITING {
            return;
        }
        self.state.waiting.fetch_add(1, Ordering::Relaxed);
        // The thread ends with the last of us.
        let _ = self.queue.send(what);
    }

    /// Says something.
    pub(crate) fn note(&self, text: impl Into<String>) {
        self.show(Show::Note(text.into()));
    }

    /// Waits until everything is shown, or nobody looks.
    pub(crate) async fn flush(&self) {
        let (shown, done) = oneshot::channel();
        self.show(Show::Flush(shown));
        let _ = done.await;
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.closed.load(Ordering::Acquire)
    }

    /// Waits until nobody reads any more.
    pub(crate) async fn closed(&self) {
        loop {
            let closing = self.state.closing.notified();
            if self.is_closed() {
                return;
            }
            closing.await;
        }
    }
}

impl Observer for Display {
    fn observe(&self, event: &AgentEvent) {
        self.show(Show::Event(Box::new(event.clone())));
    }
}

fn is_progress(what: &Show) -> bool {
    let Show::Event(event) = what else {
        return false;
    };
    matches!(&event.kind, AgentEventKind::Hook(message) if matches!(**message, Message::Progress(_)))
}

fn work(mut view: impl View, queue: &Receiver<Show>, state: &State) {
    loop {
        let open = !state.closed.load(Ordering::Relaxed);
        let next = if open && view.moves() {
            queue.recv_timeout(FRAME)
        } else {
            queue.recv().map_err(RecvTimeoutError::from)
        };
        let shown = match next {
            Ok(what) => {
                state.waiting.fetch_sub(1, Ordering::Relaxed);
                take(&mut view, what, open)
            }
            Err(RecvTimeoutError::Timeout) => view.draw(),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if shown.is_err() && open {
            state.closed.store(true, Ordering::Release);
            state.closing.notify_waiters();
        }
    }
}

fn take(view: &mut impl View, what: Show, open: bool) -> io::Result<()> {
    if let Show::Flush(shown) = what {
        // Whoever asked may have gone.
        let _ = shown.send(());
        return Ok(());
    }
    if open { view.show(what) } else { Ok(()) }
}
