//! Globs as shells have them, which can be asked what is left of them behind a text.

use std::collections::BTreeSet;

/// A glob: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`, and characters that stand for themselves.
#[derive(Clone, Debug)]
pub(super) struct Glob<'a> {
    signs: Vec<(&'a str, Sign)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Sign {
    One(char),
    AnyOne,
    AnyMany,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Sign {
    fn fits(&self, letter: char) -> bool {
        match self {
            Self::One(own) => *own == letter,
            Self::AnyOne | Self::AnyMany => true,
            Self::Class { negated, ranges } => {
                let within = |(first, last): &(char, char)| (*first..=*last).contains(&letter);
                ranges.iter().any(within) != *negated
            }
        }
    }
}

impl<'a> Glob<'a> {
    pub(super) fn new(mut text: &'a str) -> Self {
        let mut signs = Vec::new();
        while let Some(first) = text.chars().next() {
            let (length, sign) = match first {
                '*' => (1, Sign::AnyMany),
                '?' => (1, Sign::AnyOne),
                '[' => class(text).unwrap_or((1, Sign::One('['))),
                other => (other.len_utf8(), Sign::One(other)),
            };
            signs.push((&text[..length], sign));
            text = &text[length..];
        }
        Self { signs }
    }

    /// Whether it fits the whole of a text.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.reached(text).contains(&self.signs.len())
    }

    /// What is left of it behind a text: a text fits one of them exactly when the whole fits the
    /// glob. One that fits nothing but the empty text is left out.
    pub(super) fn behind(&self, text: &str) -> Vec<Self> {
        let places = self.reached(text);
        let behind_a_star = |place: &usize| {
            place
                .checked_sub(1)
                .is_some_and(|star| self.signs[star].1 == Sign::AnyMany && places.contains(&star))
        };
        let places = places.iter().filter(|place| !behind_a_star(place));
        let rests = places.map(|place| Self {
            signs: self.signs[*place..].to_vec(),
        });
        rests.filter(|rest| !rest.signs.is_empty()).collect()
    }

    /// The places in the glob where one can be when a text is read.
    fn reached(&self, text: &str) -> BTreeSet<usize> {
        let mut places = self.with_empty_stars(BTreeSet::from([0]));
        for letter in text.chars() {
            let next = places.iter().filter_map(|place| {
                let (_, sign) = self.signs.get(*place)?;
                let next = place + usize::from(*sign != Sign::AnyMany);
                sign.fits(letter).then_some(next)
            });
            places = self.with_empty_stars(next.collect());
        }
        places
    }

    /// A star may stand for nothing.
    fn with_empty_stars(&self, mut places: BTreeSet<usize>) -> BTreeSet<usize> {
        for place in 0..self.signs.len() {
            if places.contains(&place) && self.signs[place].1 == Sign::AnyMany {
                places.insert(place + 1);
            }
        }
        places
    }

    /// As it is written.
    pub(super) fn text(&self) -> String {
        self.signs.iter().map(|(text, _)| *text).collect()
    }

    /// Whether it fits everything.
    pub(super) fn is_all(&self) -> bool {
        !self.signs.is_empty() && self.signs.iter().all(|(_, sign)| *sign == Sign::AnyMany)
    }

    /// The same as a regular expression, without its anchors.
    pub(super) fn regex(&self) -> String {
        let mut regex = String::new();
        for (_, sign) in &self.signs {
            match sign {
                Sign::One(letter) => push_literal(&mut regex, *letter),
                Sign::AnyOne => regex.push('.'),
                Sign::AnyMany => regex.push_str(".*"),
                Sign::Class { negated, ranges } => push_class(&mut regex, *negated, ranges),
            }
        }
        regex
    }
}

/// A class at the start of a text, and its length; one that is not closed is none.
fn class(text: &str) -> Option<(usize, Sign)> {
    let negated = text[1..].starts_with('!');
    let start = 1 + usize::from(negated);
    // What comes first may be the closing bracket itself.
    let first = text[start..].chars().next()?.len_utf8();
    let end = start + first + text[start + first..].find(']')?;
    let mut letters = text[start..end].chars().peekable();
    let mut ranges = Vec::new();
    while let Some(letter) = letters.next() {
        let mut ahead = letters.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                ranges.push((letter, last));
                letters = ahead;
            }
            _ => ranges.push((letter, letter)),
        }
    }
    Some((end + 1, Sign::Class { negated, ranges }))
}

fn push_literal(regex: &mut String, letter: char) {
    if letter.is_ascii_punctuation() && !matches!(letter, '_' | ':' | ',') {
        regex.push('\\');
    }
    regex.push(letter);
}

fn push_class(regex: &mut String, negated: bool, ranges: &[(char, char)]) {
    let ordered: Vec<&(char, char)> = ranges.iter().filter(|(a, b)| a <= b).collect();
    if ordered.is_empty() {
        // Nothing is in it; everything is in its opposite.
        regex.push_str(if negated { "." } else { "[^\\s\\S]" });
        return;
    }
    regex.push_str(if negated { "[^" } else { "[" });
    for (first, last) in ordered {
        push_literal(regex, *first);
        if first != last {
            regex.push('-');
            push_literal(regex, *last);
        }
    }
    regex.push(']');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_glob_fits_as_in_a_shell() {
        let cases = [
            ("tool:*", "tool:pre_execute", true),
            ("tool:*", "llm:pre_request", false),
            ("*", "", true),
            ("t??l", "tool", true),
            ("t?l", "tool", false),
            ("[ab]c", "bc", true),
            ("[!ab]c", "bc", false),
            ("[!ab]c", "xc", true),
            ("[a-c]", "b", true),
            ("[]]", "]", true),
            ("[a", "[a", true),
            ("a*b*c", "a1b2b3c", true),
        ];
        for (glob, text, expected) in cases {
            assert_eq!(Glob::new(glob).fits(text), expected, "{glob} {text}");
        }
    }

    #[test]
    fn what_is_left_behind_a_prefix_fits_the_rest() {
        let behind = |glob: &str| -> Vec<String> {
            let rests = Glob::new(glob).behind("tool:pre_execute:");
            rests.iter().map(Glob::text).collect()
        };
        assert_eq!(behind("tool:pre_execute:bash"), ["bash"]);
        assert_eq!(behind("tool:*:bash"), ["*:bash", "bash"]);
        assert_eq!(behind("*"), ["*"]);
        assert_eq!(behind("tool:pre_execute"), [""; 0]);
    }

    proptest! {
        #[test]
        fn a_text_fits_the_rest_exactly_when_the_whole_fits(
            glob in "[ab:*?]{0,8}|[ab]{0,2}\\[!?[ab-]{0,3}\\][ab*]{0,3}",
            before in "[ab:]{0,4}",
            after in "[ab:]{1,4}",
        ) {
            let whole = Glob::new(&glob).fits(&format!("{before}{after}"));
            let glob = Glob::new(&glob);
            let rests = glob.behind(&before);
            prop_assert_eq!(rests.iter().any(|rest| rest.fits(&after)), whole);
            let as_regex = |rest: &Glob<'_>| {
                let regex = format!("^(?:{})$", rest.regex());
                hook_runner::matcher::Matcher::regex(&regex).unwrap().matches(&after).is_match()
            };
            prop_assert_eq!(rests.iter().any(as_regex), whole);
        }
    }
}
