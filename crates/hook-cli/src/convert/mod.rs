//! `hookline convert`: what became of the hooks, for people and for programs; and whether the result
//! does what the source does.

mod check; // fires both at the same samples
mod report; // what the target cannot express
mod verdict; // what two firings are compared by

pub(crate) use check::{Check, Compared, check};
pub(crate) use report::{comparison, json, report};
