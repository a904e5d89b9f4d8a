//! A long-lived process that is spoken to in lines.

use std::{
    future::{pending, poll_fn},
    io,
    sync::{Arc, Mutex as Lock, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    io::Interest,
    sync::{Mutex, oneshot},
    time::{sleep, timeout},
};

use crate::{
    Captured, Control, Ending, Finished, LaunchError, LaunchErrorKind, Leftovers, Timing,
    command::{Limits, Spec},
    control::Urgency,
    exit::Exit,
    kill::{Quarry, Status, Tree},
    line_reader::LineReader,
    pool,
    start::{Started, start},
    stderr_tail::Tail,
    sweep,
    unsafe_calls::{Watched, watch, write_quietly},
};

pub use crate::line_reader::Line;

/// A server that answers lines with lines.
///
/// Every method takes `&self`, so requests can overlap: one task waits in
/// [`next_line`](Self::next_line), others send. Stderr is read while either of them waits.
/// Dropping it kills the server and everything it started.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use process_tree::{Command, Control, Ending};
///
/// let echo = Command::shell("while read -r line; do echo \"got $line\"; done");
/// let server = echo.spawn_lines(&Control::new()).await?;
///
/// server.send_line("one").await?;
/// assert_eq!(server.next_line().await.map(|line| line.text), Some("got one".into()));
///
/// let done = server.end(Duration::from_secs(5)).await;
/// assert_eq!(done.ending, Ending::Exited(0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Lines {
    pid: u32,
    tree: Lock<Tree>,
    exit: Exit,
    stdin: Mutex<Option<Writer>>,
    stdout: Mutex<LineReader>,
    stderr: Tail,
    control: Control,
    limits: Limits,
    clock: Instant,
    launch: Duration,
}

#[derive(Debug)]
struct Writer {
    pipe: Watched,
    /// The rest of one line; what a call that was dropped left is written by the next.
    pending: Vec<u8>,
}

pub(crate) async fn spawn_lines(spec: Arc<Spec>, control: &Control) -> Result<Lines, LaunchError> {
    let clock = Instant::now();
    let held = Arc::clone(&spec);
    let failed = |message| spec.failed(LaunchErrorKind::Other { message });
    let marker = control.registry.new_run();
    let (sender, started) = oneshot::channel();
    // When this future is dropped, the result is too, and with it the tree.
    pool::submit(Box::new(move || {
        let _ = sender.send(start(&held, marker, true));
    }));
    let started = started.await.map_err(|ended| failed(ended.to_string()))??;
    Lines::new(started, control.clone(), spec.limits, clock)
        .map_err(|error| failed(error.to_string()))
}

impl Lines {
    fn new(started: Started, control: Control, limits: Limits, clock: Instant) -> io::Result<Self> {
        let Started {
            mut tree,
            stdin,
            stdout,
            stderr,
        } = started;
        tree.make_known(control.registry.watchdog());
        let leader = tree.quarry().and_then(|quarry| quarry.leader.as_ref());
        let leader = leader.ok_or_else(|| io::Error::other("the server has no leader"))?;
        let (pid, exit) = (
            leader.pid().as_raw_nonzero().get().unsigned_abs(),
            Exit::of(leader)?,
        );
        let stdin = stdin.map(Writer::new).transpose()?;
        Ok(Self {
            pid,
            tree: Lock::new(tree),
            exit,
            stdin: Mutex::new(stdin),
            stdout: Mutex::new(LineReader::new(stdout, limits.stdout)?),
            stderr: Tail::new(stderr, limits.stderr)?,
            control,
            limits,
            clock,
            launch: clock.elapsed(),
        })
    }

