//! A test in a process of its own.

use std::process::Command;

/// Runs a test of this program again, in a process that `setup` has prepared; whether this is that
/// process. Limits and what is done with signals belong to a whole process, and tests share theirs.
pub fn prepared(test: &str, setup: &str) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "how this program is told that it is prepared"
    )]
    if std::env::var("PREPARED").is_ok_and(|prepared| prepared == test) {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let again = format!("{setup} \"$0\" --exact {test} --test-threads 1");
    let status = Command::new("/bin/sh")
        .args(["-c", &again])
        .arg(own)
        .env("PREPARED", test)
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed after `{setup}`");
    false
}
