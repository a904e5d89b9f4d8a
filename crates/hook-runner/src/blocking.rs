//! Closures that block their thread.

use std::any::type_name;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hook_types::{Code, Diagnostic, Event, HookKind, Reply, Status};

use tokio::task::JoinHandle;

use crate::beginning::settled;
use crate::context::HookContext;
use crate::handler::{Description, Handler};
use crate::hook::Hook;
use crate::input::Input;
use crate::response::{IntoResponse, Response};

/// A closure that may block its thread: it takes an event, and if it likes a [`HookContext`].
#[diagnostic::on_unimplemented(
    message = "this is not a blocking hook: it must take an event and return an answer to that event",
    label = "not a plain closure that takes an event and answers it",
    note = "return `()`, an answer to the same event (`PreToolUse::deny(\"…\")`), \
            `background(future)`, or a `Result` of one of these whose error is a failure",
    note = "an async closure belongs in `on`, which does not need a thread"
)]
pub trait IntoBlocking<E, Kind> {
    /// The hook, which matches every subject.
    fn into_blocking(self) -> Hook;
}

impl<E, F, R> IntoBlocking<E, (E,)> for F
where
    E: Event,
    F: Fn(E) -> R + Send + Sync + 'static,
    R: IntoResponse<E>,
{
    fn into_blocking(self) -> Hook {
        blocking(type_name::<F>(), move |event: E, _| {
            self(event).into_response()
        })
    }
}

impl<E, F, R> IntoBlocking<E, (E, HookContext)> for F
where
    E: Event,
    F: Fn(E, HookContext) -> R + Send + Sync + 'static,
    R: IntoResponse<E>,
{
    fn into_blocking(self) -> Hook {
        blocking(type_name::<F>(), move |event: E, context| {
            self(event, context).into_response()
        })
    }
}

/// Makes a hook of a closure that blocks its thread. It runs on a thread of its own; at its
/// deadline the firing goes on, and the thread is reported as abandoned.
///
/// ```
/// use hook_runner::{HookSet, blocking_fn};
/// use hook_types::{Event, PreToolUse};
///
/// let hooks = HookSet::builder()
///     .on("Write", blocking_fn(|call: PreToolUse| {
///         match call.file_path().map(std::path::Path::new).and_then(|path| path.parent()) {
///             Some(directory) if !directory.exists() => PreToolUse::ask("a new directory?"),
///             _ => PreToolUse::pass(),
///         }
///     }))
///     .build()?;
/// # Ok::<(), hook_runner::BuildError>(())
/// ```
pub fn blocking_fn<E, Kind>(closure: impl IntoBlocking<E, Kind>) -> Hook {
    closure.into_blocking()
}

fn blocking<E, F>(name: &'static str, call: F) -> Hook
where
    E: Event,
    F: Fn(E, HookContext) -> Response + Send + Sync + 'static,
{
    Hook::new(
        E::NAME,
        BlockingHandler {
            call: Arc::new(call),
            name,
            event: PhantomData,
        },
    )
}

struct BlockingHandler<E, F> {
    call: Arc<F>,
    name: &'static str,
    event: PhantomData<fn(E)>,
}

#[async_trait]
impl<E, F> Handler for BlockingHandler<E, F>
where
    E: Event,
    F: Fn(E, HookContext) -> Response + Send + Sync + 'static,
{
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let Some(event) = E::of(&input).cloned() else {
            return Reply::failed(format!(
                "a hook for {} was asked about {}",
                E::NAME,
                input.name()
            ));
        };
        let (call, inner) = (Arc::clone(&self.call), context.clone());
        let started = Arc::new(AtomicBool::new(false));
        let starting = Arc::clone(&started);
        let mut thread = AbortOnDrop(tokio::task::spawn_blocking(move || {
            starting.store(true, Ordering::Relaxed);
            call(event, inner)
        }));
        match context.in_time(&mut thread.0).await {
            Some(Ok(response)) => settled(response, context).await,
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Reply::failed(error.to_string()),
            },
            None => too_late(context, started.load(Ordering::Relaxed)),
        }
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Function, self.name)
    }
}

/// A thread that has not been found yet is not looked for any more.
struct AbortOnDrop(JoinHandle<Response>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The deadline has passed. A closure that waited for a thread does not start; one that runs cannot
/// be ended.
fn too_late(context: &HookContext, started: bool) -> Reply {
    let mut reply = Reply::with_status(Status::TimedOut {
        limit: context.limit(),
    });
    if !started {
        return reply;
    }
    reply.evidence.left_running = 1;
    reply.diagnostics.push(Diagnostic::new(
        Code::AbandonedThread,
        "the hook did not end at its deadline; its thread goes on until it returns",
    ));
    reply
}
