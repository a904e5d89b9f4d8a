//! Many matchers at once.
//!
//! The cost of a lookup follows what matches, not what is registered:
//!
//! | form | found by |
//! |---|---|
//! | all | a list, copied |
//! | exact names | one hash lookup |
//! | `prefix*` | one hash lookup for each length of prefix in use |
//! | other globs and regexes that need some literal text | one pass over the subject for all literals; whoever owns one that occurs is asked |
//! | other globs | one glob set |
//! | other regexes | one regex set, in pieces if it gets too large |
//! | backtracking regexes | each in turn |
//! | subjects whose answer is known | one hash lookup, which overrules the rest |

use std::{collections::HashMap, fmt};

use super::{
    name::{NameGlob, Names, Spelling, canonical},
    parse::{Form, Match, Matcher},
    regex::Pattern,
};

mod bulk;
mod literal;
mod text;

use bulk::{GlobBulk, RegexBulk};
use literal::LiteralFilter;

/// Finds all matching matchers of a fixed list.
///
/// ```
/// use hook_runner::matcher::{Index, Matcher};
///
/// let matchers = [Matcher::claude("Bash")?, Matcher::all(), Matcher::claude("mcp__.*")?];
/// let index = Index::new(&matchers);
/// assert_eq!(index.lookup("Bash"), [0, 1]);
/// assert_eq!(index.lookup("mcp__disk__read"), [1, 2]);
/// # Ok::<(), hook_runner::matcher::MatcherError>(())
/// ```
#[derive(Default)]
pub struct Index {
    len: usize,
    all: Vec<usize>,
    exact: HashMap<String, Vec<usize>>,
    exact_as_written: HashMap<String, Vec<usize>>,
    prefixes: HashMap<String, Vec<usize>>,
    prefix_lengths: Vec<usize>,
    by_literal: LiteralFilter,
    globs: GlobBulk,
    regexes: RegexBulk,
    backtracking: Vec<(usize, Pattern)>,
    /// The answers that are known in advance, by subject.
    known: HashMap<String, Vec<(usize, bool)>>,
}

/// What a lookup found.
///
/// ```
/// use hook_runner::matcher::{Index, Matcher};
///
/// let found = Index::new(&[Matcher::claude("Bash")?]).search("Bash");
/// assert_eq!(found.matches, [0]);
/// assert!(found.limit_hits.is_empty());
/// # Ok::<(), hook_runner::matcher::MatcherError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Positions of the matchers that match, ascending, which is the order of registration.
    pub matches: Vec<usize>,
    /// Those of them that count as a match only because they hit the step limit
    /// ([`Match::LimitHit`](super::Match::LimitHit)): to be reported.
    pub limit_hits: Vec<usize>,
}

impl Found {
    fn note(&mut self, position: usize, answer: Match) {
        match answer {
            Match::No => {}
            Match::Yes => self.matches.push(position),
            Match::LimitHit => {
                self.matches.push(position);
                self.limit_hits.push(position);
            }
        }
    }
}

impl Found {
    /// What is known in advance counts.
    fn overrule(&mut self, answers: &[(usize, bool)]) {
        let open = |position: &usize| answers.iter().all(|(known, _)| known != position);
        self.matches.retain(open);
        self.limit_hits.retain(open);
        let sure = answers.iter().filter(|(_, answer)| *answer);
        self.matches.extend(sure.map(|(position, _)| *position));
    }
}

