//! Sets for the patterns that nothing quicker can tell apart.

use globset::{GlobSet, GlobSetBuilder};
use regex::{RegexSet, RegexSetBuilder};

use crate::matcher::{name::NameGlob, regex::Linear};

/// The most memory one compiled set may take; a larger one is cut in two.
const SET_SIZE_LIMIT: usize = 8 << 20;
/// More would hardly fit into the size limit, and finding that out takes a while.
const SET_MAX_REGEXES: usize = 4096;

/// Globs, all asked at once.
#[derive(Default)]
pub(super) struct GlobBulk {
    globs: Vec<(usize, NameGlob)>,
    set: Option<GlobSet>,
}

impl GlobBulk {
    pub(super) fn len(&self) -> usize {
        self.globs.len()
    }

    pub(super) fn add(&mut self, position: usize, glob: &NameGlob) {
        self.globs.push((position, glob.clone()));
    }

    pub(super) fn finish(&mut self) {
        // A set beyond its size limit is not built; then the globs are asked in turn.
        if !self.globs.is_empty() {
            self.set = self.build();
        }
    }

    fn build(&self) -> Option<GlobSet> {
        let mut builder = GlobSetBuilder::new();
        for (_, glob) in &self.globs {
            builder.add(glob.to_glob()?);
        }
        builder.build().ok()
    }

    pub(super) fn search(&self, subject: &str, found: &mut Vec<usize>) {
        if let Some(set) = &self.set {
            let hits = set.matches(subject).into_iter();
            found.extend(hits.filter_map(|hit| self.globs.get(hit)).map(|(p, _)| *p));
        } else {
            let hits = self.globs.iter().filter(|(_, glob)| glob.matches(subject));
            found.extend(hits.map(|(position, _)| *position));
        }
    }
}

/// Regexes, all asked at once, or in as few pieces as the size limit allows.
#[derive(Default)]
pub(super) struct RegexBulk {
    regexes: Vec<(usize, Linear)>,
    pieces: Vec<Piece>,
}

enum Piece {
    Set {
        set: RegexSet,
        positions: Vec<usize>,
    },
    One {
        regex: Linear,
        position: usize,
    },
}

impl RegexBulk {
    pub(super) fn len(&self) -> usize {
        self.regexes.len() + self.pieces.iter().map(Piece::len).sum::<usize>()
    }

    pub(super) fn add(&mut self, position: usize, regex: &Linear) {
        self.regexes.push((position, regex.clone()));
    }

    pub(super) fn finish(&mut self) {
        let regexes = std::mem::take(&mut self.regexes);
        let mut open: Vec<_> = regexes.chunks(SET_MAX_REGEXES).collect();
        while let Some(part) = open.pop() {
            match Piece::build(part) {
                Some(piece) => self.pieces.push(piece),
                None => open.extend(halves(part)),
            }
        }
    }

    pub(super) fn search(&self, subject: &str, found: &mut Vec<usize>) {
        self.pieces
            .iter()
            .for_each(|piece| piece.search(subject, found));
    }
}

impl Piece {
    /// `None` if the regexes are too many for one set.
    fn build(regexes: &[(usize, Linear)]) -> Option<Self> {
        if let [(position, regex)] = regexes {
            return Some(Self::One {
                regex: regex.clone(),
                position: *position,
            });
        }
        let set = RegexSetBuilder::new(regexes.iter().map(|(_, regex)| regex.as_str()))
            .size_limit(SET_SIZE_LIMIT)
            .dfa_size_limit(SET_SIZE_LIMIT)
            .build()
            .ok()?;
        Some(Self::Set {
            set,
            positions: regexes.iter().map(|(position, _)| *position).collect(),
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Set { positions, .. } => positions.len(),
            Self::One { .. } => 1,
        }
    }

    fn search(&self, subject: &str, found: &mut Vec<usize>) {
        match self {
            Self::Set { set, positions } => {
                let hits = set.matches(subject);
                found.extend(hits.iter().filter_map(|hit| positions.get(hit)));
            }
            Self::One { regex, position } => {
                found.extend(regex.matches(subject).is_match().then_some(*position));
            }
        }
    }
}

fn halves(regexes: &[(usize, Linear)]) -> [&[(usize, Linear)]; 2] {
    let (left, right) = regexes.split_at(regexes.len() / 2);
    [left, right]
}
