//! What a hook knows of the firing it runs in.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hook_types::{HookInfo, Reply, Status, ToolUseId};
use tokio::time::Instant;

use crate::background::Run;
use crate::cancel::{Cancellation, Over};
use crate::facts::Session;
use crate::hook::Wait;
use crate::time::after;

/// What a hook knows of the firing it runs in: its deadline, who waits, and whom it serves. Clones
/// are cheap; a closure gets one as its second argument.
#[derive(Clone)]
pub struct HookContext(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) hook: Arc<HookInfo>,
    pub(crate) session: Arc<Session>,
    pub(crate) limit: Duration,
    pub(crate) deadline: Instant,
    pub(crate) cancellation: Arc<Over>,
    /// The firing around the hook; none where a handler is tried by itself.
    pub(crate) run: Option<Run>,
}

impl HookContext {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// A context without a runner around it, to try a handler by itself. Hooks that go on in the
    /// background fail in it.
    pub fn standalone(hook: HookInfo, session: Session, limit: Duration) -> Self {
        Self::new(Inner {
            hook: Arc::new(hook),
            session: Arc::new(session),
            limit,
            deadline: after(Instant::now(), limit),
            cancellation: Arc::default(),
            run: None,
        })
    }

    /// Which hook it is.
    pub fn hook(&self) -> &HookInfo {
        &self.0.hook
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// The tool call that the event is about.
    pub fn tool_use_id(&self) -> Option<&ToolUseId> {
        self.0.run.as_ref()?.input.tool_use_id()
    }

    /// Whether the agent waits for the hook.
    pub fn is_awaited(&self) -> bool {
        self.0
            .run
            .as_ref()
            .is_none_or(|run| run.planned.hook.hook.wait == Wait::Awaited)
    }

    /// How long the hook may take.
    pub fn limit(&self) -> Duration {
        self.0.limit
    }

    /// How much of that is left.
    pub fn time_left(&self) -> Duration {
        self.0.deadline.saturating_duration_since(Instant::now())
    }

    /// Tells when the hook is over: it has ended, its firing was cancelled or dropped, or, for one
    /// that goes on in the background, the session ends.
    pub fn cancellation(&self) -> &Cancellation {
        self.0.cancellation.get()
    }

    /// Says what the hook has printed so far. Free when nobody listens.
    pub fn progress(&self, stdout: &str, stderr: &str) {
        if let Some(progress) = self.0.run.as_ref().and_then(|run| run.progress.as_ref()) {
            progress.report(stdout, stderr);
        }
    }

    /// Waits for `work` until the hook's deadline; nothing where it takes longer. No timer is set
    /// for work that is done at once.
    pub async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = std::pin::pin!(work);
        let first = std::future::poll_fn(|task| std::task::Poll::Ready(work.as_mut().poll(task)));
        match first.await {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => tokio::time::timeout_at(self.0.deadline, work).await.ok(),
        }
    }

    /// Goes on in the background: the agent does not wait for `work`, whose reply comes later.
    /// The limit is `within`, else the hook's own.
    pub fn in_background(
        &self,
        within: Option<Duration>,
        work: impl Future<Output = Reply> + Send + 'static,
    ) -> Reply {
        let Some(run) = &self.0.run else {
            return Reply::failed("there is no runner here to go on in the background of");
        };
        let over = Arc::clone(&self.0.cancellation);
        match run.go_on(within.unwrap_or(self.0.limit), over, Box::pin(work)) {
            Ok(()) => Reply::with_status(Status::Background),
            Err(full) => Reply::failed(full.to_string()),
        }
    }
}

impl fmt::Debug for HookContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookContext")
            .field("hook", &self.0.hook.id)
            .field("limit", &self.0.limit)
            .field("session", &self.0.session.base.session_id)
            .finish_non_exhaustive()
    }
}