    /// The number of the server's process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends one line; the line break is added.
    ///
    /// Dropping the future may leave the line half sent; the rest goes out before the next one, so
    /// lines are never mixed. A line that was not begun is not sent at all. Fails when the server no longer reads, when the line holds a line
    /// break, and after a cancellation.
    pub async fn send_line(&self, line: &str) -> io::Result<()> {
        if line.contains('\n') {
            let message = "a line cannot hold a line break";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut stdin = self.stdin.lock().await;
        let closed = || io::Error::new(io::ErrorKind::BrokenPipe, "the server's stdin is closed");
        let writer = stdin.as_mut().ok_or_else(closed)?;
        tokio::select! {
            biased;
            () = self.control.reaches(Urgency::Ask) => Err(closed()),
            sent = writer.send(line) => sent,
            () = self.stderr.read_on() => pending().await,
        }
    }

    /// The next line of the server's stdout, without its line break; nothing once the server has
    /// exited or closed its stdout, and after a cancellation, which ends the server.
    ///
    /// Dropping the future loses nothing.
    pub async fn next_line(&self) -> Option<Line> {
        let mut stdout = self.stdout.lock().await;
        let line = tokio::select! {
            biased;
            () = self.control.reaches(Urgency::Ask) => None,
            line = stdout.next() => Some(line),
            () = poll_fn(|cx| self.exit.poll(cx)) => {
                // It is gone, but what it wrote last may still be in the pipe.
                Some(timeout(self.limits.drain, stdout.next()).await.unwrap_or(None))
            }
            () = self.stderr.read_on() => pending().await,
        };
        line.unwrap_or_else(|| {
            self.abandon();
            None
        })
    }

    /// What the server wrote to stderr last, up to [`Limits::stderr`].
    pub fn stderr_tail(&self) -> String {
        self.stderr.read_now();
        self.stderr.captured().into_text()
    }

    /// Closes the server's stdin, which asks it to end, gives it `grace` to do so, and ends it
    /// with TERM and KILL if it does not. Everything it started dies with it.
    ///
    /// Lines that nobody asked for are lost; stderr is in the answer.
    pub async fn end(self, grace: Duration) -> Finished {
        *self.stdin.lock().await = None;
        let exited = self.exits_within(grace).await;
        let ending = match self.take_tree() {
            None => Ending::Cancelled {
                by: crate::Force::Kill,
            },
            Some(quarry) if exited => of_exit(quarry).await,
            Some(quarry) => {
                let by = sweep::end(quarry, self.limits.grace).caught().await.force;
                Ending::Cancelled { by }
            }
        };
        self.stderr.read_now();
        let timing = Timing {
            launch: self.launch,
            total: self.clock.elapsed(),
        };
        let (stdout, stderr) = (Captured::default(), self.stderr.captured());
        Finished {
            ending,
            stdout,
            stderr,
            left: Leftovers::default(),
            timing,
        }
    }

    async fn exits_within(&self, grace: Duration) -> bool {
        let mut stdout = self.stdout.lock().await;
        let discard = async {
            while stdout.next().await.is_some() {}
            pending::<()>().await;
        };
        tokio::select! {
            biased;
            // Floods come last: they use up the turn, and with it everybody else's.
            () = poll_fn(|cx| self.exit.poll(cx)) => true,
            () = self.control.reaches(Urgency::Ask) => false,
            () = sleep(grace) => false,
            () = self.stderr.read_on() => true,
            () = discard => true,
        }
    }

    /// Ends the server without waiting for it.
    fn abandon(&self) {
        drop(self.take_tree().map(Tree::new));
    }

    fn take_tree(&self) -> Option<Quarry> {
        self.tree().take()
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server exited by itself; what it left dies.
async fn of_exit(quarry: Quarry) -> Ending {
    match sweep::kill(quarry).caught().await.status {
        Some(Status::Exited(code)) => Ending::Exited(code),
        Some(Status::Signalled(signal)) => Ending::Signalled(signal),
        Some(Status::Lost) | None => Ending::Lost,
    }
}

impl Writer {
    fn new(feed: crate::feed::Feed) -> io::Result<Self> {
        let (pipe, pending) = feed.into_parts();
        Ok(Self {
            pipe: watch(pipe, Interest::WRITABLE)?,
            pending,
        })
    }

    /// First what is left of the line before, so that there is never more than one.
    async fn send(&mut self, line: &str) -> io::Result<()> {
        self.flush().await?;
        self.pending.extend_from_slice(line.as_bytes());
        self.pending.push(b'\n');
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        while !self.pending.is_empty() {
            let mut guard = self.pipe.writable().await?;
            let written = guard.try_io(|pipe| Ok(write_quietly(pipe, &self.pending)?));
            match written {
                Ok(Ok(count)) => drop(self.pending.drain(..count)),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
        Ok(())
    }
}
