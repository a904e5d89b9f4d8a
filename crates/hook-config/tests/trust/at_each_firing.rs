//! Asked at each firing, not once.

use std::fs::{self, File, FileTimes};
use std::time::Duration;

use crate::sandbox::Sandbox;

const CHECK: &str = "sh \"$CLAUDE_PROJECT_DIR\"/check.sh";

/// Longer than a file counts as young.
const SETTLED: Duration = Duration::from_millis(2300);

#[tokio::test]
async fn a_script_that_changes_during_a_session_blocks_its_guard_and_does_not_run() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "exit 0");
    sandbox.approve();
    let session = sandbox.session(&sandbox.trust());
    assert!(!session.bash().await.is_denied());

    sandbox.write("check.sh", "touch \"$CLAUDE_PROJECT_DIR/ran\"; exit 0");
    assert!(session.bash().await.is_denied());
    assert!(!sandbox.project("ran").exists());

    sandbox.write("check.sh", "exit 0");
    assert!(
        !session.bash().await.is_denied(),
        "what was approved runs again"
    );
}

#[tokio::test]
async fn a_change_is_seen_at_once_however_young_the_file_is() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "exit 0 ");
    sandbox.approve();
    let session = sandbox.session(&sandbox.trust());
    for round in 0..20 {
        let text = if round % 2 == 0 { " exit 0" } else { "exit 0 " };
        fs::write(sandbox.project("check.sh"), text).unwrap();
        assert_eq!(session.bash().await.is_denied(), round % 2 == 0, "{round}");
    }
}

#[tokio::test]
async fn a_forged_time_hides_nothing() {
    let sandbox = Sandbox::with_command(CHECK);
    let script = sandbox.write("check.sh", "exit 0 ");
    sandbox.approve();
    std::thread::sleep(SETTLED);
    let session = sandbox.session(&sandbox.trust());
    assert!(!session.bash().await.is_denied());

    let written = fs::metadata(&script).unwrap().modified().unwrap();
    fs::write(&script, " exit 0").unwrap();
    let file = File::options().write(true).open(&script).unwrap();
    file.set_times(FileTimes::new().set_modified(written))
        .unwrap();
    assert_eq!(fs::metadata(&script).unwrap().modified().unwrap(), written);
    assert!(session.bash().await.is_denied());
}

#[tokio::test]
async fn a_file_put_in_place_of_a_settled_one_is_seen() {
    let sandbox = Sandbox::with_command(CHECK);
    let script = sandbox.write("check.sh", "exit 0 ");
    let other = sandbox.write("other.sh", " exit 0");
    let times = fs::metadata(&script).unwrap().modified().unwrap();
    let file = File::options().write(true).open(&other).unwrap();
    file.set_times(FileTimes::new().set_modified(times))
        .unwrap();
    sandbox.approve();
    std::thread::sleep(SETTLED);
    let session = sandbox.session(&sandbox.trust());
    assert!(!session.bash().await.is_denied());
    fs::rename(other, script).unwrap();
    assert!(session.bash().await.is_denied());
}

#[tokio::test]
async fn touching_a_file_changes_nothing() {
    let sandbox = Sandbox::with_command(CHECK);
    let script = sandbox.write("check.sh", "exit 0");
    sandbox.approve();
    let session = sandbox.session(&sandbox.trust());
    let file = File::options().write(true).open(script).unwrap();
    file.set_times(FileTimes::new().set_modified(std::time::UNIX_EPOCH))
        .unwrap();
    assert!(!session.bash().await.is_denied());
}

#[tokio::test]
async fn an_approval_given_during_a_session_counts_in_it() {
    let sandbox = Sandbox::with_command("echo no >&2; exit 2");
    let session = sandbox.session(&sandbox.trust());
    assert!(!session.bash().await.is_denied());
    sandbox.approve();
    assert_eq!(session.bash().await.reason(), Some("no"));
}

#[tokio::test]
async fn a_store_that_breaks_or_vanishes_during_a_session_leaves_no_guard_open() {
    for text in [Some("not JSON"), None] {
        let sandbox = Sandbox::with_command("exit 0");
        sandbox.approve();
        let session = sandbox.session(&sandbox.trust());
        assert!(!session.bash().await.is_denied());
        let file = sandbox.store().file_of(&sandbox.root());
        match text {
            Some(text) => fs::write(file, text).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        assert!(session.bash().await.is_denied(), "{text:?}");
    }
}
