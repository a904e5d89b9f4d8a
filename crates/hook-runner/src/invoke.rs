//! One hook: its deadline, its panic, its cancellation. What comes of it is always an attempt.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use hook_types::{Attempt, Code, Diagnostic, HookEvent, OnFailure, Reply, SkipReason, Status};
use tokio::time::Instant;
use tracing::Instrument;

use crate::background::{Background, Run};
use crate::cancel::{Cancellation, Over};
use crate::context::{HookContext, Inner};
use crate::facts::Session;
use crate::handler::Handler;
use crate::hook::Wait;
use crate::hook_set::Registered;
use crate::input::Input;
use crate::messages::{self, Announcements, Hub, Progress};
use crate::plan::PlannedHook;
use crate::time::after;

/// How much longer than its deadline and its grace a handler is waited for.
const BACKSTOP: Duration = Duration::from_secs(1);

/// What all hooks of one firing share.
pub(crate) struct Firing {
    pub(crate) session: Arc<Session>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) background: Arc<Background>,
    pub(crate) name: Arc<str>,
    /// Which runs anybody was told of.
    pub(crate) announced: Announcements,
    /// Somebody else's word that ends the firing.
    pub(crate) until: Option<Cancellation>,
}

impl Firing {
    pub(crate) fn name_of(event: &HookEvent) -> Arc<str> {
        messages::hook_name(event.name(), event.subject().text())
    }

    /// Runs one hook that may take as long as `limit`.
    pub(crate) async fn invoke(
        &self,
        planned: &PlannedHook,
        input: &Arc<Input>,
        limit: Duration,
    ) -> Attempt {
        let hook = &planned.hook;
        let session_id = &self.session.base.session_id;
        let id = &hook.info.id;
        let progress = Progress::started(&self.hub, session_id, &self.name, input.name(), id);
        self.announced.note(progress.as_ref(), id);
        let started = Instant::now();
        let run = self.run(planned, input, progress);
        let span = tracing::debug_span!(
            "hook",
            session = %self.session.base.session_id,
            id = %hook.info.id,
            name = %self.name,
            event = %input.name(),
            status = tracing::field::Empty,
            exit_code = tracing::field::Empty,
            duration_ms = tracing::field::Empty,
        );
        let reply = if planned.changed {
            Reply::failed("it was approved, and is not what it was then; approve it again")
        } else if self.until.as_ref().is_some_and(Cancellation::is_cancelled) {
            Reply::with_status(Status::Cancelled)
        } else {
            let mut end = EndOnDrop(Some(Arc::default()));
            let context = self.context(&run, end.over(), limit, started);
            let reply = match hook.hook.wait {
                Wait::Awaited => {
                    self.supervise(&context, &run)
                        .instrument(span.clone())
                        .await
                }
                Wait::Background | Wait::Rewake => in_background(context, &run, end.over(), limit),
            };
            if reply.status == Status::Background {
                end.0 = None;
            }
            reply
        };
        span.record("status", reply.status.word());
        span.record("exit_code", reply.evidence.exit_code);
        let spent = started.elapsed();
        span.record("duration_ms", spent.as_secs_f64() * 1000.0);
        let mut attempt = run.ended(reply, spent);
        if planned.changed {
            attempt.on_failure = OnFailure::Block;
        }
        if planned.limit_hit {
            attempt.reply.diagnostics.push(Diagnostic::new(
                Code::MatcherLimit,
                format!(
                    "the matcher `{}` took too many steps; it counts as a match",
                    hook.hook.matcher
                ),
            ));
        }
        attempt
    }

    /// The attempt that a hook is which was not run.
    pub(crate) fn skipped(
        &self,
        hook: &Arc<Registered>,
        input: &Input,
        reason: SkipReason,
    ) -> Attempt {
        let reply = Reply::with_status(Status::Skipped(reason));
        let mut attempt = Attempt::new(
            input.name(),
            Arc::clone(&self.name),
            Arc::clone(&hook.info),
            reply,
        );
        attempt.order = hook.order;
        attempt
    }

    fn run(&self, planned: &PlannedHook, input: &Arc<Input>, progress: Option<Progress>) -> Run {
        Run {
            input: Arc::clone(input),
            name: Arc::clone(&self.name),
            planned: planned.clone(),
            progress,
            background: Arc::clone(&self.background),
        }
    }

    fn context(
        &self,
        run: &Run,
        over: &Arc<Over>,
        limit: Duration,
        started: Instant,
    ) -> HookContext {
        HookContext::new(Inner {
            hook: Arc::clone(&run.planned.hook.info),
            session: Arc::clone(&self.session),
            limit,
            deadline: after(started, limit),
            cancellation: Arc::clone(over),
            run: Some(run.clone()),
        })
    }

    /// Waits for a handler: until it is done, until somebody ends the firing, or until the
    /// backstop. Only a handler that is not done at once is given a timer.
    async fn supervise(&self, context: &HookContext, run: &Run) -> Reply {
        let limit = context.limit();
        if limit.is_zero() {
            return Reply::with_status(Status::TimedOut { limit });
        }
        let handler = &run.planned.hook.hook.handler;
        // A handler may panic before it has a future to panic in.
        let work = async { handler.handle(Arc::clone(&run.input), context).await };
        let mut work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind());
        let first = std::future::poll_fn(|task| Poll::Ready(work.as_mut().poll(task)));
        let done = match first.await {
            Poll::Ready(done) => done,
            Poll::Pending => {
                let last = after(Instant::now(), backstop(limit, &**handler));
                tokio::select! {
                    biased;
                    () = cancelled(self.until.as_ref()) => {
                        return Reply::with_status(Status::Cancelled);
                    }
                    done = work => done,
                    () = tokio::time::sleep_until(last) => {
                        return Reply::with_status(Status::TimedOut { limit });
                    }
                }
            }
        };
        done.unwrap_or_else(|panic| Reply::failed(panic_message(&*panic)))
    }
}

/// When a handler that does not keep its deadline is given up.
fn backstop(limit: Duration, handler: &dyn Handler) -> Duration {
    let grace = std::panic::catch_unwind(AssertUnwindSafe(|| handler.grace())).unwrap_or_default();
    limit.saturating_add(grace).saturating_add(BACKSTOP)
}

/// Tells a hook that it is over, however that came about; not one that goes on in the background.
struct EndOnDrop(Option<Arc<Over>>);

impl EndOnDrop {
    fn over(&mut self) -> &Arc<Over> {
        self.0.get_or_insert_default()
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(over) = &self.0 {
            over.end();
        }
    }
}

/// Starts a hook that the agent does not wait for.
fn in_background(context: HookContext, run: &Run, over: &Arc<Over>, limit: Duration) -> Reply {
    let worker = run.clone();
    let handler = &run.planned.hook.hook.handler;
    let limit = backstop(limit, &**handler);
    let work = async move {
        let handler = &worker.planned.hook.hook.handler;
        handler.handle(Arc::clone(&worker.input), &context).await
    };
    match run.go_on(limit, Arc::clone(over), Box::pin(work)) {
        Ok(()) => Reply::with_status(Status::Background),
        Err(refused) => Reply::failed(refused.to_string()),
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
