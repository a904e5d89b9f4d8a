//! One life of a server: its start, and the task that holds it.

use std::fmt;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use process_tree::{Command, Control, LaunchErrorKind, Lines};
use tokio::task::JoinHandle;

use super::desk::Desk;

/// One life of the server: from its start to its end.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) desk: Arc<Desk>,
    pub(super) work: Work,
    pub(super) task: JoinHandle<()>,
}

/// What the task of a life does. It can be taken from the task, so that whoever drops a hook need not
/// wait for a runtime to drop it: with it the process dies.
#[derive(Clone)]
pub(super) struct Work(pub(super) Arc<Mutex<Option<Living>>>);

pub(super) type Living = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Work {
    pub(super) fn new(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::pin(work)))))
    }

    pub(super) fn poll(&self, task: &mut Context<'_>) -> Poll<()> {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work.as_mut()
            .map_or(Poll::Ready(()), |work| work.as_mut().poll(task))
    }

    pub(super) fn stop(&self) {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(work.take());
    }
}

/// Stops the work when it is dropped.
pub(super) struct Stopped(pub(super) Work);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}

impl Life {
    pub(super) fn begin(desk: Arc<Desk>, start: Start) -> Self {
        let work = Work::new(Arc::clone(&desk).live(start));
        // When the task is done, or dropped with its runtime, the work is stopped too.
        let stopped = Stopped(work.clone());
        let task = tokio::spawn(async move { poll_fn(|task| stopped.0.poll(task)).await });
        Self { desk, work, task }
    }
}

/// How a server is started.
pub(super) struct Start {
    pub(super) command: Command,
    /// Where it may run, the best place first.
    pub(super) places: Vec<PathBuf>,
    pub(super) control: Control,
}

impl Start {
    pub(super) async fn start(self) -> Result<Lines, String> {
        let mut last = String::new();
        for place in self.places {
            let command = self.command.clone().cwd(place);
            let error = match command.spawn_lines(&self.control).await {
                Ok(lines) => return Ok(lines),
                Err(error) => error,
            };
            last = format!("{error} ({})", error.remedy());
            let gone = matches!(
                error.kind(),
                LaunchErrorKind::CwdMissing
                    | LaunchErrorKind::CwdNotDirectory
                    | LaunchErrorKind::CwdDenied
            );
            if !gone {
                break;
            }
        }
        Err(last)
    }
}
