//! Patterns that can only match a subject with a certain text in it.
//!
//! `^mcp__disk__.*` needs `mcp__disk__`. All such texts are searched for in one pass, and
//! only the owners of those that occur are asked. A text that too many patterns share
//! tells little; those patterns go to the sets of [`super::bulk`].

use std::collections::HashMap;

use globset::GlobMatcher;
use regex_syntax::{
    ParserBuilder,
    hir::{Hir, HirKind},
};

use super::text::Texts;

/// So many candidates are asked one by one before a set would be quicker.
const CROWD: usize = 64;
/// So many alternatives of one pattern are worth a literal each.
const MAX_ALTERNATIVES: usize = 64;
/// Shorter texts occur everywhere.
const MIN_BYTES: usize = super::text::SHORTEST;
#[derive(Default)]
pub(super) struct LiteralFilter {
    candidates: Vec<Candidate>,
    /// Which candidates need this literal; becomes `texts` at the end.
    wanted: HashMap<Vec<u8>, Vec<usize>>,
    texts: Texts,
}

struct Candidate {
    position: usize,
    test: Test,
}

#[derive(Clone)]
enum Test {
    Glob(GlobMatcher),
    Regex(regex::Regex),
}

/// Patterns whose literal does not tell them apart.
#[derive(Default)]
pub(super) struct Crowded {
    pub(super) globs: Vec<(usize, GlobMatcher)>,
    pub(super) regexes: Vec<(usize, regex::Regex)>,
}

impl LiteralFilter {
    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Takes the glob, unless it needs no literal.
    pub(super) fn offer_glob(&mut self, position: usize, glob: &GlobMatcher) -> bool {
        self.offer(position, glob.glob().regex(), || Test::Glob(glob.clone()))
    }

    /// Takes the regex, unless it needs no literal.
    pub(super) fn offer_regex(&mut self, position: usize, regex: &regex::Regex) -> bool {
        self.offer(position, regex.as_str(), || Test::Regex(regex.clone()))
    }

    fn offer(&mut self, position: usize, regex: &str, test: impl FnOnce() -> Test) -> bool {
        let Some(literals) = required_literals(regex) else {
            return false;
        };
        for literal in literals {
            self.wanted
                .entry(literal)
                .or_default()
                .push(self.candidates.len());
        }
        self.candidates.push(Candidate {
            position,
            test: test(),
        });
        true
    }

    /// Call once, after the last offer. Gives back the patterns that are better off in a set.
    pub(super) fn finish(&mut self) -> Crowded {
        let mut crowded = vec![false; self.candidates.len()];
        for owners in self.wanted.values().filter(|owners| owners.len() > CROWD) {
            for owner in owners {
                crowded[*owner] = true;
            }
        }
        for (literal, mut owners) in self.wanted.drain() {
            owners.retain(|owner| !crowded[*owner]);
            if !owners.is_empty() {
                self.texts.add(&literal, &owners);
            }
        }
        self.turn_away(&crowded)
    }

    fn turn_away(&self, crowded: &[bool]) -> Crowded {
        let mut away = Crowded::default();
        for (candidate, _) in self
            .candidates
            .iter()
            .zip(crowded)
            .filter(|(_, away)| **away)
        {
            match candidate.test.clone() {
                Test::Glob(glob) => away.globs.push((candidate.position, glob)),
                Test::Regex(regex) => away.regexes.push((candidate.position, regex)),
            }
        }
        away
    }

    pub(super) fn search(&self, subject: &str, found: &mut Vec<usize>) {
        let mut likely: Vec<usize> = Vec::new();
        self.texts
            .search(subject.as_bytes(), |owners| likely.extend(owners));
        likely.sort_unstable();
        likely.dedup();
        let matching = likely
            .iter()
            .filter_map(|owner| self.candidates.get(*owner));
        found.extend(
            matching
                .filter(|c| c.test.matches(subject))
                .map(|c| c.position),
        );
    }
}

impl Test {
    fn matches(&self, subject: &str) -> bool {
        match self {
            Self::Glob(glob) => glob.is_match(subject),
            Self::Regex(regex) => regex.is_match(subject),
        }
    }
}

/// Texts of which at least one occurs in whatever the regex matches, if there are any.
fn required_literals(regex: &str) -> Option<Vec<Vec<u8>>> {
    // Globs compile to regexes over bytes.
    let hir = ParserBuilder::new().utf8(false).build().parse(regex).ok()?;
    needed(&hir).filter(|literals| shortest(literals) >= MIN_BYTES)
}

/// The recursion is as deep as the regex is nested, which its parser limits.
fn needed(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needed(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(needed).max_by_key(|l| shortest(l)),
        HirKind::Alternation(parts) => {
            let each: Option<Vec<_>> = parts.iter().map(needed).collect();
            each.map(|each| each.concat())
                .filter(|all| all.len() <= MAX_ALTERNATIVES)
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

fn shortest(literals: &[Vec<u8>]) -> usize {
    literals.iter().map(Vec::len).min().unwrap_or(0)
}
