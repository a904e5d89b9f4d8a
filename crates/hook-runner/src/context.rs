//! What a hook knows of the firing it runs in.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hook_types::{HookInfo, Reply, Status, ToolUseId};
use tokio::time::Instant;

use crate::background::Work;
use crate::cancel::{Cancellation, Over};
use crate::facts::Session;
use crate::hook::Wait;
use crate::run::Run;
use crate::time::after;

/// What a hook knows of the firing it runs in: its deadline, who waits, and whom it serves. Clones
/// are cheap; a closure gets one as its second argument.
#[derive(Clone)]
pub struct HookContext(Arc<Inner>);

struct Inner {
    session: Arc<Session>,
    limit: Duration,
    deadline: Instant,
    over: Over,
    around: Around,
}

/// What is around a hook.
enum Around {
    /// A firing.
    Run(Run),
    /// Nothing: a handler is tried by itself.
    Nothing(HookInfo),
}

impl HookContext {
    /// The context of a run that has just started.
    pub(crate) fn new(session: Arc<Session>, limit: Duration, started: Instant, run: Run) -> Self {
        Self::around(session, limit, started, Around::Run(run))
    }

    fn around(session: Arc<Session>, limit: Duration, started: Instant, around: Around) -> Self {
        Self(Arc::new(Inner {
            session,
            limit,
            deadline: after(started, limit),
            over: Over::default(),
            around,
        }))
    }

    /// The firing around the hook; none where a handler is tried by itself.
    pub(crate) fn run(&self) -> Option<&Run> {
        match &self.0.around {
            Around::Run(run) => Some(run),
            Around::Nothing(_) => None,
        }
    }

    /// Tells the hook that it is over.
    pub(crate) fn end(&self) {
        self.0.over.end();
    }

    /// A context without a runner around it, to try a handler by itself. Hooks that go on in the
    /// background fail in it.
    pub fn standalone(hook: HookInfo, session: Session, limit: Duration) -> Self {
        let around = Around::Nothing(hook);
        Self::around(Arc::new(session), limit, Instant::now(), around)
    }

    /// Which hook it is.
    pub fn hook(&self) -> &HookInfo {
        match &self.0.around {
            Around::Run(run) => &run.planned.hook.info,
            Around::Nothing(hook) => hook,
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// The tool call that the event is about.
    pub fn tool_use_id(&self) -> Option<&ToolUseId> {
        self.run()?.input.as_ref()?.tool_use_id()
    }

    /// Whether the agent waits for the hook.
    pub fn is_awaited(&self) -> bool {
        self.run()
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
        self.0.over.get()
    }

    /// Says what the hook has printed so far. Free when nobody listens.
    pub fn progress(&self, stdout: &str, stderr: &str) {
        if let Some(progress) = self.run().and_then(Run::progress) {
            progress.report(stdout, stderr);
        }
    }

    /// Waits for `work` until the hook's deadline; nothing where it takes longer. No timer is set
    /// for work that is done at once.
    pub async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = std::pin::pin!(work);
        let first = std::future::poll_fn(|task| Poll::Ready(work.as_mut().poll(task)));
        match first.await {
            Poll::Ready(value) => Some(value),
            Poll::Pending => tokio::time::timeout_at(self.0.deadline, work).await.ok(),
        }
    }

    /// Goes on in the background: the agent does not wait for `work`, whose reply comes later.
    /// The limit is `within`, else the hook's own.
    pub fn in_background(
        &self,
        within: Option<Duration>,
        work: impl Future<Output = Reply> + Send + 'static,
    ) -> Reply {
        let limit = within.unwrap_or(self.0.limit);
        self.go_on(limit, Box::pin(work))
    }

    pub(crate) fn go_on(&self, limit: Duration, work: Work) -> Reply {
        let Some(run) = self.run() else {
            return Reply::failed("there is no runner here to go on in the background of");
        };
        match run.background.start(self.clone(), run.event, limit, work) {
            Ok(()) => Reply::with_status(Status::Background),
            Err(refused) => Reply::failed(refused.to_string()),
        }
    }
}

impl fmt::Debug for HookContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookContext")
            .field("hook", &self.hook().id)
            .field("limit", &self.0.limit)
            .field("session", &self.0.session.base.session_id)
            .finish_non_exhaustive()
    }
}
