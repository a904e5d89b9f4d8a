//! What differs between systems, behind one set of names.
//!
//! | | Linux | macOS | elsewhere |
//! |---|---|---|---|
//! | the end of a command | pidfd | a waiting thread | not supported |
//! | its descendants | `/proc` | its group only | |
//! | pipes born closed on exec | yes | right after | |

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(not(unix))]
mod other;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use macos::*;
#[cfg(not(unix))]
pub use other::{Line, Lines};
#[cfg(not(unix))]
pub(crate) use other::{run, spawn_lines};

#[cfg(unix)]
pub(crate) use crate::{lines::spawn_lines, run::run};
