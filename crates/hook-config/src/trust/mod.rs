//! Whether a hook may run: asked when the set is made, and again at each firing.
//!
//! ```text
//! entry ─► case ─► names: which files its words may name ─► files: what is in them, and which
//!                                                           others its scripts make a part of them
//!                                                        ─► fingerprint, and what it cannot cover
//! fingerprint, approvals ─► content: the rules ─► managed, trusted, changed, untrusted
//!                                              └► gate: the same question at each firing
//! ```
//!
//! Approvals are kept in the user's directory ([`TrustStore`]), by project and by content: position,
//! the order of keys, spelled-out defaults and comments do not matter, and a repository cannot approve
//! itself.

mod case;
mod content;
mod diff;
mod digest;
mod files;
mod fingerprint;
mod gate;
mod interpreters;
mod judge;
mod ledger;
mod lock;
mod namer;
mod names;
mod opaque;
mod programs;
mod record;
mod review;
mod scope;
mod stamp;
mod state;
mod store;
mod store_error;
mod surroundings;
mod variables;

pub use case::Case;
pub use content::ContentTrust;
pub use diff::{DiffLine, diff};
pub use digest::Digest;
pub use files::{Content, CoveredFile};
pub use fingerprint::Fingerprint;
pub use judge::{Judgement, Subject, Trust, TrustEverything};
pub use opaque::Opaque;
pub use record::{Approval, ApprovedFile};
pub use review::{Change, Review};
pub use state::{TrustState, Why};
pub use store::{ProjectApprovals, TrustStore};
pub use store_error::{StoreError, StoreErrorKind};
pub use surroundings::Surroundings;
