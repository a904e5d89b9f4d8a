//! Write and Edit: what is changed, what stays, and what is refused.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};
use tools_support::{Desk, text};

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

fn edit(file: &str, old: &str, new: &str) -> Value {
    json!({"file_path": file, "old_string": old, "new_string": new})
}

#[tokio::test]
async fn a_new_file_is_made_with_its_directories() {
    let desk = Desk::new();
    let path = desk.path("deep/er/a.txt");
    let input = json!({"file_path": "deep/er/a.txt", "content": "hello\n"});
    let response = desk.response("Write", input).await;
    assert_eq!(
        response,
        json!({"type": "create", "filePath": text(&path), "content": "hello\n",
               "structuredPatch": [], "originalFile": null})
    );
    assert_eq!(desk.content("deep/er/a.txt"), "hello\n");
    let by_hand = desk.put("by-hand", "");
    let mode = |path| fs::metadata(path).unwrap().mode();
    assert_eq!(
        mode(path),
        mode(by_hand),
        "the umask counts as for any new file"
    );
}

#[tokio::test]
async fn a_file_that_is_there_must_have_been_read() {
    let desk = Desk::new();
    desk.put("a", "old\n");
    let blind = json!({"file_path": "a", "content": "new\n"});
    let message = desk.failure("Write", blind.clone()).await;
    assert!(
        message.contains("has not been read yet; use Read"),
        "{message}"
    );
    let message = desk.failure("Edit", edit("a", "old", "new")).await;
    assert!(
        message.contains("has not been read yet; use Read"),
        "{message}"
    );
    assert_eq!(desk.content("a"), "old\n");

    desk.read("a").await;
    let response = desk.response("Write", blind).await;
    assert_eq!(response["type"], "update");
    assert_eq!(response["originalFile"], "old\n");
    assert_eq!(
        response["structuredPatch"][0]["lines"],
        json!(["-old", "+new"])
    );
    assert_eq!(desk.content("a"), "new\n");
}

#[tokio::test]
async fn a_file_that_somebody_changed_since_must_be_read_again() {
    let desk = Desk::new();
    desk.put("a", "one\n");
    desk.read("a").await;
    desk.put("a", "two\n");
    for (tool, input) in [
        ("Write", json!({"file_path": "a", "content": "x"})),
        ("Edit", edit("a", "two", "three")),
    ] {
        let message = desk.failure(tool, input).await;
        assert!(
            message.contains("has changed since it was read; use Read on it again"),
            "{message}"
        );
    }
    assert_eq!(desk.content("a"), "two\n");
    desk.read("a").await;
    desk.response("Edit", edit("a", "two", "three")).await;
    assert_eq!(desk.content("a"), "three\n");
}

#[tokio::test]
async fn a_new_date_on_the_same_content_is_no_change() {
    let desk = Desk::new();
    let path = desk.put("a", "one\n");
    desk.read("a").await;
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    desk.response("Edit", edit("a", "one", "two")).await;
}

#[tokio::test]
async fn a_formatter_that_rewrites_the_file_does_not_stand_in_the_way() {
    let desk = Desk::new();
    desk.put("a.rs", "fn a() {}\nfn b() {}\n");
    desk.read("a.rs").await;
    desk.response("Edit", edit("a.rs", "fn a() {}", "fn a(){}"))
        .await;
    // The formatter, as a hook after the edit; the loop says that hooks have run, or it comes too late.
    for in_time in [true, false] {
        desk.put("a.rs", format!("// {in_time}\nfn a() {{}}\nfn b() {{}}\n"));
        if in_time {
            desk.context.read_files.hooks_have_run().await;
            let whole = json!({"file_path": "a.rs", "content": desk.content("a.rs")});
            desk.response("Write", whole).await;
        }
        desk.response("Edit", edit("a.rs", "fn b() {}", "fn c() {}"))
            .await;
        assert_eq!(
            desk.content("a.rs"),
            format!("// {in_time}\nfn a() {{}}\nfn c() {{}}\n")
        );
    }
    // To overwrite all of it unseen is another matter.
    desk.put("a.rs", "somebody's work");
    let message = desk
        .failure("Write", json!({"file_path": "a.rs", "content": ""}))
        .await;
    assert!(message.contains("has changed since"), "{message}");
}

