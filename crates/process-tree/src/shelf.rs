//! Shells that were started ahead, for the commands of one registry.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use crate::{
    ahead::{self, Waiting},
    command::Spec,
    kill::Tree,
    marker::Marker,
    pipes::PlainPipes,
    pool,
};

/// How long a shell waits for its command.
const IDLE: Duration = if cfg!(test) {
    Duration::from_secs(2)
} else {
    Duration::from_secs(20)
};
/// How often those that wait are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Shells wait for so many different commands.
const PLACES: usize = 16;
/// So many wait for one command.
const MOST: usize = 16;
/// So many starts are remembered: shells are started ahead for what has been started before.
const REMEMBERED: usize = 64;

/// What waits.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    places: Vec<Place>,
    /// The latest starts, by their hashes.
    seen: VecDeque<u64>,
    /// Counts how often everything was cleared.
    epoch: u64,
    /// Whether a thread looks after those that wait.
    kept: bool,
}

/// Shells for one command.
#[derive(Debug)]
struct Place {
    spec: Arc<Spec>,
    shells: Vec<Waiting>,
    starting: usize,
}

impl Place {
    fn is_in_use(&self) -> bool {
        self.starting > 0 || !self.shells.is_empty()
    }
}

impl State {
    fn place(&mut self, spec: &Spec) -> Option<&mut Place> {
        let mut places = self.places.iter_mut();
        places.find(|place| place.spec.starts_as(spec))
    }

    /// Whether the same has been started lately; from now on it has.
    fn has_seen(&mut self, spec: &Spec) -> bool {
        let mut hasher = DefaultHasher::new();
        (&spec.args, &spec.changes, &spec.cwd).hash(&mut hasher);
        let hash = hasher.finish();
        if self.seen.contains(&hash) {
            return true;
        }
        if self.seen.len() == REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back(hash);
        false
    }

    /// How many shells are to be started for a command, and whose place it takes.
    fn reserve(&mut self, spec: &Arc<Spec>) -> (usize, Option<Place>) {
        let mut evicted = None;
        if self.place(spec).is_none() {
            if self.places.len() == PLACES {
                evicted = Some(self.places.remove(0));
            }
            self.places.push(Place {
                spec: Arc::clone(spec),
                shells: Vec::new(),
                starting: 0,
            });
        }
        let missing = self.place(spec).map(|place| {
            let there = place.shells.len() + place.starting;
            let missing = spec.ahead.min(MOST).saturating_sub(there);
            place.starting += missing;
            missing
        });
        (missing.unwrap_or(0), evicted)
    }
}

impl Shelf {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A shell for this command that runs now, if one waits.
    pub(crate) fn take(&self, spec: &Spec) -> Option<(Tree, PlainPipes)> {
        let mut state = self.state();
        let shells = &mut state.place(spec)?.shells;
        // The one that has waited longest, so that none waits for ever.
        let waiting = (!shells.is_empty()).then(|| shells.remove(0))?;
        drop(state);
        waiting.go(spec)
    }

    /// Sees to it that shells wait for the next runs of a command that has just run. `marker` makes
    /// the mark of a run.
    pub(crate) fn refill(
        self: &Arc<Self>,
        spec: &Arc<Spec>,
        marker: impl Fn() -> Marker + Send + 'static,
    ) {
        if ahead::script(spec).is_none() {
            return;
        }
        let mut state = self.state();
        if !state.has_seen(spec) {
            return;
        }
        let (missing, evicted) = state.reserve(spec);
        let epoch = state.epoch;
        drop(state);
        drop(evicted); // dies, with the lock free
        if missing == 0 {
            return;
        }
        let (shelf, spec) = (Arc::downgrade(self), Arc::clone(spec));
        pool::submit(Box::new(move || {
            for _ in 0..missing {
                let begun = ahead::begin(&spec, marker());
                match shelf.upgrade() {
                    Some(shelf) => shelf.put(&spec, begun, epoch),
                    None => return,
                }
            }
        }));
    }

