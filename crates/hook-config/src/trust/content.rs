//! Trust by content: what was approved is what runs.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::case::Case;
use super::digest::Digest;
use super::fingerprint::Fingerprint;
use super::gate::ContentGate;
use super::judge::{Judgement, Subject, Trust};
use super::ledger::{Ledger, Shelf};
use super::record::Approval;
use super::review::Review;
use super::state::{self, Why};
use super::store::TrustStore;
use super::store_error::StoreError;
use super::surroundings::Surroundings;
use crate::file::ConfigFile;

/// Trust by content: a project's hook runs once the user has approved it and the files it names, and
/// for as long as they stay what they were.
///
/// ```
/// use std::sync::Arc;
/// use hook_config::trust::{ContentTrust, Surroundings, TrustStore};
/// use hook_config::Options;
/// use hook_shell::Host;
///
/// let around = Surroundings::new("/work/engine").home("/home/ada");
/// let trust = ContentTrust::new(around, Some(TrustStore::at("/home/ada/.local/state/hookline/trust")));
/// let options = Options::new(Host::new()).trust(Arc::new(trust.clone()));
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct ContentTrust {
    judge: Arc<Judge>,
}

/// What all gates of a session share.
#[derive(Debug)]
pub(super) struct Judge {
    around: Surroundings,
    shelf: Shelf,
    /// Whether everything that is there at the start counts as approved.
    assume: bool,
    /// What was there when it was assumed to be approved.
    assumed: Mutex<HashMap<Digest, Digest>>,
    /// The entries that there are.
    present: Mutex<Option<HashSet<Digest>>>,
}

impl ContentTrust {
    /// Trust for a project by what is in a store. Without a store nothing is approved.
    pub fn new(around: Surroundings, store: Option<TrustStore>) -> Self {
        Self::with(around, store, false)
    }

    /// The same, for a run in which hooks are taken as approved as they are found. A hook that
    /// changes afterwards is not.
    pub fn assuming_trust(around: Surroundings, store: Option<TrustStore>) -> Self {
        Self::with(around, store, true)
    }

    fn with(around: Surroundings, store: Option<TrustStore>, assume: bool) -> Self {
        let shelf = Shelf::new(store, around.canonical_project().to_owned());
        let judge = Judge {
            around,
            shelf,
            assume,
            assumed: Mutex::default(),
            present: Mutex::default(),
        };
        Self {
            judge: Arc::new(judge),
        }
    }

    /// What is wrong with the store, if anything.
    pub fn problem(&self) -> Option<StoreError> {
        self.judge.ledger().problem().cloned()
    }

    /// What an entry is, what it names, and how that differs from what was approved.
    pub fn review(&self, subject: &Subject<'_>) -> Review {
        let case = Case::of(subject);
        let ledger = self.judge.ledger();
        let replaces = self.judge.replaces(&case, &ledger);
        let fingerprint = Fingerprint::of(&case, &self.judge.around);
        let why = self
            .judge
            .why(&case, fingerprint.whole, &ledger, replaces, false);
        let known = replaces.unwrap_or(case.digest());
        let approved = ledger.last(known).cloned();
        Review::new(case, why, fingerprint, approved)
    }

    /// Reviews every entry of some files that needs an approval.
    pub fn reviews(&self, files: &[ConfigFile]) -> Vec<Review> {
        let contents: Vec<Value> = files.iter().flat_map(ConfigFile::contents).collect();
        self.survey(&contents);
        let mut reviews = Vec::new();
        for file in files {
            file.subjects(|subject| reviews.push(self.review(&subject)));
        }
        let around = &self.judge.around;
        reviews.retain(|review| state::without_approval(review.case(), around).is_none());
        reviews
    }

