//! A tree of processes: who belongs to it, and how it is asked to end and killed.

use std::collections::HashMap;

use rustix::process::Signal;

use crate::{
    Watchdog,
    descend::{self, Process, Snapshot},
    marker::Marker,
    os::{self, Leader},
    sweep,
    watchdog::Entry,
};

/// How the leader of a tree ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Exited(i32),
    Signalled(i32),
    /// Somebody else waited for it.
    Lost,
}

/// Everything a run started, as far as it can be found.
#[derive(Debug)]
pub(crate) struct Quarry {
    /// The command itself, until it is reaped; nobody when a whole registry is swept.
    pub(crate) leader: Option<Leader>,
    marker: Marker,
    /// Members seen before, by number and start: they stay members when their parent is gone.
    known: HashMap<i32, u64>,
    /// Kept while the watchdog is to know of the group.
    pub(crate) watched: Option<Entry>,
    /// The number given out last when the command began, where its leader waited before that.
    counted_from: Option<i32>,
}

impl Quarry {
    pub(crate) fn of_run(leader: Leader, marker: Marker) -> Self {
        Self {
            leader: Some(leader),
            marker,
            known: HashMap::new(),
            watched: None,
            counted_from: None,
        }
    }

    /// Whatever carries `marker`, and processes seen before.
    pub(crate) fn of_marker(marker: Marker, known: &[Process]) -> Self {
        let known = known
            .iter()
            .map(|process| (process.pid, process.start))
            .collect();
        Self {
            leader: None,
            marker,
            known,
            watched: None,
            counted_from: None,
        }
    }

    pub(crate) fn marker(&self) -> &Marker {
        &self.marker
    }

    /// Whether the command itself has ended, or there is none.
    pub(crate) fn leader_has_exited(&self) -> bool {
        self.leader.as_ref().is_none_or(Leader::has_exited)
    }

    /// The members that are alive in `snapshot`; all of them are remembered.
    pub(crate) fn members(&mut self, snapshot: &mut Snapshot) -> Vec<Process> {
        let born = self.born(snapshot);
        let everybody = snapshot.processes().to_vec();
        let mut pending: Vec<Process> = everybody
            .iter()
            .filter(|process| candidate(process))
            .copied()
            .collect();
        let mut members: HashMap<i32, Process> = HashMap::new();
        loop {
            let before = pending.len();
            pending.retain(|process| {
                let belongs = self.claims(process, born, &members, snapshot);
                if belongs {
                    members.insert(process.pid, *process);
                }
                !belongs
            });
            if pending.len() == before {
                break;
            }
        }
        self.known = members
            .values()
            .map(|process| (process.pid, process.start))
            .collect();
        members
            .into_values()
            .filter(|process| process.alive)
            .collect()
    }

    /// Whether nobody is left, given a snapshot in which nobody was.
    ///
    /// Reading takes time. A process that was listed may have started another and ended before
    /// it was looked at, and that one is not in the list; so those who came since are looked at
    /// until nobody comes any more.
    pub(crate) fn is_gone(&mut self, snapshot: &Snapshot) -> bool {
        const LOOKS: usize = 100;
        if snapshot.partial {
            return false;
        }
        let mut later = snapshot.since();
        for _ in 0..LOOKS {
            let Some(mut fresh) = later else { return true };
            if !self.members(&mut fresh).is_empty() || fresh.partial {
                return false;
            }
            later = fresh.since();
        }
        false
    }

    fn claims(
        &self,
        process: &Process,
        born: u64,
        members: &HashMap<i32, Process>,
        snapshot: &mut Snapshot,
    ) -> bool {
        if self.known.get(&process.pid) == Some(&process.start) {
            return true;
        }
        // Nobody is older than the command that started it.
        if process.start < born {
            return false;
        }
        let led = self
            .leader_number()
            .is_some_and(|number| [process.pid, process.session, process.group].contains(&number));
        led || members
            .get(&process.parent)
            .is_some_and(|parent| parent.start <= process.start)
            || snapshot
                .marker(process.pid)
                .is_some_and(|value| self.marker.owns(value))
    }

