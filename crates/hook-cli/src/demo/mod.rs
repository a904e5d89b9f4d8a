//! The demonstration: a scripted agent in a scratch project, and hooks that mind it.
//!
//! ```text
//! scratch ─► story: agent, hooks, processes ─► moments ─► timeline ─► text
//!                            └► what came of it ─► claims: is it so?
//! ```

mod claims; // what must be so at the end
mod moment; // what happens
mod pace; // how fast a person reads
mod scratch; // the project
mod story; // the script, and hooks in Rust
mod timeline; // moments as text
mod witness; // sees what hooks answer

pub(crate) use claims::{Claim, check};
pub(crate) use moment::Moment;
pub(crate) use pace::Pace;
pub(crate) use scratch::{PROPS, Scratch};
pub(crate) use story::{Told, in_rust, play, runner};
pub(crate) use timeline::Timeline;

/// The README's example in Rust must compile, and do what it says.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct Readme;
