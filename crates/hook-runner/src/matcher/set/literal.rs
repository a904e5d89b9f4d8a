//! Patterns that can only match a subject with a certain text in it.
//!
//! `^mcp__disk__.*` needs `mcp__disk__`. All such texts are searched for in one pass, and
//! only the owners of those that occur are asked. A text that too many patterns share
//! tells little; those patterns go to the sets of [`super::bulk`].

use std::collections::HashMap;

use regex_syntax::{
    ParserBuilder,
    hir::{Hir, HirKind},
};

use super::text::Texts;
use crate::matcher::{
    name::NameGlob,
    regex::{Linear, read_plain},
};

/// So many candidates are asked one by one before a set would be quicker.
const CROWD: usize = 64;
/// So many alternatives of one pattern are worth a literal each.
const MAX_ALTERNATIVES: usize = 64;
/// Shorter texts occur everywhere.
const MIN_BYTES: usize = super::text::SHORTEST;
/// Where there are more patterns, regexes are compiled ahead: no firing waits for one.
const AHEAD: usize = 128;

/// The filter.
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
    Glob(NameGlob),
    Regex(Linear),
}

/// Patterns whose literal does not tell them apart.
#[derive(Default)]
pub(super) struct Crowded {
    pub(super) globs: Vec<(usize, NameGlob)>,
    pub(super) regexes: Vec<(usize, Linear)>,
}

impl LiteralFilter {
    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Takes the glob, unless it needs no literal.
    pub(super) fn offer_glob(&mut self, position: usize, glob: &NameGlob) -> bool {
        let literals = match glob {
            NameGlob::Prefix(prefix) => Some(vec![prefix.as_bytes().to_vec()]),
            NameGlob::Stars(stars) => Some(vec![stars.longest().as_bytes().to_vec()]),
            NameGlob::Wild(glob) => required_literals(glob.glob().regex()),
        };
        self.offer(position, literals, || Test::Glob(glob.clone()))
    }

    /// Takes the regex, unless it needs no literal.
    pub(super) fn offer_regex(&mut self, position: usize, regex: &Linear) -> bool {
        let literals = match read_plain(regex.as_str()) {
            Some(plain) => plain.literals,
            None => required_literals(regex.as_str()),
        };
        self.offer(position, literals, || Test::Regex(regex.clone()))
    }

    fn offer(
        &mut self,
        position: usize,
        literals: Option<Vec<Vec<u8>>>,
        test: impl FnOnce() -> Test,
    ) -> bool {
        let told_apart = |literals: &Vec<Vec<u8>>| {
            shortest(literals) >= MIN_BYTES && literals.len() <= MAX_ALTERNATIVES
        };
        let Some(literals) = literals.filter(told_apart) else {
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
        self.texts.finish();
        self.compile_ahead(&crowded);
        self.turn_away(&crowded)
    }

    fn compile_ahead(&self, crowded: &[bool]) {
        if self.candidates.len() <= AHEAD {
            return;
        }
        let own = self
            .candidates
            .iter()
            .zip(crowded)
            .filter(|(_, away)| !**away);
        for (candidate, _) in own {
            if let Test::Regex(regex) = &candidate.test {
                regex.compiled();
            }
        }
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
            Self::Glob(glob) => glob.matches(subject),
            Self::Regex(regex) => regex.matches(subject).is_match(),
        }
    }
}

/// Texts of which at least one occurs in whatever the regex matches, if there are any.
fn required_literals(regex: &str) -> Option<Vec<Vec<u8>>> {
    // Globs compile to regexes over bytes.
    let hir = ParserBuilder::new().utf8(false).build().parse(regex).ok()?;
    needed(&hir)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::regex::Pattern;

    fn regexes(count: usize) -> Vec<Linear> {
        let regex = |number| match Pattern::compile(&format!("^Tool_{number}_[a-z]+$")) {
            Ok(Pattern::Linear(regex)) => regex,
            other => panic!("{other:?}"),
        };
        let regexes: Vec<Linear> = (0..count).map(regex).collect();
        let mut filter = LiteralFilter::default();
        for (position, regex) in regexes.iter().enumerate() {
            assert!(filter.offer_regex(position, regex));
        }
        filter.finish();
        let mut found = Vec::new();
        filter.search("Tool_7_x", &mut found);
        assert_eq!(found, [7]);
        regexes
    }

    #[test]
    fn of_a_few_regexes_only_those_that_a_subject_needs_are_compiled() {
        let compiled = regexes(AHEAD).iter().filter(|r| r.is_compiled()).count();
        assert_eq!(compiled, 1);
    }

    #[test]
    fn of_very_many_all_are_compiled_before_the_first_subject() {
        assert!(regexes(AHEAD + 1).iter().all(Linear::is_compiled));
    }
}
