//! The rows, a file a family.

#[cfg(target_os = "linux")]
mod commands;
pub(crate) mod firing;
#[cfg(target_os = "linux")]
mod hosts;
#[cfg(target_os = "linux")]
mod matrix;
pub(crate) mod memory;
pub(crate) mod planning;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(target_os = "linux")]
mod waiting;

use crate::Failure;
use crate::contest::Contest;

/// One contest, built only when it is its turn: some need much memory.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The name by which it is asked for.
    pub(crate) name: &'static str,
    /// What it is about, in a line.
    pub(crate) about: &'static str,
    pub(crate) build: fn() -> Result<Contest, Failure>,
}

/// Every family, in the order in which they run.
pub(crate) const ALL: &[&[Entry]] = &[
    firing::ROWS,
    planning::ROWS,
    memory::ROWS,
    #[cfg(target_os = "linux")]
    commands::ROWS,
    #[cfg(target_os = "linux")]
    matrix::ROWS,
    #[cfg(target_os = "linux")]
    hosts::ROWS,
    #[cfg(target_os = "linux")]
    waiting::ROWS,
    #[cfg(target_os = "linux")]
    servers::ROWS,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let mut seen = HashSet::new();
        let mut names = ALL.iter().copied().flatten().map(|entry| entry.name);
        assert!(names.all(|name| seen.insert(name)));
    }
}
