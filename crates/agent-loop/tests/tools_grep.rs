//! Grep: what is searched, what is shown, and where it ends.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tools_support::{Desk, text};

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

/// The lines that the model sees.
async fn content(desk: &Desk, mut input: Value) -> String {
    input["output_mode"] = json!("content");
    desk.seen("Grep", input).await
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put(
        "a.rs",
        "fn main() {\n    greet();\n}\n\nfn greet() {\n    // Hello\n}\n",
    );
    desk.put("b.txt", "hello\nworld\nhello\n");
    desk
}

#[tokio::test]
async fn lines_come_with_file_and_number() {
    let desk = desk();
    assert_eq!(
        content(&desk, json!({"pattern": "hello"})).await,
        "b.txt:1:hello\nb.txt:3:hello"
    );
    assert_eq!(
        content(
            &desk,
            json!({"pattern": "HELLO", "-i": true, "glob": "*.rs"})
        )
        .await,
        "a.rs:6:    // Hello"
    );
    let plain = json!({"pattern": r"^fn \w+", "-n": false});
    assert_eq!(
        content(&desk, plain).await,
        "a.rs:fn main() {\na.rs:fn greet() {"
    );
    let one_file = json!({"pattern": "world", "path": "b.txt"});
    assert_eq!(content(&desk, one_file).await, "b.txt:2:world");
    assert_eq!(
        content(&desk, json!({"pattern": "nowhere"})).await,
        "(nothing found)"
    );
}

#[tokio::test]
async fn lines_around_a_match_are_marked_as_such() {
    let desk = desk();
    let around = json!({"pattern": r"greet\(\)", "-C": 1});
    assert_eq!(
        content(&desk, around).await,
        "a.rs-1-fn main() {\na.rs:2:    greet();\na.rs-3-}\na.rs-4-\na.rs:5:fn greet() {\na.rs-6-    // Hello"
    );
    let after = json!({"pattern": "main|Hello", "-A": 1});
    assert_eq!(
        content(&desk, after).await,
        "a.rs:1:fn main() {\na.rs-2-    greet();\n--\na.rs:6:    // Hello\na.rs-7-}"
    );
    let before = json!({"pattern": "world", "-B": 1});
    assert_eq!(content(&desk, before).await, "b.txt-1-hello\nb.txt:2:world");
}

#[tokio::test]
async fn a_match_may_go_over_several_lines_where_that_is_asked_for() {
    let desk = desk();
    let pattern = r"hello.world";
    assert_eq!(
        content(&desk, json!({"pattern": pattern})).await,
        "(nothing found)"
    );
    assert_eq!(
        content(&desk, json!({"pattern": pattern, "multiline": true})).await,
        "b.txt:1:hello\nb.txt:2:world"
    );
}

#[tokio::test]
async fn files_and_counts_are_shown_where_they_are_asked_for() {
    let desk = desk();
    let old = fs::File::options()
        .write(true)
        .open(desk.path("a.rs"))
        .unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(1000))
        .unwrap();
    let response = desk.response("Grep", json!({"pattern": "(?i)hello"})).await;
    assert_eq!(
        response,
        json!({"mode": "files_with_matches", "numFiles": 2,
               "filenames": [text(&desk.path("b.txt")), text(&desk.path("a.rs"))]})
    );
    let counts = desk
        .response("Grep", json!({"pattern": "hello", "output_mode": "count"}))
        .await;
    assert_eq!(
        counts,
        json!({"mode": "count", "numFiles": 1, "filenames": [text(&desk.path("b.txt"))],
               "content": "b.txt:2", "numMatches": 2})
    );
}

#[tokio::test]
async fn what_is_ignored_binary_or_gits_own_is_left_out() {
    let desk = Desk::new();
    for name in [
        "kept.txt",
        ".hidden",
        "built/out.txt",
        "deep/secret.txt",
        ".git/config",
    ] {
        desk.put(name, "needle\n");
    }
    desk.put("binary", b"needle\0needle\n");
    desk.put(".gitignore", "built/\n");
    desk.put("deep/.ignore", "secret.txt\n");
    let mut names: Vec<String> = desk
        .seen("Grep", json!({"pattern": "needle"}))
        .await
        .lines()
        .map(str::to_owned)
        .collect();
    names.sort();
    assert_eq!(
        names,
        [text(&desk.path(".hidden")), text(&desk.path("kept.txt"))]
    );
    let inside = desk
        .seen(
            "Grep",
            json!({"pattern": "needle", "path": "built/out.txt"}),
        )
        .await;
    assert_eq!(
        inside,
        text(&desk.path("built/out.txt")),
        "a file that is named is searched"
    );
}