    /// Approves what was reviewed: that, and not what is there by now. Returns where a store went
    /// that could not be read.
    pub fn approve(&self, reviews: &[Review]) -> Result<Option<PathBuf>, StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_secs();
        let around = &self.judge.around;
        let needed = |review: &&Review| state::without_approval(review.case(), around).is_none();
        let approve = |review: &Review| {
            let file = self.judge.shown(review.case());
            Approval::of(review.case(), review.fingerprint(), file, now)
        };
        let reviews: Vec<&Review> = reviews.iter().filter(needed).collect();
        let approvals: Vec<Approval> = reviews.iter().copied().map(approve).collect();
        let replaced: Vec<Digest> = reviews
            .iter()
            .filter_map(|review| review.replaces())
            .collect();
        if approvals.is_empty() {
            return Ok(None);
        }
        self.judge
            .shelf
            .update(|record| record.add(&approvals, &replaced))
    }

    /// Takes approvals back.
    pub fn revoke(&self, entries: &[Digest]) -> Result<(), StoreError> {
        let revoke = |approvals: &mut Vec<Approval>| {
            approvals.retain(|approval| !entries.contains(&approval.entry));
        };
        self.judge
            .shelf
            .update(|record| revoke(&mut record.approvals))
            .map(drop)
    }

    /// Takes all approvals for the project back.
    pub fn revoke_all(&self) -> Result<(), StoreError> {
        self.judge
            .shelf
            .update(|record| record.approvals.clear())
            .map(drop)
    }

    /// What is approved for the project.
    pub fn approvals(&self) -> Vec<Approval> {
        self.judge.ledger().approvals().to_vec()
    }
}

impl Trust for ContentTrust {
    fn survey(&self, contents: &[Value]) {
        let present = contents.iter().map(Digest::of_json).collect();
        *lock(&self.judge.present) = Some(present);
    }

    fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let case = Case::of(subject);
        if let Some(why) = state::without_approval(&case, &self.judge.around) {
            return Judgement::always(why);
        }
        let replaces = self.judge.replaces(&case, &self.judge.ledger());
        let (gate, seen, why) = ContentGate::new(Arc::clone(&self.judge), case, replaces);
        Judgement {
            state: why.state(),
            why,
            opaque: seen.opaque.iter().map(ToString::to_string).collect(),
            gate: Some(Arc::new(gate)),
        }
    }
}

impl Judge {
    pub(super) fn around(&self) -> &Surroundings {
        &self.around
    }

    pub(super) fn ledger(&self) -> Arc<Ledger> {
        self.shelf.ledger()
    }

    /// Why a hook may run, or may not. All rules of trust are here.
    pub(super) fn why(
        &self,
        case: &Case,
        whole: Digest,
        ledger: &Ledger,
        replaces: Option<Digest>,
        was_trusted: bool,
    ) -> Why {
        if let Some(why) = state::without_approval(case, &self.around) {
            return why;
        }
        let was_approved = ledger.last(case.digest()).is_some();
        let takes_a_place = replaces.is_some_and(|entry| ledger.last(entry).is_some());
        match ledger {
            _ if ledger.approves(case.digest(), whole) => Why::Approved,
            _ if self.assume => self.assumed(case, whole),
            _ if was_approved => Why::FileChanged,
            _ if takes_a_place => Why::EntryChanged,
            // Whoever takes an approval back leaves the file there.
            Ledger::Empty | Ledger::Unreadable(_) if was_trusted => Why::StoreUnreadable,
            Ledger::Empty | Ledger::Unreadable(_) | Ledger::Known(_) => Why::NeverApproved,
        }
    }

    /// What was there when it was first seen is taken as approved.
    fn assumed(&self, case: &Case, whole: Digest) -> Why {
        let mut assumed = lock(&self.assumed);
        if *assumed.entry(case.digest()).or_insert(whole) == whole {
            Why::Assumed
        } else {
            Why::FileChanged
        }
    }

    /// The approved entry that this one takes the place of: gone, from the same file, for the same
    /// events and matchers or with the same action.
    fn replaces(&self, case: &Case, ledger: &Ledger) -> Option<Digest> {
        if ledger.last(case.digest()).is_some() {
            return None;
        }
        let present = lock(&self.present);
        let present = present.as_ref()?;
        let file = self.shown(case);
        let action = |content: &Value| content.get("action").cloned();
        let is_alike = |approval: &&Approval| {
            let same_action = action(&approval.content).is_some()
                && action(&approval.content) == action(case.content());
            !approval.superseded
                && !present.contains(&approval.entry)
                && approval.file == file
                && (same_action || approval.listens == case.listens())
        };
        let found = ledger.approvals().iter().find(is_alike);
        found.map(|approval| approval.entry)
    }

    /// The entry's file, from the project's root where it lies in it.
    fn shown(&self, case: &Case) -> String {
        let file = self.around.shorten(case.file());
        file.to_string_lossy().into_owned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
