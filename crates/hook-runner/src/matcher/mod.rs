//! x
#[cfg_attr(not(feature = "command-patterns"), path = "command_off.rs")]
mod command;
mod domain;
mod error;
mod hint;
mod name;
mod parse;
mod path;
mod regex;
mod rule;
mod set;
mod truth;
pub use error::{MatcherError, MatcherErrorKind, RuleError, RuleErrorKind};
pub use parse::{Match, Matcher};
pub use rule::Rule;
pub use set::{Found, Index};
pub use truth::{Call, Purpose, Truth};
#[cfg(test)]
mod tests;
