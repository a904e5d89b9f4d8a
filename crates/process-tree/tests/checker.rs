//! The checker that every other test relies on finds what it should.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    time::Duration,
};

use support::Fixture;

mod support;

#[tokio::test]
async fn the_checker_catches_a_planted_stray_that_called_setsid() {
    let fixture = Fixture::new();
    // Started behind the crate's back: no marker, another session, a dead parent.
    let mut planter = Command::new("/bin/sh")
        .args(["-c", "setsid sleep 300 </dev/null >/dev/null 2>&1 & echo"])
        .env("FIXTURE_TAG", fixture.tag())
        .process_group(0)
        .spawn()
        .unwrap();
    planter.wait().unwrap();
    fixture.until_there_are(1).await;
    let strays = fixture.strays();
    assert_eq!(strays.len(), 1);

    let pid = strays[0].to_string();
    assert!(
        Command::new("kill")
            .args(["-KILL", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[test]
fn the_checker_fails_a_test_that_leaves_something() {
    let caught = std::panic::catch_unwind(|| {
        let fixture = Fixture::impatient();
        let mut sleep = Command::new("sleep")
            .arg("3")
            .env("FIXTURE_TAG", fixture.tag())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::spawn(move || sleep.wait());
        std::thread::sleep(Duration::from_millis(200));
    });
    assert!(caught.is_err());
}
