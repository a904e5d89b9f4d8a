//! The hooks of one event, and what is known of the subjects that it came with.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hook_types::{EventName, OnFailure, Subject};

use crate::hook_set::Registered;
use crate::matcher::{Found, Index};
use crate::messages::hook_name;
use crate::plan::{Plan, is_steady};

/// How many subjects are remembered for an event, and how long one of them may be.
const SUBJECTS: usize = 1024;
const LONGEST: usize = 256;
/// How many matches are remembered for all of them together: a match takes some hundred bytes.
const MATCHES: usize = 64 * 1024;

/// What is known of one subject of an event.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) found: Found,
    /// The event and its subject.
    pub(crate) name: Arc<str>,
    /// The plan of every firing, by what a failure means where nobody says; none where firings differ.
    plans: Option<[OnceLock<Plan>; 2]>,
}

impl Known {
    /// What is known of an event that has no hooks.
    pub(crate) fn nothing(event: EventName) -> Self {
        Self::new(Found::default(), hook_name(event, None), &[])
    }

    fn new(found: Found, name: Arc<str>, hooks: &[Arc<Registered>]) -> Self {
        let steady = found.matches.iter().all(|place| is_steady(&hooks[*place]));
        Self {
            found,
            name,
            plans: steady.then(Default::default),
        }
    }

    /// The place of the plan that holds for every firing, if there is one.
    pub(crate) fn steady_plan(&self, on_failure: OnFailure) -> Option<&OnceLock<Plan>> {
        let place = match on_failure {
            OnFailure::Continue => 0,
            OnFailure::Block => 1,
        };
        self.plans.as_ref().map(|plans| &plans[place])
    }
}

/// The hooks of one event, in order.
pub(crate) struct EventHooks {
    hooks: Vec<Arc<Registered>>,
    index: Index,
    /// What is known where there is no subject.
    without_subject: OnceLock<Arc<Known>>,
    remembered: Mutex<Remembered>,
}

impl EventHooks {
    pub(crate) fn new(hooks: Vec<Arc<Registered>>) -> Self {
        let index = Index::new(hooks.iter().map(|hook| &hook.hook.matcher));
        Self {
            hooks,
            index,
            without_subject: OnceLock::new(),
            remembered: Mutex::default(),
        }
    }

    pub(crate) fn hooks(&self) -> &[Arc<Registered>] {
        &self.hooks
    }

    pub(crate) fn matching(&self, event: EventName, subject: Subject<'_>) -> Arc<Known> {
        let Some(subject) = subject.text() else {
            let known = || Arc::new(self.all(event));
            return Arc::clone(self.without_subject.get_or_init(known));
        };
        if let Some(known) = self.remembered().known.get(subject) {
            return Arc::clone(known);
        }
        let found = self.index.search(subject);
        let name = hook_name(event, Some(subject));
        let known = Arc::new(Known::new(found, name, &self.hooks));
        self.remembered().insert(subject, &known);
        known
    }

    /// Without a subject matchers are ignored; with one that cannot be told every hook runs.
    fn all(&self, event: EventName) -> Known {
        let found = Found {
            matches: (0..self.hooks.len()).collect(),
            limit_hits: Vec::new(),
        };
        Known::new(found, hook_name(event, None), &self.hooks)
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of the subjects that came last.
#[derive(Default)]
struct Remembered {
    known: HashMap<Arc<str>, Arc<Known>>,
    /// The subjects, the oldest first.
    subjects: VecDeque<Arc<str>>,
    /// How many matches they have together.
    matches: usize,
}

impl Remembered {
    fn insert(&mut self, subject: &str, known: &Arc<Known>) {
        let matches = known.found.matches.len();
        let too_much = subject.len() > LONGEST || matches > MATCHES;
        if too_much || self.known.contains_key(subject) {
            return;
        }
        let subject: Arc<str> = subject.into();
        self.matches += matches;
        self.known.insert(Arc::clone(&subject), Arc::clone(known));
        self.subjects.push_back(subject);
        while self.subjects.len() > SUBJECTS || self.matches > MATCHES {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.subjects.pop_front();
        let known = oldest.and_then(|subject| self.known.remove(&subject));
        self.matches -= known.map_or(0, |known| known.found.matches.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(matches: usize) -> Arc<Known> {
        let found = Found {
            matches: vec![0; matches],
            limit_hits: Vec::new(),
        };
        Arc::new(Known {
            found,
            name: "Stop".into(),
            plans: None,
        })
    }

    #[test]
    fn the_oldest_subject_is_forgotten_first_and_one_at_a_time() {
        let mut remembered = Remembered::default();
        for number in 0..SUBJECTS + 3 {
            remembered.insert(&number.to_string(), &known(1));
            remembered.insert(&number.to_string(), &known(1));
        }
        assert_eq!(remembered.known.len(), SUBJECTS);
        assert_eq!(remembered.matches, SUBJECTS);
        for gone in ["0", "1", "2"] {
            assert!(!remembered.known.contains_key(gone));
        }
        assert!(remembered.known.contains_key("3"));
    }

    #[test]
    fn subjects_with_many_matches_are_fewer() {
        let mut remembered = Remembered::default();
        for number in 0..10 {
            remembered.insert(&number.to_string(), &known(MATCHES / 4));
        }
        assert_eq!(remembered.known.len(), 4);
        remembered.insert("too many", &known(MATCHES + 1));
        assert_eq!(remembered.known.len(), 4);
        assert_eq!(remembered.matches, MATCHES);
    }

    #[test]
    fn a_long_subject_is_not_remembered() {
        let mut remembered = Remembered::default();
        remembered.insert(&"x".repeat(LONGEST + 1), &known(1));
        assert_eq!(remembered.known.len(), 0);
    }
}
