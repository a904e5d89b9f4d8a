//! Somebody's text in rows: cleaned, cut to a width or wrapped at it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::render::clean;
use crate::terminal::fit;

/// Below this there is no room for margins.
const NARROW: usize = 8;
/// How wide a tab is.
const TAB: &str = "    ";

/// Text in one row, without anything that a terminal would obey.
pub(crate) fn row(text: &str) -> String {
    clean(text.trim_end()).replace(['\n', '\t'], " ")
}

/// Text in exactly so many columns: cut, or filled up with blanks.
pub(crate) fn cell(text: &str, width: usize) -> String {
    if width == 0 {
        return String::new();
    }
    let mut cell = fit(&row(text), width);
    let used = cell.width();
    cell.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
    cell
}

/// The same, at the right.
pub(crate) fn right(text: &str, width: usize) -> String {
    let text = fit(&row(text), width);
    let blank = width.saturating_sub(text.width());
    format!("{}{text}", " ".repeat(blank))
}

/// Text in as many rows as it takes.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = clean(text).replace('\t', TAB);
    text.lines()
        .flat_map(|line| wrap_line(line, width.max(1)))
        .collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    // What goes on below begins where it began.
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let room = if width < NARROW { 0 } else { width / 2 };
    let margin = " ".repeat(blanks.min(room));
    let mut rows = Vec::new();
    let mut row = String::new();
    let mut used = 0;
    for c in line.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns > width {
            let rest = break_at_blank(&mut row);
            let whole = std::mem::replace(&mut row, format!("{margin}{rest}"));
            rows.push(whole.trim_end().to_owned());
            used = row.width();
        }
        row.push(c);
        used += columns;
    }
    rows.push(row);
    rows
}

/// What is moved to the next row so that no word is broken that fits into one: what stands after the
/// last blank, unless that is most of the row.
fn break_at_blank(row: &mut String) -> String {
    match row.rfind(' ') {
        Some(blank) if blank + 1 < row.len() && blank * 2 >= row.len() => {
            let rest = row.split_off(blank + 1);
            row.truncate(blank);
            rest
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        assert_eq!(
            wrap("no sudo here, please", 10),
            ["no sudo", "here,", "please"]
        );
        assert_eq!(wrap("abcdefghijkl", 5), ["abcde", "fghij", "kl"]);
        assert_eq!(wrap("one\n\ntwo", 10), ["one", "", "two"]);
        assert_eq!(wrap("  no sudo here", 10), ["  no sudo", "  here"]);
        assert_eq!(cell("日本語", 4), "日… ");
        assert_eq!(row(" two\nlines\t\n"), " two lines");
    }

    proptest! {
        #[test]
        fn no_row_is_wider_than_it_may_be_and_no_escape_gets_through(text in ".{0,200}", width in 2usize..60) {
            for row in wrap(&text, width) {
                prop_assert!(row.width() <= width, "{row:?}");
                prop_assert!(!row.chars().any(char::is_control), "{row:?}");
            }
            prop_assert_eq!(cell(&text, width).width(), width);
            prop_assert!(!cell(&text, width).chars().any(char::is_control));
        }

        #[test]
        fn wrapping_loses_nothing_but_blanks(text in "[a-z \u{1b}é日\t\n]{0,120}", width in 2usize..40) {
            let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeezed(&wrap(&text, width).concat()), squeezed(&clean(&text)));
        }
    }
}
