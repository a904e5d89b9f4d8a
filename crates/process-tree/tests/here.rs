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

/// Whether a command is run without a thread that may block. Where others start processes at the same
/// time, a thread looks whose they are; not every time.
async fn runs_without_a_helper(command: &Command) -> bool {
    for _ in 0..20 {
        until_no_helper_is_left().await;
        run(command).await;
        if helpers() == 0 {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn what_was_started_before_from_a_local_place_needs_no_other_thread_and_what_was_not_does() {
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let known = fixture.shell("exit 3");
    run(&known).await;
    assert_eq!(helpers(), 1, "the first start is a thread's");
    until_no_helper_is_left().await;

    assert!(runs_without_a_helper(&known).await, "the second is not");
    assert_eq!(run(&known).await.ending, Ending::Exited(3));
    until_no_helper_is_left().await;

    let elsewhere = fixture.shell("exit 3").cwd(home.path());
    run(&elsewhere).await;
    assert_eq!(helpers(), 1, "another folder is not known yet");
    until_no_helper_is_left().await;

    // A folder that is gone again: the error is the same, whoever finds it.
    assert!(runs_without_a_helper(&elsewhere).await);
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
