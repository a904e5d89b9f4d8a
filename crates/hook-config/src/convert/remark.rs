//! What became of what a target cannot express.

use std::fmt;

use crate::entry::Action;
use crate::source::Place;

/// What became of a part of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Became {
    /// The command runs behind an adapter, and means what it meant.
    Wrapped,
    /// It is there, and means nearly the same.
    Approximated,
    /// It is not there. What it could do, nobody could refuse or rewrite by.
    Dropped,
    /// The hook is not there, though it could refuse or rewrite: nothing in the target would.
    Refused,
}

impl Became {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wrapped => "wrapped",
            Self::Approximated => "approximated",
            Self::Dropped => "dropped",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for Became {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that the target cannot express, and what became of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Remark {
    /// The hook, by what it runs; none where it is about the file.
    pub hook: Option<String>,
    /// The event, where it is about one.
    pub event: Option<String>,
    /// The field.
    pub field: String,
    /// Where the hook stands.
    pub place: Place,
    /// What became of it.
    pub became: Became,
    /// Why, and what that means.
    pub why: String,
}

/// Remarks while they are made.
#[derive(Debug, Default)]
pub(super) struct Remarks(pub(super) Vec<Remark>);

/// Whom a remark is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) action: Option<&'a Action>,
    pub(super) event: Option<&'a str>,
    pub(super) place: &'a Place,
}

impl Remarks {
    /// Says something, once.
    pub(super) fn add(
        &mut self,
        about: About<'_>,
        field: &str,
        became: Became,
        why: impl Into<String>,
    ) {
        let remark = Remark {
            hook: about.action.map(ToString::to_string),
            event: about.event.map(str::to_owned),
            field: field.to_owned(),
            place: about.place.clone(),
            became,
            why: why.into(),
        };
        if !self.0.contains(&remark) {
            self.0.push(remark);
        }
    }
}
