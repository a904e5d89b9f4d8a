//! What the tests of several crates share. No program is built with it: it is there for tests alone.
//!
//! - [`Tag`] finds whatever a test started, wherever it hides.
//! - [`descriptors`], [`threads`], [`children`] and [`memory`] are what this process holds now.
//! - [`Counting`] is an allocator that counts.
//! - [`prepared`] runs a test again in a process with limits of its own.
//!
//! What is looked up stands in `/proc`, so these are for Linux, but for the allocator.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod counting; // an allocator that counts
mod held; // what this process holds
mod prepared; // a test in a process of its own
mod tag; // processes that are found again

pub use counting::{Counting, allocations, live, most_live, watch_most};
pub use held::{children, descriptors, memory, threads};
pub use prepared::prepared;
pub use tag::{TAG, Tag};
