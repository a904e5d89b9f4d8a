//! A regex in linear time, compiled when the first subject needs it.
//!
//! A compiled regex takes tens of kilobytes, and most of an idle engine's hooks are never asked. What can
//! go wrong is found when the pattern is read all the same: it is parsed then, and one that might come
//! near the size limit is compiled then too.

use std::sync::{Arc, OnceLock};

use regex::{Error, Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::{SIZE_LIMIT, plain};
use crate::matcher::parse::Match;

/// The most states that a regex may have and be compiled later. A state takes less than 64 bytes, so
/// that it is at most a quarter of the size limit.
pub(super) const SMALL: usize = SIZE_LIMIT / 64 / 4;
/// The most states that one range of characters beyond ASCII takes: it is cut into at most twenty
/// sequences of at most four bytes.
pub(super) const STATES_OF_A_RANGE: usize = 80;

/// A regex. Clones are compiled together.
#[derive(Clone, Debug)]
pub(in crate::matcher) struct Linear(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: Box<str>,
    /// None inside where it could not be compiled, which small ones always can.
    compiled: OnceLock<Option<Regex>>,
}

impl Linear {
    /// Reads a regex. Fails exactly where compiling does.
    pub(super) fn new(text: &str) -> Result<Self, Error> {
        let compiled = if is_small(text) {
            OnceLock::new()
        } else {
            OnceLock::from(Some(build(text)?))
        };
        Ok(Self(Arc::new(Inner {
            text: text.into(),
            compiled,
        })))
    }

    pub(in crate::matcher) fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Compiles it, if nobody has: for those who would rather wait now than at the first subject.
    pub(in crate::matcher) fn compiled(&self) -> Option<&Regex> {
        let compiled = &self.0.compiled;
        compiled.get_or_init(|| build(&self.0.text).ok()).as_ref()
    }

    #[cfg(test)]
    pub(in crate::matcher) fn is_compiled(&self) -> bool {
        self.0.compiled.get().is_some()
    }

    /// Whether it fits. One that nobody can tell of counts as a match, as everywhere.
    pub(in crate::matcher) fn matches(&self, subject: &str) -> Match {
        self.compiled()
            .map_or(Match::LimitHit, |regex| regex.is_match(subject).into())
    }
}

fn build(text: &str) -> Result<Regex, Error> {
    RegexBuilder::new(text)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
}

/// Whether it is a regex, and one that is sure to compile.
fn is_small(text: &str) -> bool {
    match plain::read(text) {
        Some(plain) => plain.states <= SMALL,
        None => regex_syntax::parse(text).is_ok_and(|hir| states(&hir) <= SMALL),
    }
}

/// No fewer states than the regex is compiled to. The recursion is as deep as the regex is nested, which
/// its parser limits.
pub(super) fn states(hir: &Hir) -> usize {
    let all = |parts: &[Hir]| {
        let each = parts.iter().map(|part| states(part).saturating_add(1));
        each.fold(1, usize::saturating_add)
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 1,
        HirKind::Class(Class::Unicode(class)) => {
            let states = |range: &regex_syntax::hir::ClassUnicodeRange| {
                if range.end().is_ascii() {
                    1
                } else {
                    STATES_OF_A_RANGE
                }
            };
            class.ranges().iter().map(states).sum::<usize>() + 1
        }
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let copies = max.unwrap_or(*min).max(1).saturating_add(1);
            let copies = usize::try_from(copies).unwrap_or(usize::MAX);
            states(sub).saturating_add(2).saturating_mul(copies)
        }
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_regex_as_people_write_them_is_compiled_for_the_first_subject() {
        let texts = [
            "^(Read|Edit)_7_[a-z]+$",
            "mcp__.*__read",
            r"^Bash$|\.ts$",
            ".*",
        ];
        for text in texts {
            let regex = Linear::new(text).unwrap();
            let clone = regex.clone();
            assert!(!regex.is_compiled(), "{text}");
            regex.matches("mcp__disk__read");
            assert!(clone.is_compiled(), "{text}");
        }
    }

    #[test]
    fn one_that_might_be_too_large_is_compiled_at_once() {
        for text in ["a{1000}{5}", r"\w{9}", "(?i:[^a]{60})"] {
            assert!(Linear::new(text).unwrap().is_compiled(), "{text}");
        }
        let error = Linear::new("a{1000}{1000}").unwrap_err();
        assert!(matches!(error, Error::CompiledTooBig(_)), "{error:?}");
    }

    #[test]
    fn a_mistake_is_found_when_it_is_read() {
        for text in ["(", "[z-a]", "a{2,1}", "(?=a)", r"\p{Nope}"] {
            assert!(Linear::new(text).is_err(), "{text}");
        }
    }

    proptest! {
        /// With half of the room, so that the limit is far.
        #[test]
        fn what_is_compiled_later_always_compiles(
            parts in prop::collection::vec((
                prop::sample::select(vec![
                    "a", "ü", ".", r"\w", r"\d", r"\s", "[a-z]", r"[^\n\r]", "[à-ÿĀ-Ͽ一-龯]", "(ab|cd)",
                    "(?i:straße)", r"\p{Greek}", r"\bx", "(?:[^a]|[^b])", "[😀-🙏]", "(?-u:[a-z])", "$",
                ]),
                prop::sample::select(vec!["", "*", "+?", "{3}", "{2,40}", "{90,}", "{0,400}"]),
            ), 1..8),
            twice in prop::sample::select(vec!["", "{7}", "{2,}", "*"]),
        ) {
            let text: String = parts.iter().flat_map(|(part, often)| [*part, *often]).collect();
            let text = format!("({text}){twice}");
            if is_small(&text) {
                let built = RegexBuilder::new(&text).size_limit(SIZE_LIMIT / 2).build();
                prop_assert!(built.is_ok(), "{}", text);
            }
        }
    }
}
