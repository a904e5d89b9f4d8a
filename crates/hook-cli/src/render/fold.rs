//! Lines that are too long for the terminal, broken between words and not within them.

use unicode_width::UnicodeWidthChar;

/// How far what goes on below is moved to the right.
const STEP: usize = 2;

/// Beginnings of lines that people copy, or that stand below each other: they stay as they are.
const WHOLE: [&str; 6] = ["$ ", "? ", "+ ", "- ", "stdout | ", "stderr | "];

/// Text in lines of at most `width` columns, where its words allow it. What goes on below stands a
/// little to the right of where its line began.
pub(crate) fn fold(text: &str, width: usize) -> String {
    fold_lines(text, width, |line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        blanks + STEP
    })
}

/// The same, and what goes on below stands in this column.
pub(crate) fn fold_at(text: &str, width: usize, column: usize) -> String {
    fold_lines(text, width, |_| column)
}

fn fold_lines(text: &str, width: usize, margin: impl Fn(&str) -> usize) -> String {
    let lines = text.split('\n').map(|line| {
        let bare = bare(line);
        let whole = WHOLE
            .iter()
            .any(|start| bare.trim_start().starts_with(start));
        if whole || columns(line) <= width {
            return line.to_owned();
        }
        fold_line(line, width, margin(&bare).min(width / 2))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn fold_line(line: &str, width: usize, margin: usize) -> String {
    let mut folded = String::new();
    let mut used = 0;
    let mut begun = false; // whether the row has a word in it
    for word in line.split_inclusive(' ') {
        let wide = columns(word.trim_end_matches(' '));
        if begun && used + wide > width {
            folded.truncate(folded.trim_end_matches(' ').len());
            folded.push('\n');
            folded.extend(std::iter::repeat_n(' ', margin));
            used = margin;
            begun = false;
        }
        folded.push_str(word);
        used += columns(word);
        begun |= wide > 0;
    }
    folded
}

/// How many columns text takes, without what only colours it.
fn columns(text: &str) -> usize {
    bare(text).chars().filter_map(UnicodeWidthChar::width).sum()
}

/// Text without colours.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            // The colours are ours: an introducer, parameters, and a letter.
            rest.find(char::is_ascii_alphabetic);
        } else {
            bare.push(c);
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_go_on_to_the_right() {
        assert_eq!(fold("short\n  also", 20), "short\n  also");
        assert_eq!(
            fold("  reason: rm would remove everything", 20),
            "  reason: rm would\n    remove\n    everything"
        );
        assert_eq!(
            fold_at("1  name  what it is for", 15, 9),
            "1  name  what\n       it is\n       for"
        );
    }

    #[test]
    fn colour_takes_no_columns() {
        let text = "\u{1b}[1mone\u{1b}[0m two three";
        assert_eq!(fold(text, 13), text);
        assert_eq!(fold(text, 8), "\u{1b}[1mone\u{1b}[0m two\n  three");
    }

    #[test]
    fn commands_output_and_differences_stay_as_they_are() {
        for line in [
            "    $ sh -c 'one two three four'",
            "+ one two three four five",
            "      \u{1b}[2mstderr |\u{1b}[0m one two three four",
        ] {
            assert_eq!(fold(line, 10), line);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_but_blanks_at_the_end_of_rows(text in "[a-z é日\n]{0,200}", width in 4usize..60) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&fold(&text, width)), words(&text));
        }

        #[test]
        fn a_row_that_is_too_long_has_one_word(text in "[a-z ]{0,200}", width in 4usize..60) {
            for row in fold(&text, width).lines() {
                let long = columns(row.trim_end()) > width;
                prop_assert!(!long || row.split_whitespace().count() == 1, "{row:?}");
            }
        }
    }
}
