//! Patterns over names: `hook_runner::matcher::{Matcher, Index}`.
//!
//! An input is a byte that picks the rule for patterns, a pattern, a line break, and subjects, one a line.

use hook_runner::matcher::{Index, Matcher, MatcherError};

use super::{Target, pick, with_each_choice};
use crate::trace::Trace;

pub(super) const TARGET: Target = Target {
    name: "matchers",
    about: "the matcher of a hook, against subjects",
    words: WORDS,
    seeds,
    check,
};

const WORDS: &[&str] = &[
    "\n", "|", ",", "*", "?", "[a-z]", "{a,b}", "Edit", "Write", "Bash", "Task", "Agent", "mcp__",
    "__", ".*", "^", "$", "(?!Bash)", "(?<=a)", "(?:", ")", "\\b", "\\d+", "\\w", "\\1", "(a+)+",
    "{1,1000}", "\\p{L}", "[^/]", "(?<n>", "\\u{61}", "\\u0061", "\\cA", "[\\s\\S]", "(?i)", "(?=",
    "é", "-", ":", " ", "\\k<n>", "[[", "&&", "\\x41", "$|^",
];

type Reader = fn(&str) -> Result<Matcher, MatcherError>;
const READERS: [(&str, Reader); 4] = [
    ("claude", Matcher::claude),
    ("narrow", Matcher::claude_narrow),
    ("pattern", Matcher::pattern),
    ("regex", Matcher::regex),
];

fn seeds() -> Vec<Vec<u8>> {
    with_each_choice(
        &[0, 1, 2, 3],
        &[
            "\nBash\n",
            "Edit|Write\nEdit\nNotebookEdit",
            "mcp__*__read\nmcp__disk__read",
            "^mcp__(disk|net)__.*$\nmcp__net__get",
            "^(?!Bash).*\nRead\nBash",
            "(a+)+$\naaaaaaaaaaaaaaaaaaaaaaaab",
            "^(\\w)\\1\naardvark",
            "Task\nAgent",
            "[A-Z]{2,}\\d\nAB1",
            ".env, .envrc\n.env",
        ],
    )
}

fn check(input: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let Some(((name, reader), rest)) = pick(&READERS, input) else {
        return trace;
    };
    let text = String::from_utf8_lossy(rest);
    let (pattern, subjects) = text.split_once('\n').unwrap_or((&text, "Bash"));
    trace.saw(name);
    let matcher = match reader(pattern) {
        Ok(matcher) => matcher,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            trace.shown(std::mem::discriminant(error.kind()));
            return trace;
        }
    };
    let form = format!("{matcher:?}");
    trace.saw(form.rsplit(' ').next().unwrap_or_default());
    assert_eq!(matcher.to_string(), pattern, "it is shown as it is written");
    let again = reader(&matcher.to_string()).map(|again| format!("{again:?}"));
    assert_eq!(
        again.ok(),
        Some(form),
        "what is printed is read as the same"
    );

    // Among others, and twice, so that an index has something to tell apart.
    let others = [
        Matcher::all(),
        matcher.clone(),
        plain("Bash"),
        matcher.clone(),
    ];
    let index = Index::new(&others);
    for subject in subjects.split('\n').take(8).chain(["", "Bash"]) {
        let answer = matcher.matches(subject);
        trace.shown(answer);
        let found = index.search(subject);
        let expected: Vec<usize> = others
            .iter()
            .enumerate()
            .filter(|(_, matcher)| matcher.matches(subject).is_match())
            .map(|(at, _)| at)
            .collect();
        assert_eq!(
            found.matches, expected,
            "an index and {pattern:?} on {subject:?}"
        );
        assert!(
            found
                .limit_hits
                .iter()
                .all(|hit| found.matches.contains(hit))
        );
        assert!(!matcher.is_all() || answer.is_match());
        agrees_with_the_rule(name, pattern, subject, answer.is_match());
    }
    trace
}

fn plain(name: &str) -> Matcher {
    Matcher::claude(name).unwrap_or_else(|_| Matcher::all())
}

/// The rule of Claude-format files for plain names, in a few words of its own.
fn agrees_with_the_rule(reader: &str, pattern: &str, subject: &str, found: bool) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '|');
    // Tools that were renamed go by two names.
    let words = ["Task", "Agent", "Kill", "List", "Brief", "Send", "ReadMcp"];
    let renamed = words.iter().any(|word| subject.starts_with(word));
    if reader != "claude" || pattern.is_empty() || !pattern.chars().all(plain) || renamed {
        return;
    }
    let mut names = pattern.split(['|', ',']).map(str::trim);
    let listed = names.any(|name| name == subject && !name.is_empty());
    assert_eq!(found, listed, "{pattern:?} on {subject:?}");
}
