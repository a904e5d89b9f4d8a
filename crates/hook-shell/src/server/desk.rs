//! Where requests wait for one life of a server.

use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use hook_runner::Input;
use hook_types::Reply;
use process_tree::{Line, Lines};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::life::Start;
use super::request::{Request, last_words};
use super::said::said;
use super::{CALM, GRACE, IDLE_NOISE, LEAST_NOISE, SETTLED, TOLD_NOISE};

/// Where requests wait for one life of the server.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) state: Mutex<State>,
    /// Something is to be sent, or it is all over.
    pub(super) news: Notify,
    /// When the process is started.
    pub(super) begins: Instant,
    pub(super) lines: OnceLock<Weak<Lines>>,
    /// How much it has printed since its last answer, in bytes.
    pub(super) noise: AtomicUsize,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) waiting: HashMap<u64, Waiting>,
    /// Those whose line has not gone out, in order.
    pub(super) unsent: VecDeque<u64>,
    /// How many requests it has answered.
    pub(super) answers: u64,
    pub(super) death: Death,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// It takes requests.
    #[default]
    Open,
    /// It takes no more, and is ended once nobody waits for it.
    Retired,
    /// It is to end now.
    Ending,
    /// It is over.
    Closed,
}

/// What is known of the end of a life.
#[derive(Clone, Debug, Default)]
pub(super) struct Death {
    /// Why it could not be started.
    pub(super) unstarted: Option<String>,
    /// Somebody wanted it.
    pub(super) wanted: bool,
    pub(super) stderr: String,
}

/// What a life says of the chances of the next.
pub(super) enum Fate {
    Served,
    Failed,
    Ended,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) input: Arc<Input>,
    pub(super) reply: oneshot::Sender<Reply>,
}