    /// A shell has been started, or could not be.
    fn put(self: &Arc<Self>, spec: &Spec, begun: Option<Waiting>, epoch: u64) {
        let mut state = self.state();
        // What comes after everything was cleared is dropped, and dies; with the lock free.
        let is_late = state.epoch != epoch;
        let Some(place) = state.place(spec).filter(|_| !is_late) else {
            return;
        };
        place.starting = place.starting.saturating_sub(1);
        place.shells.extend(begun);
        let is_kept = std::mem::replace(&mut state.kept, true);
        drop(state);
        if !is_kept {
            self.have_it_kept();
        }
    }

    /// Has a thread end those that wait too long, as long as any do.
    fn have_it_kept(self: &Arc<Self>) {
        let shelf = Arc::downgrade(self);
        let thread = thread::Builder::new().name("process-tree-idle".into());
        if thread.spawn(move || keep(&shelf)).is_err() {
            self.state().kept = false;
            self.clear();
        }
    }

    /// Ends all that wait.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.epoch += 1;
        let places = std::mem::take(&mut state.places);
        drop(state);
        drop(places);
    }

    /// Ends those that wait too long; whether any are left.
    fn end_idle(&self) -> bool {
        let mut state = self.state();
        let mut idle = Vec::new();
        for place in &mut state.places {
            let shells = std::mem::take(&mut place.shells);
            let (old, young): (Vec<_>, _) = shells
                .into_iter()
                .partition(|shell| shell.since().elapsed() >= IDLE);
            place.shells = young;
            idle.extend(old);
        }
        state.kept = state.places.iter().any(Place::is_in_use);
        let left = state.kept;
        drop(state);
        drop(idle);
        left
    }
}

fn keep(shelf: &Weak<Shelf>) {
    while shelf.upgrade().is_some_and(|shelf| shelf.end_idle()) {
        thread::sleep(LOOK);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Command, Environment};

    const AMPLE: Duration = Duration::from_secs(20);

    fn until(holds: impl Fn() -> bool) -> bool {
        let clock = Instant::now();
        while !holds() && clock.elapsed() < AMPLE {
            thread::sleep(Duration::from_millis(5));
        }
        holds()
    }

    fn command(script: &str) -> Arc<Spec> {
        let command = Command::shell(script).environment(Environment::inherited());
        command.ahead(2).spec()
    }

    fn count(shelf: &Shelf) -> usize {
        let state = shelf.state();
        state.places.iter().map(|place| place.shells.len()).sum()
    }

    fn refill(shelf: &Arc<Shelf>, spec: &Arc<Spec>) {
        shelf.refill(spec, || Marker::host().child());
    }

    #[test]
    fn those_that_nobody_wants_end_and_so_does_the_thread_that_looks_after_them() {
        let (shelf, spec) = (Arc::new(Shelf::default()), command("true"));
        refill(&shelf, &spec);
        assert!(shelf.state().places.is_empty(), "never started before");
        refill(&shelf, &spec);
        let tried = until(|| shelf.state().places[0].starting == 0);
        assert!(tried, "{shelf:?}");
        assert_eq!(count(&shelf), if ahead::is_known() { 2 } else { 0 });
        assert!(until(|| count(&shelf) == 0), "{shelf:?}");
        assert!(until(|| !shelf.state().kept), "{shelf:?}");
        assert!(shelf.take(&spec).is_none());
    }

    #[test]
    fn what_was_started_before_everything_was_cleared_does_not_come_back() {
        let (shelf, spec) = (Arc::new(Shelf::default()), command("exit 1"));
        refill(&shelf, &spec);
        let epoch = shelf.state().epoch;
        assert_eq!(shelf.state().reserve(&spec).0, 2);
        shelf.clear();
        shelf.put(&spec, ahead::begin(&spec, Marker::host().child()), epoch);
        assert_eq!(count(&shelf), 0);
    }

    #[test]
    fn the_oldest_command_gives_way_to_one_too_many() {
        let shelf = Arc::new(Shelf::default());
        let specs: Vec<_> = (0..=PLACES)
            .map(|number| command(&format!("exit {number}")))
            .collect();
        for spec in &specs {
            shelf.state().reserve(spec);
        }
        assert_eq!(shelf.state().places.len(), PLACES);
        assert!(shelf.state().place(&specs[0]).is_none());
        assert!(shelf.state().place(&specs[PLACES]).is_some());
    }
}
