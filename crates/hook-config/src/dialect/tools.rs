//! Patterns over tools that have one name here and another where the pattern was written.

use hook_runner::matcher::Matcher;
use hook_shell::Names;

/// The pattern as a matcher of tools under any of their names.
///
/// A tool of ours is tested under the names that the dialect has for it; under our own only where the
/// pattern spells it out. So `run_command` and `Bash` both find `Bash`, and `^(?!run_command)` does
/// not. A tool that has no other name, or that an agent calls by theirs, is tested as it is.
pub(super) fn matcher(names: Names, written: &str, pattern: Matcher) -> Matcher {
    if pattern.is_all() {
        return pattern;
    }
    let fits = |name: &str| pattern.matches(name).is_match();
    let spelt = |ours: &str| written.contains(ours) && fits(ours);
    let ours = names.pairs().map(|(ours, _)| {
        let theirs = names.all_theirs(ours);
        let theirs = theirs.iter().filter(|name| **name != ours);
        let found = theirs.copied().any(fits);
        (ours.to_owned(), found || spelt(ours))
    });
    let theirs = names
        .pairs()
        .map(|(ours, theirs)| (theirs.to_owned(), fits(theirs) || spelt(ours)));
    let known: Vec<(String, bool)> = ours.chain(theirs).collect();
    pattern.knowing(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_a_tool_under_either_name() {
        let cases = [
            ("run_command", "Bash", true),
            ("run_command", "run_command", true),
            ("^run_command$", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "run_command", true),
            ("run_command", "Read", false),
            ("edit_file|write_file", "Edit", true),
            ("edit_file|write_file", "Write", true),
            ("edit_file|write_file", "Read", false),
            ("multi_edit", "Edit", true),
            ("_file", "Read", true),
            ("mcp__.*", "mcp__mem__save", true),
            ("mcp__.*", "Bash", false),
            ("^(?!run_command)", "Bash", false),
            ("^(?!run_command)", "Read", true),
            ("^(?!run_command)", "WebFetch", true),
            ("^(?!run_command)", "run_command", false),
            ("edit_file|NotebookEdit", "Edit", true),
            ("edit_file|NotebookEdit", "NotebookEdit", true),
        ];
        for (pattern, tool, expected) in cases {
            let regex = Matcher::regex(pattern).unwrap();
            let matcher = matcher(Names::OPTA, pattern, regex);
            assert_eq!(
                matcher.matches(tool).is_match(),
                expected,
                "{pattern} {tool}"
            );
            assert_eq!(matcher.to_string(), pattern);
        }
    }
}
