//! What looks volatile in a text: times, durations, random names. Pure.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::volatile::SHAPES;

/// A pattern of the table that is none stands for nothing; a test says that there is none.
static PATTERNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let compiled = SHAPES
        .iter()
        .filter_map(|(pattern, word)| Some((Regex::new(pattern).ok()?, *word)));
    compiled.collect()
});

/// A text without what looks volatile, save for what has been `said` before.
pub(super) fn replace(text: &str, said: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, word) in PATTERNS.iter() {
        let replaced = pattern.replace_all(&text, |found: &Captures<'_>| {
            if said.contains(&found[0]) {
                return found[0].to_owned();
            }
            let mut expanded = String::new();
            found.expand(word, &mut expanded);
            expanded
        });
        if let std::borrow::Cow::Owned(replaced) = replaced {
            text = replaced;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_table_is_one() {
        assert_eq!(PATTERNS.len(), SHAPES.len());
    }

    #[test]
    fn what_looks_volatile_is_replaced_and_the_rest_is_not() {
        for (text, wanted) in [
            ("id 0198c9b4-5f5c-7b7a-8f6e-0123456789ab.", "id <uuid>."),
            ("at 2026-11-16T18:35:54.123Z: no", "at <time>: no"),
            ("at 2026-11-16 18:35: no", "at <time>: no"),
            ("Mon Nov 16 18:35:54 UTC 2026", "<time>"),
            ("Mon, 16 Nov 2026 18:35:54 GMT", "<time>"),
            ("[18:35:54] no", "[<time>] no"),
            ("started 1794857442639932702", "started <time>"),
            (
                "at 1794857442.5, for 1200000000",
                "at <time>, for 1200000000",
            ),
            ("2 tests in 0.31s", "2 tests in <duration>"),
            ("took 12 ms", "took <duration>"),
            ("wrote <tmp>/tmp.x8Yz/out.txt", "wrote <tmp>/<name>/out.txt"),
            ("frozen until 2026-11-20", "frozen until 2026-11-20"),
            ("at most 30s, 12 files", "at most 30s, 12 files"),
            ("rust 1.95.0, port 8080", "rust 1.95.0, port 8080"),
        ] {
            assert_eq!(replace(text, ""), wanted);
        }
    }

    #[test]
    fn what_the_input_says_itself_is_no_accident() {
        let said = "deploy <tmp>/build at 2026-11-16T18:35:54Z";
        let text = "refused: <tmp>/build at 2026-11-16T18:35:54Z, took 0.3s";
        let wanted = "refused: <tmp>/build at 2026-11-16T18:35:54Z, took <duration>";
        assert_eq!(replace(text, said), wanted);
    }
}