    /// When the leader started; a zombie still tells.
    fn born(&self, snapshot: &Snapshot) -> u64 {
        let Some(number) = self.leader_number() else {
            return 0;
        };
        let found = snapshot
            .processes()
            .iter()
            .find(|process| process.pid == number);
        found.map_or(0, |process| process.start)
    }

    pub(crate) fn leader_number(&self) -> Option<i32> {
        self.leader
            .as_ref()
            .map(|leader| leader.pid().as_raw_nonzero().get())
    }

    /// Whatever the command starts has a later number than this.
    pub(crate) fn count_from(&mut self, newest: i32) {
        self.counted_from = Some(newest);
    }

    /// The number after which those of the command's own processes begin.
    pub(crate) fn counted_from(&self) -> Option<i32> {
        self.counted_from.or_else(|| self.leader_number())
    }

    /// Sends a signal to the leader's group at once.
    pub(crate) fn signal_group(&self, signal: Signal) {
        if let Some(leader) = &self.leader {
            leader.signal_group(signal);
        }
    }

    /// Sends a signal to members outside the leader's group, which got its own.
    pub(crate) fn signal_strays(&self, members: &[Process], signal: Signal) {
        let group = self.leader_number();
        for process in members
            .iter()
            .filter(|process| Some(process.group) != group)
        {
            os::signal_one(process, signal);
        }
    }

    /// Kills what can be found at once: the group, and whoever its members have started. The
    /// latter are found while their parents live, or never, should they carry no marker.
    fn fell(&mut self) {
        const MOST: usize = 256;
        let Some(number) = self.leader_number() else {
            return;
        };
        self.signal_group(Signal::STOP);
        let found = descend::below(number, MOST);
        self.signal_group(Signal::KILL);
        self.signal_strays(&found, Signal::KILL);
        let found = found.iter().map(|process| (process.pid, process.start));
        self.known.extend(found);
    }

    /// One round: everything is stopped, so that nothing can start more, then killed.
    pub(crate) fn strike(&mut self, snapshot: &mut Snapshot) {
        const LOOKS: usize = 8;
        self.signal_group(Signal::STOP);
        let mut members = self.members(snapshot);
        for _ in 0..LOOKS {
            self.signal_strays(&members, Signal::STOP);
            let seen = self.known.len();
            *snapshot = Snapshot::take();
            members = self.members(snapshot);
            if self.known.len() <= seen {
                break;
            }
        }
        self.signal_group(Signal::KILL);
        self.signal_strays(&members, Signal::KILL);
    }
}

/// Ourselves and the first process are nobody's quarry.
fn candidate(process: &Process) -> bool {
    process.pid > 1 && u32::try_from(process.pid) != Ok(std::process::id())
}

/// A tree that dies when it is dropped.
#[derive(Debug)]
pub(crate) struct Tree(Option<Quarry>);

impl Tree {
    pub(crate) fn new(quarry: Quarry) -> Self {
        Self(Some(quarry))
    }

    /// A guard over nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(crate) fn quarry(&mut self) -> Option<&mut Quarry> {
        self.0.as_mut()
    }

    /// The command itself.
    pub(crate) fn leader(&self) -> Option<&Leader> {
        self.0.as_ref()?.leader.as_ref()
    }

    /// Tells the watchdog of the group, once.
    pub(crate) fn make_known(&mut self, watchdog: Option<&Watchdog>) {
        let (Some(quarry), Some(watchdog)) = (&mut self.0, watchdog) else {
            return;
        };
        if quarry.watched.is_none() {
            quarry.watched = quarry
                .leader_number()
                .and_then(|group| watchdog.enter(group));
        }
    }

    /// Takes the tree out of the guard, which then has nothing left to kill.
    pub(crate) fn take(&mut self) -> Option<Quarry> {
        self.0.take()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(mut quarry) = self.0.take() {
            // The group and whoever can be found below it die before drop returns; the rest
            // takes a thread.
            quarry.fell();
            sweep::submit(sweep::Job::kill(quarry, None));
        }
    }
}
