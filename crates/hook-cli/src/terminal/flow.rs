//! Text that comes in pieces, broken between words as it comes.

use unicode_width::UnicodeWidthStr;

/// Where the last piece ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    column: usize,
    /// Whether it ended in the middle of a word.
    in_word: bool,
}

impl Flow {
    /// The next piece, with line breaks where a word would not fit into `width` columns. Must have no
    /// colours. What was shown of a word stays where it is: a word that came in pieces may be broken.
    pub(crate) fn next(&mut self, piece: &str, width: usize) -> String {
        let mut shown = String::new();
        for part in piece.split_inclusive([' ', '\n']) {
            let word = part.trim_end_matches([' ', '\n']);
            let wide = word.width();
            let fits = self.column + wide <= width;
            if !fits && !self.in_word && wide <= width && wide > 0 {
                shown.push('\n');
                self.column = 0;
            }
            self.in_word = word.len() == part.len();
            if wide > 0 && self.column + wide == width && part.ends_with(' ') {
                // The row is full: the blank would begin the next one.
                shown.push_str(word);
                shown.push('\n');
                self.column = 0;
                continue;
            }
            shown.push_str(part);
            self.column += part.width();
            if part.ends_with('\n') {
                self.column = 0;
            } else if self.column > width {
                self.column %= width.max(1); // the terminal has broken the line itself
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flowed(pieces: &[&str], width: usize) -> String {
        let mut flow = Flow::default();
        pieces.iter().map(|piece| flow.next(piece, width)).collect()
    }

    #[test]
    fn words_that_do_not_fit_begin_a_line() {
        assert_eq!(flowed(&["one ", "two ", "three"], 8), "one two \nthree");
        assert_eq!(flowed(&["one two three"], 8), "one two \nthree");
        assert_eq!(flowed(&["one\ntwo three"], 9), "one\ntwo three");
        assert_eq!(flowed(&["one abcdefghijkl"], 8), "one abcdefghijkl");
        assert_eq!(flowed(&["one tw", "elve"], 8), "one twelve");
        assert_eq!(flowed(&["one four ", "five"], 8), "one four\nfive");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_but_blanks_at_the_ends_of_rows(pieces in prop::collection::vec("[a-z é日\n]{0,12}", 0..20), width in 4usize..40) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let bare = |text: &str| text.replace(['\n', ' '], "");
            prop_assert_eq!(bare(&flowed(&pieces, width)), bare(&pieces.concat()));
        }

        #[test]
        fn no_word_is_broken_that_fits_into_a_row(text in "[a-z ]{0,200}", width in 4usize..40) {
            for line in flowed(&[&text], width).lines() {
                // The terminal breaks whatever is longer.
                for at in (width..line.len()).step_by(width) {
                    let (before, after) = line.split_at(at);
                    let start = before.rsplit(' ').next().map_or(0, str::len);
                    let end = after.split(' ').next().map_or(0, str::len);
                    prop_assert!(start == 0 || end == 0 || start + end > width, "{line:?}");
                }
            }
        }
    }
}
