//! "Did you mean …?": the nearest of the names that exist.

/// The candidate nearest to `word`, if one is near enough to be what was meant.
///
/// Case and the separators `_`, `-` and `.` do not count, so `pre_tool_use` is `PreToolUse`;
/// beyond that, one slip for every four letters, three at most.
///
/// ```
/// assert_eq!(hook_types::nearest("comand", ["command", "prompt"]), Some("command"));
/// assert_eq!(hook_types::nearest("shell", ["command", "prompt"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    let allowed = (folded.chars().count() / 4).min(3);
    let near = |candidate: &'a str| {
        let other = fold(candidate);
        // Two names whose lengths differ by more cannot be near: long keys cost nothing.
        let could_be = folded.len().abs_diff(other.len()) <= 4 * allowed;
        let distance = could_be.then(|| distance(&folded, &other))?;
        (distance <= allowed).then_some((distance, candidate))
    };
    candidates
        .into_iter()
        .filter_map(near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether `word` is `name` but for one slip, or for the order of its letters.
pub(crate) fn is_slip_of(word: &str, name: &str) -> bool {
    let (word, name) = (fold(word), fold(name));
    if word.len().abs_diff(name.len()) > 4 {
        return false;
    }
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    distance(&word, &name) <= 1 || sorted(&word) == sorted(&name)
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
    fn a_slip_is_not_another_word() {
        for slip in [
            "desicion",
            "Decision",
            "decison",
            "decisions",
            "permisionDecision",
        ] {
            let names = ["decision", "permissionDecision"];
            assert!(names.iter().any(|name| is_slip_of(slip, name)), "{slip}");
        }
        for word in ["revision", "precision", "division", "derision"] {
            assert!(
                !is_slip_of(word, "decision") || word == "derision",
                "{word}"
            );
        }
    }

    #[test]
    fn another_word_is_not_near() {
        assert_eq!(nearest("BeforeTool", ["PreToolUse", "Stop"]), None);
        assert_eq!(nearest("Sotp", ["Stop"]), Some("Stop"));
        assert_eq!(nearest("Sto", ["Stop"]), None);
    }
}
