//! Read: numbered lines, parts of files, and what is no text.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::json;
use tools_support::{Desk, text};

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

#[tokio::test]
async fn lines_come_with_their_numbers() {
    let desk = Desk::new();
    let path = desk.put("a.txt", "one\n\n  three\r\nfour");
    let response = desk.response("Read", json!({"file_path": "a.txt"})).await;
    assert_eq!(
        response,
        json!({"type": "text", "file": {
            "filePath": text(&path), "content": "one\n\n  three\nfour",
            "numLines": 4, "startLine": 1, "totalLines": 4}})
    );
    let seen = desk.tool("Read").render(&response).unwrap();
    assert_eq!(
        seen,
        "     1\tone\n     2\t\n     3\t  three\n     4\tfour\n"
    );
}

#[tokio::test]
async fn a_part_of_a_file_says_how_to_go_on() {
    let desk = Desk::new();
    desk.put("a.txt", "1\n2\n3\n4\n5\n");
    let seen = desk
        .seen(
            "Read",
            json!({"file_path": "a.txt", "offset": 2, "limit": 2}),
        )
        .await;
    assert_eq!(
        seen,
        "     2\t2\n     3\t3\n(lines 2 to 3 of 5; go on with offset 4)"
    );
    let last = desk
        .seen(
            "Read",
            json!({"file_path": "a.txt", "offset": 4.0, "limit": 2}),
        )
        .await;
    assert_eq!(last, "     4\t4\n     5\t5\n");
}

#[tokio::test]
async fn where_there_is_nothing_to_show_it_is_said() {
    let desk = Desk::new();
    desk.put("empty", "");
    desk.put("short", "a\nb\n");
    let empty = desk.seen("Read", json!({"file_path": "empty"})).await;
    assert_eq!(empty, "(the file is empty)");
    let beyond = desk
        .seen("Read", json!({"file_path": "short", "offset": 9}))
        .await;
    assert_eq!(beyond, "(there is no line 9: the file has 2 lines)");
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_with_a_remedy() {
    let desk = Desk::new();
    desk.put("binary", [b'a', 0, 1, 2]);
    desk.put("folder/a", "");
    let fifo = std::process::Command::new("mkfifo")
        .arg(desk.path("pipe"))
        .status();
    assert!(fifo.unwrap().success());
    let table = [
        ("binary", "is binary (4 bytes)"),
        ("folder", "is a directory; use Glob"),
        ("missing", "does not exist; use Glob"),
        ("pipe", "is a pipe, a socket or a device"),
        ("binary/below", "one of its parents is a file"),
    ];
    for (name, expected) in table {
        let message = desk.failure("Read", json!({"file_path": name})).await;
        assert!(
            message.starts_with(&format!("`{}`", text(&desk.path(name)))),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn broken_characters_and_a_byte_order_mark_do_no_harm() {
    let desk = Desk::new();
    desk.put("a", b"\xEF\xBB\xBFfirst\nbro\xFFken\n");
    let seen = desk.seen("Read", json!({"file_path": "a"})).await;
    assert_eq!(seen, "     1\tfirst\n     2\tbro\u{FFFD}ken\n");
}

#[tokio::test]
async fn long_files_and_long_lines_are_cut_and_say_so() {
    let desk = Desk::new();
    desk.put("lines", "x\n".repeat(5000));
    let many = desk.response("Read", json!({"file_path": "lines"})).await;
    assert_eq!(
        (&many["file"]["numLines"], &many["file"]["totalLines"]),
        (&json!(2000), &json!(5000))
    );

    // Characters of three bytes, so that a line is cut by characters and never inside one.
    desk.put("line", format!("{}\nnext\n", "€".repeat(100_000)));
    let long = desk.seen("Read", json!({"file_path": "line"})).await;
    let expected = format!(
        "     1\t{}… (cut: the line has 300000 bytes)\n     2\tnext\n",
        "€".repeat(2000)
    );
    assert_eq!(long, expected);

    desk.put("wide", format!("{}\n", "y".repeat(1999)).repeat(1000));
    let wide = desk.response("Read", json!({"file_path": "wide"})).await;
    let content = wide["file"]["content"].as_str().unwrap();
    assert!(
        (200 << 10..=256 << 10).contains(&content.len()),
        "{}",
        content.len()
    );
    let shown = wide["file"]["numLines"].as_u64().unwrap();
    assert_eq!(content.lines().count() as u64, shown);
    let note = desk.tool("Read").render(&wide).unwrap();
    assert!(note.ends_with(&format!(
        "(lines 1 to {shown} of 1000; go on with offset {})",
        shown + 1
    )));
}

#[tokio::test]
async fn hooks_see_an_absolute_path() {
    let desk = Desk::new();
    let input = json!({"file_path": "src/../a.txt", "limit": 3});
    let normalised = desk.tool("Read").normalise(input, &desk.context);
    assert_eq!(
        normalised,
        json!({"file_path": text(&desk.path("a.txt")), "limit": 3})
    );
}

#[tokio::test]
async fn a_response_that_a_hook_made_up_is_not_taken_for_a_file() {
    let desk = Desk::new();
    for made_up in [json!("text"), json!({"file": {"content": 1}}), json!(null)] {
        assert_eq!(desk.tool("Read").render(&made_up), None);
    }
}
