//! Closures as hooks: plain and async, with one argument or two.

use std::any::type_name;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use hook_types::{Event, HookKind, Reply, Status};

use crate::context::HookContext;
use crate::handler::{Description, Handler};
use crate::hook::Hook;
use crate::input::Input;
use crate::response::{IntoResponse, Response};

/// Says that a closure returns its answer at once.
#[derive(Debug)]
pub struct AtOnce;

/// Says that a closure returns a future of its answer.
#[derive(Debug)]
pub struct Awaited;

/// What a closure returns: an answer, or a future of one.
#[diagnostic::on_unimplemented(
    message = "a hook for `{E}` cannot return `{Self}`",
    label = "neither an answer to `{E}` nor a future of one",
    note = "return `()`, the event's `Answer`, `background(future)`, or a `Result` of one of these \
            whose error is a failure; or an `async move` block of them"
)]
pub trait Respond<E, How>: Sized {
    /// The answer, once it is there.
    fn respond(self) -> impl Future<Output = Response> + Send;
}

impl<E: Event, T: IntoResponse<E>> Respond<E, AtOnce> for T {
    fn respond(self) -> impl Future<Output = Response> + Send {
        std::future::ready(self.into_response())
    }
}

impl<E, F> Respond<E, Awaited> for F
where
    E: Event,
    F: Future + Send,
    F::Output: IntoResponse<E>,
{
    async fn respond(self) -> Response {
        self.await.into_response()
    }
}

/// What can be registered as a hook for `E`: a closure, or what [`hook_fn`] makes of one.
#[diagnostic::on_unimplemented(
    message = "this is not a hook: it must take an event and return an answer to that event",
    label = "not a closure that takes an event and answers it",
    note = "write `|call: PreToolUse| …`, plain or `async move`; a second argument of the type \
            `HookContext` tells the closure of its firing",
    note = "return `()`, an answer to the same event (`PreToolUse::deny(\"…\")`), \
            `background(future)`, or a `Result` of one of these whose error is a failure",
    note = "the closure must be `Send`, `Sync` and own what it uses (`move`)"
)]
pub trait IntoHook<E, Kind> {
    /// The hook, which matches every subject.
    fn into_hook(self) -> Hook;
}

impl<E, F, R, How> IntoHook<E, (E, How)> for F
where
    E: Event,
    F: Fn(E) -> R + Send + Sync + 'static,
    R: Respond<E, How>,
    How: 'static,
{
    fn into_hook(self) -> Hook {
        let call = move |event: &E, _: &HookContext| self(event.clone()).respond();
        Hook::new(E::NAME, FnHandler::<E, _>::new(call, type_name::<F>()))
    }
}

impl<E, F, R, How> IntoHook<E, (E, HookContext, How)> for F
where
    E: Event,
    F: Fn(E, HookContext) -> R + Send + Sync + 'static,
    R: Respond<E, How>,
    How: 'static,
{
    fn into_hook(self) -> Hook {
        let call =
            move |event: &E, context: &HookContext| self(event.clone(), context.clone()).respond();
        Hook::new(E::NAME, FnHandler::<E, _>::new(call, type_name::<F>()))
    }
}

/// Says that a hook is finished already.
#[derive(Debug)]
pub struct Finished;

impl IntoHook<Finished, Finished> for Hook {
    fn into_hook(self) -> Hook {
        self
    }
}

/// Makes a hook of a closure, to say more about it than a matcher.
///
/// ```
/// use std::time::Duration;
/// use hook_runner::{HookSet, hook_fn};
/// use hook_types::{Event, PreToolUse};
///
/// let hooks = HookSet::builder()
///     .on(
///         "Bash",
///         hook_fn(|call: PreToolUse| PreToolUse::ask(format!("run {}?", call.tool_name)))
///             .id("ask-first")
///             .timeout(Duration::from_secs(5)),
///     )
///     .build()?;
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
pub fn hook_fn<E, Kind>(closure: impl IntoHook<E, Kind>) -> Hook {
    closure.into_hook()
}

/// A closure as a handler.
struct FnHandler<E, F> {
    call: F,
    name: &'static str,
    event: PhantomData<fn(E)>,
}

impl<E, F> FnHandler<E, F> {
    fn new(call: F, name: &'static str) -> Self {
        Self {
            call,
            name,
            event: PhantomData,
        }
    }
}

#[async_trait]
impl<E, F, R> Handler for FnHandler<E, F>
where
    E: Event,
    F: Fn(&E, &HookContext) -> R + Send + Sync + 'static,
    R: Future<Output = Response> + Send,
{
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let Some(event) = E::of(&input) else {
            return Reply::failed(format!(
                "a hook for {} was asked about {}",
                E::NAME,
                input.name()
            ));
        };
        match context.in_time((self.call)(event, context)).await {
            Some(Response::Now(reply)) => reply,
            Some(Response::Background(within, work)) if context.is_awaited() => {
                context.in_background(within, work)
            }
            // It is in the background already, and has its place there.
            Some(Response::Background(_, work)) => work.await,
            None => Reply::with_status(Status::TimedOut {
                limit: context.limit(),
            }),
        }
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Function, self.name)
    }
}
