//! What is fuzzed, and what is promised of it.

mod answers;
mod matchers;
mod rules;
mod server_lines;
mod settings;

use crate::trace::Trace;

/// Something that reads what others wrote.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called on the command line, and in `corpus/`.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// Words that mean something to it.
    pub words: &'static [&'static str],
    /// What a search starts from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input; panics where a promise is broken.
    pub check: fn(&[u8]) -> Trace,
}

/// All of them.
pub const TARGETS: &[Target] = &[
    answers::TARGET,
    settings::TARGET,
    matchers::TARGET,
    rules::TARGET,
    server_lines::TARGET,
];

/// The first byte of an input as a choice among `values`, and the rest of it.
fn pick<'a, T: Copy>(values: &[T], input: &'a [u8]) -> Option<(T, &'a [u8])> {
    let (first, rest) = input.split_first()?;
    let value = values.get(usize::from(*first) % values.len().max(1))?;
    Some((*value, rest))
}

/// The seeds of a target that begins with a choice: each text with each of some first bytes.
fn with_each_choice(choices: &[u8], texts: &[&str]) -> Vec<Vec<u8>> {
    let with = |choice: u8, text: &str| {
        let mut seed = vec![choice];
        seed.extend_from_slice(text.as_bytes());
        seed
    };
    let seeds = texts
        .iter()
        .flat_map(|text| choices.iter().map(move |choice| with(*choice, text)));
    seeds.collect()
}
