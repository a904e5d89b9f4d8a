//! Words for a shell, and back: no more than what is written here.

/// A word that a shell takes as it is.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,@%+-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The words of a text in which nothing is quoted but as [`quoted`] does it. None where a shell would
/// see more than words.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        let (word, behind) = word(rest)?;
        words.push(word);
        match behind.strip_prefix(' ') {
            Some(behind) => rest = behind,
            None if behind.is_empty() => return Some(words),
            None => return None,
        }
    }
}

/// The first word, and what is behind it.
fn word(text: &str) -> Option<(String, &str)> {
    if !text.starts_with('\'') {
        let end = text.find(' ').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        return (quoted(word) == word).then(|| (word.to_owned(), rest));
    }
    let mut word = String::new();
    let mut rest = text.strip_prefix('\'')?;
    loop {
        let (part, behind) = rest.split_once('\'')?;
        word.push_str(part);
        match behind.strip_prefix("\\''") {
            Some(behind) => {
                word.push('\'');
                rest = behind;
            }
            None => return Some((word, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_shell_would_take_apart_is_no_list_of_words() {
        for text in ["a; b", "$HOME", "a  b", "'a", "\"a\"", "a'b'", "", "a | b"] {
            assert_eq!(words(text), None, "{text}");
        }
        assert_eq!(
            words("a 'b c' -d"),
            Some(vec!["a".into(), "b c".into(), "-d".into()])
        );
    }

    proptest! {
        #[test]
        fn words_come_back_as_they_were(list in prop::collection::vec("[ -~\n]{0,12}", 1..5)) {
            let text: Vec<String> = list.iter().map(|word| quoted(word)).collect();
            prop_assert_eq!(words(&text.join(" ")), Some(list));
        }
    }
}
