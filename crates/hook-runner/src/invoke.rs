//! One hook: its deadline, its panic, its cancellation. What comes of it is always an attempt.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::lazy;
use hook_types::{AgentId, Attempt, EventName, Reply, SkipReason, Status};
use tokio::time::Instant;
use tracing::Instrument;

use crate::background::Background;
use crate::beginning::{Beginning, Working, settled};
use crate::cancel::Cancellation;
use crate::context::HookContext;
use crate::facts::Session;
use crate::handler::Handler;
use crate::hook::Wait;
use crate::hook_set::Registered;
use crate::input::Input;
use crate::messages::{Announcements, Hub, Progress};
use crate::plan::PlannedHook;
use crate::response::Response;
use crate::run::Run;
use crate::time::after;

/// How much longer than its deadline and its grace a handler is waited for.
const BACKSTOP: Duration = Duration::from_secs(1);

/// What all hooks of one firing share.
pub(crate) struct Firing<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) hub: &'a Arc<Hub>,
    pub(crate) background: &'a Arc<Background>,
    /// The event and its subject.
    pub(crate) name: &'a Arc<str>,
    /// Which runs anybody was told of.
    pub(crate) announced: Announcements,
    /// Somebody else's word that ends the firing.
    pub(crate) until: Option<Cancellation>,
}

impl Firing<'_> {
    /// Runs one hook that may take as long as `limit`.
    pub(crate) async fn invoke(
        &self,
        planned: &PlannedHook,
        input: Arc<Input>,
        limit: Duration,
    ) -> Attempt {
        let hook = &planned.hook;
        let (id, event) = (&hook.info.id, input.name());
        let session_id = &self.session.base.session_id;
        let progress = Progress::started(self.hub, session_id, self.name, event, id);
        self.announced.note(progress.as_ref(), id);
        let started = Instant::now();
        let span = tracing::debug_span!(
            "hook",
            session = %session_id,
            id = %id,
            name = %self.name,
            event = %event,
            status = tracing::field::Empty,
            exit_code = tracing::field::Empty,
            duration_ms = tracing::field::Empty,
        );
        let turn = Turn {
            planned,
            limit,
            started,
            progress: progress.as_ref(),
        };
        let reply = if planned.changed {
            Reply::failed("it was approved, and is not what it was then; approve it again")
        } else if self.until.as_ref().is_some_and(Cancellation::is_cancelled) {
            Reply::with_status(Status::Cancelled)
        } else if hook.hook.wait == Wait::Awaited {
            let asked = lazy(|task| span.in_scope(|| self.ask(turn, input, task)));
            match asked.await {
                Ok(reply) => reply,
                // Boxed, so that hooks that are done have no room for it.
                Err(later) => Box::pin(self.wait(turn, later).instrument(span.clone())).await,
            }
        } else {
            self.in_background(turn, input)
        };
        let spent = started.elapsed();
        if !span.is_disabled() {
            span.record("status", reply.status.word());
            span.record("exit_code", reply.evidence.exit_code);
            span.record("duration_ms", spent.as_secs_f64() * 1000.0);
        }
        planned.ended(event, self.name, reply, spent, progress.as_ref())
    }

    /// The attempt that a hook is which was not run.
    pub(crate) fn skipped(
        &self,
        hook: &Arc<Registered>,
        event: EventName,
        reason: SkipReason,
    ) -> Attempt {
        let reply = Reply::with_status(Status::Skipped(reason));
        let (name, info) = (Arc::clone(self.name), Arc::clone(&hook.info));
        let mut attempt = Attempt::new(event, name, info, reply);
        attempt.order = hook.order;
        attempt
    }

    /// The context of a hook; without the event where the hook has it to itself.
    fn context(&self, turn: Turn<'_>, origin: Origin, input: Option<Arc<Input>>) -> HookContext {
        let run = Run {
            event: origin.event,
            agent_id: origin.agent_id,
            input,
            name: Arc::clone(self.name),
            planned: turn.planned.clone(),
            overheard: turn.progress.map(Progress::overheard),
            background: Arc::clone(self.background),
        };
        HookContext::new(Arc::clone(self.session), turn.limit, turn.started, run)
    }

    /// Asks a handler once: its reply, or what there is to wait for. One that asks nothing about its
    /// firing has no context until it waits or goes on.
    fn ask<'h>(
        &self,
        turn: Turn<'h>,
        input: Arc<Input>,
        task: &mut Context<'_>,
    ) -> Result<Reply, Later<'h>> {
        let limit = turn.limit;
        if limit.is_zero() {
            return Ok(Reply::with_status(Status::TimedOut { limit }));
        }
        let origin = Origin::of(&input);
        // A handler may panic before it has a future to panic in.
        let mut work = match caught(|| turn.handler().ask(input)) {
            Ok(Ok(Beginning::Answered(response))) => {
                return Ok(self.answered(turn, origin, response));
            }
            Ok(Ok(Beginning::Working(work))) => work,
            Ok(Err(input)) => return Err(Later::InContext(origin, input)),
            Err(panicked) => return Ok(Reply::failed(panicked)),
        };
        match caught(|| work.poll(task)) {
            Ok(Poll::Ready(response)) => Ok(self.answered(turn, origin, response)),
            Ok(Poll::Pending) => Err(Later::Alone(origin, work)),
            Err(panicked) => Ok(Reply::failed(panicked)),
        }
    }

    /// The reply of a handler that has no context; one that goes on is given one.
    fn answered(&self, turn: Turn<'_>, origin: Origin, response: Response) -> Reply {
        match response {
            Response::Now(reply) => reply,
            Response::Background(within, work) => {
                let context = self.context(turn, origin, None);
                context.in_background(within, work)
            }
        }
    }

    /// Waits for a handler that is not done.
    async fn wait(&self, turn: Turn<'_>, later: Later<'_>) -> Reply {
        match later {
            Later::Alone(origin, work) => {
                let context = self.context(turn, origin, None);
                self.wait_for(&context, turn.handler(), work).await
            }
            Later::InContext(origin, input) => {
                let context = self.context(turn, origin, Some(Arc::clone(&input)));
                let mut end = EndOnDrop(Some(&context));
                let reply = self.wait_in(&context, turn.handler(), input).await;
                if reply.status == Status::Background {
                    end.0 = None;
                }
                reply
            }
        }
    }

    /// Asks a handler that wants to know of its firing. Only one that is not done at once is given a
    /// timer.
    async fn wait_in(
        &self,
        context: &HookContext,
        handler: &dyn Handler,
        input: Arc<Input>,
    ) -> Reply {
        let mut work = match caught(|| handler.begin(input, context)) {
            Ok(Beginning::Answered(response)) => return settled(response, context).await,
            Ok(Beginning::Working(work)) => work,
            Err(panicked) => return Reply::failed(panicked),
        };
        match lazy(|task| caught(|| work.poll(task))).await {
            Ok(Poll::Ready(response)) => settled(response, context).await,
            Ok(Poll::Pending) => self.wait_for(context, handler, work).await,
            Err(panicked) => Reply::failed(panicked),
        }
    }

    /// Starts a hook that the agent does not wait for.
    fn in_background(&self, turn: Turn<'_>, input: Arc<Input>) -> Reply {
        let context = self.context(turn, Origin::of(&input), Some(Arc::clone(&input)));
        let handler = Arc::clone(&turn.planned.hook.hook.handler);
        let limit = backstop(turn.limit, &*handler);
        let own = context.clone();
        let work = async move { handler.handle(input, &own).await };
        let reply = context.go_on(limit, Box::pin(work));
        if reply.status != Status::Background {
            context.end();
        }
        reply
    }

    /// Waits for a handler: until it is done, until somebody ends the firing, or until the
    /// backstop.
    async fn wait_for(
        &self,
        context: &HookContext,
        handler: &dyn Handler,
        work: Working<'_>,
    ) -> Reply {
        let limit = context.limit();
        let last = after(Instant::now(), backstop(limit, handler));
        let work = AssertUnwindSafe(work.reply(context)).catch_unwind();
        tokio::select! {
            biased;
            () = cancelled(self.until.as_ref()) => Reply::with_status(Status::Cancelled),
            done = work => done.unwrap_or_else(|panic| Reply::failed(panic_message(&*panic))),
            () = tokio::time::sleep_until(last) => Reply::with_status(Status::TimedOut { limit }),
        }
    }
}

