//! The moment a command ends, as the runtime hears of it.

use std::{
    io,
    sync::Mutex,
    task::{Context, Poll, ready},
    time::Duration,
};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::{
    io::Interest,
    time::{Interval, MissedTickBehavior, interval},
};

use crate::{
    os::Leader,
    unsafe_calls::{Watched, watch},
};

/// How often a command is looked at that cannot be waited for.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(crate) enum Exit {
    /// A descriptor that turns readable once and for all.
    Told(Watched),
    /// There was no descriptor left.
    Looked(Pid, Mutex<Interval>),
}

impl Exit {
    /// The end of a command that has not been reaped, and is not before this is dropped.
    pub(crate) fn of(leader: &Leader) -> io::Result<Self> {
        if let Some(handle) = leader.handle() {
            return watch(handle, Interest::READABLE).map(Self::Told);
        }
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self::Looked(leader.pid(), Mutex::new(looks)))
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self {
            Self::Told(watched) => {
                let _ = ready!(watched.poll_read_ready(cx));
                Poll::Ready(())
            }
            Self::Looked(pid, looks) => {
                let mut looks = looks
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                while looks.poll_tick(cx).is_ready() {
                    if has_exited(*pid) {
                        return Poll::Ready(());
                    }
                }
                Poll::Pending
            }
        }
    }
}

fn has_exited(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}
