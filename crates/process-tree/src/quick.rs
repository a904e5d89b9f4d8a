//! Which commands may be started by the thread that asks for it.
//!
//! A start takes a fraction of a millisecond, and handing it to another thread and back costs a
//! good part of that. But it can hang: in a folder on a server that is gone, say, for as long as
//! that is gone. So a thread that others wait for starts only what was started before from the
//! same place, where program and folder are on a local file system; and not several in a row, for
//! which many threads are better.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{command::Spec, os};

/// So many places are remembered; then all are forgotten.
const PLACES: usize = 256;
/// A start so soon after another is one of many.
const IN_A_ROW: Duration = Duration::from_micros(300);

type Place = (OsString, Option<PathBuf>);

#[derive(Default)]
struct Known {
    /// Whether program and folder are on local file systems.
    places: Option<HashMap<Place, bool>>,
    last: Option<Instant>,
}

static KNOWN: Mutex<Known> = Mutex::new(Known {
    places: None,
    last: None,
});

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn place(spec: &Spec) -> Place {
    (spec.program.clone(), spec.cwd.clone())
}

/// Whether this thread may start the command. Says yes once for several that ask in a row.
pub(crate) fn may_start_here(spec: &Spec) -> bool {
    let mut known = known();
    let in_a_row = known.last.is_some_and(|last| last.elapsed() < IN_A_ROW);
    let places = known.places.as_ref();
    let is_local = places.is_some_and(|places| places.get(&place(spec)) == Some(&true));
    let may = is_local && !in_a_row;
    if may {
        known.last = Some(Instant::now());
    }
    may
}

/// Tells when a start is over, so that those that waited for it count as in a row with it.
pub(crate) fn started_here() {
    known().last = Some(Instant::now());
}

/// Remembers where a command was started. May block: not for a thread that others wait for.
pub(crate) fn learn(spec: &Spec) {
    let place = place(spec);
    let is_known = |known: &Known| {
        let places = known.places.as_ref();
        places.is_some_and(|places| places.contains_key(&place))
    };
    if is_known(&known()) {
        return;
    }
    let program = Path::new(&spec.program);
    let cwd = spec.cwd.as_deref();
    let is_local = program.is_absolute()
        && os::is_local(program)
        && cwd.is_none_or(|cwd| cwd.is_absolute() && os::is_local(cwd));
    let mut known = known();
    let places = known.places.get_or_insert_default();
    if places.len() >= PLACES {
        places.clear();
    }
    places.insert(place, is_local);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;

    #[test]
    fn a_thread_that_others_wait_for_starts_what_was_started_from_a_local_place_and_one_of_many() {
        let sh = Command::shell("true").cwd("/usr").spec();
        assert!(!may_start_here(&sh), "never started before");
        learn(&sh);
        let first = std::iter::repeat_with(|| may_start_here(&sh)).take(10_000);
        assert!(first.into_iter().any(|may| may), "known, and alone");
        started_here();
        assert!(!may_start_here(&sh), "right after another");
    }

    #[test]
    fn what_is_looked_up_or_relative_or_not_local_never_is() {
        for command in [
            Command::new("true").cwd("/"),
            Command::new("./true").cwd("/"),
            Command::new("/bin/true").cwd("proc"),
            Command::new("/bin/true").cwd("/proc"),
        ] {
            let spec = command.spec();
            learn(&spec);
            std::thread::sleep(IN_A_ROW);
            assert!(!may_start_here(&spec), "{spec:?}");
        }
    }
}
