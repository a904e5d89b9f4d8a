//! What changed in a file, as hunks of a unified diff.

use std::time::Duration;

use serde_json::{Value, json};
use similar::{ChangeTag, DiffOp, TextDiff};

/// Texts longer than this are not compared.
pub(super) const LONGEST: usize = 1 << 20;
/// Lines around a change.
const AROUND: usize = 3;
/// When a good answer is enough.
const ENOUGH: Duration = Duration::from_millis(500);

/// The hunks as hooks know them: `oldStart`, `oldLines`, `newStart`, `newLines`, and `lines` with a sign
/// before each.
pub(super) fn hunks(old: &str, new: &str) -> Value {
    if old.len().max(new.len()) > LONGEST {
        return json!([]);
    }
    let diff = TextDiff::configure().timeout(ENOUGH).diff_lines(old, new);
    let groups = diff.grouped_ops(AROUND);
    groups.iter().map(|group| hunk(&diff, group)).collect()
}

fn hunk<'a>(diff: &TextDiff<'a, 'a, str>, group: &[DiffOp]) -> Value {
    let (mut old, mut new) = (Span::default(), Span::default());
    for op in group {
        old.cover(op.old_range());
        new.cover(op.new_range());
    }
    let changes = group.iter().flat_map(|op| diff.iter_changes(op));
    let lines: Vec<String> = changes
        .map(|change| {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            format!("{sign}{}", change.value().trim_end_matches(['\r', '\n']))
        })
        .collect();
    json!({
        "oldStart": old.start(), "oldLines": old.lines,
        "newStart": new.start(), "newLines": new.lines,
        "lines": lines,
    })
}

#[derive(Default)]
struct Span {
    first: Option<usize>,
    lines: usize,
}

impl Span {
    fn cover(&mut self, range: std::ops::Range<usize>) {
        self.first.get_or_insert(range.start);
        self.lines += range.len();
    }

    /// Counted from one; an empty span starts after the line before it.
    fn start(&self) -> usize {
        let first = self.first.unwrap_or(0);
        if self.lines == 0 { first } else { first + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_the_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = old.replace("5\n", "five\n5b\n");
        assert_eq!(
            hunks(old, &new),
            json!([{"oldStart": 2, "oldLines": 7, "newStart": 2, "newLines": 8,
                    "lines": [" 2", " 3", " 4", "-5", "+five", "+5b", " 6", " 7", " 8"]}])
        );
    }

    #[test]
    fn distant_changes_are_hunks_of_their_own() {
        let lines: Vec<String> = (0..40).map(|line| line.to_string()).collect();
        let old = lines.join("\n") + "\n";
        let new = old.replace("\n3\n", "\nx\n").replace("\n30\n", "\n");
        let hunks = hunks(&old, &new);
        let lines = |index: usize| {
            (
                hunks[index]["oldStart"].clone(),
                hunks[index]["newLines"].clone(),
            )
        };
        assert_eq!(
            (lines(0), lines(1)),
            ((json!(1), json!(7)), (json!(28), json!(6)))
        );
    }

    #[test]
    fn a_new_file_is_added_as_a_whole() {
        assert_eq!(
            hunks("", "a\nb"),
            json!([{"oldStart": 0, "oldLines": 0, "newStart": 1, "newLines": 2, "lines": ["+a", "+b"]}])
        );
        assert_eq!(hunks("a", "a"), json!([]));
    }
}
