//! May a tool call happen? Modes, rules, and whoever can be asked.
//!
//! ```text
//! PreToolUse hooks ─► deny rules ─► ask rules ─► mode ─► allow rules ─► PermissionRequest hooks ─► Approver
//! ```
//!
//! Judging is pure: [`Permissions::judge`] takes the call and what hooks said of it and gives a [`Verdict`].
//! What waits (firing events, asking the user) is the pipeline around it.

mod approver; // whoever answers for the user
mod judge; // the pure part
mod pipeline; // what waits: events, and whoever is asked

pub use approver::{Approval, Approver, Nobody, Question};
pub use judge::{CallFacts, HookOpinion, Permissions, Verdict};
pub use pipeline::{Desk, PendingCall, Settled, settle};
