//! Sessions as files: kept, fired again, compared.
//!
//! ```text
//! run, demo ─► keeper ┐                        ┌─► replay ─► compare ─► differences
//! source ─► firings ──┴─► book ─► FILE.jsonl ──┘
//!            names: what is volatile <─► placeholders
//! ```

mod book; // where a recording is written
mod compare; // then and now
mod conversation; // messages to the events that were fired
mod format; // lines of a file
mod judge; // which firings differ
mod keeper; // a runner that writes down
mod names; // what is volatile, and what stands for it
mod pairs; // which hook is which
mod redact; // secrets
mod replay; // a recording at today's hooks
mod shapes; // what looks volatile
mod source; // lines from elsewhere
mod stage; // files that tools made and hooks look at
mod surroundings; // directories that have a name, things that are made up
mod told; // what came of a firing
mod update; // the file as it would be today
mod volatile; // the tables

#[cfg(test)]
mod properties; // of names

pub(crate) use book::{Book, Plan};
pub(crate) use compare::{Change, Scope, What};
pub(crate) use format::{Entry, Firing, Recording, entry, read};
pub(crate) use judge::{Differing, Judged, Wanted, judge, name};
pub(crate) use keeper::kept;
pub(crate) use names::Names;
pub(crate) use redact::{Redact, SECRETS, hides};
pub(crate) use replay::{GRACE, Today, replay};
pub(crate) use source::{Kind, Odd, Source, read_lines};
pub(crate) use surroundings::{Invented, surroundings};
pub(crate) use update::updated;
