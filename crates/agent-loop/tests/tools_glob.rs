//! Glob: which files are found, in which order, and how many.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tools_support::{Desk, text};

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

/// Names of found files, from the desk's root on.
async fn found(desk: &Desk, input: Value) -> Vec<String> {
    let response = desk.response("Glob", input).await;
    let names = response["filenames"].as_array().unwrap().iter();
    let root = format!("{}/", text(&desk.root()));
    names
        .map(|name| {
            name.as_str()
                .unwrap()
                .strip_prefix(&root)
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// Files of which each is older than the one before it.
fn put_in_order(desk: &Desk, names: &[&str]) {
    for (name, age) in names.iter().zip(0..) {
        let path = desk.put(name, "");
        let file = fs::File::options().write(true).open(path).unwrap();
        let time = SystemTime::now() - Duration::from_secs(1000 + 60 * age);
        file.set_modified(time).unwrap();
    }
}

#[tokio::test]
async fn files_are_found_by_pattern_with_the_newest_first() {
    let desk = Desk::new();
    put_in_order(
        &desk,
        &[
            "src/z.rs",
            "a.rs",
            "src/deep/b.rs",
            "src/c.txt",
            ".hidden.rs",
            "node_modules/d.rs",
        ],
    );
    desk.put(".gitignore", "node_modules\n");
    desk.put(".git/e.rs", "");
    let table = [
        (
            "**/*.rs",
            vec![
                "src/z.rs",
                "a.rs",
                "src/deep/b.rs",
                ".hidden.rs",
                "node_modules/d.rs",
            ],
        ),
        ("*.rs", vec!["a.rs", ".hidden.rs"]),
        ("src/*", vec!["src/z.rs", "src/c.txt"]),
        ("src/", vec!["src/z.rs", "src/deep/b.rs", "src/c.txt"]),
        (
            "src/**/*.{rs,txt}",
            vec!["src/z.rs", "src/deep/b.rs", "src/c.txt"],
        ),
        ("src/[a-c].*", vec!["src/c.txt"]),
        ("./src/../a.rs", vec!["a.rs"]),
        ("*.nothing", vec![]),
        ("nowhere/*", vec![]),
    ];
    for (pattern, expected) in table {
        assert_eq!(
            found(&desk, json!({"pattern": pattern})).await,
            expected,
            "{pattern}"
        );
    }
    let inside = json!({"pattern": "**/*.rs", "path": "src"});
    assert_eq!(found(&desk, inside).await, ["src/z.rs", "src/deep/b.rs"]);
    let absolute = json!({"pattern": format!("{}/src/*.rs", text(&desk.root())), "path": "/"});
    assert_eq!(found(&desk, absolute).await, ["src/z.rs"]);
}

#[tokio::test]
async fn more_than_a_hundred_files_are_cut_and_said_to_be() {
    let desk = Desk::new();
    for number in 0..101 {
        desk.put(&format!("{number}.txt"), "");
    }
    let response = desk.response("Glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(
        (&response["numFiles"], &response["truncated"]),
        (&json!(100), &json!(true))
    );
    let seen = desk.tool("Glob").render(&response).unwrap();
    assert_eq!(seen.lines().count(), 101);
    assert!(seen.ends_with("(there are more; use a narrower pattern or path)"));
    fs::remove_file(desk.path("7.txt")).unwrap();
    let response = desk.response("Glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(
        (&response["numFiles"], &response["truncated"]),
        (&json!(100), &json!(false))
    );
}

#[tokio::test]
async fn nothing_found_and_nothing_to_search_are_told_apart() {
    let desk = Desk::new();
    assert_eq!(
        desk.seen("Glob", json!({"pattern": "*.rs"})).await,
        "(no files)"
    );
    let message = desk
        .failure("Glob", json!({"pattern": "*", "path": "missing"}))
        .await;
    assert!(
        message.contains("does not exist: there is nothing to search"),
        "{message}"
    );
    let message = desk.failure("Glob", json!({"pattern": "[z-a]"})).await;
    assert!(message.starts_with("`[z-a]` is no pattern: "), "{message}");
}

#[tokio::test]
async fn links_to_directories_are_not_followed_round_and_round() {
    let desk = Desk::new();
    desk.put("a/file.txt", "");
    std::os::unix::fs::symlink(desk.root(), desk.path("a/up")).unwrap();
    std::os::unix::fs::symlink("file.txt", desk.path("a/link.txt")).unwrap();
    let mut names = found(&desk, json!({"pattern": "**/*.txt"})).await;
    names.sort();
    assert_eq!(names, ["a/file.txt", "a/link.txt"]);
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    let desk = Desk::new();
    desk.put("a.txt", "");
    desk.context.cancellation.cancel();
    let error = desk
        .call("Glob", json!({"pattern": "**"}))
        .await
        .unwrap_err();
    assert!(error.interrupted);
}