impl Index {
    /// Builds the index; positions count in the order given.
    ///
    /// ```
    /// use hook_runner::matcher::{Index, Matcher};
    ///
    /// let index = Index::new([&Matcher::all(), &Matcher::all()]);
    /// assert_eq!(index.len(), 2);
    /// ```
    pub fn new<'a>(matchers: impl IntoIterator<Item = &'a Matcher>) -> Self {
        let mut index = Self::default();
        for matcher in matchers {
            index.add(matcher);
        }
        index.finish();
        index
    }

    /// How many matchers the index holds.
    ///
    /// ```
    /// assert_eq!(hook_runner::matcher::Index::new([]).len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the index holds no matchers, and so finds none.
    ///
    /// ```
    /// assert!(hook_runner::matcher::Index::new([]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The positions of all matchers that match, in the order of registration.
    ///
    /// The same as asking each matcher alone, only faster.
    ///
    /// ```
    /// use hook_runner::matcher::{Index, Matcher};
    ///
    /// let index = Index::new(&[Matcher::pattern("mcp__*")?, Matcher::pattern("Edit|Write")?]);
    /// assert_eq!(index.lookup("Write"), [1]);
    /// assert!(index.lookup("Bash").is_empty());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn lookup(&self, subject: &str) -> Vec<usize> {
        self.search(subject).matches
    }

    /// As [`Index::lookup`], and says which of the matches hit their step limit.
    ///
    /// ```
    /// use hook_runner::matcher::{Index, Matcher};
    ///
    /// let index = Index::new(&[Matcher::regex(r"^(a|a)*\1$")?]);
    /// let found = index.search(&format!("{}b", "a".repeat(40)));
    /// assert_eq!(found.limit_hits, [0]);
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn search(&self, subject: &str) -> Found {
        let mut found = Found {
            matches: self.all.clone(),
            limit_hits: Vec::new(),
        };
        self.search_names(subject, &mut found.matches);
        self.by_literal.search(subject, &mut found.matches);
        self.globs.search(subject, &mut found.matches);
        self.regexes.search(subject, &mut found.matches);
        for (position, pattern) in &self.backtracking {
            found.note(*position, pattern.matches(subject));
        }
        if let Some(answers) = self.known.get(subject) {
            found.overrule(answers);
        }
        // A list can match through several of its parts.
        found.matches.sort_unstable();
        found.matches.dedup();
        found
    }

    fn search_names(&self, subject: &str, found: &mut Vec<usize>) {
        let mut take = |positions: Option<&Vec<usize>>| {
            found.extend(positions.into_iter().flatten());
        };
        take(self.exact.get(canonical(subject)));
        take(self.exact_as_written.get(subject));
        for length in &self.prefix_lengths {
            take(
                subject
                    .get(..*length)
                    .and_then(|prefix| self.prefixes.get(prefix)),
            );
        }
    }
}

// ===== building =====

impl Index {
    fn add(&mut self, matcher: &Matcher) {
        let position = self.len;
        self.len += 1;
        for (subject, answer) in &matcher.known {
            let answers = self.known.entry(subject.clone()).or_default();
            if answers.iter().all(|(known, _)| *known != position) {
                answers.push((position, *answer));
            }
        }
        match &matcher.form {
            Form::All => self.all.push(position),
            Form::Names(names) => self.add_names(position, names),
            Form::Regex(Pattern::Linear(regex)) => {
                if !self.by_literal.offer_regex(position, regex) {
                    self.regexes.add(position, regex);
                }
            }
            Form::Regex(pattern @ Pattern::Backtracking(_)) => {
                self.backtracking.push((position, pattern.clone()));
            }
        }
    }

    fn add_names(&mut self, position: usize, names: &Names) {
        let exact = match names.spelling {
            Spelling::Renamed => &mut self.exact,
            Spelling::AsWritten => &mut self.exact_as_written,
        };
        for name in &names.exact {
            exact.entry(name.clone()).or_default().push(position);
        }
        for glob in &names.globs {
            self.add_glob(position, glob);
        }
    }

    fn add_glob(&mut self, position: usize, glob: &NameGlob) {
        match glob {
            NameGlob::Prefix(prefix) => {
                self.prefixes
                    .entry(prefix.clone())
                    .or_default()
                    .push(position);
            }
            NameGlob::Stars(_) | NameGlob::Wild(_) => {
                if !self.by_literal.offer_glob(position, glob) {
                    self.globs.add(position, glob);
                }
            }
        }
    }

    fn finish(&mut self) {
        self.prefix_lengths = self.prefixes.keys().map(String::len).collect();
        self.prefix_lengths.sort_unstable();
        self.prefix_lengths.dedup();
        let crowded = self.by_literal.finish();
        for (position, regex) in crowded.regexes {
            self.regexes.add(position, &regex);
        }
        for (position, glob) in crowded.globs {
            self.globs.add(position, &glob);
        }
        self.globs.finish();
        self.regexes.finish();
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("len", &self.len)
            .field("all", &self.all.len())
            .field("exact", &(self.exact.len() + self.exact_as_written.len()))
            .field("prefixes", &self.prefixes.len())
            .field("by_literal", &self.by_literal.len())
            .field("globs", &self.globs.len())
            .field("regexes", &self.regexes.len())
            .field("backtracking", &self.backtracking.len())
            .finish_non_exhaustive()
    }
}
