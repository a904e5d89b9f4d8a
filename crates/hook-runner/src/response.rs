//! What a closure may return, and what is made of it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use hook_types::{Answer, Event, Reply};

/// A reply, now or later.
pub enum Response {
    /// The reply.
    Now(Reply),
    /// The hook goes on in the background.
    Background(
        Option<Duration>,
        Pin<Box<dyn Future<Output = Reply> + Send>>,
    ),
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(reply) => f.debug_tuple("Now").field(reply).finish(),
            Self::Background(within, _) => f.debug_tuple("Background").field(within).finish(),
        }
    }
}

/// What a hook for `E` may return.
#[diagnostic::on_unimplemented(
    message = "a hook for `{E}` cannot return `{Self}`",
    label = "not an answer to `{E}`",
    note = "return `()`, the event's `Answer`, `background(future)`, or a `Result` of one of these \
            whose error is a failure"
)]
pub trait IntoResponse<E> {
    /// What the runner makes of it.
    fn into_response(self) -> Response;
}

impl<E: Event> IntoResponse<E> for Answer<E> {
    fn into_response(self) -> Response {
        Response::Now(Reply::answer(self.into_output()))
    }
}

impl<E: Event> IntoResponse<E> for () {
    fn into_response(self) -> Response {
        Response::Now(Reply::no_opinion())
    }
}

/// An error is a failure, never a decision.
impl<E: Event, T: IntoResponse<E>, Error: fmt::Display> IntoResponse<E> for Result<T, Error> {
    fn into_response(self) -> Response {
        match self {
            Ok(answer) => answer.into_response(),
            Err(error) => Response::Now(Reply::failed(error.to_string())),
        }
    }
}

/// Answers now and goes on: what [`background`] returns.
#[derive(Debug)]
#[must_use = "a hook goes on in the background only when it returns this"]
pub struct Background<F> {
    work: F,
    within: Option<Duration>,
}

/// Lets the agent go on while the hook does. What `work` comes to is an answer that arrives later,
/// by [`Runner::late`](crate::Runner::late).
///
/// ```
/// use hook_runner::{HookSet, background};
/// use hook_types::{Event, PostToolUse};
///
/// let hooks = HookSet::builder()
///     .on("Write", |call: PostToolUse| {
///         background(async move { PostToolUse::context(format!("{} was linted", call.tool_name)) })
///     })
///     .build()?;
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
pub fn background<F: Future>(work: F) -> Background<F> {
    Background { work, within: None }
}

impl<F> Background<F> {
    /// Ends the work when it takes longer than `limit`; else the hook's deadline does.
    pub fn within(mut self, limit: Duration) -> Self {
        self.within = Some(limit);
        self
    }
}

impl<E, F> IntoResponse<E> for Background<F>
where
    E: Event,
    F: Future + Send + 'static,
    F::Output: IntoResponse<E>,
{
    fn into_response(self) -> Response {
        let work = async move {
            match self.work.await.into_response() {
                Response::Now(reply) => reply,
                Response::Background(_, work) => work.await,
            }
        };
        Response::Background(self.within, Box::pin(work))
    }
}