#[tokio::test]
async fn files_are_chosen_by_name_or_by_language() {
    let desk = desk();
    desk.put("src/c.rs", "hello\n");
    let table = [
        (json!({"glob": "*.txt"}), vec!["b.txt"]),
        (json!({"glob": "*.{rs,md}"}), vec!["a.rs", "src/c.rs"]),
        (json!({"glob": "!*.txt"}), vec!["a.rs", "src/c.rs"]),
        (json!({"glob": "src/**"}), vec!["src/c.rs"]),
        (json!({"glob": "*.txt *.md"}), vec!["b.txt"]),
        (json!({"type": "rust"}), vec!["a.rs", "src/c.rs"]),
        (json!({"type": "rust", "path": "src"}), vec!["src/c.rs"]),
    ];
    for (mut input, expected) in table {
        input["pattern"] = json!("(?i)hello");
        let seen = desk.seen("Grep", input.clone()).await;
        let mut names: Vec<&str> = seen.lines().collect();
        names.sort_unstable();
        let expected: Vec<_> = expected.iter().map(|name| desk.path(name)).collect();
        let expected: Vec<&str> = expected.iter().map(|path| text(path)).collect();
        assert_eq!(names, expected, "{input}");
    }
}

#[tokio::test]
async fn a_long_answer_is_shown_page_by_page() {
    let desk = Desk::new();
    let lines: Vec<String> = (1..=1000).map(|number| format!("line {number}")).collect();
    desk.put("a", lines.join("\n"));
    let page = json!({"pattern": "line", "output_mode": "content", "-n": false, "head_limit": 2, "offset": 3});
    let response = desk.response("Grep", page).await;
    assert_eq!(response["content"], "a:line 4\na:line 5");
    assert_eq!(
        (&response["appliedLimit"], &response["appliedOffset"]),
        (&json!(2), &json!(3))
    );
    let seen = desk.tool("Grep").render(&response).unwrap();
    assert!(
        seen.ends_with("(the first 2 are shown; go on with offset, or search for less)"),
        "{seen}"
    );
    let default = desk
        .response("Grep", json!({"pattern": "line", "output_mode": "content"}))
        .await;
    assert_eq!(
        (&default["numLines"], &default["appliedLimit"]),
        (&json!(250), &json!(250))
    );
    let all = json!({"pattern": "line", "output_mode": "content", "head_limit": 0});
    let all = desk.response("Grep", all).await;
    assert_eq!(
        (&all["numLines"], all.get("appliedLimit")),
        (&json!(1000), None)
    );
    let last = json!({"pattern": "line", "output_mode": "content", "head_limit": 5, "offset": 995});
    assert_eq!(desk.response("Grep", last).await.get("appliedLimit"), None);
}

#[tokio::test]
async fn long_lines_are_cut() {
    let desk = Desk::new();
    desk.put("a", format!("{}\n", "é".repeat(100_000)));
    let seen = content(&desk, json!({"pattern": "é"})).await;
    assert_eq!(seen, format!("a:1:{}…", "é".repeat(500)));
}

#[tokio::test]
async fn mistakes_are_named() {
    let desk = desk();
    let table = [
        (json!({"pattern": "("}), "`(` is no regular expression: "),
        (
            json!({"pattern": "a", "path": "missing"}),
            "does not exist: there is nothing to search",
        ),
        (
            json!({"pattern": "a", "type": "klingon"}),
            "`klingon` is no type of files that is known",
        ),
        (
            json!({"pattern": "a", "glob": "[z-a]"}),
            "`[z-a]` is no pattern: ",
        ),
    ];
    for (input, expected) in table {
        let message = desk.failure("Grep", input).await;
        assert!(message.contains(expected), "{message}");
    }
    let error = desk
        .toolbox
        .check("Grep", &json!({"pattern": "a", "output_mode": "lines"}))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`output_mode` must be one of \"content\""),
        "{error}"
    );
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    let desk = desk();
    desk.context.cancellation.cancel();
    let error = desk
        .call("Grep", json!({"pattern": "hello"}))
        .await
        .unwrap_err();
    assert!(error.interrupted);
}