#[tokio::test]
async fn an_edit_tells_hooks_what_it_did() {
    let desk = Desk::new();
    let path = desk.put("a", "x = 1\ny = 1\n");
    desk.read("a").await;
    let response = desk.response("Edit", edit("a", "x = 1", "x = 2")).await;
    assert_eq!(
        response,
        json!({"filePath": text(&path), "oldString": "x = 1", "newString": "x = 2",
               "originalFile": "x = 1\ny = 1\n", "userModified": false, "replaceAll": false,
               "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2,
                                    "lines": ["-x = 1", "+x = 2", " y = 1"]}]})
    );
}

#[tokio::test]
async fn an_edit_that_could_mean_several_places_says_how_many() {
    let desk = Desk::new();
    desk.put("a", "1 1 1\n");
    desk.read("a").await;
    let message = desk.failure("Edit", edit("a", "1", "2")).await;
    assert!(message.contains("is in it 3 times"), "{message}");
    let message = desk.failure("Edit", edit("a", "7", "2")).await;
    assert!(message.contains("old_string is not in it"), "{message}");
    assert_eq!(desk.content("a"), "1 1 1\n");
    let all = json!({"file_path": "a", "old_string": "1", "new_string": "2", "replace_all": true});
    desk.response("Edit", all).await;
    assert_eq!(desk.content("a"), "2 2 2\n");
}

#[tokio::test]
async fn an_edit_of_nothing_makes_a_file_but_overwrites_none() {
    let desk = Desk::new();
    desk.response("Edit", edit("new", "", "made\n")).await;
    assert_eq!(desk.content("new"), "made\n");
    let message = desk.failure("Edit", edit("new", "", "again\n")).await;
    assert!(
        message.contains("use Write to replace the whole content"),
        "{message}"
    );
    let message = desk.failure("Edit", edit("missing", "a", "b")).await;
    assert!(message.contains("does not exist; use Write"), "{message}");
}

#[tokio::test]
async fn mode_links_and_other_names_of_a_file_stay() {
    let desk = Desk::new();
    let path = desk.put("bin/run.sh", "old\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    symlink("bin/run.sh", desk.path("link")).unwrap();
    desk.read("link").await;
    desk.response("Edit", edit("link", "old", "new")).await;
    assert!(
        fs::symlink_metadata(desk.path("link"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(desk.content("bin/run.sh"), "new\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);

    // What was read through the link is known by its own name, too.
    fs::hard_link(&path, desk.path("twin")).unwrap();
    desk.response("Edit", edit("bin/run.sh", "new", "newer"))
        .await;
    assert_eq!(desk.content("twin"), "newer\n");
    let left: Vec<_> = fs::read_dir(desk.path("bin")).unwrap().collect();
    assert_eq!(left.len(), 1, "no scratch file is left: {left:?}");
}

#[tokio::test]
async fn a_link_to_nothing_makes_what_it_points_to() {
    let desk = Desk::new();
    symlink("target", desk.path("link")).unwrap();
    desk.response("Write", json!({"file_path": "link", "content": "x"}))
        .await;
    assert_eq!(desk.content("target"), "x");
    assert!(
        fs::symlink_metadata(desk.path("link"))
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn whoever_holds_the_old_file_open_still_reads_all_of_it() {
    use std::io::Read as _;

    let desk = Desk::new();
    let path = desk.put("a", "old content\n");
    let mut reader = fs::File::open(path).unwrap();
    desk.read("a").await;
    desk.response("Write", json!({"file_path": "a", "content": "new"}))
        .await;
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "old content\n");
}

#[tokio::test]
async fn what_is_no_text_is_not_edited_and_no_directory_is_overwritten() {
    let desk = Desk::new();
    desk.put("latin", b"caf\xE9\n");
    desk.read("latin").await;
    let message = desk.failure("Edit", edit("latin", "caf", "tea")).await;
    assert!(message.contains("is not UTF-8"), "{message}");
    assert_eq!(fs::read(desk.path("latin")).unwrap(), b"caf\xE9\n");
    fs::create_dir(desk.path("folder")).unwrap();
    let message = desk
        .failure("Write", json!({"file_path": "folder", "content": ""}))
        .await;
    assert!(message.contains("is a directory"), "{message}");
    desk.put("file", "");
    let message = desk
        .failure("Write", json!({"file_path": "file/below", "content": ""}))
        .await;
    assert!(message.contains("file/below` cannot"), "{message}");
}

#[tokio::test]
async fn a_file_ends_its_lines_as_before() {
    let desk = Desk::new();
    desk.put("dos", "a\r\nb\r\nc\r\n");
    desk.read("dos").await;
    desk.response("Edit", edit("dos", "a\nb\n", "a\nx\ny\n"))
        .await;
    assert_eq!(desk.content("dos"), "a\r\nx\r\ny\r\nc\r\n");
}
