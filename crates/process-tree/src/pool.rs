//! Threads that may block.
//!
//! Not the runtime's: those may all be taken by the host, and a command that cannot be started
//! or looked after would miss its deadline. They come when they are needed and go when nothing
//! has been asked of them for a while; the one that worked last works next, for it is warm.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// More than this are never needed, but by commands that hang in their start.
const MOST: usize = 512;
/// How long a thread waits for more to do.
const IDLE: Duration = Duration::from_secs(1);

struct Pool {
    /// Threads that wait, by their numbers.
    idle: Vec<(usize, Sender<Job>)>,
    /// What waits for a thread.
    queue: VecDeque<Job>,
    threads: usize,
    next: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    idle: Vec::new(),
    queue: VecDeque::new(),
    threads: 0,
    next: 0,
});

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has `job` done by another thread. Where none is to be had, it is done here and now.
pub(crate) fn submit(job: Job) {
    let (mut pool, mut job) = (pool(), job);
    while let Some((_, idle)) = pool.idle.pop() {
        // A thread in the list waits, or is about to; this cannot fail while it is there.
        match idle.send(job) {
            Ok(()) => return,
            Err(unsent) => job = unsent.0,
        }
    }
    pool.queue.push_back(job);
    if pool.threads >= MOST {
        return;
    }
    pool.threads += 1;
    pool.next += 1;
    let number = pool.next;
    drop(pool);
    let started = thread::Builder::new()
        .name("process-tree-run".into())
        .spawn(move || work(number));
    if started.is_err() {
        give_up_a_thread();
    }
}

/// No thread could be started. Others will come to what waits; without others, it is done here.
fn give_up_a_thread() {
    let mut pool = pool();
    pool.threads -= 1;
    let waiting = if pool.threads == 0 {
        std::mem::take(&mut pool.queue)
    } else {
        VecDeque::new()
    };
    drop(pool);
    for job in waiting {
        job();
    }
}

/// Keeps the count right, even when a job panics.
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        pool().threads -= 1;
    }
}

fn work(number: usize) {
    let _counted = Counted;
    let (sender, jobs) = channel();
    while let Some(job) = next(number, &sender, &jobs) {
        job();
    }
}

/// The next thing to do; nothing when there was none for long.
fn next(number: usize, sender: &Sender<Job>, jobs: &Receiver<Job>) -> Option<Job> {
    let mut pool = pool();
    if let Some(job) = pool.queue.pop_front() {
        return Some(job);
    }
    pool.idle.push((number, sender.clone()));
    drop(pool);
    match jobs.recv_timeout(IDLE) {
        Ok(job) => Some(job),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            self::pool().idle.retain(|(other, _)| *other != number);
            // Whoever took it off the list before has sent something.
            jobs.try_recv().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc::channel, time::Duration};

    use super::*;

    const AMPLE: Duration = Duration::from_secs(20);

    #[test]
    fn jobs_that_wait_for_each_other_all_run() {
        let (tell, hear) = channel();
        let (release, wait) = channel::<()>();
        submit(Box::new(move || {
            let _ = wait.recv_timeout(AMPLE);
        }));
        for number in 0..20 {
            let tell = tell.clone();
            submit(Box::new(move || tell.send(number).unwrap()));
        }
        let mut heard: Vec<i32> = (0..20).map(|_| hear.recv_timeout(AMPLE).unwrap()).collect();
        heard.sort_unstable();
        assert_eq!(heard, (0..20).collect::<Vec<_>>());
        release.send(()).unwrap();
    }

    #[test]
    fn a_job_that_panics_takes_no_other_along() {
        submit(Box::new(|| panic!("on purpose")));
        let (tell, hear) = channel();
        submit(Box::new(move || tell.send(()).unwrap()));
        assert_eq!(hear.recv_timeout(AMPLE), Ok(()));
    }
}
