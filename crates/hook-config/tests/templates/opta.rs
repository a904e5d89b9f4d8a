//! Opta's scripts.

use hook_types::{PostToolUse, PreToolUse, SessionEnd};
use serde_json::json;

use crate::bench::Bench;
use crate::scene::{bash, call, denied, reason};

fn changed(tool: &str, path: &str) -> PostToolUse {
    PostToolUse::new(tool, json!({ "file_path": path }), json!("ok"))
}

#[tokio::test]
async fn block_rm_refuses_recursive_removal_and_nothing_else() {
    let bench = Bench::new("block-rm");
    for command in [
        "rm -rf /",
        "cd /; rm -rf *",
        "rm -r build",
        "rm -fr build",
        "rm -Rf x",
        "rm --recursive x",
        "rm -v -r x",
        "rm x -r",
        "/bin/rm  -rf x",
        "true\nrm \\\n -rf x",
        "echo \"$(rm -rf x)\"",
    ] {
        let fired = bench.fire(bash(command)).await;
        assert!(denied(&fired), "{command}");
        assert_eq!(reason(&fired), "Blocked: destructive rm");
    }
    for command in [
        "ls",
        "rm file.txt",
        "rm -f file.txt",
        "echo firmware -r",
        "git rm file",
        "ls -R",
    ] {
        assert!(!denied(&bench.fire(bash(command)).await), "{command}");
    }
    assert!(!denied(&bench.fire(call("Read")).await));
}

#[tokio::test]
async fn block_rm_refuses_what_it_cannot_read() {
    let bench = Bench::new("block-rm");
    let fired = bench.fire(PreToolUse::new("Bash", json!({}))).await;
    assert!(reason(&fired).contains("cannot read"), "{}", reason(&fired));
    for program in ["awk", "grep"] {
        let bench = Bench::without("block-rm", &[program]);
        assert!(denied(&bench.fire(bash("ls")).await), "without {program}");
    }
}

#[tokio::test]
async fn auto_lint_calls_the_linter_of_the_file() {
    let bench = Bench::new("auto-lint").has("npx").has("ruff");
    bench.fire(changed("Edit", "/a b.ts")).await;
    bench.fire(changed("Write", "/c.py")).await;
    bench.fire(changed("Write", "/c.md")).await;
    bench.fire(changed("Read", "/d.ts")).await;
    let expected = [
        "npx --no-install eslint --fix -- /a b.ts",
        "ruff check --fix -- /c.py",
    ];
    assert_eq!(bench.called(), expected);
    let bench = Bench::new("auto-lint");
    let fired = bench.fire(changed("Edit", "/a.ts")).await;
    assert!(
        fired.attempts[0].success(),
        "without a linter nothing happens"
    );
}

#[tokio::test]
async fn auto_test_runs_the_tests_in_the_background() {
    let bench = Bench::new("auto-test").has_that("npm", "seq 9 2>/dev/null; echo done");
    let fired = bench.fire(changed("Edit", "/a.tsx")).await;
    assert_eq!(fired.attempts[0].reply.status.word(), "background");
    assert_eq!(bench.called(), ["npm test -- --run --reporter=dot"]);
    bench.fire(changed("Edit", "/a.md")).await;
    bench.fire(changed("Read", "/a.ts")).await;
    assert_eq!(bench.called().len(), 1);
}

#[tokio::test]
async fn commit_at_end_commits_what_the_session_changed() {
    let bench = Bench::new("commit-at-end").repository();
    bench.fire(SessionEnd::new("other")).await;
    assert_eq!(bench.commits(), ["opta: session complete", "first"]);
    bench.fire(SessionEnd::new("other")).await;
    assert_eq!(bench.commits().len(), 2, "nothing has changed");
    let nowhere = Bench::new("commit-at-end");
    nowhere.fire(SessionEnd::new("other")).await;
    assert!(!nowhere.scene.path("project/.git").exists());
}
