//! Which lines of a text match, and what is around them. Pure.

use std::ops::Range;

use regex::bytes::Regex;

/// How many characters of a line are shown.
const LONGEST: usize = 500;

/// One line to show.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Between lines that do not follow each other.
    Gap,
    Line {
        number: usize,
        text: String,
        matches: bool,
    },
}

/// The lines of a text, by where they are in it, without their ends.
pub(super) fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let end = if at > start && text[at - 1] == b'\r' {
            at - 1
        } else {
            at
        };
        lines.push(start..end);
        start = at + 1;
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}

/// Which lines match, counted from nought. Each line is matched by itself, unless a match may go over
/// several.
pub(super) fn matching(
    text: &[u8],
    lines: &[Range<usize>],
    regex: &Regex,
    multiline: bool,
) -> Vec<usize> {
    if !multiline {
        let matches = |(_, line): &(usize, &Range<usize>)| regex.is_match(&text[(*line).clone()]);
        return lines
            .iter()
            .enumerate()
            .filter(matches)
            .map(|(index, _)| index)
            .collect();
    }
    let mut matching = Vec::new();
    for found in regex.find_iter(text) {
        // The last line that starts no later.
        let line_of = |at: usize| {
            lines
                .partition_point(|line| line.start <= at)
                .saturating_sub(1)
        };
        let last = line_of(found.end().saturating_sub(1).max(found.start()));
        let first = line_of(found.start()).max(matching.last().map_or(0, |last| last + 1));
        matching.extend(first..=last);
    }
    matching.retain(|line| *line < lines.len());
    matching
}

/// The lines that match, with what is before and after them.
pub(super) fn with_context(
    text: &[u8],
    lines: &[Range<usize>],
    matching: &[usize],
    (before, after): (usize, usize),
) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut next = 0;
    for (place, &index) in matching.iter().enumerate() {
        let first = index.saturating_sub(before).max(next);
        let follower = matching.get(place + 1).copied().unwrap_or(lines.len());
        let last = index
            .saturating_add(after)
            .min(lines.len() - 1)
            .min(follower.max(index + 1) - 1);
        if before + after > 0 && !shown.is_empty() && first > next {
            shown.push(Shown::Gap);
        }
        shown.extend((first..=last).map(|line| Shown::Line {
            number: line + 1,
            text: cut(&text[lines[line].clone()]),
            matches: line == index,
        }));
        next = last + 1;
    }
    shown
}

fn cut(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * LONGEST)]);
    let mut start: String = text.chars().take(LONGEST).collect();
    if start.len() < line.len() && text.chars().count() > LONGEST {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, pattern: &str, multiline: bool) -> Vec<usize> {
        let regex = Regex::new(pattern).unwrap();
        matching(text.as_bytes(), &lines(text.as_bytes()), &regex, multiline)
    }

    #[test]
    fn a_line_is_matched_by_itself() {
        let text = "one\r\ntwo\n\nfour";
        assert_eq!(numbers(text, "o", false), [0, 1, 3]);
        assert_eq!(numbers(text, "^t.o$", false), [1]);
        assert_eq!(
            numbers(text, "e$", false),
            [0],
            "the line end is not part of the line"
        );
        assert_eq!(numbers(text, r"e\s+t", false), [0; 0]);
        assert_eq!(numbers(text, "^$", false), [2]);
        assert_eq!(numbers("", "", false), [0; 0]);
    }

    #[test]
    fn a_match_may_go_over_several_lines() {
        let text = "one\ntwo\nthree\none\n";
        assert_eq!(numbers(text, r"(?s)two.*three", true), [1, 2]);
        assert_eq!(numbers(text, r"e\nt", true), [0, 1]);
        assert_eq!(numbers(text, r"one\n", true), [0, 3]);
        assert_eq!(numbers(text, r"o", true), [0, 1, 3]);
        assert_eq!(numbers(text, r"\z", true), [3]);
        assert_eq!(numbers("", r"\z", true), [0; 0]);
    }

    fn shown(text: &str, pattern: &str, context: (usize, usize)) -> String {
        let (bytes, regex) = (text.as_bytes(), Regex::new(pattern).unwrap());
        let lines = lines(bytes);
        let matching = matching(bytes, &lines, &regex, false);
        let shown = with_context(bytes, &lines, &matching, context);
        let show = |shown: &Shown| match shown {
            Shown::Gap => "--".to_owned(),
            Shown::Line {
                text,
                matches: true,
                ..
            } => format!("{text}!"),
            Shown::Line { text, .. } => text.clone(),
        };
        shown.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn context_overlaps_without_repeating_itself() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(shown(text, "[38]", (0, 0)), "3! 8!");
        assert_eq!(shown(text, "[38]", (1, 1)), "2 3! 4 -- 7 8! 9");
        assert_eq!(shown(text, "[35]", (1, 1)), "2 3! 4 5! 6");
        assert_eq!(shown(text, "[35]", (3, 3)), "1 2 3! 4 5! 6 7 8");
        assert_eq!(shown(text, "[34]", (0, 2)), "3! 4! 5 6");
        assert_eq!(shown(text, "[19]", (1, 0)), "1! -- 8 9!");
    }
}