impl Desk {
    pub(super) fn new(begins: Instant) -> Self {
        Self {
            state: Mutex::default(),
            news: Notify::new(),
            begins,
            lines: OnceLock::new(),
            noise: AtomicUsize::new(0),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request; nothing where no more are taken.
    pub(super) fn ask(self: &Arc<Self>, id: u64, input: &Arc<Input>) -> Option<Request> {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        let input = Arc::clone(input);
        state.waiting.insert(id, Waiting { input, reply });
        state.unsent.push_back(id);
        let answers = state.answers;
        drop(state);
        self.news.notify_waiters();
        Some(Request {
            desk: Arc::clone(self),
            id,
            answers,
            answer,
        })
    }

    /// Takes no more requests; those that wait may still be answered.
    pub(super) fn retire(&self) {
        self.enter(Phase::Retired);
    }

    /// Ends the server.
    pub(super) fn end(&self) {
        self.state().death.wanted = true;
        self.enter(Phase::Ending);
    }

    pub(super) fn enter(&self, phase: Phase) {
        let mut state = self.state();
        if state.phase != Phase::Closed {
            state.phase = phase;
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// It is over: those who still wait are told by their channel's end.
    pub(super) fn close(&self, unstarted: Option<String>, stderr: String) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.death.unstarted = unstarted;
        state.death.stderr = stderr;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
    }

    pub(super) fn fate(&self) -> (Fate, Option<String>) {
        let state = self.state();
        let fate = if state.death.wanted {
            Fate::Ended
        } else if state.answers > 0 || self.begins.elapsed() >= SETTLED {
            Fate::Served
        } else {
            Fate::Failed
        };
        (fate, last_words(&state.death.stderr).map(str::to_owned))
    }

    /// Waits until `state` says something.
    pub(super) async fn until<T>(&self, mut says: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let news = self.news.notified();
            if let Some(value) = says(&mut self.state()) {
                return value;
            }
            news.await;
        }
    }

    /// Waits until nobody needs the server any more.
    pub(super) async fn over(&self) {
        self.until(|state| match state.phase {
            Phase::Open => None,
            Phase::Retired => state.waiting.is_empty().then_some(()),
            Phase::Ending | Phase::Closed => Some(()),
        })
        .await;
    }

    /// One life of the server.
    pub(super) async fn live(self: Arc<Self>, start: Start) {
        let _closed = Closed(&self);
        tokio::select! {
            biased;
            () = self.over() => return,
            () = tokio::time::sleep_until(self.begins) => {}
        }
        match start.start().await {
            Ok(lines) => self.serve(Arc::new(lines)).await,
            Err(why) => self.close(Some(why), String::new()),
        }
    }

    pub(super) async fn serve(&self, lines: Arc<Lines>) {
        let _ = self.lines.set(Arc::downgrade(&lines));
        let wanted = tokio::select! {
            biased;
            () = self.over() => true,
            () = self.listen(&lines) => false,
            () = self.send(&lines) => false,
        };
        self.close(None, lines.stderr_tail());
        // One that floods would not hear of its end; without grace it is dropped, and killed. So is
        // one whose stderr somebody reads just now.
        let calm = self.noise.load(Ordering::Relaxed) <= CALM;
        if let Some(lines) = Arc::into_inner(lines).filter(|_| wanted && calm) {
            lines.end(GRACE).await;
        }
    }

    /// Sends what is to be sent, as fast as the server reads. A request that was given up before its
    /// turn is not sent.
    pub(super) async fn send(&self, lines: &Lines) {
        loop {
            let (id, input) = self.until(State::next_unsent).await;
            let line = format!(r#"{{"id":{id},"input":{}}}"#, input.json());
            drop(input);
            if lines.send_line(&line).await.is_err() {
                self.reads_no_more(id);
                return pending().await;
            }
        }
    }

    /// What was not sent is told so; the server may still answer the rest.
    pub(super) fn reads_no_more(&self, id: u64) {
        let mut state = self.state();
        state.unsent.push_front(id);
        let unsent = state.unsent.clone();
        let lost: Vec<_> = unsent.iter().map(|id| state.waiting.remove(id)).collect();
        drop(state);
        self.retire();
        drop(lost);
    }

    /// Hands every answer to whoever waits for it, until the server dies.
    pub(super) async fn listen(&self, lines: &Lines) {
        let mut told = 0;
        while let Some(line) = lines.next_line().await {
            if self.hear(&line) {
                self.noise.store(0, Ordering::Relaxed);
            } else {
                let length = line.text.len().max(LEAST_NOISE);
                let noise = self.noise.fetch_add(length, Ordering::Relaxed) + length;
                if told < TOLD_NOISE && !line.text.is_empty() {
                    told += 1;
                    tell_noise(&line.text);
                }
                if noise > IDLE_NOISE && self.state().waiting.is_empty() {
                    tracing::warn!("a server hook prints without end, and is ended");
                    return;
                }
            }
            // A flood must not keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Whether a line answers anybody.
    pub(super) fn hear(&self, line: &Line) -> bool {
        let mut answered = false;
        for said in said(line) {
            let waiting = self.state().waiting.get(&said.id()).map(Waiting::input);
            let Some(reply) = waiting.and_then(|input| said.reply(&input)) else {
                continue;
            };
            let mut state = self.state();
            let waiting = state.waiting.remove(&said.id());
            state.answers += 1;
            drop(state);
            if let Some(waiting) = waiting {
                let _ = waiting.reply.send(reply);
            }
            self.news.notify_waiters();
            answered = true;
        }
        answered
    }
}

impl State {
    /// The next request to be sent.
    pub(super) fn next_unsent(&mut self) -> Option<(u64, Arc<Input>)> {
        while let Some(id) = self.unsent.pop_front() {
            if let Some(waiting) = self.waiting.get(&id) {
                return Some((id, waiting.input()));
            }
        }
        None
    }
}

impl Waiting {
    pub(super) fn input(&self) -> Arc<Input> {
        Arc::clone(&self.input)
    }
}

/// Closes a desk when its task is gone, however it went.
pub(super) struct Closed<'a>(pub(super) &'a Desk);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.phase != Phase::Closed {
            state.death.wanted = true;
            drop(state);
            self.0.close(None, String::new());
        }
    }
}

pub(super) fn tell_noise(line: &str) {
    let start: String = line.chars().take(200).collect();
    tracing::warn!(line = %start, "a server hook said something that answers nothing");
}
