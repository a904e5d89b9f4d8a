//! What rows about processes share: a floor, two runtimes, and ways to run the same script on each.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

use std::ffi::CStr;
use std::process::Stdio;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use process_tree::{Command, Control, Environment, Limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

use crate::Failure;
use crate::contest::{Side, nanoseconds, time};
use crate::floor::Floor;

/// A script with its input, and how much it prints.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) script: &'static CStr,
    pub(crate) input: Arc<[u8]>,
    pub(crate) output: usize,
}

impl Job {
    pub(crate) fn new(script: &'static CStr, input: usize, output: usize) -> Self {
        Self {
            script,
            input: vec![b'x'; input].into(),
            output,
        }
    }

    /// The same for `process-tree`, with all its guarantees.
    pub(crate) fn command(&self) -> Command {
        Command::shell(self.script.to_str().unwrap())
            .environment(Environment::inherited())
            .stdin(Arc::clone(&self.input))
            .limits(Limits {
                stdout: 64 << 20,
                ..Limits::default()
            })
    }
}

/// On how many threads tasks run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    One,
    Many,
}

pub(crate) struct Stage {
    one: Runtime,
    many: Runtime,
}

impl Stage {
    pub(crate) fn new() -> Result<Rc<Self>, Failure> {
        Ok(Rc::new(Self {
            one: Builder::new_current_thread().enable_all().build()?,
            many: Builder::new_multi_thread().enable_all().build()?,
        }))
    }

    pub(crate) fn runtime(&self, threads: Threads) -> &Runtime {
        match threads {
            Threads::One => &self.one,
            Threads::Many => &self.many,
        }
    }

    /// The same work so many times at once, a task each; how long it takes in all.
    pub(crate) fn in_tasks<F>(
        &self,
        threads: Threads,
        at_once: usize,
        work: impl Fn() -> F + Send + 'static,
    ) -> Duration
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let all = async move {
            let clock = Instant::now();
            if at_once == 1 {
                work().await;
                return clock.elapsed();
            }
            let tasks: Vec<_> = (0..at_once).map(|_| tokio::spawn(work())).collect();
            for task in tasks {
                task.await.unwrap();
            }
            clock.elapsed()
        };
        // As a task: what is blocked on is never on a thread of its runtime.
        let runtime = self.runtime(threads);
        runtime.block_on(async { tokio::spawn(all).await.unwrap() })
    }
}

/// The floor, a thread each.
pub(crate) fn floor(name: &str, floor: Floor, job: &Job, at_once: usize) -> Side {
    let job = job.clone();
    Side::new(name, move || {
        let work = || assert_eq!(floor.run(job.script, &job.input).len(), job.output);
        nanoseconds(in_threads(at_once, work))
    })
}

fn in_threads(at_once: usize, work: impl Fn() + Sync) -> Duration {
    time(|| {
        if at_once == 1 {
            return work();
        }
        thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(&work);
            }
        });
    })
}

/// `process-tree`, a task each.
pub(crate) fn ours(
    stage: &Rc<Stage>,
    name: &str,
    job: &Job,
    threads: Threads,
    at_once: usize,
) -> Side {
    let (stage, command, output) = (Rc::clone(stage), job.command(), job.output);
    Side::new(name, move || {
        let command = command.clone();
        nanoseconds(stage.in_tasks(threads, at_once, move || {
            let command = command.clone();
            async move {
                let done = command.run(&Control::new()).await;
                assert!(done.ending.is_success(), "{:?}", done.ending);
                assert_eq!(done.stdout.bytes().len(), output);
            }
        }))
    })
}

/// `tokio::process` as careful people use it: a group, kill on drop, a timeout.
pub(crate) fn tokio_process(
    stage: &Rc<Stage>,
    name: &str,
    job: &Job,
    threads: Threads,
    at_once: usize,
) -> Side {
    let (stage, job) = (Rc::clone(stage), job.clone());
    Side::new(name, move || {
        let job = job.clone();
        nanoseconds(stage.in_tasks(threads, at_once, move || by_tokio(job.clone())))
    })
}

async fn by_tokio(job: Job) {
    let mut child = tokio::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(job.script.to_str().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout, mut stderr) = (
        child.stdin.take().unwrap(),
        child.stdout.take().unwrap(),
        child.stderr.take().unwrap(),
    );
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let input = Arc::clone(&job.input);
    let feed = async move {
        // A command that does not read is not at fault.
        let _ = stdin.write_all(&input).await;
    };
    let all = async {
        tokio::join!(
            feed,
            stdout.read_to_end(&mut output),
            stderr.read_to_end(&mut errors),
            child.wait()
        )
    };
    let ended = tokio::time::timeout(Duration::from_mins(1), all).await;
    ended.unwrap().3.unwrap();
    assert_eq!(output.len(), job.output);
}

/// `std::process`, a thread each.
pub(crate) fn std_process(name: &str, job: &Job, at_once: usize) -> Side {
    let job = job.clone();
    Side::new(name, move || {
        nanoseconds(in_threads(at_once, || by_std(&job)))
    })
}

fn by_std(job: &Job) {
    use std::io::{Read, Write};
    let mut child = std::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(job.script.to_str().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // As one writes it by hand: a thread only where a pipe could fill up.
        let feeder = if job.input.len() > 4 << 10 {
            Some(scope.spawn(move || drop(stdin.write_all(&job.input))))
        } else {
            drop(stdin.write_all(&job.input));
            drop(stdin);
            None
        };
        let mut output = Vec::new();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_to_end(&mut output).unwrap();
        if let Some(feeder) = feeder {
            feeder.join().unwrap();
        }
        output
    });
    child.wait().unwrap();
    assert_eq!(output.len(), job.output);
}
