//! May a tool call happen? Modes, rules, and whoever can be asked.
//!
//! ```text
//! PreToolUse hooks ─► deny rules ─► ask rules ─► mode ─► allow rules ─► PermissionRequest hooks ─► Approver
//! ```
//!
//! Judging is pure: [`Permissions::judge`] takes the call and what hooks said of it and gives a [`Verdict`].
//! What waits (firing events, asking the user) is the pipeline around it, [`settle`]. The rules, each with
//! its reason: `docs/permissions.md`.

mod approver; // whoever answers for the user
mod approvers; // nobody, everybody, a closure
mod facts; // what is judged: a call, and what hooks said of it
mod follow; // where paths lead when links are followed
mod judge; // the pure part
mod opinion; // what hooks said of a call
mod pipeline; // what waits: events, and whoever is asked
mod place; // which files an edit may touch unasked
mod request; // asking: hooks first, then the approver
mod rules; // allow, ask and deny rules, and where each came from
mod state; // the mode, the rules and the directories of a session
mod suggest; // what could be remembered
mod update; // changes to all of them
mod verdict; // what is to happen with a call

pub use approver::{Approval, Approver, Question};
pub use approvers::{AllowAll, ApproverFn, Nobody, approver_fn};
pub use facts::{CallFacts, Followed};
pub use opinion::{HookOpinion, Rewrite};
pub use pipeline::{Desk, PendingCall, Settled, Settlement, settle};
pub use rules::Origin;
pub use state::Permissions;
pub use suggest::suggest;
pub use update::UpdateProblem;
pub use verdict::{DeniedBy, Verdict, Whom};
