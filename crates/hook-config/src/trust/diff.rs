//! The difference of two short texts, line by line.

/// A line of either text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// In both.
    Kept(String),
    /// Only in the first.
    Removed(String),
    /// Only in the second.
    Added(String),
}

/// Above so many pairs of lines, what differs is shown as removed and added as a whole.
const MAX_PAIRS: usize = 4_000_000;

/// The lines of both texts in order, the longest common ones kept.
///
/// ```
/// use hook_config::trust::{DiffLine, diff};
///
/// let lines = diff("a\nb\n", "a\nc\n");
/// assert_eq!(lines, [
///     DiffLine::Kept("a".into()),
///     DiffLine::Removed("b".into()),
///     DiffLine::Added("c".into()),
/// ]);
/// ```
pub fn diff(before: &str, after: &str) -> Vec<DiffLine> {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let start = common(before.iter(), after.iter());
    let (head, before) = before.split_at(start);
    let after = after.get(start..).unwrap_or_default();
    let end = common(before.iter().rev(), after.iter().rev());
    let (before, tail) = before.split_at(before.len() - end);
    let after = after.get(..after.len() - end).unwrap_or_default();

    let mut lines: Vec<DiffLine> = kept(head).collect();
    middle(before, after, &mut lines);
    lines.extend(kept(tail));
    lines
}

fn common<'a>(
    one: impl Iterator<Item = &'a &'a str>,
    other: impl Iterator<Item = &'a &'a str>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

fn kept(lines: &[&str]) -> impl Iterator<Item = DiffLine> {
    lines.iter().map(|line| DiffLine::Kept((*line).to_owned()))
}

fn middle(before: &[&str], after: &[&str], lines: &mut Vec<DiffLine>) {
    let (mut i, mut j) = (0, 0);
    if before.len().saturating_mul(after.len()) <= MAX_PAIRS {
        let common = Common::of(before, after);
        while let (Some(old), Some(new)) = (before.get(i), after.get(j)) {
            if old == new {
                lines.push(DiffLine::Kept((*old).to_owned()));
                i += 1;
                j += 1;
            } else if common.at(i + 1, j) >= common.at(i, j + 1) {
                lines.push(DiffLine::Removed((*old).to_owned()));
                i += 1;
            } else {
                lines.push(DiffLine::Added((*new).to_owned()));
                j += 1;
            }
        }
    }
    let rest = |lines: &[&str], from: usize| -> Vec<String> {
        let rest = lines.get(from..).unwrap_or_default();
        rest.iter().map(|line| (*line).to_owned()).collect()
    };
    lines.extend(rest(before, i).into_iter().map(DiffLine::Removed));
    lines.extend(rest(after, j).into_iter().map(DiffLine::Added));
}

/// How many lines the texts have in common from each pair of lines on.
struct Common {
    counts: Vec<u32>,
    width: usize,
}

impl Common {
    fn of(before: &[&str], after: &[&str]) -> Self {
        let width = after.len() + 1;
        let mut common = Self {
            counts: vec![0; (before.len() + 1) * width],
            width,
        };
        for i in (0..before.len()).rev() {
            for j in (0..after.len()).rev() {
                common.counts[i * width + j] = if before[i] == after[j] {
                    common.at(i + 1, j + 1) + 1
                } else {
                    common.at(i + 1, j).max(common.at(i, j + 1))
                };
            }
        }
        common
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        self.counts.get(i * self.width + j).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side(lines: &[DiffLine], is_before: bool) -> Vec<String> {
        let pick = |line: &DiffLine| match line {
            DiffLine::Kept(text) => Some(text.clone()),
            DiffLine::Removed(text) => is_before.then(|| text.clone()),
            DiffLine::Added(text) => (!is_before).then(|| text.clone()),
        };
        lines.iter().filter_map(pick).collect()
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_off_a_difference(before in "([abc]\n){0,12}", after in "([abc]\n){0,12}") {
            let lines = diff(&before, &after);
            prop_assert_eq!(side(&lines, true), before.lines().collect::<Vec<_>>());
            prop_assert_eq!(side(&lines, false), after.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn texts_that_are_the_same_differ_in_nothing() {
        let lines = diff("a\nb", "a\nb");
        assert!(lines.iter().all(|line| matches!(line, DiffLine::Kept(_))));
    }

    #[test]
    fn long_texts_are_told_apart_in_bounded_time() {
        let text = |from: u32| {
            let lines: Vec<String> = (from..from + 5000).map(|n| n.to_string()).collect();
            lines.join("\n")
        };
        assert_eq!(diff(&text(0), &text(5000)).len(), 10000);
    }
}
