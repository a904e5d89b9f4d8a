//! "Did you mean …?": the nearest of the names that exist.

/// The candidate nearest to `word`, if one is near enough to be what was meant.
///
/// Case and the separators `_`, `-` and `.` do not count, so `pre_tool_use` is `PreToolUse`;
/// beyond that, one slip for every four letters, three at most.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let folded = fold(word);
    let allowed = (folded.chars().count() / 4).min(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A name without its case and separators.
pub(crate) fn fold(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// How many letters must be added, dropped, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut best = (last[j + 1] + 1)
                .min(row[j] + 1)
                .min(last[j] + usize::from(a[i] != b[j]));
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_separators_do_not_count() {
        assert_eq!(
            nearest("pre_tool_use", ["Stop", "PreToolUse"]),
            Some("PreToolUse")
        );
        assert_eq!(nearest("PRETOOLUSE", ["PreToolUse"]), Some("PreToolUse"));
    }

    #[test]
    fn a_slip_is_forgiven_and_a_swap_is_one_slip() {
        assert_eq!(
            nearest("PerToolUse", ["PreToolUse", "PostToolUse"]),
            Some("PreToolUse")
        );
        assert_eq!(
            nearest("Notificaton", ["Notification"]),
            Some("Notification")
        );
    }

    #[test]
    fn another_word_is_not_near() {
        assert_eq!(nearest("BeforeTool", ["PreToolUse", "Stop"]), None);
        assert_eq!(nearest("Sotp", ["Stop"]), Some("Stop"));
        assert_eq!(nearest("Sto", ["Stop"]), None);
    }
}
