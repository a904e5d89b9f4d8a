//! Replacing a text in a text. Pure.

/// Why nothing was replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Mismatch {
    #[error("old_string and new_string are the same")]
    Same,
    #[error(
        "old_string is empty, which only makes a new file; use Write to replace the whole content"
    )]
    Empty,
    #[error(
        "old_string is not in it; it must match to the last blank and line end, without line numbers"
    )]
    Missing,
    #[error(
        "old_string is in it {0} times; add lines around it until it is the only one, or set replace_all"
    )]
    Several(usize),
}

/// The text with `old` replaced: the only one there is, or all of them.
///
/// Where the file ends its lines in CRLF and the model has written LF, the file's ends are meant.
pub(super) fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<String, Mismatch> {
    if old.is_empty() && text.is_empty() && !new.is_empty() {
        return Ok(new.to_owned());
    }
    if old == new {
        return Err(Mismatch::Same);
    }
    if old.is_empty() {
        return Err(Mismatch::Empty);
    }
    match exactly(text, old, new, all) {
        Err(Mismatch::Missing) if is_crlf(text) => exactly(text, &to_crlf(old), &to_crlf(new), all),
        result => result,
    }
}

fn exactly(text: &str, old: &str, new: &str, all: bool) -> Result<String, Mismatch> {
    match places(text, old) {
        0 => Err(Mismatch::Missing),
        1 => Ok(text.replacen(old, new, 1)),
        _ if all => Ok(text.replace(old, new)),
        several => Err(Mismatch::Several(several)),
    }
}

/// At how many places it is, also where they overlap: `aa` is in `aaa` twice, and which is meant?
fn places(text: &str, old: &str) -> usize {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let (mut from, mut count) = (0, 0);
    while let Some(at) = text[from..].find(old) {
        count += 1;
        from += at + step;
    }
    count
}

/// Whether every line ends in CRLF.
fn is_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && text.matches("\r\n").count() == ends
}

fn to_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_replaced_where_it_is_meant_and_nowhere_else() {
        let table = [
            ("a b a", "b", "c", false, Ok("a c a")),
            ("a b a", "a", "c", false, Err(Mismatch::Several(2))),
            ("a b a", "a", "c", true, Ok("c b c")),
            ("a b a", "x", "c", false, Err(Mismatch::Missing)),
            ("a b a", "x", "c", true, Err(Mismatch::Missing)),
            ("a b a", "a", "a", true, Err(Mismatch::Same)),
            ("a b a", "", "c", false, Err(Mismatch::Empty)),
            ("a b a", "", "", false, Err(Mismatch::Same)),
            ("", "", "new", false, Ok("new")),
            ("aaa", "aa", "b", false, Err(Mismatch::Several(2))),
            ("aaa", "aa", "b", true, Ok("ba")),
            ("€€", "€", "$", false, Err(Mismatch::Several(2))),
            ("$1 \\n", "$1", "$0", false, Ok("$0 \\n")),
            ("a\r\nb\r\n", "a\nb\n", "c\nd\n", false, Ok("c\r\nd\r\n")),
            ("a\r\nb\n", "a\nb\n", "c", false, Err(Mismatch::Missing)),
            ("a\nb\n", "a\r\nb", "c", false, Err(Mismatch::Missing)),
        ];
        for (text, old, new, all, expected) in table {
            let expected = expected.map(str::to_owned);
            assert_eq!(
                replace(text, old, new, all),
                expected,
                "{text:?} {old:?} {all}"
            );
        }
    }

    proptest! {
        /// The new text is made of letters that the old file has not, so that it can be found again.
        #[test]
        fn to_replace_and_then_to_reverse_gives_the_original(
            text in "[abé\n\r]{1,40}", new in "[xyz]{1,5}", all: bool,
            from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
        ) {
            let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (one, other) = (from.get(&bounds), to.get(&bounds));
            let old = &text[*one.min(other)..*one.max(other)];
            prop_assume!(!old.is_empty());
            match replace(&text, old, &new, all) {
                Ok(changed) => {
                    prop_assert_ne!(&changed, &text);
                    prop_assert_eq!(replace(&changed, &new, old, all), Ok(text));
                }
                Err(mismatch) => {
                    prop_assert!(!all);
                    prop_assert!(matches!(mismatch, Mismatch::Several(2..)), "{}", mismatch);
                }
            }
        }
    }
}
