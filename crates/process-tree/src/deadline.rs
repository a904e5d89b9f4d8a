//! When commands must be over: one thread keeps the time for all of them.
//!
//! A timer of the runtime would do, but each new one wakes the thread that waits for events, so that
//! it waits for less long, and most commands are over within milliseconds of minutes. Here a
//! deadline is an entry in a list. The thread looks at the list when the first is due, and every
//! second; it is woken only for one that is due before that, and goes when the list stays empty. What else is
//! worth keeping only as long as commands come one after the other comes and goes with it.

use std::{
    collections::BTreeMap,
    panic::{self, AssertUnwindSafe},
    pin::Pin,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep_until};

use crate::os;

/// How long the thread sleeps at the most.
const LOOK: Duration = Duration::from_secs(1);

type Key = (Instant, u64);

struct Keeper {
    due: BTreeMap<Key, Waker>,
    /// The number of the entry made last.
    last: u64,
    /// When the thread looks next; nothing where there is no thread.
    looks: Option<Instant>,
}

static KEEPER: Mutex<Keeper> = Mutex::new(Keeper {
    due: BTreeMap::new(),
    last: 0,
    looks: None,
});
static SOONER: Condvar = Condvar::new();

fn keeper() -> MutexGuard<'static, Keeper> {
    KEEPER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of the time that a command has.
#[derive(Debug)]
pub(crate) struct Deadline {
    end: Instant,
    /// Its place in the list, once it has been waited for.
    key: Option<Key>,
    /// Where no thread is to be had.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    pub(crate) fn new(end: Instant) -> Self {
        Self {
            end,
            key: None,
            timer: None,
        }
    }

    /// Ready from the deadline on.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.end {
            return Poll::Ready(());
        }
        if self.timer.is_none() && !self.enter(cx.waker()) {
            self.timer = Some(Box::pin(sleep_until(self.end.into())));
        }
        match &mut self.timer {
            Some(timer) => timer.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }

    /// Whether somebody wakes `waker` at the deadline.
    fn enter(&mut self, waker: &Waker) -> bool {
        let mut keeper = keeper();
        let key = *self.key.get_or_insert_with(|| {
            keeper.last += 1;
            (self.end, keeper.last)
        });
        let entry = keeper.due.entry(key).or_insert_with(|| waker.clone());
        entry.clone_from(waker);
        match keeper.looks {
            Some(looks) if looks <= self.end => true,
            Some(_) => {
                keeper.looks = Some(self.end);
                SOONER.notify_one();
                true
            }
            None => {
                keeper.looks = Some(self.end);
                drop(keeper);
                begin()
            }
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            keeper().due.remove(&key);
        }
    }
}

/// Starts the thread. Where it cannot be, who has come to rely on it meanwhile is told.
fn begin() -> bool {
    let thread = thread::Builder::new().name("process-tree-clock".into());
    let started = thread.spawn(keep).is_ok();
    if !started {
        let mut keeper = keeper();
        keeper.looks = None;
        let relied = std::mem::take(&mut keeper.due);
        drop(keeper);
        wake(relied);
    }
    started
}

/// The thread's life.
fn keep() {
    os::keep(true);
    let mut keeper = keeper();
    let mut was_empty = false;
    loop {
        let now = Instant::now();
        let later = keeper.due.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut keeper.due, later);
        if !due.is_empty() {
            drop(keeper);
            wake(due);
            keeper = self::keeper();
            continue;
        }
        let first = keeper.due.keys().next().map(|(end, _)| *end);
        if first.is_none() && was_empty {
            keeper.looks = None;
            os::keep(false);
            return;
        }
        was_empty = first.is_none();
        let pause = first.map_or(LOOK, |end| LOOK.min(end - now));
        keeper.looks = Some(now + pause);
        let waited = SOONER.wait_timeout(keeper, pause);
        keeper = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// A waker is the host's code: one that panics keeps nobody else from being woken.
fn wake(wakers: BTreeMap<Key, Waker>) {
    for waker in wakers.into_values() {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::Arc, task::Wake};

    use super::*;

    async fn passed(end: Instant) -> Instant {
        let mut deadline = Deadline::new(end);
        poll_fn(|cx| deadline.poll(cx)).await;
        Instant::now()
    }

    /// Whether it has not passed; nobody is woken for the answer.
    fn is_ahead(deadline: &mut Deadline) -> bool {
        let waker = Waker::noop();
        deadline.poll(&mut Context::from_waker(waker)).is_pending()
    }

    #[tokio::test]
    async fn deadlines_pass_in_their_order_and_not_before_their_time() {
        let now = Instant::now();
        let ends = [300, 100, 200].map(|late| now + Duration::from_millis(late));
        let [third, first, second] = ends.map(|end| tokio::spawn(passed(end)));
        let passed = (
            first.await.unwrap(),
            second.await.unwrap(),
            third.await.unwrap(),
        );
        assert!(passed.0 >= ends[1] && passed.1 >= ends[2] && passed.2 >= ends[0]);
        assert!(passed.0 <= passed.1 && passed.1 <= passed.2);
    }

    #[tokio::test]
    async fn one_that_is_due_before_the_thread_looks_next_wakes_it() {
        let now = Instant::now();
        let mut far = Deadline::new(now + Duration::from_mins(1));
        assert!(is_ahead(&mut far));
        passed(now + Duration::from_millis(20)).await;
        assert!(now.elapsed() < Duration::from_secs(30));
        assert!(is_ahead(&mut far));
    }

    #[tokio::test]
    async fn one_that_has_passed_is_ready_at_once_and_one_that_is_dropped_leaves_nothing() {
        let passed = Instant::now();
        let mut deadline = Deadline::new(passed);
        poll_fn(|cx| deadline.poll(cx)).await;
        let mut far = Deadline::new(passed + Duration::from_hours(1));
        assert!(is_ahead(&mut far));
        let key = far.key.unwrap();
        assert!(keeper().due.contains_key(&key));
        drop(far);
        assert!(!keeper().due.contains_key(&key));
    }

    #[tokio::test]
    async fn a_waker_that_panics_keeps_nobody_else_from_being_woken() {
        struct Panics;
        impl Wake for Panics {
            fn wake(self: Arc<Self>) {
                panic!("the host's waker");
            }
        }
        let end = Instant::now() + Duration::from_millis(50);
        let mut bad = Deadline::new(end);
        let waker = Arc::new(Panics).into();
        assert!(bad.poll(&mut Context::from_waker(&waker)).is_pending());
        assert!(passed(end + Duration::from_millis(50)).await > end);
    }

    #[test]
    fn the_thread_goes_when_there_is_nothing_to_keep() {
        let mut deadline = Deadline::new(Instant::now() + Duration::from_hours(1));
        assert!(is_ahead(&mut deadline));
        assert!(keeper().looks.is_some());
        drop(deadline);
        let gone = |_| {
            thread::sleep(Duration::from_millis(100));
            keeper().looks.is_none()
        };
        assert!((0..300).any(gone), "it is still there after half a minute");
    }
}
