//! The documents name a test for every rule: each of those tests is there.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The names of all tests, by file: functions, and rows of tables of tests.
fn tests() -> Vec<(String, HashSet<String>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap());
    let sources = files.filter(|file| file.file_name().to_string_lossy().ends_with(".rs"));
    sources
        .map(|file| {
            let text = fs::read_to_string(file.path()).unwrap();
            let stem = file
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (stem, text.lines().filter_map(name).collect())
        })
        .collect()
}

/// The name of a test that begins on a line.
fn name(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("async ");
    let (name, _) = match line.strip_prefix("fn ") {
        Some(function) => function.split_once('(')?,
        None => line.split_once(':')?,
    };
    is_name(name).then(|| name.to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// What stands between backticks in a document of the book.
fn quoted(document: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(path.join(document)).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_test_that_commands_md_names_is_there() {
    let tests = tests();
    let mut found = 0;
    for quoted in quoted("commands.md") {
        let parts: Vec<&str> = quoted.split("::").collect();
        let [file, .., name] = parts.as_slice() else {
            continue;
        };
        let Some((_, names)) = tests.iter().find(|(stem, _)| stem == file) else {
            assert!(!is_name(file) || *file == "hook_types", "no file: {quoted}");
            continue;
        };
        assert!(names.contains(*name), "no test: {quoted}");
        found += 1;
    }
    assert!(found > 100, "{found}");
}

#[test]
fn every_test_that_servers_md_names_is_there() {
    let servers = tests().into_iter();
    let servers = servers.filter(|(stem, _)| stem.starts_with("server"));
    let names: HashSet<String> = servers.flat_map(|(_, names)| names).collect();
    let mut found = 0;
    for quoted in quoted("servers.md") {
        // A name of four words or more is a sentence.
        if is_name(&quoted) && quoted.matches('_').count() >= 3 {
            assert!(names.contains(&quoted), "no test: {quoted}");
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}
