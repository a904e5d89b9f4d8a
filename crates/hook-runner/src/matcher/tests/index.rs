//! The index against the matchers it was built from.

use proptest::prelude::*;

use crate::matcher::{Index, Matcher};

fn each_alone(matchers: &[Matcher], subject: &str) -> Vec<usize> {
    let matching = |(_, matcher): &(usize, &Matcher)| matcher.matches(subject).is_match();
    matchers
        .iter()
        .enumerate()
        .filter(matching)
        .map(|(position, _)| position)
        .collect()
}

fn agrees(matchers: &[Matcher], subjects: &[&str]) {
    let index = Index::new(matchers);
    for subject in subjects {
        assert_eq!(
            index.lookup(subject),
            each_alone(matchers, subject),
            "{subject:?}: {index:?}"
        );
    }
}

#[test]
fn finds_every_form_in_order_of_registration() {
    let matchers = [
        Matcher::claude("^mcp__.*read$").unwrap(),
        Matcher::pattern("mcp__*").unwrap(),
        Matcher::claude("mcp__disk__read").unwrap(),
        Matcher::all(),
        Matcher::claude("^(?!Bash)").unwrap(),
        Matcher::pattern("mcp__*__read").unwrap(),
        Matcher::claude_narrow("mcp__disk__read").unwrap(),
        Matcher::claude("Bash").unwrap(),
    ];
    assert_eq!(
        Index::new(&matchers).lookup("mcp__disk__read"),
        [0, 1, 2, 3, 4, 5, 6]
    );
    agrees(
        &matchers,
        &["Bash", "", "mcp__disk__read", "mcp__", "é", "Task"],
    );
}

#[test]
fn a_list_that_matches_twice_is_found_once() {
    let matchers = [Matcher::pattern("mcp__*|mcp__d*|mcp__disk").unwrap()];
    assert_eq!(Index::new(&matchers).lookup("mcp__disk"), [0]);
}

#[test]
fn what_is_known_of_a_subject_overrules_the_pattern() {
    let known = || [("Bash".to_owned(), true), ("Read".to_owned(), false)];
    let matchers = [
        Matcher::regex("^run_").unwrap().knowing(known()),
        Matcher::regex(r"^(?!x)").unwrap().knowing(known()),
        Matcher::pattern("Read|Edit").unwrap().knowing(known()),
        Matcher::all().knowing(known()),
        Matcher::all(),
    ];
    let index = Index::new(&matchers);
    assert_eq!(index.lookup("Bash"), [0, 1, 2, 3, 4]);
    assert_eq!(index.lookup("Read"), [4]);
    assert_eq!(index.lookup("Edit"), [1, 2, 3, 4]);
    assert!(!matchers[3].is_all());
    agrees(&matchers, &["Bash", "Read", "Edit", "run_command", "x", ""]);
}

#[test]
fn legacy_names_are_found_unless_spelling_counts() {
    let matchers = [
        Matcher::claude("Task").unwrap(),
        Matcher::claude_narrow("Task").unwrap(),
    ];
    assert_eq!(Index::new(&matchers).lookup("Agent"), [0]);
    assert_eq!(Index::new(&matchers).lookup("Task"), [0, 1]);
}

#[test]
fn limit_hits_are_matches_and_reported() {
    let matchers = [Matcher::claude(r"^(a|a)*\1$").unwrap(), Matcher::all()];
    let found = Index::new(&matchers).search(&format!("{}b", "a".repeat(40)));
    assert_eq!((found.matches, found.limit_hits), (vec![0, 1], vec![0]));
}

#[test]
fn a_prefix_does_not_cut_a_character() {
    agrees(
        &[
            Matcher::pattern("a*").unwrap(),
            Matcher::pattern("abc*").unwrap(),
        ],
        &["aé", "abé"],
    );
}

#[test]
fn patterns_that_share_a_literal_are_all_found() {
    let matchers: Vec<_> = (0..200)
        .flat_map(|n| {
            [
                format!("^mcp__[a-z]{{{}}}$", n % 20),
                format!("mcp__[a-c]*[{}-9]", n % 9),
            ]
        })
        .map(|pattern| Matcher::pattern(&pattern).unwrap())
        .collect();
    agrees(&matchers, &["mcp__abc", "mcp__a7", "mcp__", "Bash"]);
}

#[test]
fn regexes_beyond_one_set_are_all_found() {
    // Unicode classes are large: so many of them do not fit into one set.
    let matchers: Vec<_> = (0..60)
        .map(|n| Matcher::claude(&format!(r"^[\p{{L}}\d]{{1,{}}}$", n % 20 + 1)).unwrap())
        .collect();
    agrees(&matchers, &["a", "abcdefghij", "éééééééééééééééééééé", "_"]);
}

#[test]
fn an_empty_index_finds_nothing() {
    assert!(Index::new([]).is_empty());
    assert!(Index::new([]).lookup("Bash").is_empty());
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Bash".to_owned()),
        Just("Task".to_owned()),
        Just("Agent".to_owned()),
        "[a-c_]{0,6}",
        "mcp__[a-c]{1,2}__[a-c]{1,3}",
        "\\PC{0,5}",
    ]
}

fn matcher() -> impl Strategy<Value = Matcher> {
    let pattern = prop_oneof![
        name(),
        "[a-c_|,*?]{0,8}",
        "mcp__[a-c]\\*",
        "[a-c]{0,2}\\*[a-c]{1,4}",
        "\\^?[a-c.]{0,5}(\\.\\*)?[a-c]{0,3}\\$?",
        "\\((abc|bcd)\\|[a-c]{3}\\)[a-c]?",
        "\\(\\?![a-c]\\)[a-c]*",
        "(aaa|bbb)\\{1,2\\}[a-c]",
    ];
    (pattern, 0..4_u8).prop_filter_map("not a pattern", |(pattern, form)| {
        let made = match form {
            0 => Matcher::claude(&pattern),
            1 => Matcher::claude_narrow(&pattern),
            2 => Matcher::pattern(&pattern),
            _ => Matcher::regex(&pattern),
        };
        made.ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn agrees_with_each_matcher_alone(
        matchers in prop::collection::vec(matcher(), 0..40),
        subjects in prop::collection::vec(name(), 1..20),
    ) {
        let index = Index::new(&matchers);
        for subject in &subjects {
            prop_assert_eq!(index.lookup(subject), each_alone(&matchers, subject));
        }
    }
}
