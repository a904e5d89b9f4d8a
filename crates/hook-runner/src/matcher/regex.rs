//! JavaScript-style regexes, unanchored, on two engines.
//!
//! A pattern that the `regex` crate takes runs in linear time. One with look-around or
//! back-references runs on a backtracking engine that gives up after a number of steps.

use super::{
    error::{MatcherError, MatcherErrorKind},
    hint,
    parse::Match,
};

mod javascript; // what JavaScript writes otherwise
mod linear; // a regex that is compiled when it is needed
mod plain; // what most people write, read without an engine

use javascript::{Dialect, translate};
pub(super) use linear::Linear;
pub(super) use plain::read as read_plain;

/// The most memory one compiled regex may take.
pub(super) const SIZE_LIMIT: usize = 1 << 20;
/// Some ten milliseconds of backtracking.
const BACKTRACK_LIMIT: usize = 100_000;

/// A regex.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Linear(Linear),
    Backtracking(fancy_regex::Regex),
}

impl Pattern {
    pub(super) fn compile(pattern: &str) -> Result<Self, MatcherError> {
        match Linear::new(&translate(pattern, Dialect::Linear)) {
            Ok(regex) => Ok(Self::Linear(regex)),
            Err(::regex::Error::CompiledTooBig(_)) => Err(too_large(pattern)),
            Err(refusal) => backtracking(&translate(pattern, Dialect::Backtracking))
                .map(Self::Backtracking)
                .map_err(|error| explain(pattern, &refusal, &error)),
        }
    }

    pub(super) fn matches(&self, subject: &str) -> Match {
        match self {
            Self::Linear(regex) => regex.matches(subject),
            Self::Backtracking(regex) => {
                regex.is_match(subject).map_or(Match::LimitHit, Match::from)
            }
        }
    }
}

fn backtracking(translated: &str) -> Result<fancy_regex::Regex, fancy_regex::Error> {
    fancy_regex::RegexBuilder::new(translated)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(SIZE_LIMIT)
        .max_prog_size(SIZE_LIMIT / size_of::<usize>())
        .backtrack_limit(BACKTRACK_LIMIT)
        .build()
}

/// Both engines refused. If the first one only lacks a feature, the second one knows more.
fn explain(pattern: &str, refusal: &::regex::Error, error: &fancy_regex::Error) -> MatcherError {
    let refusal = last_line(&refusal.to_string());
    if !refusal.contains("not supported") {
        return syntax(pattern, refusal);
    }
    if let fancy_regex::Error::CompileError(problem) = error {
        return compile_problem(pattern, problem);
    }
    syntax(pattern, last_line(&error.to_string()))
}

fn compile_problem(pattern: &str, problem: &fancy_regex::CompileError) -> MatcherError {
    let text = last_line(&problem.to_string());
    if text.contains("size limit") || text.contains("too complex") {
        return too_large(pattern);
    }
    let hint = hint::for_regex(pattern).or_else(|| {
        text.contains("look-behind").then(|| {
            "a look-behind needs a fixed length; turn it into alternatives, or match the \
             whole name with `^…$`"
                .to_owned()
        })
    });
    MatcherError::new(pattern, MatcherErrorKind::Unsupported(text), hint)
}

fn syntax(pattern: &str, problem: String) -> MatcherError {
    MatcherError::new(
        pattern,
        MatcherErrorKind::Regex(problem),
        hint::for_regex(pattern),
    )
}

fn too_large(pattern: &str) -> MatcherError {
    let hint = "use smaller repetition counts, or `*` and `+` instead of counts".to_owned();
    MatcherError::new(pattern, MatcherErrorKind::TooLarge, Some(hint))
}

/// The engines draw the pattern with carets under it; but they saw the translated pattern,
/// so only their last line, the sentence, means something to its writer.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    // The backtracking engine names a position, and starts its sentence with a capital.
    let sentence = match line.strip_prefix("Parsing error at position ") {
        Some(rest) => rest.split_once(": ").map_or(rest, |(_, sentence)| sentence),
        None => line,
    };
    let mut chars = sentence.chars();
    chars
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(chars)
        .collect()
}
