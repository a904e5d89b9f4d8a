//! The approvals for one project, read again when their file has moved.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::digest::Digest;
use super::record::{Approval, Record};
use super::stamp::Stamp;
use super::store::TrustStore;
use super::store_error::{StoreError, StoreErrorKind};

/// What is known of the approvals for a project.
#[derive(Debug)]
pub(super) enum Ledger {
    /// Nothing was ever approved.
    Empty,
    /// These.
    Known(Record),
    /// Something may have been approved, and nobody can tell what.
    Unreadable(StoreError),
}

impl Ledger {
    /// The last approval of an entry, whatever its files were.
    pub(super) fn last(&self, entry: Digest) -> Option<&Approval> {
        self.record()?.last(entry)
    }

    /// Whether an entry was approved with these very files.
    pub(super) fn approves(&self, entry: Digest, whole: Digest) -> bool {
        self.record()
            .is_some_and(|record| record.approves(entry, whole))
    }

    pub(super) fn approvals(&self) -> &[Approval] {
        self.record().map_or(&[], |record| &record.approvals)
    }

    fn record(&self) -> Option<&Record> {
        match self {
            Self::Known(record) => Some(record),
            Self::Empty | Self::Unreadable(_) => None,
        }
    }

    pub(super) fn problem(&self) -> Option<&StoreError> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::Empty | Self::Known(_) => None,
        }
    }
}

/// The ledger of a project and the file it comes from.
#[derive(Debug)]
pub(super) struct Shelf {
    store: Option<TrustStore>,
    project: PathBuf,
    last: Mutex<Option<Last>>,
}

#[derive(Debug)]
struct Last {
    stamp: Stamp,
    /// Whether any change from now on would show.
    is_settled: bool,
    ledger: Arc<Ledger>,
}

impl Shelf {
    pub(super) fn new(store: Option<TrustStore>, project: PathBuf) -> Self {
        Self {
            store,
            project,
            last: Mutex::new(None),
        }
    }

    /// The approvals as they are now. As long as they do not change, it is the same ledger.
    pub(super) fn ledger(&self) -> Arc<Ledger> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last
            .as_ref()
            .filter(|last| last.is_settled && last.stamp.holds())
        {
            return Arc::clone(&last.ledger);
        }
        let (stamp, ledger) = self.read();
        // What is read again may be the same.
        let ledger = match last.take() {
            Some(last) if last.ledger.is_same(&ledger) => last.ledger,
            Some(_) | None => Arc::new(ledger),
        };
        *last = Some(Last {
            is_settled: stamp.is_settled(SystemTime::now()),
            stamp,
            ledger: Arc::clone(&ledger),
        });
        ledger
    }

    fn read(&self) -> (Stamp, Ledger) {
        let Some(store) = &self.store else {
            return (Stamp::of(&PathBuf::new()), Ledger::Empty);
        };
        let stamp = Stamp::of(&store.file_of(&self.project));
        let ledger = match store.load(&self.project) {
            Ok(None) => Ledger::Empty,
            Ok(Some(record)) => Ledger::Known(record),
            Err(error) => Ledger::Unreadable(error),
        };
        (stamp, ledger)
    }

    /// Changes the approvals. Returns where a file went that could not be read.
    pub(super) fn update(
        &self,
        change: impl FnOnce(&mut Record),
    ) -> Result<Option<PathBuf>, StoreError> {
        match &self.store {
            Some(store) => store.update(&self.project, change),
            None => Err(StoreError::new(&self.project, StoreErrorKind::NoStore)),
        }
    }
}

impl Ledger {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::Known(one), Self::Known(other)) => one == other,
            (Self::Unreadable(one), Self::Unreadable(other)) => one == other,
            (Self::Empty | Self::Known(_) | Self::Unreadable(_), _) => false,
        }
    }
}
