//! The checker that other tests rely on finds what it should.
#![cfg(target_os = "linux")] // looks into /proc

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use test_support::{TAG, Tag, children};

/// Ten times longer than anything here takes on a busy machine.
const AMPLE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_planted_stray_that_called_setsid_is_caught() {
    let tag = Tag::new(AMPLE);
    // Nobody knows it: another session, a dead parent.
    let mut planter = Command::new("/bin/sh")
        .args(["-c", "setsid sleep 300 </dev/null >/dev/null 2>&1 & echo"])
        .env(TAG, tag.value())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    planter.wait().unwrap();
    tag.until_there_are(1).await;
    let strays = tag.strays();
    assert_eq!(strays.len(), 1);

    let pid = strays[0].to_string();
    let kill = Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    assert!(kill.success());
    assert_eq!(tag.remaining(), [0; 0]);
}

#[test]
fn a_test_that_leaves_something_fails() {
    let impatient = Tag::new(Duration::ZERO);
    let mut sleep = Command::new("setsid")
        .args(["sleep", "300"])
        .env(TAG, impatient.value())
        .spawn()
        .unwrap();
    while impatient.strays().is_empty() {
        std::thread::yield_now();
    }
    assert!(children().contains(&sleep.id().to_string()));
    let check = std::panic::AssertUnwindSafe(|| drop(impatient));
    assert!(std::panic::catch_unwind(check).is_err());
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    assert!(!children().contains(&sleep.id().to_string()));
}
