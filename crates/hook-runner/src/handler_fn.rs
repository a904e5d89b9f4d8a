//! Closures as hooks: plain and async, with one argument or two.

use std::any::type_name;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt;
use hook_types::{Event, HookKind, Reply};

use crate::beginning::{Beginning, Working};
use crate::context::HookContext;
use crate::handler::{Description, Handler};
use crate::hook::Hook;
use crate::input::Input;
use crate::response::IntoResponse;

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
    /// The answer, or that it is to come.
    #[doc(hidden)]
    fn respond(self) -> Beginning<'static>;
}

impl<E: Event, T: IntoResponse<E>> Respond<E, AtOnce> for T {
    fn respond(self) -> Beginning<'static> {
        Beginning::Answered(self.into_response())
    }
}

impl<E, F> Respond<E, Awaited> for F
where
    E: Event,
    F: Future + Send + 'static,
    F::Output: IntoResponse<E>,
{
    fn respond(self) -> Beginning<'static> {
        let work = self.map(IntoResponse::into_response);
        Beginning::Working(Working::Answering(Box::pin(work)))
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
        let handler = FnHandler {
            call: Alone(move |event| self(event).respond()),
            name: type_name::<F>(),
            event: PhantomData,
        };
        Hook::new(E::NAME, handler)
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
        let handler = FnHandler {
            call: InContext(move |event, context| self(event, context).respond()),
            name: type_name::<F>(),
            event: PhantomData,
        };
        Hook::new(E::NAME, handler)
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
struct FnHandler<E, C> {
    call: C,
    name: &'static str,
    event: PhantomData<fn(E)>,
}

/// A closure that takes the event and nothing else.
struct Alone<F>(F);

/// A closure that takes its context too.
struct InContext<F>(F);

/// One of these closures.
trait Call<E>: Send + Sync + 'static {
    fn call(&self, event: E, context: &HookContext) -> Beginning<'static>;

    /// Calls it without a context, if it needs none.
    fn call_alone(&self) -> Option<&dyn Fn(E) -> Beginning<'static>>;
}

impl<E, F> Call<E> for Alone<F>
where
    F: Fn(E) -> Beginning<'static> + Send + Sync + 'static,
{
    fn call(&self, event: E, _: &HookContext) -> Beginning<'static> {
        self.0(event)
    }

    fn call_alone(&self) -> Option<&dyn Fn(E) -> Beginning<'static>> {
        Some(&self.0)
    }
}

impl<E, F> Call<E> for InContext<F>
where
    F: Fn(E, HookContext) -> Beginning<'static> + Send + Sync + 'static,
{
    fn call(&self, event: E, context: &HookContext) -> Beginning<'static> {
        self.0(event, context.clone())
    }

    fn call_alone(&self) -> Option<&dyn Fn(E) -> Beginning<'static>> {
        None
    }
}

/// Hands a closure its event.
#[inline]
fn called<E: Event>(
    input: Arc<Input>,
    call: impl FnOnce(E) -> Beginning<'static>,
) -> Beginning<'static> {
    let asked = input.name();
    match input.taken::<E>() {
        Some(event) => call(*event),
        None => Beginning::failed(format!("a hook for {} was asked about {asked}", E::NAME)),
    }
}

#[async_trait]
impl<E: Event, C: Call<E>> Handler for FnHandler<E, C> {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        self.begin(input, context).reply(context).await
    }

    fn ask(&self, input: Arc<Input>) -> Result<Beginning<'_>, Arc<Input>> {
        match self.call.call_alone() {
            Some(call) => Ok(called(input, call)),
            None => Err(input),
        }
    }

    fn begin<'a>(&'a self, input: Arc<Input>, context: &'a HookContext) -> Beginning<'a> {
        called(input, |event| self.call.call(event, context))
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Function, self.name)
    }
}
