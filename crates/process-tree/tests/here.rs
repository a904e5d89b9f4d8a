//! Alone in its process, for it looks at the process's threads.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::{fs, time::Duration, time::Instant};

use process_tree::{Command, Ending};
use support::{AMPLE, Fixture, run};

/// Threads of this crate that may block.
fn helpers() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names
        .filter(|name| name.starts_with("process-tree-ru"))
        .count()
}

async fn until_no_helper_is_left() {
    let clock = Instant::now();
    while helpers() > 0 {
        assert!(clock.elapsed() < AMPLE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn what_was_started_before_from_a_local_place_needs_no_other_thread_and_what_was_not_does() {
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let known = fixture.shell("exit 3");
    run(&known).await;
    assert_eq!(helpers(), 1, "the first start is a thread's");
    until_no_helper_is_left().await;

    let done = run(&known).await;
    assert_eq!(done.ending, Ending::Exited(3));
    assert_eq!(helpers(), 0, "the second is not");

    let elsewhere = fixture.shell("exit 3").cwd(home.path());
    run(&elsewhere).await;
    assert_eq!(helpers(), 1, "another folder is not known yet");
    until_no_helper_is_left().await;

    // A folder that is gone again: the error is the same, whoever finds it.
    run(&elsewhere).await;
    assert_eq!(helpers(), 0);
    let gone = home.path().to_owned();
    drop(home);
    let error = run(&elsewhere).await.ending;
    assert!(
        format!("{error:?}").contains("CwdMissing"),
        "{error:?} in {gone:?}"
    );

    let looked_up = fixture.mark(Command::new("true"));
    for _ in 0..2 {
        until_no_helper_is_left().await;
        run(&looked_up).await;
        assert_eq!(helpers(), 1, "a name is looked up in folders anywhere");
    }
}
