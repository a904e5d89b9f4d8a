//! The host is killed; what it started dies too.
#![expect(
    clippy::disallowed_methods,
    reason = "how this program is told that it is the host"
)]
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command as Std, Stdio},
    time::{Duration, Instant},
};

use process_tree::{Command, Control, Registry, Watchdog};
use support::{AMPLE, Fixture};

mod support;

const SCRIPTS: [&str; 3] = [
    "trap '' TERM; setsid sleep 300 & sleep 300",
    "sh -c '(setsid sleep 300 </dev/null >/dev/null 2>&1 &)'; sleep 300",
    // Without any variable of ours: known to the watchdog by its group alone.
    "exec env -i sh -c 'echo $$; sleep 300 & sleep 300'",
];

/// Not a test: the host that the tests below start and kill. It does nothing without its tag.
#[test]
fn host() {
    let Ok(tag) = std::env::var("HOST_TAG") else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let watchdog = Watchdog::start().unwrap();
        println!("watchdog {}", watchdog.pid());
        let registry = Registry::watched(watchdog);
        let control = Control::new()
            .with_registry(&registry)
            .on_output(|progress| println!("bare {}", progress.stdout().trim()));
        let leftover = Command::shell("setsid sleep 300 &").env("FIXTURE_TAG", &tag);
        leftover.run(&control).await;
        let runs = SCRIPTS.map(|script| {
            let (control, tag) = (control.clone(), tag.clone());
            tokio::spawn(async move {
                Command::shell(script)
                    .env("FIXTURE_TAG", tag)
                    .run(&control)
                    .await
            })
        });
        for run in runs {
            run.await.unwrap();
        }
    });
}

/// Starts the host; with it come the numbers of its watchdog and of the bare command.
fn start(fixture: &Fixture) -> (Child, i32, i32) {
    let mut host = Std::new(std::env::current_exe().unwrap())
        .args(["--exact", "host", "--nocapture", "--test-threads", "1"])
        .env("HOST_TAG", fixture.tag())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let (mut watchdog, mut bare) = (0, 0);
    for line in lines {
        // The test harness may have written the start of the line.
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |name| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        watchdog = number("watchdog").unwrap_or(watchdog);
        bare = number("bare").unwrap_or(bare);
        if bare != 0 {
            break;
        }
    }
    (host, watchdog, bare)
}

fn is_running(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn ends(pid: i32) -> bool {
    let clock = Instant::now();
    while is_running(pid) && clock.elapsed() < AMPLE {
        std::thread::sleep(Duration::from_millis(10));
    }
    !is_running(pid)
}

#[tokio::test]
async fn a_host_that_is_killed_takes_its_commands_along() {
    let fixture = Fixture::new();
    let (mut host, watchdog, bare) = start(&fixture);
    fixture.until_there_are(6).await;
    assert!(is_running(bare) && is_running(watchdog));

    host.kill().unwrap();
    host.wait().unwrap();

    assert_eq!(fixture.remaining(), [0; 0]);
    assert!(ends(bare), "the command without variables lives");
    assert!(ends(watchdog), "the watchdog lives");
}

#[tokio::test]
async fn a_watchdog_ends_with_its_last_handle_and_kills_nobody() {
    let fixture = Fixture::new();
    let watchdog = Watchdog::start().unwrap();
    let pid = i32::try_from(watchdog.pid()).unwrap();
    let registry = Registry::watched(watchdog.clone());
    let control = Control::new().with_registry(&registry);
    let done = fixture.shell("sleep 300 & echo left").run(&control).await;
    drop((watchdog, registry, control));
    assert!(ends(pid));
    assert_eq!(fixture.strays().len(), 1);
    done.left.kill().await;
}
