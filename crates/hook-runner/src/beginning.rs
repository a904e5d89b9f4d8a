//! How a handler begins to answer. A closure that is ready is never made a future of the runner's.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hook_types::{Reply, Status};

use crate::context::HookContext;
use crate::response::Response;

/// How a handler begins to answer.
pub enum Beginning<'a> {
    /// It has answered.
    Answered(Response),
    /// It has not.
    Working(Working<'a>),
}

/// A handler at work.
pub enum Working<'a> {
    /// It will answer; whoever waits keeps its deadline.
    Answering(Pin<Box<dyn Future<Output = Response> + Send + 'a>>),
    /// It handles the event, and keeps its deadline itself.
    Handling(Pin<Box<dyn Future<Output = Reply> + Send + 'a>>),
}

impl Beginning<'_> {
    /// A failure.
    pub(crate) fn failed(why: String) -> Self {
        Self::Answered(Response::Now(Reply::failed(why)))
    }

    /// Waits for the reply, until the hook's deadline.
    pub(crate) async fn reply(self, context: &HookContext) -> Reply {
        match self {
            Self::Answered(response) => settled(response, context).await,
            Self::Working(work) => work.reply(context).await,
        }
    }
}

impl Working<'_> {
    /// Asks once whether it is done.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Response> {
        match self {
            Self::Answering(work) => work.as_mut().poll(task),
            Self::Handling(work) => work.as_mut().poll(task).map(Response::Now),
        }
    }

    /// Waits for the reply, until the hook's deadline.
    pub(crate) async fn reply(self, context: &HookContext) -> Reply {
        match self {
            Self::Answering(work) => match context.in_time(work).await {
                Some(response) => settled(response, context).await,
                None => Reply::with_status(Status::TimedOut {
                    limit: context.limit(),
                }),
            },
            Self::Handling(work) => work.await,
        }
    }
}

/// The reply that a response is; for a hook that goes on, that it does.
pub(crate) async fn settled(response: Response, context: &HookContext) -> Reply {
    match response {
        Response::Now(reply) => reply,
        Response::Background(within, work) if context.is_awaited() => {
            context.in_background(within, work)
        }
        // It is in the background already, and has its place there.
        Response::Background(_, work) => work.await,
    }
}

impl fmt::Debug for Beginning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(response) => f.debug_tuple("Answered").field(response).finish(),
            Self::Working(work) => f.debug_tuple("Working").field(work).finish(),
        }
    }
}

impl fmt::Debug for Working<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answering(_) => "Answering",
            Self::Handling(_) => "Handling",
        })
    }
}
