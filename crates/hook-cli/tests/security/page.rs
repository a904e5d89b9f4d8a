//! The page itself: every test that it names is there, so that it cannot promise more than is held.

use std::fs;
use std::path::{Path, PathBuf};

/// The rows of the tables of `docs/security.md` that name a test: its name and its file.
fn rows(page: &str) -> Vec<(String, String)> {
    let ticked = regex::Regex::new("^`([^`]+)`$").unwrap();
    let inner = |cell: &str| {
        ticked
            .captures(cell.trim())
            .map(|found| found[1].to_owned())
    };
    let lines = page.lines().filter(|line| line.starts_with('|'));
    let cells = lines.map(|line| line.trim_matches('|').split(" | ").collect::<Vec<_>>());
    let named = cells.filter_map(|cells| match cells[..] {
        [_, test, file] => Some((inner(test)?, inner(file)?)),
        _ => None,
    });
    named.collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_test_that_the_page_names_is_in_the_file_that_it_names() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 40, "the page names {} tests", rows.len());
    let mut missing = Vec::new();
    for (test, file) in rows {
        let source = fs::read_to_string(root().join(&file)).unwrap_or_default();
        // A test is a function, or a row of a table whose rows are tests.
        let defined = [format!("fn {test}("), format!("    {test}: ")];
        if !defined.iter().any(|words| source.contains(words)) {
            missing.push(format!("{test} in {file}"));
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_claim_of_the_page_names_a_test() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let claims = page
        .split("\n## ")
        .find(|part| part.starts_with("Claims"))
        .unwrap();
    let rows = claims
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| claim"));
    for row in rows {
        assert_eq!(row.matches('`').count() % 2, 0, "{row}");
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        assert!(
            cells[1].trim().starts_with('`') && cells[2].trim().ends_with(".rs`"),
            "{row}"
        );
    }
}