/// One hook's turn in a firing.
#[derive(Clone, Copy)]
struct Turn<'a> {
    planned: &'a PlannedHook,
    limit: Duration,
    started: Instant,
    progress: Option<&'a Progress>,
}

impl<'a> Turn<'a> {
    fn handler(self) -> &'a dyn Handler {
        &*self.planned.hook.hook.handler
    }
}

/// What is left to do for a handler that was not done at once.
enum Later<'a> {
    /// It is at work, and needs no context.
    Alone(Origin, Working<'a>),
    /// It has not been asked: it wants a context.
    InContext(Origin, Arc<Input>),
}

/// What must be known of the event once a hook has taken it.
struct Origin {
    event: EventName,
    agent_id: Option<AgentId>,
}

impl Origin {
    fn of(input: &Input) -> Self {
        Self {
            event: input.name(),
            agent_id: input.base().agent_id.clone(),
        }
    }
}

/// What is handed back, or what a panic said.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_message(&*panic))
}

/// When a handler that does not keep its deadline is given up.
fn backstop(limit: Duration, handler: &dyn Handler) -> Duration {
    let grace = std::panic::catch_unwind(AssertUnwindSafe(|| handler.grace())).unwrap_or_default();
    limit.saturating_add(grace).saturating_add(BACKSTOP)
}

/// Tells a hook that it is over, however that came about; not one that goes on in the background.
struct EndOnDrop<'a>(Option<&'a HookContext>);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(context) = self.0 {
            context.end();
        }
    }
}

async fn cancelled(until: Option<&Cancellation>) {
    match until {
        Some(until) => until.cancelled().await,
        None => std::future::pending().await,
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!(
        "the hook panicked: {}",
        said.unwrap_or("it did not say why")
    )
}
